"""AlphaZero on a cluster: the loop, the files and the reports of one machine.

The command keeps the run directory and the replay buffer; nodes play, and train where the GPU is.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from halma.cluster.connection import Cluster
from halma.learn.alphazero import AlphaZero
from halma.learn.distributed.evaluation import ClusterEvaluation
from halma.learn.distributed.learner import RemoteTrainer, learner_node
from halma.learn.distributed.monitor import ClusterMonitor
from halma.learn.distributed.page import write_page
from halma.learn.distributed.self_play import ClusterSelfPlay
from halma.learn.distributed.workers import WorkerFleet
from halma.learn.evaluation import Evaluation
from halma.learn.game_source import GamePlayer
from halma.learn.trainer import Trainer
from halma.machine import require


class DistributedAlphaZero(AlphaZero):
    """AlphaZero whose games are played on the nodes of a cluster."""

    evaluation_class = ClusterEvaluation

    def __init__(
        self, *session: Any, cluster: Cluster, metrics_port: int | None = None, **options: Any
    ) -> None:
        require("prometheus_client")
        super().__init__(*session, **options)
        self.cluster = cluster
        self.monitor = ClusterMonitor(self.out, metrics_port)
        self.fleet = WorkerFleet(cluster, self.recipe, self.reporter.note)

    def run(self) -> dict[str, Any]:
        """Train with the workers of the cluster, which are started first."""
        with ExitStack() as stack:
            stack.enter_context(self.monitor.serving())
            stack.callback(self.fleet.close)
            self.fleet.start()
            return super().run()

    def make_trainer(self) -> Trainer:
        """Return a trainer here, or on the node with the GPU."""
        if learner_node(self.cluster) is None:
            return super().make_trainer()
        trainer = RemoteTrainer(self.game, self.settings, "cpu", self.threads)
        trainer.connect(self.cluster, self.recipe, self.compiled, self.reporter.note)
        return trainer

    def make_self_play(self) -> GamePlayer:
        """Return what lets the workers play the games."""
        return ClusterSelfPlay(
            self.recipe, self.files, self.fleet, self.players, self.monitor, self.reporter.note
        )

    def make_evaluation(self) -> Evaluation:
        """Return what lets the workers play the gate and matches against agents."""
        evaluation = super().make_evaluation()
        assert isinstance(evaluation, ClusterEvaluation)
        evaluation.start(self.fleet, lambda: self.best)
        return evaluation

    def iterate(self, iteration: int) -> dict[str, Any]:
        """Run an iteration, and bring the page of the nodes up to date."""
        metrics = super().iterate(iteration)
        self.monitor.finished(iteration)
        write_page(self.out)
        return metrics
