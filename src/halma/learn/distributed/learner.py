"""The trainer on a node with a GPU, for a command that runs on a machine without one.

The state of the network and the optimiser stays with the command. For every iteration it travels
to the node, with the games that the node does not have yet, and comes back: a learner that is lost
costs the steps of one iteration.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import ray

from halma.cluster.connection import Cluster, ClusterNode
from halma.errors import ClusterError
from halma.games import Game
from halma.interrupt import Interrupted
from halma.learn.distributed.workers import reason_of
from halma.learn.recipe import Recipe
from halma.learn.replay_buffer import ReplayBuffer
from halma.learn.sections.training import LearningSettings
from halma.learn.trainer import Arrays, Losses, NotANumberError, Trainer
from halma.networks.torch_evaluator import find_device
from halma.selfplay import FinishedGames

#: Share of a GPU that the learner takes: a worker may have the rest.
_GPU = 0.5
#: Times that a learner may die in the same iteration.
_MOST_DEATHS = 5


def learner_node(cluster: Cluster) -> ClusterNode | None:
    """Return the node that trains; None where that is the machine of the command.

    It is another one if that has a GPU and this one has none.
    """
    nodes = cluster.nodes
    if any(node.is_here and node.gpus for node in nodes):
        return None
    return max((node for node in nodes if node.gpus), key=lambda node: node.gpus, default=None)


@dataclass
class GatheredGames:
    """What a trainer needs of a replay buffer."""

    game: Game
    games: FinishedGames
    value_targets: Any
    samples: Any


@dataclass
class TrainingOrder:
    """The steps of an iteration."""

    learning: LearningSettings
    state: Arrays
    #: steps made before
    made: int
    #: references to the arrays of games, by their ids
    parts: Sequence[tuple[str, Sequence[Any]]]
    samples: Any
    value_targets: Any
    steps: int
    rate: float
    seed: tuple[int, ...]


@dataclass
class TrainingAnswer:
    """The state after the steps; where a loss became not a number, the step and its batch."""

    state: Arrays = field(default_factory=dict)
    made: int = 0
    losses: Losses | None = None
    bad_step: int = 0
    bad_batch: Arrays = field(default_factory=dict)


class Learner:
    """The actor that trains."""

    def __init__(self, recipe: Recipe, threads: int, compiled: bool) -> None:
        self._recipe = recipe
        device = find_device("auto")
        self._trainer = Trainer(
            recipe.game, recipe.settings, device, threads, compiled and device == "cuda"
        )
        self._learning: LearningSettings | None = None
        self._parts: dict[str, FinishedGames] = {}
        self._done = 0

    def progress(self) -> int:
        """Return the steps made of the current order."""
        return self._done

    def train(self, order: TrainingOrder) -> TrainingAnswer:
        """Make the steps of an order."""
        self._done = 0
        if self._learning != order.learning:
            self._trainer.begin_stage(order.learning)
            self._learning = order.learning
        self._trainer.restore({n: np.array(array) for n, array in order.state.items()}, order.made)
        self._parts = {
            name: self._parts.get(name) or FinishedGames(**ray.get(reference[0]))
            for name, reference in order.parts
        }
        buffer = GatheredGames(
            self._recipe.game,
            FinishedGames.join(list(self._parts.values())),
            order.value_targets,
            order.samples,
        )

        def watch(done: int) -> None:
            self._done = done

        try:
            losses = self._trainer.train(
                buffer,  # type: ignore[arg-type]
                order.steps,
                order.rate,
                order.seed,
                watch,
            )
        except NotANumberError as error:
            return TrainingAnswer(bad_step=error.step, bad_batch=error.batch)
        return TrainingAnswer(self._trainer.state(), self._trainer.steps, losses)


class RemoteTrainer(Trainer):
    """A trainer whose steps are made by a learner on another node."""

    def connect(
        self, cluster: Cluster, recipe: Recipe, compiled: bool, note: Callable[[str], None]
    ) -> None:
        """Train there from now on."""
        self._cluster, self._recipe, self._compile_there = cluster, recipe, compiled
        self._note = note
        self._actor: Any = None
        #: games that were sent, with references to them, by their ids in memory
        self._sent: dict[int, tuple[FinishedGames, Any]] = {}
        self._stop_waiting = threading.Event()

    def stop(self) -> None:
        """Make training raise `Interrupted`, now and later."""
        super().stop()
        self._stop_waiting.set()

    def train(
        self,
        buffer: ReplayBuffer,
        steps: int,
        rate: float,
        seed: tuple[int, ...],
        watch: Callable[[int], None] = lambda steps: None,
    ) -> Losses:
        """Let the learner make `steps` steps on random batches of the replay buffer."""
        held = {id(games) for games in buffer.parts}
        self._sent = {key: sent for key, sent in self._sent.items() if key in held}
        order = TrainingOrder(
            self._learning,
            self.state(),
            self.steps,
            [self._part(games) for games in buffer.parts],
            buffer.samples,
            buffer.value_targets,
            steps,
            rate,
            seed,
        )
        for _ in range(_MOST_DEATHS):
            try:
                answer = self._ask(order, watch)
                break
            except ray.exceptions.RayTaskError as error:
                raise error.cause or error from None
            except ray.exceptions.RayError as error:
                self._note(f"The learner is lost: {reason_of(error)}. It is started again.")
                self._end()
        else:
            raise ClusterError(f"The learner has died {_MOST_DEATHS} times in one iteration.")
        if answer.losses is None:
            raise NotANumberError(answer.bad_step, answer.bad_batch)
        self.restore({n: np.array(array) for n, array in answer.state.items()}, answer.made)
        return answer.losses

    def _ask(self, order: TrainingOrder, watch: Callable[[int], None]) -> TrainingAnswer:
        """Return the learner's answer; start it where there is none."""
        if self._actor is None:
            node = learner_node(self._cluster)
            where: dict[str, Any] = {"num_cpus": 0, "max_concurrency": 2}
            if node is not None:
                where |= {"num_gpus": _GPU, "scheduling_strategy": node.affinity()}
            threads = max(1, node.cores // 4) if node is not None else 1
            actor = ray.remote(**where)(Learner)
            self._actor = actor.remote(self._recipe, threads, self._compile_there)
        call = self._actor.train.remote(order)
        while not ray.wait([call], timeout=0.25)[0]:
            if self._stop_waiting.is_set():
                self._end()
                raise Interrupted
            self._cluster.nodes  # noqa: B018  raises if the head is lost
            with suppress(ray.exceptions.GetTimeoutError):
                watch(ray.get(self._actor.progress.remote(), timeout=1.0))
        answer: TrainingAnswer = ray.get(call)
        return answer

    def _end(self) -> None:
        with suppress(Exception):
            ray.kill(self._actor)
        self._actor = None

    def _part(self, games: FinishedGames) -> tuple[str, Sequence[Any]]:
        """Return an id and a reference to the arrays of games, which are sent once."""
        if id(games) not in self._sent:
            self._sent[id(games)] = games, ray.put(games.arrays())
        reference = self._sent[id(games)][1]
        return reference.hex(), [reference]
