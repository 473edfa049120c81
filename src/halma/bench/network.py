"""The speed of networks: alone, in self-play, and for one move.

Networks are untrained, as weights do not affect their speed. They run on a GPU where there is one,
compiled and in bfloat16, otherwise in onnxruntime with a thread per core.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from halma.agents import agent
from halma.bench.harness import Effort, Measurement
from halma.games import Record
from halma.interrupt import Interrupted
from halma.learn.recipe import Recipe, load
from halma.learn.selfplay import SelfPlay
from halma.machine import core_count
from halma.networks.architectures.blocks import Network
from halma.networks.architectures.build import build
from halma.networks.export import export
from halma.networks.torch_evaluator import GROUPS_ON_GPU, EvaluatorPool

#: reported by liu2019: plies of a game, games per second on 12 cores and a GPU
PAPER_PLIES, PAPER_GAMES = 45, 0.025
#: goals for self-play, as fractions of the network's speed alone
CPU_SHARE, GPU_SHARE = 0.95, 0.60
#: simulations of a single move on one core, and the goal in seconds
MOVE_SIMULATIONS, MOVE_SECONDS = 180, 0.3
#: long enough for many batches of every group on a slow machine
LEAST_SECONDS = 5.0


@dataclass(frozen=True)
class NetworkCase:
    """A recipe whose network is measured in self-play."""

    #: whose network it is, and what plays beside it: they begin the names of rows
    label: str
    player: str
    recipe: str
    changes: dict[str, Any] = field(default_factory=dict)
    #: positions in a batch on a CPU and on a GPU
    batches: tuple[int, int] = (256, 4096)

    def load(self, seed: int, **changes: Any) -> Recipe:
        """Return the recipe with further changes."""
        return load(self.recipe, {**self.changes, "seed": seed, **changes})


PAPER = NetworkCase(
    "liu2019's",
    "self-play",
    "rhombus-7x7-6",
    {
        "game": "rhombus-7x7-6:liu2019",
        "network": "liu2019",
        "search.rule": "puct",
        "search.simulations": 175,
    },
)
#: the star's boards have six times as many cells
CASES = (
    PAPER,
    NetworkCase("star-121-2p", "star-121-2p", "star-121", batches=(64, 1024)),
    NetworkCase("star-121-6p", "star-121-6p", "star-121/6p", batches=(64, 1024)),
)


def measure_network(effort: Effort, seed: int) -> Iterator[Measurement]:
    """Measure self-play and one move with a network."""
    for case in CASES:
        yield from beside_network(case, effort, seed)
    yield one_move(effort, seed)


def beside_network(case: NetworkCase, effort: Effort, seed: int) -> Iterator[Measurement]:
    """Measure the network alone and in self-play, in turns."""
    on_gpu = torch.cuda.is_available()
    threads, batch = core_count(), case.batches[on_gpu]
    groups = GROUPS_ON_GPU if on_gpu else threads
    recipe = case.load(seed, **{"selfplay.parallel_games": groups * batch})
    device = "cuda" if on_gpu else "cpu"
    pool = EvaluatorPool(_network(recipe), device, threads, compiled=on_gpu)
    play = SelfPlay(recipe.game, recipe.settings, pool.evaluators, threads)
    seconds = max(10 * effort.seconds, LEAST_SECONDS)
    _self_play(play, seconds / 2)  # warms up: at first all searches are at their root
    alone = beside = 0.0
    for _ in range(max(2, effort.rounds // 2)):
        alone = max(alone, _alone(pool, batch, seconds / 2, on_gpu))
        beside = max(beside, _self_play(play, seconds))
    goal = GPU_SHARE if on_gpu else CPU_SHARE
    yield Measurement(f"{case.label} network alone", alone, "evals/s")
    yield Measurement(f"{case.label} network in self-play", beside, "evals/s")
    yield Measurement(f"{case.player} beside the network", beside / alone, "times", goal)
    if case is PAPER:
        simulations = recipe.settings.search.simulations
        yield Measurement(
            f"games of {PAPER_PLIES} plies, {simulations} simulations",
            beside / (simulations * PAPER_PLIES),
            "games/s",
            None if on_gpu else 1.0,
            peer="liu2019",
            peer_value=PAPER_GAMES,
            peer_unit="games/s",
        )


def one_move(effort: Effort, seed: int) -> Measurement:
    """Measure the seconds of one move of an agent on one core, in the middle of games."""
    recipe, rng = PAPER.load(seed), random.Random(seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        export(_network(recipe), path)
        player = agent(f"net:file={path},sims={MOVE_SIMULATIONS}")
        record = Record(recipe.game)
        player.choose(record, rng)  # the first call loads the file
        best = float("inf")
        for _ in range(max(4, effort.rounds)):
            for _ in range(10):
                record.play(rng.choice(record.position.legal_moves))
            began = time.perf_counter()
            player.choose(record, rng)
            best = min(best, time.perf_counter() - began)
    name = f"{MOVE_SIMULATIONS} simulations, one move, one core"
    return Measurement(name, best, "s", MOVE_SECONDS, at_most=True)


def _network(recipe: Recipe) -> Network:
    return build(recipe.settings.network_info(recipe.game), recipe.settings.seed)


def _self_play(play: SelfPlay, seconds: float) -> float:
    """Return positions evaluated per second while games continue."""
    seen: list[tuple[float, int]] = []

    def watch(games: int, leaves: int) -> None:
        seen.append((time.perf_counter(), leaves))
        if seen[-1][0] - seen[0][0] >= seconds:
            play.stop()

    play.resume()
    with suppress(Interrupted):
        play.play(1, watch)
    (first, before), (last, after) = seen[0], seen[-1]
    return (after - before) / (last - first)


def _alone(pool: EvaluatorPool, batch: int, seconds: float, on_gpu: bool) -> float:
    """Return positions evaluated per second on full batches, without self-play."""
    if on_gpu:
        return _alone_on_gpu(pool.evaluators[0], batch, seconds)
    began = time.perf_counter()

    def work(evaluator: Any) -> int:
        buffer, evaluated = evaluator.buffer(batch), 0
        while time.perf_counter() - began < seconds:
            buffer.start(batch)
            buffer.finish()
            evaluated += batch
        return evaluated

    with ThreadPoolExecutor(len(pool.evaluators)) as threads:
        evaluated = sum(threads.map(work, pool.evaluators))
    return evaluated / (time.perf_counter() - began)


def _alone_on_gpu(evaluator: Any, batch: int, seconds: float) -> float:
    """Return the same for planes that are on the GPU already: the network's graph alone."""
    buffer = evaluator.buffer(batch, narrow=True)
    buffer.start(batch)
    buffer.finish()
    evaluated, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for _ in range(20):
            buffer.forward(batch)
            evaluated += batch
        torch.cuda.synchronize()
    return evaluated / (time.perf_counter() - began)
