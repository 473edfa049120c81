"""
The C++ core of halma: rules, records, searches, self-play and solvers.
"""

from collections.abc import Sequence
import enum
from typing import Annotated, Any, Final

import numpy
import numpy.typing
from numpy.typing import NDArray


def build() -> str:
    """Compiler and flags this module was built with."""

NO_MOVE: int = 4294967295

MAX_MOVES: int = 512

MAX_OUTCOMES: int = 720

MAX_PLAYERS: int = 6

MAX_PERFT: int = 64

class Limits:
    """When a record ends although the rules would go on; 0: no such limit."""

    def __init__(self, *, plies: int = 0, repetitions: int = 0, no_progress: int = 0, cycle_window: int = 0, cycle_landings: int = 0, progress_plies: int = 0) -> None: ...

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

    @property
    def progress_plies(self) -> int: ...

    def __getstate__(self) -> tuple[int, int, int, int, int, int]: ...

    def __setstate__(self, arg: tuple[int, int, int, int, int, int], /) -> None: ...

class AnyGame:
    """The rules of one variant; states are bytes, moves integers."""

    @property
    def state_size(self) -> int: ...

    @property
    def players(self) -> int: ...

    @property
    def teams(self) -> list[int]:
        """
        Per player: its team, or its own number where every player is on its own.
        """

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
    def max_moves(self) -> int:
        """A bound on the number of legal moves of a position."""

    @property
    def shape(self) -> tuple[int, int, int]: ...

    @property
    def symmetries(self) -> int:
        """In how many mirrors the game is the same; number 0 changes nothing."""

    def image(self, state: bytes, mirror: int) -> bytes:
        """A state as it looks in a mirror."""

    def image_move(self, state: bytes, move: int, mirror: int) -> int:
        """A legal move as it looks in a mirror."""

    def initial(self) -> bytes: ...

    def random_start(self, seed: int) -> bytes:
        """A decision with all pieces in random places and nobody having won."""

    @property
    def piece_counts(self) -> tuple[int, int]:
        """
        Fewest and most pieces of random positions; (0, 0) where the game has none.
        """

    def random_position(self, seed: int, pieces: int) -> bytes:
        """A decision with this many pieces in random places."""

    def mover(self, arg: bytes, /) -> int: ...

    def legal(self, arg: bytes, /) -> list[int]: ...

    def terminal(self, arg: bytes, /) -> bool: ...

    def play(self, arg0: bytes, arg1: int, /) -> bytes: ...

    def irreversible(self, arg0: bytes, arg1: int, /) -> bool: ...

    def landing(self, arg0: bytes, arg1: int, /) -> int: ...

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

    STALLED = 6

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
    def progress_clock(self) -> int:
        """
        Plies since a player had more arrived pieces than ever before; 0 without such a limit.
        """

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
    """
    Which optional hooks of the contract a game offers; see core/hooks.hpp.
    """

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

