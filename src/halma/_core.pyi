"""
The C++ core of halma: rules, records, searches, self-play and solvers.
"""

from collections.abc import Sequence
import enum
from typing import Annotated, Any

import numpy
import numpy.typing
from numpy.typing import NDArray


def build() -> str:
    """Compiler and flags this module was built with."""

NO_MOVE: int = 4294967295

MAX_MOVES: int = 512

MAX_OUTCOMES: int = 720

MAX_PLAYERS: int = 6

class Limits:
    """When a record ends although the rules would go on; 0: no such limit."""

    def __init__(self, *, plies: int = 0, repetitions: int = 0, no_progress: int = 0, cycle_window: int = 0, cycle_landings: int = 0) -> None: ...

    @property
    def plies(self) -> int: ...

    @property
    def repetitions(self) -> int: ...

    @property
    def no_progress(self) -> int: ...

    @property
    def cycle_window(self) -> int: ...

    @property
    def cycle_landings(self) -> int: ...

class AnyGame:
    """The rules of one variant; states are bytes, moves integers."""

    @property
    def state_size(self) -> int: ...

    @property
    def players(self) -> int: ...

    @property
    def max_score(self) -> float: ...

    @property
    def actions(self) -> int: ...

    @property
    def history(self) -> int: ...

    @property
    def version(self) -> int: ...

    @property
    def index_size(self) -> int: ...

    @property
    def uses_context(self) -> bool:
        """Whether planes look at the game's past."""

    @property
    def byte_planes(self) -> bool:
        """Whether planes fit into bytes."""

    @property
    def shape(self) -> tuple[int, int, int]: ...

    @property
    def symmetries(self) -> int:
        """In how many mirrors the game is the same; number 0 changes nothing."""

    def image(self, state: bytes, mirror: int) -> bytes:
        """A state as it looks in a mirror."""

    def image_move(self, move: int, mirror: int) -> int:
        """A legal move as it looks in a mirror."""

    def initial(self) -> bytes: ...

    def mover(self, arg: bytes, /) -> int: ...

    def legal(self, arg: bytes, /) -> list[int]: ...

    def terminal(self, arg: bytes, /) -> bool: ...

    def play(self, arg0: bytes, arg1: int, /) -> bytes: ...

    def irreversible(self, arg0: bytes, arg1: int, /) -> bool: ...

    def landing(self, arg: int, /) -> int: ...

    def at_chance(self, arg: bytes, /) -> bool: ...

    def outcomes(self, state: bytes, /) -> list[tuple[int, float]]: ...

    def resolve(self, arg0: bytes, arg1: int, /) -> bytes: ...

    def result(self, arg: bytes, /) -> list[float]: ...

    def action(self, arg0: bytes, arg1: int, /) -> int: ...

    def move(self, arg0: bytes, arg1: int, /) -> int: ...

    def encode(self, recent: Sequence[bytes], repetitions: int = 0, no_progress: float = 0.0) -> NDArray[numpy.float32]: ...

    def key(self, arg: bytes, /) -> int: ...

    def index(self, arg: bytes, /) -> int: ...

    def unindex(self, arg: int, /) -> bytes: ...

    def describe(self, arg: bytes, /) -> list[int]: ...

    def compose(self, arg: Sequence[int], /) -> bytes: ...

    def count(self, arg: bytes, /) -> int: ...

    def perft(self, arg0: bytes, arg1: int, /) -> int: ...

    def playouts(self, state: bytes, games: int, seed: int = 0, ply_limit: int = 0, quiet_limit: int = 0) -> dict[str, Any]: ...

    def sample_states(self, state: bytes, number: int, seed: int = 0, ply_limit: int = 1000) -> NDArray[numpy.uint8]: ...

    def legal_many(self, states: numpy.typing.NDArray[numpy.uint8], /) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint32]]: ...

    def reachable(self) -> tuple[int, int]: ...

class End(enum.Enum):
    """Why a record is over."""

    NONE = 0

    RULES = 1

    PLIES = 2

    REPETITION = 3

    NO_PROGRESS = 4

    CYCLE = 5

