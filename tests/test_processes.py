"""The process pool: order, errors, dead workers, interrupts."""

import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from halma.errors import HalmaError, WorkerError
from halma.executors import InProcess
from halma.processes import Processes, ProcessPool, TaskEnd, TaskProgress, map_ordered


def double(item):
    if item == "refuse":
        raise HalmaError("Refused.")
    if item == 3:
        time.sleep(0.2)  # the others overtake it
    return 2 * item


def double_slowly(item, report):
    report(0.5)
    if item == "die":
        os._exit(3)
    if item == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    return 2 * item if item != "fail" else item / 2


def save_when_interrupted(path, report):
    try:
        report(0.0)
        time.sleep(60)
    except KeyboardInterrupt:
        path.write_text("saved")
        raise


def ask(item, channel):
    return [item, channel.ask(item), channel.ask(-item)]


def ask_until_interrupted(path, channel):
    """Like a training run, notice an interrupt between two questions."""
    interrupted = []
    signal.signal(signal.SIGINT, lambda *_: interrupted.append(True))
    while not interrupted:
        channel.ask(path.name)
        channel(0.5)
    path.write_text("saved")
    if path.name == "a":  # the other one was at its end when it was interrupted
        raise KeyboardInterrupt


@pytest.mark.parametrize("executor", [InProcess(), Processes(2)])
def test_tasks_ask_questions(executor):
    with executor.pool(ask, lambda question: 10 * question) as pool:
        ends = [event.result for event in pool.run(range(5), queued=3)]
    assert sorted(ends) == [[n, 10 * n, -10 * n] for n in range(5)]


def test_questions_are_answered_during_an_interrupt(tmp_path):
    asked = []

    def answer(question):
        asked.append(question)
        if len(set(asked)) == 2 and asked.count(question) == 1:
            raise KeyboardInterrupt

    began = time.monotonic()
    with ProcessPool(ask_until_interrupted, 2, answer) as pool:
        with pytest.raises(KeyboardInterrupt):
            list(pool.run([tmp_path / "a", tmp_path / "b"]))
        pool.interrupt(60)
    assert time.monotonic() - began < 50
    assert [file.read_text() for file in sorted(tmp_path.iterdir())] == ["saved", "saved"]


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_order(workers):
    assert list(map_ordered(double, range(40), workers)) == [2 * n for n in range(40)]
    assert list(map_ordered(double, [], workers)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_error_is_raised(workers):
    with pytest.raises(HalmaError, match="Refused"):
        list(map_ordered(double, [1, "refuse", 2], workers))
    assert not multiprocessing.active_children()


def test_endless_items_are_taken_as_needed():
    results = map_ordered(double, itertools.count(4), workers=2)
    assert list(itertools.islice(results, 3)) == [8, 10, 12]
    results.close()
    assert not multiprocessing.active_children()


def test_failures_do_not_stop_other_tasks():
    items = [1, "die", "fail", 2, "crash"]
    with ProcessPool(double_slowly, 1) as pool:
        events = list(pool.run(items, queued=3))
    assert [e.index for e in events if isinstance(e, TaskProgress)] == [0, 1, 2, 3, 4]
    ends = {e.index: e for e in events if isinstance(e, TaskEnd)}
    assert (ends[0].result, ends[3].result) == (2, 4)
    assert isinstance(ends[1].error, WorkerError) and "status 3" in str(ends[1].error)
    assert "ended by SIGSEGV" in str(ends[4].error)
    assert str(ends[2].error).startswith("TypeError: ")
    assert "double_slowly" in ends[2].error.__notes__[0]


def test_interrupted_workers_can_save(tmp_path):
    files = [tmp_path / "a", tmp_path / "b"]
    with ProcessPool(save_when_interrupted, 2) as pool:
        events = pool.run(files)
        assert {next(events).index, next(events).index} == {0, 1}
        pool.interrupt(seconds=20)
        assert not multiprocessing.active_children()
    assert [file.read_text() for file in files] == ["saved", "saved"]


#: A program whose workers lock the interpreter: in a call, or while they load the function.
LOCKED = """
import ctypes, os, sys
from pathlib import Path
from halma.processes import map_ordered

def lock(item):
    Path(f"{os.getpid()}.pid").touch()
    ctypes.PyDLL(None).sleep(60)

class Slow:
    def __reduce__(self):
        return lock, (0,)

if __name__ == "__main__":
    list(map_ordered(lock if sys.argv[1] == "call" else Slow(), [0, 1], workers=2))
"""


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a locked interpreter hears nothing")
@pytest.mark.parametrize(
    ("where", "number"),
    [("call", signal.SIGKILL), ("call", signal.SIGTERM), ("load", signal.SIGHUP)],
)
def test_workers_end_with_their_parent(tmp_path, where, number):
    (tmp_path / "locked.py").write_text(LOCKED)
    process = subprocess.Popen([sys.executable, "locked.py", where], cwd=tmp_path)
    give_up = time.monotonic() + 30
    while len(workers := [int(path.stem) for path in tmp_path.glob("*.pid")]) < 2:
        assert time.monotonic() < give_up and process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    process.wait()
    time.sleep(0.9)
    left = [worker for worker in workers if is_running(worker)]
    for worker in left:
        os.kill(worker, signal.SIGKILL)
    assert left == []
