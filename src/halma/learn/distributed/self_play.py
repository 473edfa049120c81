"""Self-play on a cluster: workers get games by number, and send what they have finished.

A worker always has a little more to play than it plays at the same time, so it never runs empty,
and not more than its share of what is left, so that no slow one holds up an iteration. While the
last games of an iteration are played, those of the next one begin. Games that arrive are written to
the run directory at once: a run that is killed goes on without those alone that were unfinished.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np
import ray

from halma.errors import RunError
from halma.interrupt import Interrupted
from halma.learn.distributed.ledger import GameLedger
from halma.learn.distributed.monitor import ClusterMonitor
from halma.learn.distributed.worker import PlayingNetworks, SelfPlayShard, worker_slots
from halma.learn.distributed.workers import RemoteWorker, WorkerFleet, failure_of, reason_of
from halma.learn.game_source import Played
from halma.learn.players import Players
from halma.learn.recipe import Recipe
from halma.learn.replay_buffer import GameFiles
from halma.learn.selfplay import adjudicate, games_metrics, pool_options
from halma.learn.trainer import weights_of
from halma.selfplay import FinishedGames
from halma.selfplay.opponents import opponent_kinds
from halma.selfplay.pool import Watch

#: Seconds that a worker plays before it sends what is finished; with many workers, longer, so that
#: no more than this many send in a second.
_SLICE_SECONDS, _MOST_SHARDS = 1.0, 100
#: Calls that a worker has at the same time, so that it never waits for the next one.
_CALLS = 2
#: Games of a worker beyond those it plays at the same time, as a share of them.
_BACKLOG = 0.25
#: A game may take this many times the median, and at least these seconds, before it is repeated.
_PATIENCE, _LEAST_PATIENCE = 3.0, 5.0
#: Weight of the newest rate of a worker in its moving mean.
_NEWEST = 0.3


class ClusterSelfPlay:
    """Plays the games of iterations on the workers of a cluster, like `SelfPlay` on one machine."""

    def __init__(
        self,
        recipe: Recipe,
        files: GameFiles,
        fleet: WorkerFleet,
        players: Players,
        monitor: ClusterMonitor,
        note: Callable[[str], None],
    ) -> None:
        self._recipe, self._game, self._settings = recipe, recipe.game, recipe.settings
        self._files, self._fleet, self._players = files, fleet, players
        self._monitor, self._note = monitor, note
        self._ledger = GameLedger(self._settings.selfplay.games)
        self._slots = worker_slots(recipe)
        self._stop = threading.Event()
        #: games that are here, by iteration, and evaluations that they took
        self._here: dict[int, list[FinishedGames]] = {}
        self._evaluations: dict[int, float] = {}
        #: when an iteration was opened, with the games and evaluations that had arrived in all
        self._opened_at: dict[int, tuple[float, int, int]] = {}
        self._completed_at = 0.0
        #: seconds from giving a game away to its arrival, of the last ones
        self._seconds: deque[float] = deque(maxlen=200)
        self._pool_bytes: dict[str, int] = {}
        self._version = -1
        self._reference: Any = None
        self._opponents: list[Any] = []
        self.change_player(players)

    def change_player(self, players: Players) -> None:
        """Send the weights that play from now on to the object store, once for all workers."""
        opponents: dict[str, Any] = {}
        if players.opponents is not None:
            self._opponents = players.opponents.current
            for name in players.opponents.names:
                network = players.opponents.networks.get(name, players.best)
                is_agent = name in self._settings.selfplay_agents
                opponents[name] = None if is_agent else weights_of(network)
        networks = PlayingNetworks(weights_of(players.playing_network), opponents)
        # The old version leaves the store once no worker needs it any more.
        self._reference = ray.put(networks)
        self._version += 1

    def prepare(self, iteration: int) -> None:
        """Draw the opponents of an iteration, in the thread that trains."""
        if self._players.opponents is not None:
            self._players.opponents.draw(iteration)
            self.change_player(self._players)

    def stop(self) -> None:
        """Make `play` raise `Interrupted`; games that are finished are kept."""
        self._stop.set()

    def resume(self) -> None:
        """Undo `stop`."""
        self._stop.clear()

    def play(self, iteration: int, watch: Watch = lambda games, evaluations: None) -> Played:
        """Return an iteration's games and the metrics of playing them."""
        self._open(iteration)
        total = self._settings.selfplay.games
        while self._ledger.missing_of(iteration):
            if self._stop.is_set():
                raise Interrupted
            workers = self._fleet.ready()
            self._forget_lost(workers)
            if not self._ledger.waiting and self._may_overlap(iteration):
                self._open(iteration + 1)
            weights = _weights(workers)
            total_weight = sum(weights)
            for worker, weight in zip(workers, weights, strict=True):
                self._feed(worker, weight / total_weight, len(workers))
            self._collect(workers)
            here = total - self._ledger.missing_of(iteration)
            watch(here, int(self._evaluations[iteration]))
            self._monitor.queues(self._ledger.waiting, self._ledger.missing)
        return self._complete(iteration)

    def _open(self, iteration: int) -> None:
        """Want the games of an iteration, but those that an earlier session has."""
        if iteration in self._ledger.iterations:
            return
        parts = self._files.read_parts(iteration, self._note)
        numbers = {int(number) for games, _ in parts for number in games.numbers}
        self._here[iteration] = [games for games, _ in parts]
        self._evaluations[iteration] = sum(metrics["evaluations"] for _, metrics in parts)
        self._opened_at[iteration] = (
            time.perf_counter(),
            self._monitor.games,
            self._monitor.evaluations,
        )
        self._ledger.open(iteration, numbers)
        if numbers:
            self._note(f"{len(numbers):,} games of iteration {iteration} are there already.")

    def _may_overlap(self, iteration: int) -> bool:
        """Whether the next iteration's games may begin while this one's are unfinished."""
        settings, following = self._settings, iteration + 1
        fixed = settings.selfplay.curriculum or settings.selfplay_opponents
        return (
            not fixed
            and following <= settings.iterations
            and following not in self._ledger.iterations
            and not self._files.has(following)
        )

    def _forget_lost(self, workers: Sequence[RemoteWorker]) -> None:
        """Give the games of workers that are gone to others."""
        for name in self._ledger.workers - {key_of(worker) for worker in workers}:
            self._ledger.give_back(name)
            self._pool_bytes.pop(name, None)

    def _feed(self, worker: RemoteWorker, share: float, workers: int) -> None:
        """Give a worker its share of the games that wait, if it has a call left."""
        key = key_of(worker)
        while len(worker.calls) < _CALLS:
            most = int(self._slots * (1 + _BACKLOG))
            wanted = min(most, max(1, int(np.ceil(share * self._ledger.missing))))
            numbers = self._ledger.give(key, wanted - self._ledger.given(key))
            if not numbers and not self._ledger.given(key) and self._seconds:
                patience = max(_LEAST_PATIENCE, _PATIENCE * median(self._seconds))
                numbers = self._ledger.repeat(key, most, patience)
            if not numbers and (worker.calls or not self._ledger.given(key)):
                return
            seconds = max(_SLICE_SECONDS, workers / _MOST_SHARDS)
            iteration = self._ledger.iterations[0]
            call = worker.handle.play.remote(
                numbers, iteration, self._version, [self._reference], seconds
            )
            worker.calls[call] = time.perf_counter()

    def _collect(self, workers: Sequence[RemoteWorker]) -> None:
        """Take in what workers have sent, and write it to the run directory."""
        calls = {call: worker for worker in workers for call in worker.calls}
        if not calls:
            time.sleep(0.05)
            return
        ready, _ = ray.wait(list(calls), num_returns=1, timeout=0.25)
        if ready:  # and whatever else is there by now
            ready, _ = ray.wait(list(calls), num_returns=len(calls), timeout=0)
        arrived: dict[int, list[FinishedGames]] = {}
        evaluations = 0
        for call in ready:
            worker = calls[call]
            worker.calls.pop(call)
            try:
                shard: SelfPlayShard = ray.get(call)
            except ray.exceptions.RayTaskError as error:
                raise failure_of(error, worker) from None
            except ray.exceptions.RayError as error:
                self._fleet.lose(worker, reason_of(error))
                self._ledger.give_back(key_of(worker))
                continue
            evaluations += shard.evaluations
            games = FinishedGames(**shard.arrays)
            self._take_note(worker, shard, len(games))
            for number, part in self._counted(worker, games).items():
                arrived.setdefault(number, []).append(part)
        for number, parts in arrived.items():
            joined = FinishedGames.join(parts)
            if fault := joined.fault(self._game):
                raise RunError(f"Games of a worker are not used: what it sent {fault}.")
            share = evaluations / len(arrived)
            self._files.write_part(number, joined, {"evaluations": share})
            self._here[number].append(joined)
            self._evaluations[number] += share

    def _take_note(self, worker: RemoteWorker, shard: SelfPlayShard, games: int) -> None:
        """Keep the rates of a worker, for its share and for the monitor."""
        self._fleet.succeed(worker)
        rate = games / max(shard.seconds, 1e-9)
        if games or worker.rate:
            worker.rate = _NEWEST * rate + (1 - _NEWEST) * worker.rate if worker.rate else rate
        self._pool_bytes[key_of(worker)] = shard.pool_bytes
        self._monitor.played(
            worker.name,
            games,
            shard.evaluations,
            shard.seconds,
            self._version - shard.version,
            self._ledger.given(key_of(worker)) - games,
        )

    def _counted(self, worker: RemoteWorker, games: FinishedGames) -> dict[int, FinishedGames]:
        """Return the games that count, by iteration: each number counts once."""
        found, took = self._ledger.arrive(key_of(worker), [int(n) for n in games.numbers])
        self._seconds += took
        counts = np.array(found, bool)
        iterations = np.array([self._ledger.iteration_of(int(n)) for n in games.numbers])
        return {
            number: games.take(np.flatnonzero(counts & (iterations == number)))
            for number in np.unique(iterations[counts]).tolist()
        }

    def _complete(self, iteration: int) -> Played:
        """Return the games of an iteration, in the order of their numbers."""
        self._ledger.close(iteration)
        games = in_order(FinishedGames.join(self._here.pop(iteration)))
        play = self._settings.selfplay
        adjudicate(self._game, games, play)
        now = time.perf_counter()
        opened_at, games_before, evaluations_before = self._opened_at.pop(iteration)
        seconds = max(1e-9, now - max(self._completed_at, opened_at))
        self._completed_at = now
        evaluations = int(self._evaluations.pop(iteration))
        pool_bytes = sum(self._pool_bytes.values())
        metrics = games_metrics(games, evaluations, seconds, pool_bytes)
        # Games may have arrived while the iteration before was the current one, so rates are those
        # of everything that has arrived since this one was opened.
        seconds = max(1e-9, now - opened_at)
        arrived = self._monitor.games - games_before
        evaluated = self._monitor.evaluations - evaluations_before
        metrics |= {
            "games_per_second": arrived / seconds,
            "evaluations_per_second": evaluated / seconds,
        }
        if self._players.opponents is not None:
            options = pool_options(self._game, self._settings, iteration)
            options.opponents = opponent_kinds(self._opponents)
            metrics |= self._players.opponents.metrics(options, games)
        return games, metrics


def key_of(worker: RemoteWorker) -> str:
    """Return what the ledger calls a worker; a new one at the same place has another name."""
    return f"{worker.name} {id(worker)}"


def in_order(games: FinishedGames) -> FinishedGames:
    """Return games in the order of their numbers."""
    return games.take(np.argsort(games.numbers, kind="stable"))


def _weights(workers: Sequence[RemoteWorker]) -> list[float]:
    """Return the speeds of workers; of those that have finished nothing yet, by their cores."""
    known = [worker.rate / worker.cores for worker in workers if worker.rate]
    of_a_core = sum(known) / len(known) if known else 1.0
    return [worker.rate or worker.cores * of_a_core for worker in workers]