class OptionInfo:
    """The declaration of an option."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> str:
        """int, float, bool or choice"""

    @property
    def default(self) -> object: ...

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...

    @property
    def choices(self) -> list[str]: ...

    @property
    def about(self) -> str: ...

    @property
    def rules(self) -> list[str]:
        """Selection rules that read it; none: all."""

class RuleTraits:
    """What is fixed about a selection rule."""

    @property
    def name(self) -> str: ...

    @property
    def about(self) -> str: ...

    @property
    def default_c(self) -> float: ...

    @property
    def two_players(self) -> bool: ...

    @property
    def uses_priors(self) -> bool: ...

    @property
    def expands_all(self) -> bool: ...

    @property
    def for_networks(self) -> bool: ...

    @property
    def dirichlet(self) -> bool: ...

    @property
    def needs_budget(self) -> bool: ...

    @property
    def reuses_tree(self) -> bool: ...

def rules() -> list[RuleTraits]:
    """The selection rules of tree search."""

class Proof(enum.Enum):
    NONE = 0

    LOSS = 1

    DRAW = 2

    WIN = 3

class SearchOptions:
    """The options of tree search."""

    def __init__(self) -> None: ...

    def __copy__(self) -> SearchOptions: ...

    @property
    def rule(self) -> str:
        """Rule that selects moves in the tree."""

    @rule.setter
    def rule(self, arg: str, /) -> None: ...

    @property
    def c(self) -> float | None:
        """Weight of exploration; unset: the rule's own."""

    @c.setter
    def c(self, value: float | None) -> None: ...

    @property
    def fpu(self) -> str:
        """
        First-play urgency: value of a move without visits. 'infinite' visits every move first.
        """

    @fpu.setter
    def fpu(self, arg: str, /) -> None: ...

    @property
    def wide_root(self) -> float:
        """
        Share of the simulations that all moves of the root get in equal parts, one each at least, so that an analysis has a value for every move.
        """

    @wide_root.setter
    def wide_root(self, arg: float, /) -> None: ...

    @property
    def dirichlet_weight(self) -> float:
        """Weight of Dirichlet noise in the priors at the root."""

    @dirichlet_weight.setter
    def dirichlet_weight(self, arg: float, /) -> None: ...

    @property
    def dirichlet_alpha(self) -> float:
        """
        Concentration of that noise: the lower, the fewer moves get most of it.
        """

    @dirichlet_alpha.setter
    def dirichlet_alpha(self, arg: float, /) -> None: ...

    @property
    def gumbel_scale(self) -> float:
        """Scale of the Gumbel noise at the root; 0 searches without noise."""

    @gumbel_scale.setter
    def gumbel_scale(self, arg: float, /) -> None: ...

    @property
    def max_considered_actions(self) -> int:
        """Root moves that sequential halving starts with."""

    @max_considered_actions.setter
    def max_considered_actions(self, arg: int, /) -> None: ...

    @property
    def value_scale(self) -> float:
        """
        Scale of completed values against logits, as (maxvisit_init + most visits) * value_scale.
        """

    @value_scale.setter
    def value_scale(self, arg: float, /) -> None: ...

    @property
    def maxvisit_init(self) -> float:
        """Offset of visits in that scale."""

    @maxvisit_init.setter
    def maxvisit_init(self, arg: float, /) -> None: ...

    @property
    def solver(self) -> bool:
        """Back up proven wins, draws and losses (MCTS-Solver); two players only."""

    @solver.setter
    def solver(self, arg: bool, /) -> None: ...

    @property
    def limits(self) -> str:
        """
        Where lines end beside the rules: where the game record would end, also at the first repetition (schulte2021), or by the rules alone.
        """

    @limits.setter
    def limits(self, arg: str, /) -> None: ...

    @property
    def oracle(self) -> Oracle | None: ...

    @oracle.setter
    def oracle(self, oracle: Oracle | None) -> None: ...

def search_options() -> list[OptionInfo]:
    """The declarations of these options, in order."""

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

class Search:
    """A game record and the search tree of its current position."""

    def __init__(self, game: AnyGame, options: SearchOptions, evaluator: str, *, weights: Sequence[float] = [], scale: float = 0.0, seed: int = 0, max_pending: int = 1, reuse: bool = False) -> None:
        """
        `evaluator`: uniform, rollout, linear (with weights and scale) or network.
        """

    def set_record(self, record: Record) -> None:
        """
        Go to the current position of a game. With `reuse` the tree is kept if this is the same game, later.
        """

    def run(self, simulations: int = 18446744073709551615, seconds: float = 0.0) -> None:
        """
        Search with an evaluator of the core, until the tree has `simulations` in all.
        """

    def begin(self, simulations: int) -> None:
        """Begin a search with a network; collect() and submit() carry it out."""

    def root_moves(self, line_length: int = 8) -> list[RootMove]: ...

    def values_after(self, move: int) -> list[float]:
        """
        Means by player of the simulations that made a move, by its place in root_moves(), and went on to a turn of the player or to the end; NaN where those are fewer than half. For rules that back up means.
        """

    def policy(self) -> list[float]: ...

    def policy_target(self) -> list[float]: ...

    def best(self) -> int: ...

    def dump(self) -> dict[str, list[Any]]: ...

    @property
    def pending(self) -> int: ...

    @property
    def solved(self) -> bool: ...

    @property
    def simulations(self) -> int: ...

    @property
    def root_value(self) -> float: ...

    @property
    def bytes(self) -> int: ...

    @property
    def visited_edges(self) -> int: ...

