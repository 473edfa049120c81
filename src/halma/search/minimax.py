"""Minimax in all its forms: the Python face of `core/search/{alphabeta,expectimax,maxn}.hpp`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from halma import _core
from halma.errors import GameOverError, OptionError, UnknownAgentError
from halma.games import Game, Move, Position, Record
from halma.search.analysis import Analysis, MoveReport, certainty

#: alphabeta: two players, no chance; expectimax: two players, chance or not; maxn and
#: paranoid: any number of players, no chance
KINDS = ("alphabeta", "expectimax", "maxn", "paranoid")
#: in which order moves are tried: as listed, by the judgement of what they lead to, or
#: what earlier searches recommend first
ORDERINGS = ("listed", "score", "adaptive")
#: none; alpha-beta windows (Star1 at chance); windows and probes (Star2 at chance)
PRUNINGS = ("none", "windows", "probes")
#: No search goes deeper than this.
DEEPEST = 100
_HEAVIEST = 1e5
_LARGEST_TABLE = 26


@dataclass(frozen=True)
class Found:
    """What a minimax search found in a position."""

    position: Position
    #: of the search that found it
    kind: str
    best: Move
    #: for the player to move. Alpha-beta: the lead in the judgement's own units, wins and
    #: losses beyond all of them. Expectimax: from 0, a loss, to 1, a win. Max^n and
    #: paranoid: the lead over the average of the others.
    value: float
    #: best play, the best move first; it ends where chance speaks
    line: tuple[Move, ...]
    #: the last depth searched completely; 0 if not even one was
    depth: int
    #: positions below the root, counted each time one was looked at
    nodes: int
    #: those of them that were judged, or where the game was over
    leaves: int
    #: calls of the evaluation, those for ordering moves included
    judgements: int
    #: the exact value of every legal move, where that was asked for
    values: tuple[tuple[Move, float], ...] = ()
    #: whether best play comes to this value for certain, and whether it does so of each move
    proven: bool = False
    values_proven: tuple[bool, ...] = ()

    def as_analysis(self) -> Analysis:
        """Return it in the words all engines share, values as chances of winning."""
        if self.values:
            values = [(*pair, p) for pair, p in zip(self.values, self.values_proven, strict=True)]
            values = sorted(values, key=lambda found: (found[0] == self.best, found[1]))[::-1]
        else:
            values = [(self.best, self.value, self.proven)]
        line = tuple(move.text for move in self.line)
        reports = tuple(
            MoveReport(
                move,
                value=self._chance(value),
                proof=self._proof(value, proven),
                line=line if move == self.best else (move.text,),
            )
            for move, value, proven in values
        )
        return Analysis(
            self.position,
            reports,
            value=self._chance(self.value),
            nodes=self.nodes,
            depth=self.depth,
        )

    def _proof(self, value: float, proven: bool) -> str | None:
        if self.kind == "expectimax":
            return certainty(value) if proven else None
        return _decided(value) or ("draw" if proven else None)

    def _chance(self, value: float) -> float:
        """Turn a lead into a chance of winning; expectimax has chances to begin with."""
        if self.kind == "expectimax":
            return value
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, value))))

    @property
    def plies_to_end(self) -> int | None:
        """After how many plies a decided alpha-beta search sees the game end; else None."""
        if not _decided(self.value):
            return None
        return round(_core.MINIMAX_WIN - abs(self.value))


class Minimax:
    """A minimax search of one game. What it finds does not depend on earlier searches."""

    def __init__(
        self,
        game: Game,
        kind: str = "alphabeta",
        *,
        weights: Sequence[float] = (),
        pruning: str = "probes",
        ordering: str = "adaptive",
        table_bits: int = 16,
        deepen: bool = True,
        quiescence: bool = True,
        repetition: bool | None = None,
        scale: float = 1.0,
        oracle: _core.Oracle | None = None,
    ) -> None:
        """Make a search; `core/search/minimax_options.hpp` explains each dial.

        `weights` are those of the game's features, its own if left out. `repetition`
        makes repeated positions draws; left out, they are draws where the game's own
        rules look at repetition. An `oracle`, that of a solution, answers for the positions
        it knows.
        """
        for value, known, what in (
            (kind, KINDS, "kind of minimax"),
            (pruning, PRUNINGS, "pruning"),
            (ordering, ORDERINGS, "ordering"),
        ):
            if value not in known:
                raise OptionError(f"There is no {what} '{value}': it is one of {', '.join(known)}.")
        if any(not abs(weight) <= _HEAVIEST for weight in weights):
            raise OptionError(f"Weights lie between {-_HEAVIEST:g} and {_HEAVIEST:g}.")
        if not 0 < scale <= _HEAVIEST:
            raise OptionError("A scale is positive.")
        if not 0 <= table_bits <= _LARGEST_TABLE:
            raise OptionError(f"A table has 0 to {_LARGEST_TABLE} bits.")
        _check_fit(game, kind)
        options = _core.MinimaxOptions()
        options.kind = getattr(_core.MinimaxKind, kind.upper())
        options.weights = list(weights)
        options.pruning = getattr(_core.Pruning, pruning.upper())
        options.ordering = getattr(_core.Ordering, ordering.upper())
        options.table_bits = table_bits
        options.deepen = deepen
        options.quiescence = quiescence
        options.repetition = game.limits.repetitions > 0 if repetition is None else repetition
        options.scale = scale
        options.oracle = oracle
        self.game = game
        self.kind = kind
        self._repetition = options.repetition
        try:
            self._core = _core.Minimax(game.core, options)
        except ValueError as error:
            raise OptionError(f"'{game.name}': {error}.") from None

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights in use; none where a game has no features."""
        return tuple(self._core.weights)

    def search(
        self,
        at: Record | Position,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        all_moves: bool = False,
    ) -> Found:
        """Search until the first of the limits is reached.

        A record tells more than its last position: what stood before is repeated by
        standing again. With `all_moves` every move of the root gets its exact value.
        """
        _check_limits(depth, nodes, seconds)
        position = at.position if isinstance(at, Record) else at
        if position.is_chance or position.is_terminal:
            raise GameOverError("There is nothing to search: nobody is to move here.")
        found = self._core.search(
            position.state,
            depth=depth or 0,
            nodes=nodes or 0,
            seconds=seconds or 0.0,
            all_moves=all_moves,
            history=self._history(at),
        )
        return Found(
            position,
            self.kind,
            best=self._move(position.state, found.best),
            value=found.value,
            line=self._line(position.state, found.line),
            depth=found.depth,
            nodes=found.nodes,
            leaves=found.leaves,
            judgements=found.judgements,
            values=tuple((self._move(position.state, m), value) for m, value, _ in found.moves),
            proven=found.proven,
            values_proven=tuple(proven for _, _, proven in found.moves),
        )

    def _history(self, at: Record | Position) -> list[int]:
        """Return the keys of what stood before, where repetitions count."""
        if not self._repetition or not isinstance(at, Record):
            return []
        return [p.key for p in at.positions[:-1] if not p.is_chance]

    def _move(self, state: bytes, value: int) -> Move:
        return Move(value, self.game.format_move(state, value))

    def _line(self, state: bytes, values: Sequence[int]) -> tuple[Move, ...]:
        line = []
        for value in values:
            line.append(self._move(state, value))
            state = self.game.core.play(state, value)
        return tuple(line)


