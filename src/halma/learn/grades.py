"""How far a network is from the truth: WR_p, ERR_p and MAE_v of hsueh2023, section IV."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halma.agents.optimal import OptimalAgent
from halma.errors import TableError
from halma.learn.alphazero_settings import NeuralSettings
from halma.learn.matches import play_match
from halma.learn.players import AgentPlayer, PolicyPlayer
from halma.learn.recipe import Recipe
from halma.learn.truth import TestPositions, decisions_near_start
from halma.search.evaluator import Evaluator
from halma.solve import solution_for, solve

KEYS = ("wr_p", "wr_p_low", "wr_p_high", "err_p", "mae_v")
#: values are kept so far from 0 and 1 when their odds are taken
_LEAST = 1e-9


class Grader:
    """Grades networks by the exact solution of their game; finds it at once, if there is one."""

    def __init__(self, recipe: Recipe, threads: int, note: Callable[[str], None]) -> None:
        self.game = recipe.game
        self.settings: NeuralSettings = recipe.settings
        if not self.settings.truth.every:
            return
        try:
            solution = solution_for(self.game)
        except TableError:
            note(f"Solving {self.game.name} first, so that the run can be graded.")
            solution = solve(self.game, threads=threads, note=note)
        positions = decisions_near_start(self.game, self.settings.truth.plies)
        numbers = {position.state: i for i, position in enumerate(positions)}
        self._test = TestPositions(solution, positions, numbers.__getitem__)
        self._planes = np.stack([self.game.core.encode([p.state]) for p in positions])

    def grade(
        self, judge: Evaluator, iteration: int, due: bool, stopped: Callable[[], bool]
    ) -> dict[str, float | None]:
        """Return the grades, or nothing under the same names where it is not time."""
        if not due:
            return dict.fromkeys(KEYS)
        logits, values = judge.evaluate(self._planes)
        likely = np.clip(values[:, 0].astype(np.float64), _LEAST, 1 - _LEAST)
        seed = int(np.random.SeedSequence((self.settings.seed, iteration, 6)).generate_state(1)[0])
        tally = play_match(
            self.game,
            ("network", "optimal"),
            [PolicyPlayer(self.game, judge), AgentPlayer(OptimalAgent())],
            self.settings.truth.games,
            seed,
            opening_plies=0,
            stopped=stopped,
        )
        if tally is None:
            return dict.fromkeys(KEYS)
        low, high = tally.score.interval
        return {
            "wr_p": tally.score.value,
            "wr_p_low": low,
            "wr_p_high": high,
            "err_p": self._test.policy_error(logits),
            "mae_v": self._test.value_error(np.log(likely / (1 - likely))),
        }