def run_many(searches: Sequence[Search], simulations: int, seconds: float = 0.0, threads: int = 2) -> None:
    """Run independent searches on several threads."""

def collect(searches: Sequence[Search], planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')]) -> int:
    """
    Run searches to their next leaves and write the planes of those into (rows, planes, rows, columns), in the order of the searches; return how many. 0: all searches are complete.
    """

def submit(searches: Sequence[Search], logits: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
    """
    Back up a network's output for the leaves of the last collect(): logits (leaves, actions), values (leaves, players), the mover first.
    """

class StopFlag:
    """
    Ends the searches of a `with` block early, with what they have found, when another thread sets it.
    """

    def __init__(self) -> None: ...

    def set(self) -> None: ...

    @property
    def is_set(self) -> bool: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...

def stop_requested() -> bool:
    """Whether the stop flag of this thread is set."""

class Choice(enum.Enum):
    """How the move of a training row came about."""

    FULL = 0

    FAST = 1

    RANDOM = 2

    OPPONENT = 3

class OpponentKind(enum.Enum):
    """What an opponent in self-play is."""

    NETWORK = 0

    AGENT = 1

class SelfPlayOptions:
    """The options of self-play."""

    def __init__(self) -> None: ...

    def __copy__(self) -> SelfPlayOptions: ...

    @property
    def simulations(self) -> int:
        """Simulations of a search; those kept by 'reuse' count."""

    @simulations.setter
    def simulations(self, arg: int, /) -> None: ...

    @property
    def max_pending(self) -> int:
        """Leaves of one tree that may wait for evaluation together."""

    @max_pending.setter
    def max_pending(self, arg: int, /) -> None: ...

    @property
    def reuse(self) -> bool:
        """Start a search with what the search of the move before found."""

    @reuse.setter
    def reuse(self, arg: bool, /) -> None: ...

    @property
    def cache_evaluations(self) -> bool:
        """
        Keep the evaluations of the last searches of a game, so that the network does not evaluate a position twice that comes up again. It changes no game, up to rounding.
        """

    @cache_evaluations.setter
    def cache_evaluations(self, arg: bool, /) -> None: ...

    @property
    def full_share(self) -> float:
        """
        Playout cap randomisation: share of searches that are full. The others make 'fast_simulations', have no Dirichlet noise and give no policy targets.
        """

    @full_share.setter
    def full_share(self, arg: float, /) -> None: ...

    @property
    def fast_simulations(self) -> int:
        """Simulations of a search that is not full."""

    @fast_simulations.setter
    def fast_simulations(self, arg: int, /) -> None: ...

    @property
    def random_plies_min(self) -> int:
        """Fewest random moves a game starts with; they are no training samples."""

    @random_plies_min.setter
    def random_plies_min(self, arg: int, /) -> None: ...

    @property
    def random_plies_max(self) -> int:
        """Most random moves a game starts with."""

    @random_plies_max.setter
    def random_plies_max(self, arg: int, /) -> None: ...

    @property
    def random_starts(self) -> float:
        """
        Share of games that start, instead of with random moves, from a random placement of all pieces, in games that have one.
        """

    @random_starts.setter
    def random_starts(self, arg: float, /) -> None: ...

    @property
    def resign_threshold(self) -> float:
        """
        A player resigns whose value is below this at 'resign_consecutive' decisions in a row; the game ends once all players but one would resign. 0: nobody resigns.
        """

    @resign_threshold.setter
    def resign_threshold(self, arg: float, /) -> None: ...

    @property
    def resign_consecutive(self) -> int:
        """Decisions in a row that it takes."""

    @resign_consecutive.setter
    def resign_consecutive(self, arg: int, /) -> None: ...

    @property
    def no_resign_share(self) -> float:
        """Share of games without resignation, to count wrong ones."""

    @no_resign_share.setter
    def no_resign_share(self, arg: float, /) -> None: ...

    @property
    def opponent_share(self) -> float:
        """
        Share of games that are played against 'opponents', where there are any.
        """

    @opponent_share.setter
    def opponent_share(self, arg: float, /) -> None: ...

    @property
    def opponent_targets(self) -> bool:
        """
        The moves of opponents are policy targets as well, so that a search expects them of the other players.
        """

    @opponent_targets.setter
    def opponent_targets(self, arg: bool, /) -> None: ...

    @property
    def temperature_in_targets(self) -> bool:
        """
        Policy targets are the probabilities that moves are sampled with, the search's policy raised to 1 / temperature; with temperature 0 the move that is played. False: the search's policy itself.
        """

    @temperature_in_targets.setter
    def temperature_in_targets(self, arg: bool, /) -> None: ...

    @property
    def search(self) -> SearchOptions: ...

    @search.setter
    def search(self, arg: SearchOptions, /) -> None: ...

    @property
    def temperatures(self) -> list[tuple[int, float]]:
        """
        (ply, temperature) pairs in order: from that ply on, moves are sampled with that temperature.
        """

    @temperatures.setter
    def temperatures(self, arg: Sequence[tuple[int, float]], /) -> None: ...

    @property
    def starts(self) -> list[bytes]:
        """States that games start from, in turn; none: as usual."""

    @starts.setter
    def starts(self, arg: Sequence[bytes], /) -> None: ...

    @property
    def opponents(self) -> list[OpponentKind]:
        """The opponents that the learner meets in turn."""

    @opponents.setter
    def opponents(self, arg: Sequence[OpponentKind], /) -> None: ...

def selfplay_options() -> list[OptionInfo]:
    """The declarations of these options, in order."""

def seats_of(options: SelfPlayOptions, number: int, players: int) -> tuple[int, int]:
    """
    The opponent of a game by its number, -1 for none, and the learner's seat.
    """

def encode_rows(game: AnyGame, states: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], repetitions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], no_progress: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], firsts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')]) -> None:
    """
    Write the planes of some rows of finished games; firsts[i] is where the game of rows[i] begins.
    """

