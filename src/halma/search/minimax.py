"""Minimax searches: alpha-beta, expectimax, max^n and paranoid (`core/search`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from halma import _core
from halma.errors import ArgumentError, GameOverError, OptionError, UnknownAgentError
from halma.games import Game, Move, Position, Record
from halma.machine import require_memory
from halma.search.analysis import (
    Analysis,
    MoveReport,
    by_side,
    certainty,
    line_of,
    named,
    record_of,
)
from halma.search.options import set_options

#: the declarations of options, by name; see `core/search/minimax_options.hpp`
DECLARED = {info.name: info for info in _core.minimax_options()}
KINDS = tuple(DECLARED["kind"].choices)
#: the deepest search
MAX_DEPTH = 100
_HEAVIEST = 1e5
#: bytes of a pair of entries of the transposition table
_TABLE_PAIR = 48
#: the logarithm of the odds of an estimate, at most
_MOST_ODDS = 14.0


@dataclass(frozen=True)
class MinimaxAnalysis:
    """What a minimax search found in a position."""

    position: Position
    #: the search that found it
    kind: str
    best: Move
    #: a lead times this is about the logarithm of the odds to win
    scale: float
    #: for the player to move. Alpha-beta: the lead in the evaluation's own units, wins and
    #: losses beyond all of them. Expectimax: from 0, a loss, to 1, a win. Max^n and
    #: paranoid: the lead over the average of the others.
    value: float
    #: best play, the best move first; it ends at chance
    line: tuple[Move, ...]
    #: the last depth searched completely; 0 if none was
    depth: int
    #: the value of every depth searched completely, that of `depth` last; one alone without
    #: iterative deepening
    depth_values: tuple[float, ...]
    #: positions below the root, counted at every visit
    nodes: int
    #: those that were evaluated, or where the game was over
    leaves: int
    #: the exact value of every legal move, with `all_moves`
    values: tuple[tuple[Move, float], ...] = ()
    #: whether the value is certain, and whether that of each move is
    proven: bool = False
    values_proven: tuple[bool, ...] = ()

    def as_analysis(self, others: Sequence[float] = ()) -> Analysis:
        """Return it as an `Analysis`, with values as chances of winning.

        A search that ends with a move of its own player overrates that move: `others`, values of
        the same position at neighbouring depths, take that out. The odds of all moves are
        changed alike, so that the mean over the depths is the value of the position.
        """
        if self.values:
            values = [(*pair, p) for pair, p in zip(self.values, self.values_proven, strict=True)]
            values = sorted(values, key=lambda found: (found[0] == self.best, found[1]))[::-1]
        else:
            values = [(self.best, self.value, self.proven)]
        line = tuple(move.text for move in self.line)
        odds = [self._odds(value) for value in (self.value, *others)]
        tempo = odds[0] - sum(odds) / len(odds)
        reports = tuple(
            MoveReport(
                move,
                value=self._chance(value, proven, tempo),
                proof=self._proof(value, proven),
                line=line if move == self.best else (move.text,),
            )
            for move, value, proven in values
        )
        return Analysis(
            self.position,
            reports,
            value=reports[0].value,
            nodes=self.nodes,
            depth=self.depth,
            values=self._values(reports[0].value),
        )

    def _values(self, value: float | None) -> tuple[float, ...] | None:
        """Return every player's value where there are more than two sides, at the end of best play.

        Max^n and paranoid search take the value of the player to move from there, too.
        """
        if value is None or self.position.game.sides == 2:
            return None
        end = self.position
        for move in self.line:
            end = end.play(move)
        return by_side(self.position.game, self.position.mover, value, side_shares(end))

    def _proof(self, value: float, proven: bool) -> str | None:
        """Return what is certain, whatever the others do."""
        if self.kind == "expectimax":
            return certainty(self._exact(value)) if proven else None
        decided = _decided(value)
        if self.position.game.players > 2:
            # Against all others together a win is certain; a loss is not, as they need not
            # cooperate, nor need a partner, and in max^n nothing is.
            sure = self.kind == "paranoid" and not self.position.game.teams
            return decided if sure and decided == "win" else None
        return decided or ("draw" if proven else None)

    def _chance(self, value: float, proven: bool, tempo: float) -> float:
        """Return a value as a chance of winning, that of an estimate neither 0 nor 1."""
        proof = self._proof(value, proven)
        if proof == "exact":
            return value
        if proof is not None:
            return {"win": 1.0, "draw": 0.5, "loss": 0.0}[proof]
        odds = max(-_MOST_ODDS, min(_MOST_ODDS, self._odds(value) - tempo))
        return 1 / (1 + math.exp(-odds))

    def _odds(self, value: float) -> float:
        """Return the logarithm of the odds to win; equal sides have equal chances."""
        if self.kind != "expectimax":
            return self.scale * value - math.log(self.position.game.sides - 1)
        margin = _core.EXPECTIMAX_MARGIN  # of evaluations, to both ends
        chance = max(1e-6, min(1 - 1e-6, (value - margin) / (1 - 2 * margin)))
        return math.log(chance / (1 - chance))

    def _exact(self, value: float) -> float:
        """Return a proven value of expectimax; quicker wins have higher ones, by very little."""
        within = _core.EXPECTIMAX_PATIENCE * self.depth
        ends = (end for end in (0.0, 0.5, 1.0) if abs(value - end) <= within)
        return next(ends, value)

    @property
    def is_estimate(self) -> bool:
        """Whether the value is an evaluation's, not that of a decided or fully searched game."""
        return not self.proven and _is_evaluation(self.value)

    @property
    def plies_to_end(self) -> int | None:
        """Plies to the end of the game where an alpha-beta search has decided it; else None."""
        if not _decided(self.value):
            return None
        return round(_core.MINIMAX_WIN - abs(self.value))


