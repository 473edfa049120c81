"""Evaluation of a run's networks: the gate, matches against agents, exact values."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from halma.agents import agent
from halma.arena.lockstep import AgentPlayer
from halma.arena.openings import default_plies
from halma.arena.tally import Tally
from halma.games import Game
from halma.learn.matches import Pairing, Watch, play_in_lockstep
from halma.learn.metric_names import TRUTH_METRICS, match_metrics
from halma.learn.reports.events import Progress, Reporter
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.sections.common import search_values
from halma.learn.truth import NetworkTruth
from halma.networks.architectures.blocks import Network
from halma.networks.torch_evaluator import EvaluatorPool
from halma.search import search_options
from halma.search.batched import SearchPlayer

#: Purposes of seeds.
_GATE, _MATCH, _TRUTH = 3, 4, 6


@dataclass(frozen=True)
class GateResult:
    """The result of a gate: the new network's share of points or wins."""

    score: float
    passed: bool
    #: games that differ in at least one move
    distinct: int


@dataclass
class Evaluation:
    """Plays matches of a run's networks; `is_stopped` interrupts them."""

    game: Game
    settings: AlphaZeroSettings
    device: str
    threads: int
    reporter: Reporter
    is_stopped: Callable[[], bool]

    def __post_init__(self) -> None:
        self._opening_plies = default_plies(self.game)
        self._has_chance = not self._opening_plies
        self._candidate: EvaluatorPool | None = None
        self._truth: NetworkTruth | None = None
        settings, truth = self.settings, self.settings.truth
        wanted = {"gate": settings.gate.games}
        if settings.evaluation.every:
            wanted["evaluation"] = settings.evaluation.games
        for section, games in wanted.items():
            if games % 2:
                self.reporter.note(
                    f"'{section}.games' is {games}; games come in pairs, so {games + 1} are played."
                )
        gate = settings.gate
        varied = gate.random_plies or (gate.temperature and gate.temperature_plies)
        if gate.games and not varied and not self._has_chance:
            self.reporter.note(
                f"The gate has only {2**self.game.sides - 2} different games, one for each way to "
                "be seated, however many it plays: 'gate.random_plies' is 0, and no move is drawn "
                "with a 'gate.temperature'."
            )
        if truth.every:
            self._truth = NetworkTruth(self.game, truth, self.threads, self.reporter.note)

    def gate(self, iteration: int, network: Network, best: EvaluatorPool) -> GateResult | None:
        """Return a new network's result against the best; None without a gate."""
        gate = self.settings.gate
        if not gate.games:
            return None
        if self._candidate is None:
            self._candidate = EvaluatorPool(network, self.device, 1)
        else:
            self._candidate.load(network)
        seeds = self._seeds(iteration, _GATE)
        players = [
            self._search_player(
                one, gate.simulations, seed, gate.temperature, gate.temperature_plies
            )
            for one, seed in zip((self._candidate, best), seeds, strict=False)
        ]
        pairing = Pairing(("candidate", "best"), players, gate.games, seeds[2])
        plies = self._opening_plies if gate.random_plies < 0 else gate.random_plies
        tally = self._play("gate", [pairing], plies)[0]
        won = tally.all.wins / tally.games
        score = won if gate.counts == "wins" else tally.score.value
        return GateResult(score, score >= gate.threshold, tally.distinct)

    def evaluate(self, iteration: int, best: EvaluatorPool) -> dict[str, float | None]:
        """Return the best network's results against agents and against exact values.

        Those that are not due after this iteration are None.
        """
        settings, found = self.settings, self.no_results()
        evaluation = settings.evaluation
        if self._is_due(iteration, evaluation.every):
            seeds = self._seeds(iteration, _MATCH)
            network = self._search_player(best, evaluation.simulations, seeds[0])
            pairings = [
                Pairing(
                    ("network", name),
                    (network, AgentPlayer(agent(name))),
                    evaluation.games,
                    self._seeds(iteration, _MATCH, number)[2],
                )
                for number, name in enumerate(settings.opponents)
            ]
            tallies = self._play("evaluation", pairings, self._opening_plies)
            for name, tally in zip(settings.opponents, tallies, strict=True):
                found |= match_metrics(name, tally)
        if self._truth is not None and self._is_due(iteration, settings.truth.every):
            seed = np.random.SeedSequence((settings.seed, iteration, _TRUTH)).generate_state(1)[0]
            watch = self._progress("match against optimal")
            found |= self._truth.metrics(best.evaluators[0], int(seed), self.is_stopped, watch)
        return found

    def no_results(self) -> dict[str, float | None]:
        """Return the metrics of an iteration without evaluation: all of them None."""
        found: dict[str, float | None] = {}
        for name in self.settings.opponents:
            found |= match_metrics(name, None)
        return found | (dict.fromkeys(TRUTH_METRICS) if self._truth is not None else {})

    def _is_due(self, iteration: int, every: int) -> bool:
        return bool(every) and (iteration % every == 0 or iteration == self.settings.iterations)

    def _seeds(self, *purpose: int) -> list[int]:
        seeds = np.random.SeedSequence((self.settings.seed, *purpose))
        return [int(seed) for seed in seeds.generate_state(3, np.uint64) >> 2]

    def _search_player(
        self,
        network: EvaluatorPool,
        simulations: int,
        seed: int,
        temperature: float = 0.0,
        temperature_plies: int = -1,
    ) -> SearchPlayer:
        options = search_options(self.game, **search_values(self.settings.search, noise=False))
        simulations = simulations or self.settings.search.simulations
        evaluator = network.evaluators[0]
        return SearchPlayer(
            self.game, evaluator, options, simulations, seed, temperature, temperature_plies
        )

    def _play(self, stage: str, pairings: Sequence[Pairing], opening_plies: int) -> list[Tally]:
        watch = self._progress(stage)
        tallies = play_in_lockstep(self.game, pairings, opening_plies, self.is_stopped, watch)
        for pairing, tally in zip(pairings, tallies, strict=True):
            for sentence in tally.failures:
                self.reporter.note(f"{pairing.names[1]}: {sentence}")
        return tallies

    def _progress(self, stage: str) -> Watch:
        """Return a function that reports the finished games of a match."""
        began = time.perf_counter()

        def watch(done: int, total: int, moves: int) -> None:
            rate = moves / max(time.perf_counter() - began, 1e-9)
            self.reporter.emit(Progress(stage, done, total, {"moves/s": rate} if moves else {}))

        return watch