class Pool:
    """Many games of self-play whose leaves a network evaluates together."""

    def __init__(self, game: AnyGame, options: SelfPlayOptions, limits: Limits, slots: int, groups: int = 2, threads: int = 1, seed: int = 0, first: int = 0, end: int = 18446744073709551615) -> None: ...

    def collect(self, group: int, planes: numpy.typing.NDArray[Any], legal: numpy.typing.NDArray[numpy.uint16] | None = None) -> int:
        """
        Run a group to its next leaves and write their planes; return how many. `legal` (leaves, 1 + game.max_moves) gets the number of legal moves and their actions.
        """

    def submit(self, group: int, policy: numpy.typing.NDArray[Any], values: numpy.typing.NDArray[Any]) -> None:
        """
        Back up a network's output for a group's leaves: logits (leaves, actions), values (leaves, players), mover first. If legal moves were written, their probabilities (leaves, game.max_moves) instead of logits.
        """

    def step(self, group: int, policy: numpy.typing.NDArray[Any], values: numpy.typing.NDArray[Any], planes: numpy.typing.NDArray[Any], legal: numpy.typing.NDArray[numpy.uint16] | None = None) -> int:
        """
        submit() and collect() in one go, which spares half of the way to memory.
        """

    def take_finished(self) -> dict[str, Any]:
        """Games finished since it was last asked, as arrays."""

    def networks(self, group: int) -> numpy.typing.NDArray[numpy.uint8]:
        """
        Whose network evaluates each pending leaf: 0 is the learner's, i + 1 that of opponent i.
        """

    def agent_turns(self, group: int) -> list[tuple[int, int, int]]:
        """
        Slots of a group that wait for an agent's move: (slot, opponent, number of the game).
        """

    def agents_record(self, slot: int) -> Record:
        """A copy of the game in which an agent is to move."""

    def play_agents_move(self, slot: int, move: int) -> None:
        """Play an agent's move in a slot that waits for one."""

    def capacity(self, arg: int, /) -> int: ...

    def pending(self, arg: int, /) -> int: ...

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

    def add_games(self, numbers: Sequence[int]) -> None:
        """
        Let slots that have come to the end play the games of these numbers too.
        """

    def forget_evaluations(self) -> None:
        """Forget evaluations that were kept: a network has changed."""

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