class Minimax:
    """A minimax search of one game. Results do not depend on earlier searches."""

    def __init__(
        self,
        game: Game,
        kind: str = "alphabeta",
        *,
        weights: Sequence[float] = (),
        oracle: _core.Oracle | None = None,
        network: _core.SparseNetwork | None = None,
        **values: Any,
    ) -> None:
        """Make a search; `core/search/minimax_options.hpp` declares its options.

        `weights` are those of the game's features, its own if left out. `limits` says where lines
        end; left out, where the game record would end, and at the first repetition. An `oracle`,
        that of a solution, answers for the positions it knows. A `network` evaluates leaves of
        alpha-beta and expectimax in place of the features; its leads are logarithms of odds.
        """
        if any(not abs(weight) <= _HEAVIEST for weight in weights):
            raise OptionError(f"Weights lie between {-_HEAVIEST:g} and {_HEAVIEST:g}.")
        values.setdefault("limits", "first-repetition")
        values["kind"] = kind
        options = set_options(_core.MinimaxOptions(), "Minimax", DECLARED, values)
        _check_fit(game, kind)
        has_table = kind in ("alphabeta", "expectimax") and options.table_bits
        pairs = 2**options.table_bits if has_table else 0
        require_memory(pairs * _TABLE_PAIR, f"A transposition table of {pairs:,} pairs")
        options.weights = list(weights)
        options.oracle, options.network = oracle, network
        self.game = game
        self.kind = kind
        #: the options that the core searches with
        self.core_options = options
        try:
            self._core = _core.Minimax(game.core, options)
        except ArgumentError as error:
            raise OptionError(f"'{game.name}': {error}") from None

    @property
    def weights(self) -> list[float]:
        """The weights of the features; none where the game has no features."""
        return self._core.weights

    @property
    def scale(self) -> float:
        """A lead times this is about the logarithm of the odds to win."""
        return self._core.scale

    def search(
        self,
        at: Record | Position,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        all_moves: bool = False,
    ) -> MinimaxAnalysis:
        """Search until the first of the limits is reached.

        A record tells more than its last position: lines end where the game would. With
        `all_moves` every move of the root gets its exact value.
        """
        _check_limits(depth, nodes, seconds)
        record = record_of(self.game, at)
        position = record.position
        if position.is_chance or position.is_terminal:
            raise GameOverError("There is nothing to search: no player is to move here.")
        found = self._core.search(
            record.core,
            depth=depth or 0,
            nodes=nodes or 0,
            seconds=seconds or 0.0,
            all_moves=all_moves,
        )
        return MinimaxAnalysis(
            position,
            self.kind,
            scale=self.scale,
            best=named(position, found.best),
            value=found.value,
            line=line_of(position, found.line),
            depth=found.depth,
            depth_values=tuple(found.depth_values),
            nodes=found.nodes,
            leaves=found.leaves,
            values=tuple((named(position, m), value) for m, value, _ in found.moves),
            proven=found.proven,
            values_proven=tuple(proven for _, _, proven in found.moves),
        )


