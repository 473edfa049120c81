"""Faults of a tuning on a cluster: a node or the command is lost in the middle of trials."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("ray")
pytest.importorskip("optuna")
sys.path.append(str(Path(__file__).parents[1] / "cluster"))

from cli.cli_helpers import HALMA, start
from ray_clusters import add_node, ray_cluster, wait_until
from tune.tuning_helpers import outcome, plan_of, tiny, tiny_words

from halma.cluster.connection import Cluster
from halma.cluster.ray_executor import RayExecutor
from halma.executors import InProcess
from halma.learn import read_metrics
from halma.learn.run import META
from halma.tune.tuning import tune

#: A trial takes some seconds.
LONGER = {"selfplay.games": 1000, "search.simulations": 40}
ITERATIONS = 12


def lengths(folder):
    """Return the finished iterations of trials that have begun."""
    return {run.name: len(read_metrics(run)) for run in sorted((folder / "trials").glob("*"))}


def in_mid_trial(folder):
    """Whether both nodes have made some iterations of their first trial."""
    runs = lengths(folder)
    return len(runs) == 2 and all(2 <= length < ITERATIONS / 2 for length in runs.values())


@pytest.mark.parametrize("sampler", ["random", "pbt"])
def test_a_node_is_lost_in_mid_trial(sampler, tmp_path):
    """Its trial goes on elsewhere from its checkpoint: the study is that of one machine."""
    recipe = tiny(iterations=ITERATIONS).changed(LONGER)
    plan = plan_of(
        metric="err_p", recipe=recipe, pruner="none", sampler=sampler, population=4, stretch=6
    )
    here = tune(plan, tmp_path / "here", trials=4, confirm_seeds=0, workers=InProcess())
    begun = {}
    with ray_cluster() as cluster:
        lost = add_node(cluster)

        def kill_a_node():
            wait_until(lambda: in_mid_trial(tmp_path / "there"))
            for name in ("0000", "0001"):
                begun[name] = (tmp_path / "there" / "trials" / name / META).read_text()
            cluster.remove_node(lost, allow_graceful=False)

        with Cluster(cluster.address) as connection:
            threading.Thread(target=kill_a_node, daemon=True).start()
            there = tune(
                plan,
                tmp_path / "there",
                trials=4,
                confirm_seeds=0,
                workers=RayExecutor(connection),
            )
            assert len(connection.nodes) == 1
    assert len(begun) == 2 and outcome(there) == outcome(here)
    for name, meta in begun.items():
        assert (tmp_path / "there" / "trials" / name / META).read_text() == meta


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_command_ends_in_mid_trial(number, tmp_path):
    """After Ctrl-C trials are saved, after a kill they have checkpoints; both go on."""
    out = tmp_path / "t"
    with ray_cluster(1) as cluster:
        command = [
            *(*HALMA, "tune", "hsueh2023/ewn-3x3-3", "--metric", "wr_p", "--out", str(out)),
            *("--trials", "4", "--iterations", str(ITERATIONS), "--pruner", "none", "--json"),
            *("--confirm", "0", "--cluster", cluster.address, *tiny_words(**LONGER)),
        ]
        process = start(command)
        wait_until(lambda: in_mid_trial(out))
        os.kill(process.pid, number)
        # Less than the minute after which trials are given up.
        printed, err = process.communicate(timeout=50)
        assert printed == "" and "Traceback" not in err
        if number == signal.SIGINT:
            assert process.returncode == 130 and "To go on: " in err
        assert all(2 <= length < ITERATIONS for length in lengths(out).values())
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [row["state"] for row in json.loads(done.stdout)["history"]] == ["complete"] * 4
    assert set(lengths(out).values()) == {ITERATIONS}