def furthest(game: AnyGame, state: bytes) -> list[int]:
    """
    The legal moves that advance most; of those, the ones whose piece trails most.
    """

def advances(game: AnyGame, states: numpy.typing.NDArray[numpy.uint8], moves: numpy.typing.NDArray[numpy.uint32]) -> numpy.typing.NDArray[numpy.int32]:
    """How far each move brings its piece forward; NO_MOVE does not."""

def greedy_games(game: AnyGame, limits: Limits, games: int, seed: int, random_plies: int, stochastic: Sequence[int], threads: int) -> dict[str, Any]:
    """Totals of games between greedy players."""

def greedy_game(game: AnyGame, limits: Limits, number: int, seed: int, random_plies: int, stochastic: Sequence[int]) -> list[tuple[bool, int]]:
    """The events of one of those games."""

def greedy_samples(game: AnyGame, limits: Limits, first: int, games: int, seed: int, *, stochastic: bool, prefer_trailing: bool, policy_targets: bool, keep_draws: bool, random_starts: float, random_openings: float, random_plies_min: int, random_plies_max: int, threads: int) -> dict[str, Any]:
    """
    Games of a greedy player against itself as arrays; those not kept are left out.
    """

def lookahead(game: AnyGame, state: bytes, depth: int) -> list[int]:
    """First moves of the moves in a row that advance most together."""

class SparseNetwork:
    """A small network that the core evaluates."""

    def __init__(self, game: AnyGame, input_weights: Annotated[NDArray[numpy.int16], dict(order='C', device='cpu', writable=False)], input_biases: Annotated[NDArray[numpy.int16], dict(order='C', device='cpu', writable=False)], hidden_weights: Annotated[NDArray[numpy.int16], dict(order='C', device='cpu', writable=False)], hidden_biases: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], output_weights: Annotated[NDArray[numpy.int16], dict(order='C', device='cpu', writable=False)], output_bias: int) -> None: ...

    ACCUMULATOR: Final[int] = ...
    """(arg: object, /) -> int"""

    HIDDEN: Final[int] = ...
    """(arg: object, /) -> int"""

    UNIT: Final[int] = ...
    """(arg: object, /) -> int"""

    WEIGHT_UNIT: Final[int] = ...
    """(arg: object, /) -> int"""

    CLIP: Final[int] = ...
    """(arg: object, /) -> int"""

    MAX_WEIGHT: Final[int] = ...
    """(arg: object, /) -> int"""

    MAX_BIAS: Final[int] = ...
    """(arg: object, /) -> int"""

def input_count(game: AnyGame) -> int:
    """How many inputs a network in the core has."""

def max_inputs(game: AnyGame) -> int:
    """How many of them are set at once, at most."""

def list_inputs(game: AnyGame, states: numpy.typing.NDArray[numpy.uint8], mirror: int = 0) -> numpy.typing.NDArray[numpy.uint16]:
    """
    The inputs that are set, for each state as it looks in a mirror; rows are filled up with the number of inputs.
    """

def network_values(game: AnyGame, network: SparseNetwork, states: numpy.typing.NDArray[numpy.uint8]) -> numpy.typing.NDArray[numpy.float64]:
    """
    The logarithm of the mover's odds to win, each updated from the one before.
    """

def search_games(game: AnyGame, limits: Limits, options: MinimaxOptions, nodes: int, first: int, games: int, seed: int, *, random_plies_min: int, random_plies_max: int, random_moves: float, threads: int) -> dict[str, Any]:
    """Games of alpha-beta or expectimax against itself as arrays."""

