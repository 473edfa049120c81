"""Self-play beside a real network: what is left of the network's own speed.

The network is liu2019's, untrained: how fast it judges does not depend on its weights. On a
machine with a GPU it runs there, compiled and in bfloat16, otherwise in onnxruntime with a
thread for every core.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from halma.bench.harness import Row, Settings
from halma.learn.neural.judging import Judges
from halma.learn.neural.selfplay import SelfPlay
from halma.learn.recipe import load

VARIANT, NETWORK, SIMULATIONS = "rhombus-7x7-6:liu2019", "liu2019", 175
#: what liu2019 reports: plies of a game, games a second on 12 cores and a GPU
PAPER_PLIES, PAPER_GAMES = 45, 0.025
#: shares of the network's own speed that self-play should keep
CPU_SHARE, GPU_SHARE = 0.90, 0.60
#: positions in a batch: two groups play at a time
CPU_BATCH, GPU_BATCH = 256, 8192
#: long enough that every batch has been asked for many times, however slow the machine
LEAST_SECONDS = 5.0


def beside_network(settings: Settings, seed: int) -> list[Row]:
    """Return the network's speed alone and in self-play, measured in turns."""
    import torch

    from halma.learn.netfile import new_network
    from halma.learn.networks import build

    on_gpu = torch.cuda.is_available()
    threads = os.cpu_count() or 1
    groups, batch = (2, GPU_BATCH) if on_gpu else (threads, CPU_BATCH)
    recipe = load("rhombus-7x7-6").changed(
        {
            "game": VARIANT,
            "network": NETWORK,
            "seed": seed,
            "search.rule": "puct",
            "search.simulations": SIMULATIONS,
            "selfplay.slots": groups * batch,
        }
    )
    game = recipe.game
    network = build(new_network(game, NETWORK), seed)
    judges = Judges(network, "cuda" if on_gpu else "cpu", threads, compiled=on_gpu)
    play = SelfPlay(game, recipe.settings, judges.evaluators, threads)
    seconds = max(10 * settings.seconds, LEAST_SECONDS)
    _self_play(play, seconds / 2)  # the first searches begin all at once
    alone = beside = 0.0
    for _ in range(max(2, settings.rounds // 2)):
        alone = max(alone, _alone(judges, batch, seconds / 2, on_gpu))
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


def _alone(judges: Judges, batch: int, seconds: float, on_gpu: bool) -> float:
    """Return positions judged a second on full batches with nobody else about."""
    judged = [0] * len(judges.evaluators)
    began = time.perf_counter()

    def work(group: int, evaluator: Any) -> None:
        lane = evaluator.lane(batch)
        while time.perf_counter() - began < seconds:
            lane.start(batch)
            lane.finish()
            judged[group] += batch

    if on_gpu:
        return _alone_on_gpu(judges.one, batch, seconds)
    workers = [
        threading.Thread(target=work, args=(group, evaluator))
        for group, evaluator in enumerate(judges.evaluators)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(judged) / (time.perf_counter() - began)


def _alone_on_gpu(evaluator: Any, batch: int, seconds: float) -> float:
    """The same with planes that are on the GPU already: the network and nothing else."""
    import torch

    planes = torch.zeros((batch, *evaluator.shape), device=evaluator.device)
    for _ in range(3):
        evaluator.run(planes)
    torch.cuda.synchronize()
    judged, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for _ in range(20):
            evaluator.run(planes)
            judged += batch
        torch.cuda.synchronize()
    return judged / (time.perf_counter() - began)