class Record:
    """States and events of one game, with the rules that look at history."""

    def __init__(self, game: AnyGame, limits: Limits, start: bytes) -> None: ...

    def state(self) -> bytes: ...

    def state_at(self, arg: int, /) -> bytes: ...

    def __len__(self) -> int: ...

    @property
    def plies(self) -> int: ...

    @property
    def halfmove_clock(self) -> int: ...

    @property
    def repetitions(self) -> int: ...

    @property
    def end(self) -> End: ...

    def events(self) -> list[tuple[bool, int]]: ...

    def play(self, arg: int, /) -> None: ...

    def resolve(self, arg: int, /) -> None: ...

    def undo(self) -> None: ...

    def encode(self) -> NDArray[numpy.float32]: ...

class ScriptedGame(AnyGame):
    """Base of a game written in Python alone."""

    def __init__(self, *, state_size: int, players: int, max_score: float, actions: int, shape: tuple[int, int, int], history: int, version: int, index_size: int) -> None: ...

def capabilities(game: AnyGame) -> dict[str, bool]:
    """Which optional hooks of the contract a game offers; see core/game.hpp."""

VALUE_TOLERANCE: float = 1e-12

def better(value: float, distance: int, other_value: float, other_distance: int) -> bool:
    """
    Whether a player prefers an exact value to another: the higher value; of equal ones the shorter
    distance if ahead, the longer if behind.
    """

class Oracle:
    """Exact values of some positions of a game for two players."""

    def fits(self, game: AnyGame) -> bool:
        """Whether it was made for this game."""

    def probe(self, game: AnyGame, state: bytes) -> tuple[float, int] | None:
        """
        Value for the mover, and distance; None where it is not held or the game is over.
        """