class MinimaxOptions:
    """The options of the minimax searches."""

    def __init__(self) -> None: ...

    def __copy__(self) -> MinimaxOptions: ...

    @property
    def kind(self) -> str:
        """The search: alphabeta, expectimax, maxn or paranoid."""

    @kind.setter
    def kind(self, arg: str, /) -> None: ...

    @property
    def pruning(self) -> str:
        """
        What is skipped: nothing, alpha-beta windows (Star1 at chance), or windows and probes (Star2).
        """

    @pruning.setter
    def pruning(self, arg: str, /) -> None: ...

    @property
    def ordering(self) -> str:
        """
        Order of moves: as listed, by evaluation, or by transposition table, killers and history.
        """

    @ordering.setter
    def ordering(self, arg: str, /) -> None: ...

    @property
    def table_bits(self) -> int:
        """
        Alpha-beta and expectimax: the transposition table has 2^bits pairs of entries; 0: no table.
        """

    @table_bits.setter
    def table_bits(self, arg: int, /) -> None: ...

    @property
    def deepen(self) -> bool:
        """Iterative deepening."""

    @deepen.setter
    def deepen(self, arg: bool, /) -> None: ...

    @property
    def quiescence(self) -> bool:
        """
        Alpha-beta and expectimax: search captures beyond the depth until a position is quiet.
        """

    @quiescence.setter
    def quiescence(self, arg: bool, /) -> None: ...

    @property
    def selective(self) -> bool:
        """
        Alpha-beta: search moves late in the order less deeply, unless they turn out well, and leave out moves that do not advance where pieces race; expectimax: search moves that lead to chance as a pass below the root. Both use deeper entries of the table; off: plain minimax's value.
        """

    @selective.setter
    def selective(self, arg: bool, /) -> None: ...

    @property
    def limits(self) -> str:
        """
        Where lines end beside the rules: where the game record would end, also at the first repetition, or by the rules alone.
        """

    @limits.setter
    def limits(self, arg: str, /) -> None: ...

    @property
    def scale(self) -> float:
        """
        Scale of a lead before the sigmoid that makes it a chance of winning; 0: the game's own.
        """

    @scale.setter
    def scale(self, arg: float, /) -> None: ...

    @property
    def weights(self) -> list[float]: ...

    @weights.setter
    def weights(self, arg: Sequence[float], /) -> None: ...

    @property
    def network(self) -> SparseNetwork | None: ...

    @network.setter
    def network(self, network: SparseNetwork | None) -> None: ...

    @property
    def oracle(self) -> Oracle | None: ...

    @oracle.setter
    def oracle(self, oracle: Oracle | None) -> None: ...

def minimax_options() -> list[OptionInfo]:
    """The declarations of these options, in order."""

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
    def depth_values(self) -> list[float]: ...

    @property
    def nodes(self) -> int: ...

    @property
    def leaves(self) -> int: ...

    @property
    def evaluations(self) -> int: ...

    @property
    def moves(self) -> list[tuple[int, float, bool]]:
        """With all_moves: every move, its value, and whether that is proven."""

MINIMAX_WIN: float = 1000000000.0

MINIMAX_DECIDED: float = 999000000.0

EXPECTIMAX_PATIENCE: float = 1e-06

EXPECTIMAX_MARGIN: float = 0.001

class Minimax:
    """A minimax search for one game."""

    def __init__(self, game: AnyGame, options: MinimaxOptions) -> None: ...

    def search(self, record: Record, depth: int = 0, nodes: int = 0, seconds: float = 0.0, all_moves: bool = False) -> MinimaxResult: ...

    @property
    def weights(self) -> list[float]: ...

    @property
    def scale(self) -> float:
        """
        A lead times this is the logarithm of the odds to win; 0 where the family has no features.
        """

def default_weights(game: AnyGame) -> list[float]:
    """A family's own weights of its features; empty where it has none."""

