"""Gate and matches against agents on a cluster: blocks of games, each played by one worker."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import ray

from halma.arena.games import PlayedGame
from halma.arena.lockstep import AgentPlayer
from halma.arena.tally import Tally
from halma.interrupt import Interrupted
from halma.learn.distributed.worker import MatchBlock, MatchSide
from halma.learn.distributed.workers import RemoteWorker, WorkerFleet, failure_of, reason_of
from halma.learn.evaluation import Evaluation, GateResult
from halma.learn.matches import Pairing, plan_of
from halma.learn.trainer import Arrays, weights_of
from halma.networks.architectures.blocks import Network
from halma.networks.torch_evaluator import EvaluatorPool
from halma.search.batched import SearchPlayer

#: Games of a block, at least; results depend on it, but not on the workers.
_BLOCK = 16
#: Seconds, and times as long as another block took, before a block is given to a second worker.
_LEAST_PATIENCE, _PATIENCE = 5.0, 3.0


class ClusterEvaluation(Evaluation):
    """Evaluation whose games are played by the workers of a cluster.

    `start` tells it about the workers; `best` returns the weights of the best network.
    """

    def start(self, fleet: WorkerFleet, best: Callable[[], Arrays]) -> None:
        """Play on these workers from now on."""
        self._fleet, self._best = fleet, best
        self._weights: dict[str, Any] = {}
        self._networks = 0

    def gate(self, iteration: int, network: Network, best: EvaluatorPool) -> GateResult | None:
        """Return a new network's result against the best; None without a gate."""
        if self.settings.gate.games:
            self._publish({"candidate": weights_of(network), "best": self._best()})
        return super().gate(iteration, network, best)

    def evaluate(self, iteration: int, best: EvaluatorPool) -> dict[str, float | None]:
        """Return the best network's results against agents and against exact values."""
        if self._is_due(iteration, self.settings.evaluation.every):
            self._publish({"best": self._best()})
        return super().evaluate(iteration, best)

    def _publish(self, weights: dict[str, Arrays]) -> None:
        """Put weights into the object store, under ids of their own."""
        self._networks += 1
        self._weights = {
            f"{name} {self._networks}": [ray.put(arrays)] for name, arrays in weights.items()
        }

    def _play(self, stage: str, pairings: Sequence[Pairing], opening_plies: int) -> list[Tally]:
        blocks = [
            (number, block)
            for number, pairing in enumerate(pairings)
            for block in self._blocks(pairing, opening_plies)
        ]
        total = sum(len(block.numbers) for _, block in blocks)
        watch, done = self._progress(stage), 0
        tallies = [Tally(plan_of(self.game, pairing, opening_plies)) for pairing in pairings]
        games: list[list[PlayedGame]] = [[] for _ in pairings]
        watch(0, total, 0)
        for (number, block), played in self._play_blocks(blocks):
            games[number] += played
            done += len(block.numbers)
            watch(done, total, 0)
        for number, (tally, pairing) in enumerate(zip(tallies, pairings, strict=True)):
            for played_game in sorted(games[number], key=lambda one: one.number):
                tally.add(played_game)
            for sentence in tally.failures:
                self.reporter.note(f"{pairing.names[1]}: {sentence}")
        self._weights = {}
        return tallies

    def _blocks(self, pairing: Pairing, opening_plies: int) -> list[MatchBlock]:
        """Return the games of a match in blocks of whole sets."""
        plan = plan_of(self.game, pairing, opening_plies)
        size = -(-_BLOCK // plan.set_size) * plan.set_size
        total = plan.games_for(pairing.games)
        return [
            MatchBlock(
                plan,
                tuple(
                    self._side(name, player, first)
                    for name, player in zip(pairing.names, pairing.players, strict=True)
                ),
                tuple(range(first, min(first + size, total))),
            )
            for first in range(0, total, size)
        ]

    def _side(self, name: str, player: Any, first: int) -> MatchSide:
        if isinstance(player, AgentPlayer):
            return MatchSide(player.agent.name)
        assert isinstance(player, SearchPlayer)
        candidate = self._candidate
        is_candidate = candidate is not None and player.evaluator is candidate.evaluators[0]
        role = "candidate" if is_candidate else "best"
        network = next(one for one in self._weights if one.startswith(role))
        seed = np.random.SeedSequence((player.seed or 0, first)).generate_state(1, np.uint64)[0]
        return MatchSide(
            name,
            network,
            player.simulations,
            int(seed >> np.uint64(2)),
            player.temperature,
            player.temperature_plies,
        )

    def _play_blocks(
        self, blocks: Sequence[tuple[int, MatchBlock]]
    ) -> list[tuple[tuple[int, MatchBlock], list[PlayedGame]]]:
        """Return every block with its games; blocks of workers that are lost are played again."""
        waiting = deque(range(len(blocks)))
        found: dict[int, list[PlayedGame]] = {}
        calls: dict[Any, tuple[int, RemoteWorker, float]] = {}
        seconds: list[float] = []
        while len(found) < len(blocks):
            if self.is_stopped():
                raise Interrupted
            busy = [worker for _, worker, _ in calls.values()]
            for worker in self._fleet.ready():
                if any(worker is one for one in busy):
                    continue
                chosen = waiting.popleft() if waiting else _slowest(calls, found, seconds)
                if chosen is None:
                    break
                call = worker.handle.play_match.remote(blocks[chosen][1], self._weights)
                calls[call] = chosen, worker, time.monotonic()
            if not calls:
                time.sleep(0.05)
                continue
            ready, _ = ray.wait(list(calls), num_returns=1, timeout=0.25)
            for call in ready:
                number, worker, since = calls.pop(call)
                try:
                    found.setdefault(number, ray.get(call))
                    seconds.append(time.monotonic() - since)
                except ray.exceptions.RayTaskError as error:
                    raise failure_of(error, worker) from None
                except ray.exceptions.RayError as error:
                    self._fleet.lose(worker, reason_of(error))
                    if number not in found and all(number != one for one, _, _ in calls.values()):
                        waiting.appendleft(number)
        return [(blocks[number], found[number]) for number in sorted(found)]


def _slowest(
    calls: dict[Any, tuple[int, RemoteWorker, float]], found: dict[int, Any], seconds: list[float]
) -> int | None:
    """Return the block that has taken too long on its only worker, if there is one."""
    numbers = [number for number, _, _ in calls.values()]
    alone = [
        (since, number)
        for number, _, since in calls.values()
        if number not in found and numbers.count(number) == 1
    ]
    patience = max(_LEAST_PATIENCE, _PATIENCE * max(seconds, default=0.0))
    since, number = min(alone, default=(0.0, -1))
    return number if seconds and alone and time.monotonic() - since > patience else None
