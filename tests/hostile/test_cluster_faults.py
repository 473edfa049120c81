"""Faults of a cluster run: the command, the head, the learner or a worker is killed or stalls."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("ray")
sys.path.append(str(Path(__file__).parents[1] / "cluster"))

from distributed_runs import check_games, distributed, games_by_number, small_run
from ray_clusters import (
    add_node,
    children,
    command_of,
    kill,
    lines,
    ray_cluster,
    ray_head,
    wait_until,
    workers_of,
)

from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.events import Handler, Iteration, Note


class Notes(Handler):
    """Keeps notes, and calls a function after every iteration."""

    def __init__(self, after=lambda iteration: None):
        self.texts, self.after = [], after

    def handle(self, report):
        if isinstance(report, Note):
            self.texts.append(report.text)
        if isinstance(report, Iteration):
            self.after(report.metrics["iteration"])


def start(recipe, folder, out, address):
    """Start `halma train` on a cluster in a process of its own."""
    file = folder / "small.toml"
    file.write_text(recipe.toml(), encoding="utf-8")
    command = [sys.executable, "-m", "halma", "train", file, "--out", out, "--cluster", address]
    return subprocess.Popen(
        [*map(str, command), "--device", "cpu", "--threads", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def parts(recipe, out):
    """Return the games in parts of iterations that are not complete, by number."""
    files, found = GameFiles(out, recipe.game), {}
    for path in sorted((out / "games").glob("*.part-*")):
        iteration = int(path.name.removeprefix("iteration-").split(".")[0])
        if not files.has(iteration):
            for games, _ in files.read_parts(iteration, print):
                found |= games_by_number(games)
    return found


def check_kept(recipe, out, before):
    """Every game that was there before is one of the run's games."""
    files, after = GameFiles(out, recipe.game), {}
    for iteration in files.iterations():
        after |= games_by_number(files.read(iteration)[0])
    assert before and all(after[number] == game for number, game in before.items())


def test_the_command_is_killed(tmp_path):
    """Games that had arrived are used by the next session, and count once."""
    out, recipe = tmp_path / "run", small_run(iterations=4, selfplay__games=400)
    with ray_cluster(1) as cluster:
        process = start(recipe, tmp_path, out, cluster.address)
        wait_until(lambda: len(list((out / "games").glob("*2.part-*"))) >= 2, 120)
        process.kill()
        process.wait()
        before = parts(recipe, out)
        notes = Notes()
        distributed(recipe, out, cluster, [notes])
    assert any("games of iteration" in text for text in notes.texts)
    check_games(recipe, out)
    check_kept(recipe, out, before)


def test_the_head_is_killed(tmp_path):
    """The command ends with a sentence, and goes on with another cluster."""
    out, recipe = tmp_path / "run", small_run(iterations=3, selfplay__games=600)
    with ray_head() as (head, address):
        process = start(recipe, tmp_path, out, address)
        wait_until(lambda: len(list((out / "games").glob("*.part-*"))) >= 2, 120)
        for one in children(head.pid):
            if "gcs_server" in command_of(one):
                kill(one)
        _, err = process.communicate(timeout=120)
    assert process.returncode in (1, 2)
    sentence = r"halma: The (connection to|head of) the cluster (is lost|does not answer any more)"
    assert re.search(sentence, err) and "Traceback" not in err, err
    before = parts(recipe, out)
    with ray_cluster() as cluster:
        distributed(recipe, out, cluster)
    check_games(recipe, out)
    check_kept(recipe, out, before)


def test_the_learner_is_killed(tmp_path):
    """Where the GPU is on another node, training is there too, and survives its process."""
    out, recipe = tmp_path / "run", small_run(iterations=6)
    killed = []

    def kill_learner(iteration):
        if iteration == 2:
            killed.extend(workers_of("Learner"))
            kill(killed[0])

    notes = Notes(kill_learner)
    with ray_cluster({"num_cpus": 1, "num_gpus": 1}, head=1) as cluster:
        distributed(recipe, out, cluster, [notes])
    assert len(killed) == 1
    assert any("The learner is lost" in text for text in notes.texts)
    check_games(recipe, out)


def test_a_worker_stalls(tmp_path):
    """Games of a worker that does not go on are played by others."""
    out, recipe = tmp_path / "run", small_run(iterations=6, selfplay__parallel_games=8)
    stalled = []

    def stall(iteration):
        if iteration == 2:
            stalled.append(workers_of()[0])
            os.kill(stalled[0], signal.SIGSTOP)

    with ray_cluster(1, 1) as cluster:
        began = time.monotonic()
        try:
            distributed(recipe, out, cluster, [Notes(stall)])
        finally:
            for process in stalled:
                os.kill(process, signal.SIGCONT)
    assert stalled and time.monotonic() - began < 180
    check_games(recipe, out)


def test_a_late_node_plays_within_seconds(tmp_path):
    """A node that joins has finished games a few seconds after its worker could start."""
    out, recipe = tmp_path / "run", small_run(iterations=30)
    joined = []

    def join(iteration):
        if iteration == 2:
            add_node(cluster)
            joined.append(time.time())

    with ray_cluster() as cluster:
        distributed(recipe, out, cluster, [Notes(join)])
    samples = lines(out / "cluster.jsonl")
    first = min(sample["time"] for sample in samples if len(sample["nodes"]) == 2)
    assert first - joined[0] < 30
    check_games(recipe, out)


def test_object_stores_do_not_grow(tmp_path):
    """Weights of old versions and games that were taken leave the stores."""
    changes = {"network": "hsueh2023:filters=64", "gate__games": 4}
    out, recipe = tmp_path / "run", small_run(iterations=16, **changes)
    with ray_cluster(1) as cluster:
        distributed(recipe, out, cluster)
    sizes = [sample["object_store_bytes"] for sample in lines(out / "cluster.jsonl")]
    weights = (out / "best.safetensors").stat().st_size
    assert len(sizes) >= 16 and weights > 1 << 17
    assert max(sizes) < 16 * weights
    assert max(sizes[8:]) <= max(sizes[:8]) + 4 * weights
    check_games(recipe, out)
