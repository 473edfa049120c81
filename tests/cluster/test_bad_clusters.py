"""Addresses and nodes that cannot be used: one sentence before anything runs, and status 2."""

import os
import socket
import subprocess
import sys

import pytest

pytest.importorskip("ray")


from ray_clusters import add_node, ray_cluster, wait_until

import halma
from halma.cluster.connection import Cluster, check_address
from halma.errors import ClusterError


def run_halma(*arguments):
    command = [sys.executable, "-m", "halma", *map(str, arguments)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return found.returncode, found.stderr


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("127.0.0.1:1", "No Ray cluster answers at '127.0.0.1:1' (Connection refused)"),
        ("nonsense", "'nonsense' is not the address of a cluster: it is auto, or HOST:PORT"),
        ("10.0.0.1:99999", "'10.0.0.1:99999' is not the address of a cluster"),
        ("ray://10.0.0.1:1", "'ray://10.0.0.1:1' is not the address of a cluster"),
    ],
)
def test_an_address_that_does_not_answer(address, sentence, tmp_path):
    for command in (
        ("train", "quick", "--out", tmp_path / "run"),
        ("match", "greedy", "random", "--game", "ewn-3x3-3"),
    ):
        status, err = run_halma(*command, "--cluster", address)
        assert status == 2
        assert err.startswith(f"halma: {sentence}") and err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_something_else_at_the_address(monkeypatch):
    monkeypatch.setattr("halma.cluster.connection._HEALTH_SECONDS", 3.0)
    refused = pytest.raises(ClusterError, match="it is not the head of a Ray cluster")
    with socket.create_server(("127.0.0.1", 0)) as server, refused:
        check_address(f"127.0.0.1:{server.getsockname()[1]}")


def test_recipes_and_options_that_do_not_fit(tmp_path):
    for recipe, method in {"hsueh2023/ewn-3x3-3": "tabular", "liu2019/dqn": "dqn"}.items():
        status, err = run_halma("train", recipe, "--cluster", "auto")
        assert status == 2 and err.count("\n") == 1
        assert f"trains networks by AlphaZero, and '{recipe}' is a recipe of '{method}'" in err
    status, err = run_halma("train", "quick", "--metrics-port", 9000, "--out", tmp_path / "run")
    assert status == 2 and "--metrics-port is for runs with --cluster" in err
    status, err = run_halma(
        *("match", "greedy", "random", "--game", "ewn-3x3-3"),
        *("--workers", 2, "--cluster", "auto"),
    )
    assert status == 2 and "either --workers or --cluster" in err


@pytest.mark.hostile
def test_nodes_with_another_halma(tmp_path):
    """Nodes without halma, with another version, or with other files are refused, also late."""
    for name, version in {"other": "9.9", "changed": halma.__version__, "without": None}.items():
        (tmp_path / name).mkdir()
        # Python runs this file before anything else of a process.
        (tmp_path / name / "sitecustomize.py").write_text(
            "import sys, types\n"
            "sys.modules['halma'] = halma = types.ModuleType('halma')\n"
            f"halma.__version__, halma.__file__ = {version!r}, __file__\n"
            f"if {version!r} is None: sys.modules['halma'] = None\n"
        )
    sentences = {
        "other": "has halma 9.9, and here it is",
        "changed": "has other files of halma",
        "without": "has no halma: install it there",
    }
    notes = []
    with ray_cluster() as cluster:
        command = "train", "quick", "--out", tmp_path / "run", "--cluster", cluster.address
        for name, sentence in sentences.items():
            os.environ["PYTHONPATH"] = str(tmp_path / name)
            node = add_node(cluster)
            os.environ["PYTHONPATH"] = ""
            status, err = run_halma(*command)
            assert status == 2 and err.count("\n") == 1 and sentence in err, err
            cluster.remove_node(node)
        assert not (tmp_path / "run").exists()
        with Cluster(cluster.address, note=notes.append) as connection:
            os.environ["PYTHONPATH"] = str(tmp_path / "other")
            add_node(cluster)
            wait_until(lambda: notes, 30)
            assert "is not used: it has halma 9.9" in notes[0]
            assert len(connection.nodes) == 1
        with pytest.raises(ClusterError, match=r"has halma 9\.9"):
            Cluster(cluster.address).__enter__()