def default_scale(game: AnyGame) -> float:
    """
    A lead times this is the logarithm of the odds to win; 0 where the family has no features.
    """

def features(game: AnyGame, state: bytes, player: int) -> list[float]:
    """A player's features, the inputs of linear evaluations."""

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
    """Solves a game for two players stage by stage."""

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
    def denominator(self) -> float:
        """What values are multiplied with: the value of a win."""

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
    """A game solved by Expectimax, from the arrays of a solution."""

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

class TabularOptions:
    """The options of tabular training."""

    def __init__(self) -> None: ...

    def __copy__(self) -> TabularOptions: ...

    @property
    def simulations(self) -> int:
        """Simulations of a search."""

    @simulations.setter
    def simulations(self, arg: int, /) -> None: ...

    @property
    def count_root(self) -> bool:
        """Whether the evaluation of the root counts as a simulation."""

    @count_root.setter
    def count_root(self, arg: bool, /) -> None: ...

    @property
    def games(self) -> int:
        """Games of an iteration."""

    @games.setter
    def games(self, arg: int, /) -> None: ...

    @property
    def replay_buffer(self) -> int:
        """Iterations whose games are in the replay buffer."""

    @replay_buffer.setter
    def replay_buffer(self, arg: int, /) -> None: ...

    @property
    def symmetry(self) -> bool:
        """
        Train on the symmetric images of positions too, where the game has symmetries.
        """

    @symmetry.setter
    def symmetry(self, arg: bool, /) -> None: ...

    @property
    def spread(self) -> float:
        """Standard deviation of the initial logits."""

    @spread.setter
    def spread(self, arg: float, /) -> None: ...

    @property
    def search(self) -> SearchOptions: ...

    @search.setter
    def search(self, arg: SearchOptions, /) -> None: ...

    @property
    def limits(self) -> Limits: ...

    @limits.setter
    def limits(self, arg: Limits, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

def tabular_options() -> list[OptionInfo]:
    """The declarations of these options, in order."""

class TabularTrainer:
    """AlphaZero with a lookup table in place of a network."""

    def __init__(self, game: AnyGame, options: TabularOptions, threads: int = 2) -> None: ...

    def iterate(self, learning_rate: float, threads: int = 1, seconds: float = 0.0) -> dict[str, float] | None:
        """
        Play an iteration's games and train on the replay buffer; None, and nothing changed, when stopped.
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
        """Number of rows updated at least that often."""

    def row(self, state: bytes) -> int | None:
        """The row of a state, if it is a decision that can be reached."""

    def indices(self) -> numpy.typing.NDArray[numpy.uint64]:
        """The game's own index of each row."""

    def replay_buffer(self) -> bytes:
        """The samples of the replay buffer, as bytes."""

    def restore(self, iteration: int, replay_buffer: bytes) -> None:
        """
        Go on after a number of iterations with the samples of a replay buffer.
        """

    def match(self, values: numpy.typing.NDArray[numpy.float64], distances: numpy.typing.NDArray[numpy.uint8], games: int = 10000, seed: int = 0, threads: int = 1) -> dict[str, dict[str, int]]:
        """
        Games of the table's likeliest moves against the optimal player, every other one moving first; counted for the table.
        """

def make_examples(game: AnyGame, states: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], plies: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], repetitions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], no_progress: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], policy_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], policy_actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], policy_weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mirrors: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')], actions: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> int:
    """
    Write some rows of self-play, each as it looks in a mirror, as a batch to learn from: planes, the actions of legal moves (-1 behind them) and their weights. Return the largest number of legal moves; where it is above the width of `actions`, moves were left out.
    """

def find_illegal_game(game: AnyGame, states: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], movers: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], plies: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], event_chance: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], event_values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], event_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int | None:
    """
    Replay finished games from their events; return the first one whose events are not legal or whose rows do not follow from them, None if there is none.
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
    def __init__(self, *, mirror_hops: bool, occupy: bool, closed_points: bool, locked_target: bool, second_place: bool, all_places: bool, teams: bool, ids_view: bool, sideways: bool, more_features: bool) -> None: ...

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
