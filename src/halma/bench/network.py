"""The speed of a network: alone, in self-play, and for one move.

The network is liu2019's, untrained, as its weights do not affect its speed. It runs on a GPU
where there is one, compiled and in bfloat16, otherwise in onnxruntime with a thread per core.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from halma.agents import agent
from halma.bench.harness import Effort, Measurement
from halma.games import Game, Record
from halma.interrupt import Interrupted
from halma.learn.recipe import Recipe, load
from halma.learn.selfplay import SelfPlay
from halma.machine import core_count
from halma.networks.architectures.blocks import Network
from halma.networks.architectures.build import build
from halma.networks.export import export
from halma.networks.network_file import NetworkInfo
from halma.networks.torch_evaluator import GROUPS_ON_GPU, EvaluatorPool

VARIANT, NETWORK, SIMULATIONS = "rhombus-7x7-6:liu2019", "liu2019", 175
#: reported by liu2019: plies of a game, games per second on 12 cores and a GPU
PAPER_PLIES, PAPER_GAMES = 45, 0.025
#: goals for self-play, as fractions of the network's speed alone
CPU_SHARE, GPU_SHARE = 0.95, 0.60
#: positions in a batch
CPU_BATCH, GPU_BATCH = 256, 4096
#: simulations of a single move on one core, and the goal in seconds
MOVE_SIMULATIONS, MOVE_SECONDS = 180, 0.3
#: long enough for many batches of every group on a slow machine
LEAST_SECONDS = 5.0


def measure_network(effort: Effort, seed: int) -> Iterator[Measurement]:
    """Measure self-play and one move with a network."""
    yield from beside_network(effort, seed)
    yield one_move(effort, seed)


def beside_network(effort: Effort, seed: int) -> list[Measurement]:
    """Measure the network alone and in self-play, in turns."""
    on_gpu = torch.cuda.is_available()
    threads = core_count()
    groups, batch = (GROUPS_ON_GPU, GPU_BATCH) if on_gpu else (threads, CPU_BATCH)
    recipe = _recipe(seed, **{"selfplay.parallel_games": groups * batch})
    game = recipe.game
    pool = EvaluatorPool(
        _network(game, seed), "cuda" if on_gpu else "cpu", threads, compiled=on_gpu
    )
    play = SelfPlay(game, recipe.settings, pool.evaluators, threads)
    seconds = max(10 * effort.seconds, LEAST_SECONDS)
    _self_play(play, seconds / 2)  # warms up: at first all searches are at their root
    alone = beside = 0.0
    for _ in range(max(2, effort.rounds // 2)):
        alone = max(alone, _alone(pool, batch, seconds / 2, on_gpu))
        beside = max(beside, _self_play(play, seconds))
    goal = GPU_SHARE if on_gpu else CPU_SHARE
    games = beside / (SIMULATIONS * PAPER_PLIES)
    return [
        Measurement(f"{NETWORK}'s network alone", alone, "evals/s"),
        Measurement(f"{NETWORK}'s network in self-play", beside, "evals/s"),
        Measurement("self-play beside the network", beside / alone, "times", goal),
        Measurement(
            f"games of {PAPER_PLIES} plies, {SIMULATIONS} simulations",
            games,
            "games/s",
            None if on_gpu else 1.0,
            peer="liu2019",
            peer_value=PAPER_GAMES,
            peer_unit="games/s",
        ),
    ]


def one_move(effort: Effort, seed: int) -> Measurement:
    """Measure the seconds of one move of an agent on one core, in the middle of games."""
    game = _recipe(seed).game
    rng = random.Random(seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        export(_network(game, seed), path)
        player = agent(f"net:file={path},sims={MOVE_SIMULATIONS}")
        record = Record(game)
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


def _recipe(seed: int, **changes: Any) -> Recipe:
    return load("rhombus-7x7-6").changed(
        {
            "game": VARIANT,
            "network": NETWORK,
            "seed": seed,
            "search.rule": "puct",
            "search.simulations": SIMULATIONS,
            **changes,
        }
    )


def _network(game: Game, seed: int) -> Network:
    return build(NetworkInfo.for_game(game, NETWORK), seed)


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
