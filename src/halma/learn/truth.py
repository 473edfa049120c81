"""Comparison with exact values: WR_p, ERR_p and MAE_v of hsueh2023, section IV."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from halma.agents.tables import OptimalAgent
from halma.arena.lockstep import AgentPlayer
from halma.errors import RunError, TableError
from halma.games import Game, Position
from halma.learn.matches import Pairing, PolicyPlayer, Watch, play_in_lockstep
from halma.learn.metric_names import WIN_RATE_METRICS
from halma.learn.reports.events import Curve
from halma.learn.sections.common import TruthSettings
from halma.machine import free_memory
from halma.networks.lookup_table import sigmoid, softmax
from halma.search.evaluator import Evaluator
from halma.solve import Solution, solution_for, solve
from halma.statistics import Z

Floats = npt.NDArray[np.floating[Any]]

#: Those to watch while a run goes on.
TRUTH_CURVES = (
    Curve("wr_p", "WR_p", ".1%", "share of points against perfect play; 50% is perfect"),
    Curve("err_p", "ERR_p", ".4f", "winning chances that a move costs; 0 is perfect"),
    Curve("mae_v", "MAE_v", ".4f", "mean error of the values of positions; 0 is perfect"),
)
#: Distance from 0 and 1 at which values are clipped before their logits are taken.
_EPSILON = 1e-9


def find_solution(
    game: Game, threads: int = 1, note: Callable[[str], None] = lambda text: None
) -> Solution:
    """Return the exact solution of a game, from where tables are kept or computed now."""
    try:
        return solution_for(game)
    except TableError:
        note(f"Solving {game.name} first: the run is compared with its exact values.")
        memory = free_memory() or 8 << 30
        return solve(game, memory=memory, threads=threads, note=note)


def decisions_near_start(game: Game, plies: int) -> list[Position]:
    """Return all positions with a decision, at most `plies` moves from the start.

    Positions that are equal are listed once, in the order in which they come up.
    """
    found: dict[bytes, Position] = {}
    level: Iterable[Position] = _decisions(game.start())
    for _ in range(plies + 1):
        new = {position.state: position for position in level if position.state not in found}
        found |= new
        level = (
            decision
            for position in new.values()
            for move in position.legal_moves
            for decision in _decisions(position.play(move))
        )
    return list(found.values())


def _decisions(position: Position) -> Iterator[Position]:
    """Yield the positions with a decision that follow a position by chance alone."""
    if position.is_chance:
        for outcome in position.outcomes:
            yield from _decisions(position.resolve(outcome))
    elif not position.is_terminal:
        yield position


class TestPositions:
    """Positions with their exact values, to compare the rows of a table with."""

    __test__ = False  # for pytest

    def __init__(
        self, solution: Solution, positions: list[Position], row: Callable[[bytes], int | None]
    ) -> None:
        game = solution.game
        shape = len(positions), game.actions
        self.rows = np.array([row(position.state) for position in positions], dtype=np.int64)
        self.legal = np.zeros(shape, dtype=bool)
        #: value of the best move less that of each: (positions, policy indices)
        self.losses = np.zeros(shape)
        self.values = np.zeros(len(positions))
        for i, position in enumerate(positions):
            moves = solution.moves(position)
            best = max(move.value for move in moves)
            self.values[i] = best
            for move in moves:
                action = game.core.action(position.state, move.move.value)
                self.legal[i, action] = True
                self.losses[i, action] = best - move.value

    def policy_error(self, logits: Floats) -> float:
        """Return ERR_p, equation (10): the mean loss of a move sampled from the policy.

        `logits` has a row for every row of the table.
        """
        policy = softmax(np.where(self.legal, logits[self.rows].astype(np.float64), -np.inf))
        return float((policy * self.losses).sum(axis=1).mean())

    def value_error(self, value_logits: Floats) -> float:
        """Return MAE_v, equation (11): the mean absolute error of values."""
        return float(np.abs(self.values - sigmoid(value_logits[self.rows])).mean())


class WatchedPositions:
    """Positions whose policy and value are part of the metrics."""

    def __init__(self, positions: list[Position], row: Callable[[bytes], int | None]) -> None:
        self._rows = [(position, row(position.state)) for position in positions]
        for position, found in self._rows:
            if found is None:
                raise RunError(
                    f"No game of '{position.game.name}' gets to {position.text!r}, so it cannot be "
                    "watched."
                )

    def read(self, table: Floats) -> list[dict[str, Any]]:
        """Return position, value and policy (move -> probability) of each.

        The first column of the table has the logits of values.
        """
        found = []
        for position, row in self._rows:
            value, logits = table[row][0], table[row][1:]
            moves = position.legal_moves
            policy = softmax(logits[[position.action(move) for move in moves]]).tolist()
            found.append(
                {
                    "position": position.text,
                    "value": float(sigmoid(value)),
                    "policy": {m.text: share for m, share in zip(moves, policy, strict=True)},
                }
            )
        return found


def win_rate(match: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    """Return WR_p with its 95% interval, and the share of points of each side.

    `match` has the wins, draws and losses that the core counted of either side, which count
    half each.
    """
    counts = np.array(
        [[match[side][n] for n in ("wins", "draws", "losses")] for side in ("first", "second")]
    )
    points, games = np.array([1.0, 0.5, 0.0]), counts.sum(axis=1)
    first, second = shares = counts @ points / games
    variances = counts @ points**2 / games - shares**2
    value, reach = shares.mean(), Z * math.sqrt((variances / games).sum()) / 2
    found = (value, max(0.0, value - reach), min(1.0, value + reach), first, second)
    return dict(zip(WIN_RATE_METRICS, map(float, found), strict=True))


class NetworkTruth:
    """Compares networks with the exact solution of their game."""

    def __init__(
        self, game: Game, settings: TruthSettings, threads: int, note: Callable[[str], None]
    ) -> None:
        self._game = game
        self._games = settings.games
        positions = decisions_near_start(game, settings.plies)
        numbers = {position.state: i for i, position in enumerate(positions)}
        solution = find_solution(game, threads, note)
        self._test_positions = TestPositions(solution, positions, numbers.__getitem__)
        self._planes = np.stack([game.core.encode([p.state]) for p in positions])

    def metrics(
        self, evaluator: Evaluator, seed: int, is_stopped: Callable[[], bool], watch: Watch
    ) -> dict[str, float | None]:
        """Return what `TRUTH_METRICS` names."""
        logits, values = evaluator.evaluate(self._planes)
        likely = np.clip(values[:, 0].astype(np.float64), _EPSILON, 1 - _EPSILON)
        players = (PolicyPlayer(evaluator), AgentPlayer(OptimalAgent()))
        pairing = Pairing(("network", "optimal"), players, self._games, seed)
        (tally,) = play_in_lockstep(self._game, [pairing], 0, is_stopped, watch)
        low, high = tally.score.interval or (None, None)
        return {
            "wr_p": tally.score.value,
            "wr_p_low": low,
            "wr_p_high": high,
            "err_p": self._test_positions.policy_error(logits),
            "mae_v": self._test_positions.value_error(np.log(likely / (1 - likely))),
        }
