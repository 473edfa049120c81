"""`halma bench training`: the learning step, and how well a short run uses the machine."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from halma.bench.harness import Effort, Measurement
from halma.learn import train
from halma.learn.agent_games import agent_games
from halma.learn.recipe import Recipe, load
from halma.learn.replay_buffer import ReplayBuffer
from halma.learn.reports.events import Handler, Iteration, Progress, Report
from halma.learn.trainer import Trainer
from halma.machine import core_count, require
from halma.networks.torch_evaluator import find_device


@dataclass(frozen=True)
class StepCase:
    """A learning step: the recipe it is taken from, and the goal in milliseconds."""

    recipe: str
    changes: dict[str, Any]
    goal: float | None = None


#: on a GPU, and on a CPU
GPU_STEPS = (
    StepCase("rhombus-7x7-6", {}, 3.5),
    StepCase("rhombus-7x7-6", {"game": "star-121-2p"}, 7.5),
)
CPU_STEPS = (StepCase("quick", {}),)
#: steps of a round on a GPU and on a CPU, and games that batches are drawn from
STEPS, CPU_STEPS_A_ROUND, GAMES = 100, 20, 64
#: the recipe of the run, and the seconds of its two sessions
GPU_RUN, CPU_RUN, RUN_SECONDS, SECOND_SECONDS = "rhombus-7x7-6", "quick", 90.0, 45.0
#: settings of the run that differ from the recipe's
RUN_CHANGES: dict[str, Any] = {}
#: goals for a run: seconds to the first game, shares of time of the GPU at work and of matches
FIRST_GAME_GOAL, GPU_GOAL, MATCH_GOAL = 20.0, 0.85, 0.05
#: goal for the fraction of training time spent in forward, backward and optimiser
LEARNER_GOAL = 0.8


def measure_training(effort: Effort, seed: int) -> Iterator[Measurement | str]:
    """Measure learning steps, then a run; the latter is left out of a quick measurement."""
    require("torch")
    on_gpu = find_device("auto") == "cuda"
    for case in GPU_STEPS if on_gpu else CPU_STEPS:
        yield from learning_step(case, effort, seed, on_gpu)
    if effort.long:
        yield from short_run(on_gpu, seed)


def learning_step(case: StepCase, effort: Effort, seed: int, on_gpu: bool) -> list[Measurement]:
    """Measure the milliseconds of a step, and the share of time not spent waiting for batches."""
    changes = {"seed": seed, "warm_start.games": GAMES, "evaluation.every": 0, **case.changes}
    recipe = load(case.recipe, changes)
    buffer = ReplayBuffer(recipe.game, GAMES, position_share=1.0, seed=seed)
    buffer.add(1, agent_games(recipe.game, recipe.settings))
    buffer.gather()
    trainer = Trainer(
        recipe.game, recipe.settings, find_device("auto"), core_count(), compiled=on_gpu
    )
    steps = STEPS if on_gpu else CPU_STEPS_A_ROUND
    rounds = [
        # The first round allocates, compiles, and captures the step.
        trainer.train(buffer, steps, recipe.settings.learning.rate, (seed, number))
        for number in range(1 + max(2, effort.rounds // 2))
    ][1:]
    best = min(rounds, key=lambda losses: losses.seconds)
    name = f"{recipe.game.name} learning step"
    return [
        Measurement(name, 1e3 * best.seconds / best.steps, "ms", case.goal, at_most=True),
        Measurement(
            f"{recipe.game.name} learner at work, not waiting",
            best.busy,
            "of its time",
            LEARNER_GOAL,
        ),
    ]


def short_run(on_gpu: bool, seed: int) -> Iterator[Measurement | str]:
    """Measure a run from nothing in two sessions, the second of which ends with its first game."""
    recipe = load(GPU_RUN if on_gpu else CPU_RUN, {"seed": seed, **RUN_CHANGES})
    with TemporaryDirectory() as folder:
        run, watcher = Path(folder) / "run", _RunWatcher()
        with gpu_load() as samples:
            _train(recipe, run, watcher, RUN_SECONDS, on_gpu)
        again = _RunWatcher()
        _train(recipe, run, again, SECOND_SECONDS, on_gpu)
    yield Measurement(
        "first game, second session", again.first_game, "s", FIRST_GAME_GOAL, at_most=True
    )
    iterations = watcher.iterations
    yield Measurement("iterations of the first session", len(iterations), "iterations")
    wall = iterations[-1]["seconds"] if iterations else 0.0
    if wall:
        matches = sum(one["match_seconds"] for one in iterations)
        yield Measurement("matches", matches / wall, "of the time", MATCH_GOAL, at_most=True)
    if samples:
        share = sum(samples) / len(samples) / 100
        yield Measurement("GPU at work", share, "of the time", GPU_GOAL)
    elif on_gpu:
        yield "How much the GPU works is not measured: there is no nvidia-smi."


def _train(recipe: Recipe, run: Path, watcher: Handler, seconds: float, on_gpu: bool) -> None:
    train(recipe, run, [watcher], core_count(), seconds, compiled=on_gpu)


class _RunWatcher(Handler):
    """Notes when the first game is finished, and the metrics of iterations."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        #: seconds until then; imports are not part of them
        self.first_game = 0.0
        self.iterations: list[dict[str, Any]] = []

    def handle(self, report: Report) -> None:
        if isinstance(report, Iteration):
            self.iterations.append(dict(report.metrics))
        played = isinstance(report, Iteration) or (
            isinstance(report, Progress) and report.stage == "self-play" and report.done > 0
        )
        if played and not self.first_game:
            self.first_game = time.perf_counter() - self._began


@contextmanager
def gpu_load() -> Iterator[list[int]]:
    """Yield a list that holds samples of the GPU's load in percent on leaving, if it is known."""
    samples: list[int] = []
    if shutil.which("nvidia-smi") is None:
        yield samples
        return
    query = ["--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "--loop-ms=200"]
    with subprocess.Popen(
        ["nvidia-smi", *query], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield samples
        finally:
            process.terminate()
            samples += [int(line) for line in process.communicate()[0].split() if line.isdigit()]