def neighbouring_values(
    search: Minimax, at: Record, found: MinimaxAnalysis, *, limited: bool = False
) -> list[float]:
    """Return the values of smaller depths that complete a round of the players with `found`.

    To a depth of 1 belongs one of 2. There are none where a value is not an estimate, or where the
    searches were stopped. A search that was `limited` by nodes or time has used them up: its
    iterative deepening has been to the smaller depths, and nothing is searched again.
    """
    if not found.is_estimate or not found.depth:
        return []
    players = search.game.players
    if limited:
        values = list(found.depth_values[-players:-1])
        return values if all(map(_is_evaluation, values)) else []
    depths = range(max(1, found.depth - players + 1), max(found.depth, 2) + 1)
    others = [search.search(at, depth=depth) for depth in depths if depth != found.depth]
    # A search that was stopped has evaluated the position as it stands.
    complete = all(each.is_estimate and each.depth for each in others)
    return [each.value for each in others] if complete else []


def _is_evaluation(value: float) -> bool:
    return abs(value) < _core.MINIMAX_DECIDED / 10


def _decided(value: float) -> str | None:
    if abs(value) <= _core.MINIMAX_DECIDED:
        return None
    return "win" if value > 0 else "loss"


def default_scale(game: Game) -> float:
    """Return the game's own scale of leads; 0 if it has no linear evaluation."""
    return Minimax(game, "expectimax" if game.players == 2 else "maxn").scale


def side_shares(position: Position) -> list[float] | None:
    """Return what the linear evaluation gives each side, relative to the others.

    That of a game that is over are its scores; None where the game has no such evaluation.
    """
    game = position.game
    if position.is_terminal:
        return [position.result[side[0]] for side in game.partners]
    weights = _core.default_weights(game.core)
    if position.is_chance or not weights:
        return None
    scale = default_scale(game)
    leads = [
        scale
        * math.fsum(
            weight * feature
            for player in side
            for weight, feature in zip(weights, features(position, player), strict=True)
        )
        / len(side)
        for side in game.partners
    ]
    return [math.exp(max(-_MOST_ODDS, lead - max(leads))) for lead in leads]


def features(position: Position, player: int) -> list[float]:
    """Return a player's features, the inputs of linear evaluations; none if the game has none."""
    return _core.features(position.game.core, position.state, player)


def has_chance(game: Game) -> bool:
    """Whether there is chance before the second move; no known game has it only later."""
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
    if depth is not None and not 1 <= depth <= MAX_DEPTH:
        raise OptionError(f"A depth is a whole number from 1 to {MAX_DEPTH}, not {depth}.")
    if nodes is not None and nodes < 1:
        raise OptionError(f"A search visits one node at least, not {nodes}.")
    if seconds is not None and not seconds > 0:
        raise OptionError(f"A search needs some time, not {seconds} seconds.")
