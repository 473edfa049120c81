"""Tasks on a cluster of two nodes: order, errors, lost nodes, late ones and slow ones."""

import json
import time

import pytest

pytest.importorskip("ray")

from cluster_tasks import (
    ask_and_save,
    double,
    double_with_progress,
    save_when_interrupted,
    slow_on_a_node,
    where,
)
from ray_clusters import add_node, wait_until
from typer.testing import CliRunner

from halma.cli.app import app
from halma.cluster.connection import Cluster
from halma.cluster.ray_executor import RayExecutor
from halma.errors import HalmaError, WorkerError
from halma.executors import TaskEnd, TaskProgress


@pytest.fixture
def connection(cluster):
    with Cluster(cluster.address) as connection:
        yield connection


@pytest.fixture
def executor(connection):
    return RayExecutor(connection)


def test_tasks_on_nodes(executor, tmp_path):
    """Results come in order, errors are sentences, and a worker that dies fails its task alone."""
    assert executor.workers == 2
    assert list(executor.map_ordered(double, range(300))) == [2 * n for n in range(300)]
    assert len(set(executor.map_ordered(where, range(20)))) == 2
    with pytest.raises(HalmaError, match=r"^Refused\.$"):
        list(executor.map_ordered(double, [1, "refuse", 2]))
    with executor.pool(double_with_progress) as pool:
        events = list(pool.run([1, "die", 2, None]))
    ends = {event.index: event for event in events if isinstance(event, TaskEnd)}
    assert (ends[0].result, ends[2].result) == (2, 4)
    assert isinstance(ends[1].error, WorkerError) and "3 times" in str(ends[1].error)
    assert "TypeError" in str(ends[3].error)
    assert {e.index for e in events if isinstance(e, TaskProgress)} >= {0, 2}
    files = [tmp_path / "a", tmp_path / "b"]
    with executor.pool(save_when_interrupted) as pool:
        events = pool.run([str(file) for file in files])
        assert {next(events).index, next(events).index} == {0, 1}
        pool.interrupt(20)
    assert [file.read_text() for file in files] == ["saved", "saved"]


def test_questions_of_tasks(executor, tmp_path):
    """They are answered by this process, also while tasks are being interrupted."""
    answers = []

    def answer(question):
        answers.append(question)
        if question == "interrupt" and answers.count(question) == 1:
            raise KeyboardInterrupt
        return 10 * question

    with executor.pool(ask_and_save, answer) as pool:
        ends = [event for event in pool.run([(n, None) for n in range(6)])]
        assert sorted(end.result for end in ends) == [10 * n for n in range(6)]
        assert sorted(answers) == list(range(6))
        files = [tmp_path / "a", tmp_path / "b"]
        with pytest.raises(KeyboardInterrupt):
            list(pool.run([(1, str(files[0])), ("interrupt", str(files[1]))]))
        began = time.monotonic()
        pool.interrupt(60)
        assert time.monotonic() - began < 50
    assert [file.read_text() for file in files] == ["saved", "saved"]


def run(*arguments):
    found = CliRunner().invoke(app, [str(one) for one in arguments])
    return found.exit_code, found.output


def test_commands_agree_with_one_machine(cluster, tmp_path, monkeypatch):
    """match, truth and reproduce print on a cluster what they print without one."""
    monkeypatch.chdir(tmp_path)
    elsewhere = "--cluster", cluster.address
    for command in (
        ("match", "greedy", "random", "--game", "ewn-3x3-3", "--games", 40, "--json"),
        ("truth", "ewn-3x3-2", "--games", 4, "--sample", 200, "--json"),
    ):
        here, there = (
            json.loads(run(*command, *more)[1].splitlines()[-1]) for more in ((), elsewhere)
        )
        for report in (here, there):
            for key in ("seconds", "games_per_second", "workers"):
                report.pop(key, None)
        assert here == there
    status, output = run(
        *("reproduce", "hsueh2023", "fig8", "--variant", "ewn-3x3-3"),
        *("--only", "c=0.0625", "--out", tmp_path / "lab", *elsewhere),
    )
    assert status == 0, output
    assert len(list((tmp_path / "lab" / "runs").iterdir())) == 1


@pytest.mark.hostile
def test_nodes_come_and_go(cluster, executor, connection, tmp_path):
    """A node that joins gets tasks, one that is killed loses none, a slow one holds up nothing."""
    third = add_node(cluster)
    wait_until(lambda: executor.workers == 3, 30)
    found = []
    for node in executor.map_ordered(where, range(60)):
        found.append(node)
        if len(found) == 20:
            assert third.node_id in found
            cluster.remove_node(third, allow_graceful=False)
    assert len(found) == 60
    wait_until(lambda: executor.workers == 2, 30)
    slow = tmp_path / "slow"
    slow.write_text(next(node.id for node in connection.nodes if not node.is_here))
    began = time.monotonic()
    items = [(str(slow), number) for number in range(12)]
    assert list(executor.map_ordered(slow_on_a_node, items)) == list(range(12))
    assert time.monotonic() - began < 45