def _decided(value: float) -> str | None:
    if abs(value) <= _core.MINIMAX_DECIDED:
        return None
    return "win" if value > 0 else "loss"


def features(position: Position, player: int) -> list[float]:
    """Return the numbers by which a game judges where a player stands; none if it has none."""
    return _core.features(position.game.core, position.state, player)


def default_weights(game: Game) -> list[float]:
    """Return a game's own weights of its features."""
    return _core.default_weights(game.core)


def has_chance(game: Game) -> bool:
    """Tell whether chance speaks before the second move; no known game waits longer."""
    start = game.start()
    core = game.core
    return start.is_chance or any(
        core.at_chance(core.play(start.state, move)) for move in core.legal(start.state)
    )


def _check_fit(game: Game, kind: str) -> None:
    if kind in ("alphabeta", "expectimax") and game.players != 2:
        raise UnknownAgentError(
            f"{kind} is for two players, and '{game.name}' has {game.players}: "
            "take maxn or paranoid."
        )
    if kind != "expectimax" and has_chance(game):
        raise UnknownAgentError(
            f"{kind} is for games without chance, and '{game.name}' has it: take expectimax."
        )


def _check_limits(depth: int | None, nodes: int | None, seconds: float | None) -> None:
    if depth is None and nodes is None and seconds is None:
        raise OptionError("A minimax search needs a limit: a depth, nodes or seconds.")
    if depth is not None and not 1 <= depth <= DEEPEST:
        raise OptionError(f"A depth is a whole number from 1 to {DEEPEST}, not {depth}.")
    if nodes is not None and nodes < 1:
        raise OptionError(f"A search looks at one node at least, not {nodes}.")
    if seconds is not None and not seconds > 0:
        raise OptionError(f"A search needs some time, not {seconds} seconds.")
