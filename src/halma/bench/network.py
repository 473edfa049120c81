"""A real network: alone, in self-play, for one move, and in learning.

The network is liu2019's, untrained: how fast it pool does not depend on its weights. On a
machine with a GPU it runs there, compiled and in bfloat16, otherwise in onnxruntime with a
thread for every core.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from halma.bench.harness import Row, Settings
from halma.games import Record
from halma.learn.recipe import Recipe, load
from halma.learn.selfplay import SelfPlay
from halma.networks.evaluator_pool import EvaluatorPool, find_device

VARIANT, NETWORK, SIMULATIONS = "rhombus-7x7-6:liu2019", "liu2019", 175
#: what liu2019 reports: plies of a game, games a second on 12 cores and a GPU
PAPER_PLIES, PAPER_GAMES = 45, 0.025
#: shares of the network's own speed that self-play should keep
CPU_SHARE, GPU_SHARE = 0.90, 0.60
#: positions in a batch: two groups play at a time
CPU_BATCH, GPU_BATCH = 256, 8192
#: simulations of a single move on one core, and seconds it may take
MOVE_SIMULATIONS, MOVE_SECONDS = 180, 0.3
#: share of its time that a learner should spend in forward, backward and optimiser
LEARNER_SHARE = 0.8
LEARNER_GAMES, LEARNER_STEPS = 60, 60
#: long enough that every batch has been asked for many times, however slow the machine
LEAST_SECONDS = 5.0


def measure_network(settings: Settings, seed: int) -> Iterator[Row]:
    """Measure everything a network is needed for."""
    yield from beside_network(settings, seed)
    yield one_move(settings, seed)
    yield learner(seed)


def beside_network(settings: Settings, seed: int) -> list[Row]:
    """Return the network's speed alone and in self-play, measured in turns."""
    import torch

    from halma.networks.architectures.build import build
    from halma.networks.network_file import new_network

    on_gpu = torch.cuda.is_available()
    threads = os.cpu_count() or 1
    groups, batch = (2, GPU_BATCH) if on_gpu else (threads, CPU_BATCH)
    recipe = _recipe(seed, **{"selfplay.slots": groups * batch})
    game = recipe.game
    network = build(new_network(game, NETWORK), seed)
    pool = EvaluatorPool(network, "cuda" if on_gpu else "cpu", threads, compiled=on_gpu)
    play = SelfPlay(game, recipe.settings, pool.evaluators, threads)
    seconds = max(10 * settings.seconds, LEAST_SECONDS)
    _self_play(play, seconds / 2)  # the first searches begin all at once
    alone = beside = 0.0
    for _ in range(max(2, settings.rounds // 2)):
        alone = max(alone, _alone(pool, batch, seconds / 2, on_gpu))
        beside = max(beside, _self_play(play, seconds))
    goal = GPU_SHARE if on_gpu else CPU_SHARE
    games = beside / (SIMULATIONS * PAPER_PLIES)
    return [
        Row(f"{NETWORK}'s network alone", alone, "evals/s"),
        Row(f"{NETWORK}'s network in self-play", beside, "evals/s"),
        Row("self-play beside the network", beside / alone, "times", goal),
        Row(
            f"games of {PAPER_PLIES} plies, {SIMULATIONS} simulations",
            games,
            "games/s",
            None if on_gpu else 1.0,
            peer="liu2019",
            peer_value=PAPER_GAMES,
            peer_unit="games/s",
        ),
    ]


def one_move(settings: Settings, seed: int) -> Row:
    """Return the seconds an agent thinks about one move on one core, in the middle of games."""
    from halma.agents import agent
    from halma.networks.architectures.build import build
    from halma.networks.export import export
    from halma.networks.network_file import new_network

    game = _recipe(seed).game
    rng = random.Random(seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        export(build(new_network(game, NETWORK), seed), path)
        player = agent(f"net:file={path},sims={MOVE_SIMULATIONS}")
        record = Record(game)
        player.choose(record, rng)  # the first asks for the file
        best = float("inf")
        for _ in range(max(4, settings.rounds)):
            for _ in range(10):
                record.play(rng.choice(record.position.legal_moves))
            began = time.perf_counter()
            player.choose(record, rng)
            best = min(best, time.perf_counter() - began)
    name = f"{MOVE_SIMULATIONS} simulations, one move, one core"
    return Row(name, best, "s", MOVE_SECONDS, at_most=True)


def learner(seed: int) -> Row:
    """Return the share of a learner's time that is not spent waiting for batches."""
    from halma.learn.replay_buffer import Window
    from halma.learn.trainer import Learner
    from halma.learn.warm_start import heuristic_games

    recipe = _recipe(seed, **{"opening.games": LEARNER_GAMES})
    settings = recipe.settings
    window = Window(recipe.game, LEARNER_GAMES, share=1.0, seed=seed)
    games = heuristic_games(recipe.game, settings)
    assert games is not None  # nobody stops it
    window.add(1, games)
    window.close()
    on = find_device("auto")
    student = Learner(recipe.game, settings, on, threads=os.cpu_count() or 1)
    student.learn(window, LEARNER_STEPS, settings.learning.rate, (seed, 0))  # makes ready
    losses = student.learn(window, LEARNER_STEPS, settings.learning.rate, (seed, 1))
    assert losses is not None
    return Row("learner at work, not waiting", losses.busy, "of its time", LEARNER_SHARE)


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


def _self_play(play: SelfPlay, seconds: float) -> float:
    """Return positions judged a second, while games go on from where they are."""
    seen: list[tuple[float, int]] = []

    def watch(games: int, leaves: int) -> None:
        seen.append((time.perf_counter(), leaves))
        if seen[-1][0] - seen[0][0] >= seconds:
            play.stop()

    play.go_on()
    play.play(1, watch)
    (first, before), (last, after) = seen[0], seen[-1]
    return (after - before) / (last - first)


def _alone(pool: EvaluatorPool, batch: int, seconds: float, on_gpu: bool) -> float:
    """Return positions judged a second on full batches with nobody else about."""
    judged = [0] * len(pool.evaluators)
    began = time.perf_counter()

    def work(group: int, evaluator: Any) -> None:
        buffer = evaluator.buffer(batch)
        while time.perf_counter() - began < seconds:
            buffer.start(batch)
            buffer.finish()
            judged[group] += batch

    if on_gpu:
        return _alone_on_gpu(pool.evaluators[0], batch, seconds)
    workers = [
        threading.Thread(target=work, args=(group, evaluator))
        for group, evaluator in enumerate(pool.evaluators)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(judged) / (time.perf_counter() - began)


def _alone_on_gpu(evaluator: Any, batch: int, seconds: float) -> float:
    """The same with planes that are on the GPU already: the network's graph and nothing else."""
    import torch

    buffer = evaluator.buffer(batch, narrow=True)
    buffer.start(batch)
    buffer.finish()
    judged, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for _ in range(20):
            buffer.forward(batch)
            judged += batch
        torch.cuda.synchronize()
    return judged / (time.perf_counter() - began)
