"""Free memory under limits, and what says that there is too little."""

import resource
import subprocess
import sys

import pytest

import halma as halma_package
from halma import machine
from halma.errors import OutOfMemoryError
from halma.search import Minimax

GIB = 1 << 30


def halma(command: str, folder, address_space: int) -> subprocess.CompletedProcess[str]:
    """Run a command with a limit on its address space."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    return subprocess.run(
        [sys.executable, "-m", "halma", *command.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        timeout=120,
    )


def test_the_limit_of_a_process_counts(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda which: (5 * GIB, 5 * GIB))
    monkeypatch.setattr(machine, "_text", lambda path: _FILES.get(path, ""))
    assert machine.free_memory() == 5 * GIB - GIB - machine._RESERVED


def test_control_groups_count(monkeypatch):
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda which: unlimited)
    newer = {
        "/proc/self/cgroup": "0::/user/job\n",
        "/sys/fs/cgroup/user/job/memory.max": "max\n",
        "/sys/fs/cgroup/user/memory.max": f"{3 * GIB}\n",
        "/sys/fs/cgroup/user/memory.current": f"{2 * GIB}\n",
        "/sys/fs/cgroup/user/memory.stat": f"anon 5\ninactive_file {GIB // 2}\n",
    }
    older = {
        "/proc/self/cgroup": "4:memory:/job\n3:cpu:/job\n",
        "/sys/fs/cgroup/memory/job/memory.limit_in_bytes": f"{3 * GIB}\n",
        "/sys/fs/cgroup/memory/job/memory.usage_in_bytes": f"{GIB}\n",
    }
    for files, left in ((newer, GIB + GIB // 2), (older, 2 * GIB), ({}, 8 * GIB)):
        found = {**_FILES, **files}
        monkeypatch.setattr(machine, "_text", lambda path, found=found: found.get(path, ""))
        assert machine.free_memory() == left


_FILES = {
    "/proc/meminfo": f"MemTotal: 1 kB\nMemAvailable: {8 * GIB >> 10} kB\n",
    "/proc/self/status": f"Name: x\nVmSize: {GIB >> 10} kB\n",
}


def test_nothing_left_is_not_unknown(monkeypatch):
    monkeypatch.setattr(machine, "_address_space_left", lambda: -5)
    assert machine.free_memory() == 1


def test_a_transposition_table_that_does_not_fit(monkeypatch):
    monkeypatch.setattr(machine, "free_memory", lambda: GIB)
    with pytest.raises(OutOfMemoryError, match=r"67,108,864 pairs needs 3\.0 GiB of memory, and 1"):
        Minimax(halma_package.game("draughts-8x8"), table_bits=26)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("train hsueh2023/cdc-2x4-GGCC", "training needs about"),
        ("solve rhombus-5x5-6", "needs 2.8 GiB"),
    ],
)
def test_a_table_beyond_the_limit_is_refused_before_anything_runs(command, sentence, tmp_path):
    done = halma(command, tmp_path, GIB)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not any(tmp_path.iterdir())


def test_a_tree_beyond_the_limit_is_a_sentence(tmp_path):
    used = 500 << 20
    done = halma("analyse draughts-8x8 start --agent mcts:sims=1000000000", tmp_path, used)
    assert done.returncode == 2
    assert done.stderr == "halma: There is not enough memory for this.\n"
