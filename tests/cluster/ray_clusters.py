"""Clusters of several nodes within one machine, for tests."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

#: A node that is killed is given up after three seconds instead of fifteen, and a slow one as late.
QUICK_CHECKS = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 1000,
    "health_check_timeout_ms": 10_000,
    "health_check_failure_threshold": 3,
}
STORE = 80 << 20


@contextmanager
def ray_cluster(*nodes, head=1):
    """Start a head with some cores, and nodes: numbers of cores, or options of `add_node`."""
    from ray.cluster_utils import Cluster

    # Functions of tests are found by workers too.
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": head,
            "object_store_memory": STORE,
            "include_dashboard": False,
            "_system_config": QUICK_CHECKS,
        },
    )
    try:
        for node in nodes:
            add_node(cluster, node)
        yield cluster
    finally:
        cluster.shutdown()
        os.environ.pop("PYTHONPATH", None)


def add_node(cluster, cores=1, **options):
    """Add a node to a cluster."""
    given = cores if isinstance(cores, dict) else {"num_cpus": cores}
    return cluster.add_node(object_store_memory=STORE, **given, **options)


@contextmanager
def ray_head(cores=1):
    """Run a cluster in a process of its own, which may be killed; yield the process and address."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import ray_clusters as r\n"
        "with r.ray_cluster(head=int(sys.argv[2])) as cluster:\n"
        "    print(cluster.address, flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(Path(__file__).parent), str(cores)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(60)


def children(process):
    """Return the ids of the processes that a process has started, theirs included."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, rest = status.read_text().split(" ", 1)
            parents[int(number)] = int(rest.rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    found, family = set(), {process}
    while family:
        family = {child for child, parent in parents.items() if parent in family}
        found |= family
    return found


def command_of(process):
    """Return the name of a process, as Ray sets it."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except OSError:
        return ""


def workers_of(name="GroupedWorker", under=None):
    """Return the processes of actors of a class, below a process: this one if left out."""
    return sorted(
        process
        for process in children(under or os.getpid())
        if command_of(process).startswith(f"ray::{name}")
    )


def wait_until(condition, seconds=60.0):
    """Wait until something holds; fail if it does not in time."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not within {seconds} seconds"
        time.sleep(0.05)


def kill(process):
    """Kill a process that this one has started, directly or not."""
    assert process in children(os.getpid())
    os.kill(process, signal.SIGKILL)


def lines(path):
    """Return the objects of a file of lines of JSON."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