class RetrogradeTable(Oracle):
    """A finished retrograde analysis; arrays as Retrograde gives them."""

    def __init__(self, game: AnyGame, values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def values(self, indices: numpy.typing.NDArray[numpy.int64]) -> numpy.typing.NDArray[numpy.float64]:
        """
        Values of positions by index, for the player to move; NaN where illegal.
        """

class Rule(enum.Enum):
    UCT = 0

    PUCT = 1

    GUMBEL = 2

class Untried(enum.Enum):
    LOSS = 0

    DRAW = 1

    WIN = 2

    INFINITE = 3

    PARENT = 4

class Backup(enum.Enum):
    MEAN = 0

    NEGAMAX = 1

class Proof(enum.Enum):
    NONE = 0

    LOSS = 1

    DRAW = 2

    WIN = 3

class EvaluatorKind(enum.Enum):
    UNIFORM = 0

    ROLLOUT = 1

    LINEAR = 2

class SearchOptions:
    """Every dial of the tree search; see core/search/options.hpp."""

    def __init__(self) -> None: ...

    @property
    def rule(self) -> Rule: ...

    @rule.setter
    def rule(self, arg: Rule, /) -> None: ...

    @property
    def c(self) -> float: ...

    @c.setter
    def c(self, arg: float, /) -> None: ...

    @property
    def untried(self) -> Untried: ...

    @untried.setter
    def untried(self, arg: Untried, /) -> None: ...

    @property
    def backup(self) -> Backup: ...

    @backup.setter
    def backup(self, arg: Backup, /) -> None: ...

    @property
    def noise_weight(self) -> float: ...

    @noise_weight.setter
    def noise_weight(self, arg: float, /) -> None: ...

    @property
    def noise_alpha(self) -> float: ...

    @noise_alpha.setter
    def noise_alpha(self, arg: float, /) -> None: ...

    @property
    def solver(self) -> bool: ...

    @solver.setter
    def solver(self, arg: bool, /) -> None: ...

    @property
    def oracle(self) -> Oracle | None: ...

    @oracle.setter
    def oracle(self, oracle: Oracle | None) -> None: ...

    @property
    def cut_loops(self) -> bool: ...

    @cut_loops.setter
    def cut_loops(self, arg: bool, /) -> None: ...

    @property
    def considered(self) -> int: ...

    @considered.setter
    def considered(self, arg: int, /) -> None: ...

    @property
    def visit_offset(self) -> float: ...

    @visit_offset.setter
    def visit_offset(self, arg: float, /) -> None: ...

    @property
    def value_scale(self) -> float: ...

    @value_scale.setter
    def value_scale(self, arg: float, /) -> None: ...

    @property
    def rollout_plies(self) -> int: ...

    @rollout_plies.setter
    def rollout_plies(self, arg: int, /) -> None: ...

    @property
    def rollout_quiet(self) -> int: ...

    @rollout_quiet.setter
    def rollout_quiet(self, arg: int, /) -> None: ...

class RootMove:
    """One move of the root after a search."""

    @property
    def move(self) -> int: ...

    @property
    def visits(self) -> int: ...

    @property
    def value(self) -> float: ...

    @property
    def prior(self) -> float: ...

    @property
    def proof(self) -> Proof: ...

    @property
    def exact(self) -> bool: ...

    @property
    def line(self) -> list[int]: ...

class Mcts:
    """A tree search with an evaluator of the core."""

    def __init__(self, game: AnyGame, options: SearchOptions, evaluator: EvaluatorKind, weights: Sequence[float] = [], scale: float = 0.0, seed: int = 0) -> None: ...

    def set_root(self, state: bytes, history: Sequence[int] = []) -> None: ...

    def advance(self, state: bytes, move: int, outcomes: Sequence[int] = [], history: Sequence[int] = []) -> None: ...

    def run(self, simulations: int = 18446744073709551615, seconds: float = 0.0) -> None: ...

    def root_moves(self, line_length: int = 8) -> list[RootMove]: ...

    def policy(self) -> list[float]: ...

    def best(self) -> int: ...

    def dump(self) -> dict[str, list[Any]]: ...

    @property
    def settled(self) -> bool: ...

    @property
    def simulations(self) -> int: ...

    @property
    def root_value(self) -> float: ...

    @property
    def bytes(self) -> int: ...

    @property
    def visited_edges(self) -> int: ...

def run_many(searches: Sequence[Mcts], simulations: int, seconds: float = 0.0, threads: int = 2) -> None:
    """Run independent searches on several threads."""

class Batch:
    """Many trees whose leaves are judged together, from outside."""

    def __init__(self, game: AnyGame, options: SearchOptions, trees: int, seed: int = 0) -> None: ...

    def set_root(self, tree: int, state: bytes, simulations: int, earlier: Sequence[bytes] = [], quiet: int = 0, quiet_limit: int = 0) -> None:
        """
        `earlier`: the decisions before, newest first; `quiet`: plies without progress.
        """

    def collect(self, planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')], per_tree: int = 1) -> int:
        """
        Write the planes of leaves into (capacity, planes, rows, columns); return how many.
        """

    def submit(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Judge the collected leaves: priors (leaves, actions), values (leaves, players), mover first.
        """

    def root_moves(self, tree: int, line_length: int = 8) -> list[RootMove]: ...

    def policy(self, arg: int, /) -> list[float]: ...

    def best(self, arg: int, /) -> int: ...

    def root_value(self, arg: int, /) -> float: ...

    def simulations(self, arg: int, /) -> int: ...

    def dump(self, tree: int, /) -> dict[str, list[Any]]: ...

class Choice(enum.Enum):
    """How the move of a training row came about."""

    FULL = 0

    FAST = 1

    RANDOM = 2

class PoolOptions:
    """Every dial of self-play; see core/selfplay/options.hpp."""

    def __init__(self) -> None: ...

    @property
    def search(self) -> SearchOptions: ...

    @search.setter
    def search(self, arg: SearchOptions, /) -> None: ...

    @property
    def simulations(self) -> int: ...

    @simulations.setter
    def simulations(self, arg: int, /) -> None: ...

    @property
    def leaves(self) -> int: ...

    @leaves.setter
    def leaves(self, arg: int, /) -> None: ...

    @property
    def reuse(self) -> bool: ...

    @reuse.setter
    def reuse(self, arg: bool, /) -> None: ...

    @property
    def full_share(self) -> float: ...

    @full_share.setter
    def full_share(self, arg: float, /) -> None: ...

    @property
    def fast_simulations(self) -> int: ...

    @fast_simulations.setter
    def fast_simulations(self, arg: int, /) -> None: ...

    @property
    def temperatures(self) -> list[tuple[int, float]]: ...

    @temperatures.setter
    def temperatures(self, arg: Sequence[tuple[int, float]], /) -> None: ...

    @property
    def opening_least(self) -> int: ...

    @opening_least.setter
    def opening_least(self, arg: int, /) -> None: ...

    @property
    def opening_most(self) -> int: ...

    @opening_most.setter
    def opening_most(self, arg: int, /) -> None: ...

    @property
    def resign_below(self) -> float: ...

    @resign_below.setter
    def resign_below(self, arg: float, /) -> None: ...

    @property
    def resign_after(self) -> int: ...

    @resign_after.setter
    def resign_after(self, arg: int, /) -> None: ...

    @property
    def resign_never_share(self) -> float: ...

    @resign_never_share.setter
    def resign_never_share(self, arg: float, /) -> None: ...

def encode_rows(game: AnyGame, states: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], repetitions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], no_progress: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], firsts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')]) -> None:
    """
    Write the planes of some rows of finished games; firsts[i] is where the game of rows[i] begins.
    """

class Pool:
    """
    Many games of self-play whose leaves are judged together, from outside.
    """

    def __init__(self, game: AnyGame, options: PoolOptions, limits: Limits, slots: int, groups: int = 2, threads: int = 1, seed: int = 0, first: int = 0, end: int = 18446744073709551615) -> None: ...

    def collect(self, group: int, planes: numpy.typing.NDArray[Any]) -> int:
        """
        Run a group to its next leaves and write their planes; return how many.
        """

    def submit(self, group: int, logits: numpy.typing.NDArray[Any], values: numpy.typing.NDArray[Any]) -> None:
        """
        Judge a group's leaves: logits (leaves, actions), values (leaves, players), mover first.
        """

    def step(self, group: int, logits: numpy.typing.NDArray[Any], values: numpy.typing.NDArray[Any], planes: numpy.typing.NDArray[Any]) -> int:
        """
        submit() and collect() in one go, which spares half of the way to memory.
        """

    def take_finished(self) -> dict[str, Any]:
        """Games finished since it was last asked, as arrays."""

    def capacity(self, arg: int, /) -> int: ...

    def awaited(self, arg: int, /) -> int: ...

    def active(self, arg: int, /) -> int: ...

    @property
    def finished(self) -> int: ...

    @property
    def slots(self) -> int: ...

    @property
    def groups(self) -> int: ...

    @property
    def end(self) -> int: ...

    @end.setter
    def end(self, arg: int, /) -> None: ...

    @property
    def totals(self) -> dict[str, int]: ...

    @property
    def bytes(self) -> int: ...

def races(game: AnyGame) -> bool:
    """Whether a move has an advance in this game."""

def looks_ahead(game: AnyGame) -> bool:
    """Whether several moves in a row of one player make sense in this game."""

def advance(game: AnyGame, state: bytes, move: int) -> int:
    """How far a legal move brings its piece forward."""

def trailing(game: AnyGame, state: bytes, move: int) -> int:
    """How far behind the piece of a legal move stands."""

def greedy_games(game: AnyGame, limits: Limits, games: int, seed: int, random_plies: int, stochastic: Sequence[int], threads: int) -> dict[str, Any]:
    """Totals of games between greedy players."""

def greedy_game(game: AnyGame, limits: Limits, number: int, seed: int, random_plies: int, stochastic: Sequence[int]) -> list[tuple[bool, int]]:
    """The events of one of those games."""

def lookahead(game: AnyGame, state: bytes, depth: int) -> list[int]:
    """First moves of the moves in a row that advance most together."""

class MinimaxKind(enum.Enum):
    ALPHABETA = 0

    EXPECTIMAX = 1

    MAXN = 2

    PARANOID = 3

class Ordering(enum.Enum):
    LISTED = 0

    SCORE = 1

    ADAPTIVE = 2

class Pruning(enum.Enum):
    NONE = 0

    WINDOWS = 1

    PROBES = 2

class MinimaxOptions:
    """
    Every dial of the minimax searches; see core/search/minimax_options.hpp.
    """

    def __init__(self) -> None: ...

    @property
    def kind(self) -> MinimaxKind: ...

    @kind.setter
    def kind(self, arg: MinimaxKind, /) -> None: ...

    @property
    def weights(self) -> list[float]: ...

    @weights.setter
    def weights(self, arg: Sequence[float], /) -> None: ...

    @property
    def pruning(self) -> Pruning: ...

    @pruning.setter
    def pruning(self, arg: Pruning, /) -> None: ...

    @property
    def ordering(self) -> Ordering: ...

    @ordering.setter
    def ordering(self, arg: Ordering, /) -> None: ...

    @property
    def table_bits(self) -> int: ...

    @table_bits.setter
    def table_bits(self, arg: int, /) -> None: ...

    @property
    def deepen(self) -> bool: ...

    @deepen.setter
    def deepen(self, arg: bool, /) -> None: ...

    @property
    def quiescence(self) -> bool: ...

    @quiescence.setter
    def quiescence(self, arg: bool, /) -> None: ...

    @property
    def repetition(self) -> bool: ...

    @repetition.setter
    def repetition(self, arg: bool, /) -> None: ...

    @property
    def scale(self) -> float: ...

    @scale.setter
    def scale(self, arg: float, /) -> None: ...

    @property
    def oracle(self) -> Oracle | None: ...

    @oracle.setter
    def oracle(self, oracle: Oracle | None) -> None: ...

class MinimaxResult:
    """What a minimax search found."""

    @property
    def value(self) -> float: ...

    @property
    def proven(self) -> bool: ...

    @property
    def best(self) -> int: ...

    @property
    def line(self) -> list[int]: ...

    @property
    def depth(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def leaves(self) -> int: ...

    @property
    def judgements(self) -> int: ...

    @property
    def moves(self) -> list[tuple[int, float, bool]]:
        """With all_moves: every move, its value, and whether that is proven."""

MINIMAX_WIN: float = 1000000000.0

MINIMAX_DECIDED: float = 999000000.0

class Minimax:
    """A minimax search for one game."""

    def __init__(self, game: AnyGame, options: MinimaxOptions) -> None: ...

    def search(self, state: bytes, depth: int = 0, nodes: int = 0, seconds: float = 0.0, all_moves: bool = False, history: Sequence[int] = []) -> MinimaxResult: ...

    @property
    def weights(self) -> list[float]: ...

def default_weights(game: AnyGame) -> list[float]:
    """A family's own weights of its features; empty where it has none."""

def features(game: AnyGame, state: bytes, player: int) -> list[float]:
    """The numbers by which a family judges where a player stands."""

def moves_alone(game: AnyGame, state: bytes, player: int, width: int = 100, limit: int = 100) -> int:
    """
    The fewest moves found in which a player finishes, the others standing still; -1 for none.
    """

class Retrograde:
    """
    Exact values of a deterministic game for two, from the end backward.

    Positions are those of the game's index, as the player to move sees them.
    """

    def __init__(self, game: AnyGame, threads: int = 2) -> None: ...

    @staticmethod
    def supports(game: AnyGame) -> bool: ...

    @staticmethod
    def bytes_needed(game: AnyGame) -> int:
        """Memory the analysis takes; parts of the finished table come on top."""

    def step(self) -> int:
        """
        Resolve one more layer; return how many positions it holds, 0 when all is known.
        """

    @property
    def positions(self) -> int: ...

    @property
    def layers(self) -> list[int]:
        """
        Positions by plies to the end, so far: lost ones at even distances, won ones at odd.
        """

    @property
    def depth(self) -> int:
        """Layers done."""

    @property
    def resolved(self) -> int:
        """Positions whose value is known, illegal ones included."""

    @property
    def finished(self) -> bool: ...

    def counts(self) -> dict[str, int]: ...

    def probe(self, index: int) -> tuple[float, int]:
        """
        Value for the player to move, NaN where a position is illegal, and distance.
        """

    def values(self, first: int = 0, number: int | None = None) -> NDArray[numpy.uint8]:
        """
        Four positions a byte, low bits first: 0 drawn, 1 won, 2 lost, 3 illegal.
        """

    def distances(self, first: int = 0, number: int | None = None) -> NDArray[numpy.uint8]:
        """
        Plies to the end, winning as soon and losing as late as possible; 0 if drawn or illegal.
        """

    def state(self) -> dict[str, Any]:
        """
        All there is to know between layers, for restore(); arrays are views, not copies.
        """

    def restore(self, state: dict[str, Any]) -> None: ...

    @staticmethod
    def rows(game: AnyGame) -> int:
        """Into how many parts of equal size verify() divides the work."""

    @staticmethod
    def verify(game: AnyGame, values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, threads: int = 2, first_row: int = 0, rows: int | None = None) -> int:
        """
        Count entries that do not follow from those of their successors, of all that
        have successors in some rows of the table, by default in all: then every entry
        is looked at.
        """

class Expectimax:
    """Solves a game with chance stage by stage."""

    def __init__(self, game: AnyGame, threads: int = 2) -> None: ...

    @staticmethod
    def supports(game: AnyGame) -> bool:
        """Whether this game can be solved this way."""

    @staticmethod
    def bytes_needed(game: AnyGame) -> int:
        """Memory of a solution."""

    def step(self) -> int:
        """
        Solve the next stage and return how many positions that were; 0 when finished.
        """

    @property
    def stage(self) -> int: ...

    @property
    def stages(self) -> int: ...

    @property
    def finished(self) -> bool: ...

    @property
    def exact(self) -> bool:
        """Whether values will be whole numbers, without any rounding."""

    @property
    def passes(self) -> int:
        """
        The most reversible moves in a row that any value depends on, in cyclic games.
        """

    @property
    def decisions(self) -> int: ...

    def restore(self, stage: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def values(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Values times the denominator by index, for the player to move; not a copy.
        """

    def distances(self) -> numpy.typing.NDArray[numpy.uint8]:
        """Distances by index; not a copy."""

class ExpectimaxTable(Oracle):
    """A solved game with chance, from the arrays of a solution."""

    def __init__(self, game: AnyGame, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 2) -> None: ...

    @property
    def denominator(self) -> float:
        """Values are in units of one over this."""

    @property
    def exact(self) -> bool:
        """Whether values are whole numbers, without any rounding."""

    def look_up(self, state: bytes, /) -> tuple[float, int]:
        """Value times the denominator, and distance, for the mover of any state."""

    def look_up_many(self, states: numpy.typing.NDArray[numpy.uint8], /) -> numpy.typing.NDArray[numpy.float64]:
        """Values between 0 and 1 of many states, for their movers."""

    def moves(self, state: bytes, /) -> list[tuple[int, float, int]]:
        """
        Moves with value times the denominator, and distance, for their player.
        """

    def verify(self) -> int:
        """Number of entries that do not follow from those of their successors."""

    def reachable(self) -> numpy.typing.NDArray[numpy.uint64]:
        """One bit per index, low bits first: what can be reached from the start."""

    def count(self, reachable: numpy.typing.NDArray[numpy.uint64]) -> dict[str, int]: ...

def index_many(game: AnyGame, states: numpy.typing.NDArray[numpy.uint8]) -> numpy.typing.NDArray[numpy.uint64]:
    """Dense indices of many decision states."""

class Endgames(Oracle):
    """
    Endgame tables, solved slice by slice.

    A slice is all positions of the same material, seen from the side to move. A table holds
    a byte a position: plies to the end, odd if won and even if lost; DRAW; or NONE where there
    is no position.
    """

    def __init__(self, game: AnyGame, pieces: int = 4, threads: int = 2) -> None: ...

    DRAW: int = 254

    NONE: int = 255

    @staticmethod
    def supports(game: AnyGame) -> bool:
        """Whether this game has endgame tables."""

    @staticmethod
    def bytes_needed(game: AnyGame, pieces: int) -> int:
        """
        Size of all tables together; the largest slice is held three times while solved.
        """

    @property
    def pieces(self) -> int: ...

    @property
    def slices(self) -> list[tuple[int, ...]]:
        """
        The material of every slice, in solving order: pieces by kind, the mover's first.
        """

    def step(self) -> int:
        """
        Solve the next slice and its mirror image; return their size, 0 when all is solved.
        """

    def size(self, slice: int) -> int:
        """Entries of a slice's table."""

    def counts(self, slice: int) -> dict[str, int]:
        """
        Wins, losses, draws and illegal entries of a solved slice, and its longest win.
        """

    def table(self, slice: int) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """A view of a slice's table, empty until it is solved."""

    def restore(self, slice: int, table: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Copy a table that was solved before."""

    def entry(self, state: bytes) -> int | None:
        """The table's byte for a position, None if it is in no solved slice."""

    def values(self, states: numpy.typing.NDArray[numpy.uint8]) -> numpy.typing.NDArray[numpy.float64]:
        """
        Values of states, one a row, for their movers; NaN for those in no solved slice.
        """

    def slice_of(self, state: bytes) -> int:
        """The slice of a position; -1 if it is in none."""

    def index(self, state: bytes) -> int:
        """A position's number in its slice."""

    def unindex(self, slice: int, index: int) -> bytes | None:
        """The position of a number, the first player to move, or None."""

    def verify(self, slice: int) -> int:
        """Count entries that do not follow from those of their successors."""

class TabularTrainer:
    """AlphaZero with a lookup table in place of a network."""

    def __init__(self, game: AnyGame, search: SearchOptions, limits: Limits, *, simulations: int = 800, count_root: bool = True, games: int = 1000, window: int = 2, symmetry: bool = False, spread: float = 0.01, seed: int = 0, threads: int = 2) -> None: ...

    def iterate(self, learning_rate: float, threads: int = 1, seconds: float = 0.0) -> dict[str, float] | None:
        """
        Play an iteration's games and learn from the window; None, and nothing changed, when stopped.
        """

    def stop(self) -> None:
        """End an iteration that runs in another thread."""

    @property
    def rows(self) -> int: ...

    @property
    def actions(self) -> int: ...

    @property
    def iteration(self) -> int: ...

    def table(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        The logits, not a copy: [row, 0] of the value, [row, 1 + action] of the policy.
        """

    def updates(self) -> numpy.typing.NDArray[numpy.uint32]:
        """How often each row was updated; not a copy."""

    def updated(self, at_least: int) -> int:
        """Number of rows updated at least so often."""

    def row(self, state: bytes) -> int | None:
        """The row of a state, if it is a decision that can be reached."""

    def indices(self) -> numpy.typing.NDArray[numpy.uint64]:
        """The game's own index of each row."""

    def recent(self) -> bytes:
        """The games of the window, as bytes."""

    def restore(self, iteration: int, recent: bytes) -> None:
        """Go on after so many iterations with the games of a window."""

    def match(self, values: numpy.typing.NDArray[numpy.float64], distances: numpy.typing.NDArray[numpy.uint8], games: int = 10000, seed: int = 0, threads: int = 1) -> dict[str, dict[str, int]]:
        """
        Games of the table's likeliest moves against the optimal player, every other one moving first; counted for the table.
        """

def make_examples(game: AnyGame, states: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], plies: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], repetitions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], no_progress: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], policy_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], policy_actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], policy_shares: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mirrors: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')], actions: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], shares: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> int:
    """
    Write some rows of self-play, each as it looks in a mirror, as a batch to learn from: planes, the actions of legal moves (-1 behind them) and their shares. Return the largest number of legal moves; where it is above the width of `actions`, moves were left out.
    """

def key_many(game: AnyGame, states: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint64]:
    """The keys of states, one per row."""

class SmallSternhalma(AnyGame):
    @property
    def holes(self) -> list[tuple[int, int, int, int, int]]:
        """
        Per hole: matrix row and column, twice its x, its y, and its star point or -1.
        """

    @property
    def homes(self) -> list[list[int]]:
        """Per player: start holes in the order of piece ids."""

    @property
    def targets(self) -> list[list[int]]:
        """Per player: goal holes."""

    @property
    def views(self) -> list[list[int]]:
        """Per player and hole: where that player sees it."""

    def path(self, arg0: bytes, arg1: int, /) -> list[int]:
        """Holes of a legal move, first to last, by the fewest hops."""

class LargeSternhalma(AnyGame):
    @property
    def holes(self) -> list[tuple[int, int, int, int, int]]:
        """
        Per hole: matrix row and column, twice its x, its y, and its star point or -1.
        """

    @property
    def homes(self) -> list[list[int]]:
        """Per player: start holes in the order of piece ids."""

    @property
    def targets(self) -> list[list[int]]:
        """Per player: goal holes."""

    @property
    def views(self) -> list[list[int]]:
        """Per player and hole: where that player sees it."""

    def path(self, arg0: bytes, arg1: int, /) -> list[int]:
        """Holes of a legal move, first to last, by the fewest hops."""

class SternhalmaOptions:
    def __init__(self, *, mirror_hops: bool, occupy: bool, closed_points: bool, locked_target: bool, second_place: bool, ids_view: bool) -> None: ...

def sternhalma_rhombus(side: int, home_rows: int, options: SternhalmaOptions) -> SmallSternhalma | LargeSternhalma: ...

def sternhalma_star(point_rows: int, home_rows: int, seats: Sequence[int], options: SternhalmaOptions) -> SmallSternhalma | LargeSternhalma: ...

class Draughts(AnyGame):
    def __init__(self) -> None: ...

    @staticmethod
    def path(arg: int, /) -> list[int]:
        """The squares a move touches, 0 to 31, first to last."""

    @staticmethod
    def jumps(arg: int, /) -> int:
        """How many pieces a move captures."""

class Einstein(AnyGame):
    def __init__(self, width: int, height: int, pieces: int) -> None: ...

class DarkChess(AnyGame):
    def __init__(self, files: int, ranks: int, counts: Sequence[int]) -> None: ...
