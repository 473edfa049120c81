"""Contests of a run: the gate, and the best network against agents and against the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from halma.agents import Agent, agent
from halma.arena.openings import default_plies
from halma.arena.tally import Tally
from halma.learn.alphazero_settings import NeuralSettings, opponents
from halma.learn.grades import Grader
from halma.learn.matches import play_match
from halma.learn.measures import measured
from halma.learn.players import AgentPlayer, SearchPlayer
from halma.learn.recipe import Recipe
from halma.learn.reports.events import Progress, Reporter
from halma.learn.selfplay import tree_options
from halma.networks.architectures.blocks import Network
from halma.networks.evaluator_pool import EvaluatorPool
from halma.search import search_options

#: drawn numbers are told apart by what they are for
_GATE, _MATCH = 3, 4


class Interrupted(Exception):
    """The stage in hand was given up because someone asked to stop."""


class Contests:
    """Lets networks of a run play; `is_asked` tells whether someone asked to stop."""

    def __init__(
        self,
        recipe: Recipe,
        device: str,
        threads: int,
        reporter: Reporter,
        is_asked: Callable[[], bool],
    ) -> None:
        self._game = recipe.game
        self._settings: NeuralSettings = recipe.settings
        self._device = device
        self._reporter = reporter
        self._is_asked = is_asked
        self._plies = default_plies(self._game)
        self._grader = Grader(recipe, threads, reporter.note)
        self._candidate: EvaluatorPool | None = None

    def gate(self, iteration: int, network: Network, best: EvaluatorPool) -> float | None:
        """Return a new network's share of points against the best, if there is a gate."""
        gate = self._settings.gate
        if not gate.games:
            return None
        if self._candidate is None:
            self._candidate = EvaluatorPool(network, self._device, 1)
        else:
            self._candidate.load(network)
        tally = self._match(
            ("candidate", "best"),
            [self._candidate, best],
            gate.games,
            gate.simulations,
            (iteration, _GATE),
        )
        return tally.score.value

    def compare(self, iteration: int, best: EvaluatorPool) -> dict[str, float | None]:
        """Measure the best network against agents and against the truth, where it is time."""
        settings = self._settings
        last = iteration == settings.iterations
        found: dict[str, float | None] = {}
        every = settings.evaluation.every
        due = bool(every) and (iteration % every == 0 or last)
        for number, name in enumerate(opponents(settings) if every else ()):
            tally = None
            if due:
                self._reporter.emit(Progress(iteration, f"match against {name}", 0, 0, {}))
                tally = self._match(
                    ("network", name),
                    [best, agent(name)],
                    settings.evaluation.games,
                    settings.evaluation.simulations,
                    (iteration, _MATCH, number),
                )
            found |= measured(name, tally)
        every = settings.truth.every
        if every:
            due = iteration % every == 0 or last
            found |= self._grader.grade(best.evaluators[0], iteration, due, self._is_asked)
        return found

    def _match(
        self,
        names: tuple[str, str],
        who: Sequence[EvaluatorPool | Agent],
        games: int,
        simulations: int,
        purpose: tuple[int, ...],
    ) -> Tally:
        settings = self._settings
        seeds = np.random.SeedSequence((settings.seed, *purpose)).generate_state(3, np.uint64) >> 2
        options = search_options(self._game, **tree_options(settings, noise=False))
        sims = simulations or settings.search.simulations
        players = [
            SearchPlayer(self._game, one.evaluators[0], options, sims, int(seed))
            if isinstance(one, EvaluatorPool)
            else AgentPlayer(one)
            for one, seed in zip(who, seeds, strict=False)
        ]
        tally = play_match(
            self._game, names, players, games, int(seeds[2]), self._plies, self._is_asked
        )
        if tally is None:
            raise Interrupted
        return tally
