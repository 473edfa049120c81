"""The connection to a Ray cluster: its nodes, and whether they run the same halma as this process.

The nodes are asked for by a thread, so that a head that does not answer any more holds up nothing.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from halma.errors import ClusterError
from halma.files import remove_file, replace_file

#: Seconds that a head has to accept a connection, and to answer a health check.
_CONNECT_SECONDS, _HEALTH_SECONDS = 5.0, 20.0
#: Seconds that a node has to import halma and say which one it is.
_PROBE_SECONDS = 120.0
#: Seconds between two looks at the nodes, and without an answer until the head counts as lost.
_LOOK_SECONDS, _LOST_SECONDS = 0.5, 15.0
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:]+\]|[\w.-]+):(\d{1,5})")


@dataclass(frozen=True)
class ClusterNode:
    """A machine of the cluster."""

    id: str
    #: host name or address, and the start of the id where several nodes share it
    name: str
    cores: int
    gpus: int
    #: whether this process runs on it
    is_here: bool

    def affinity(self) -> NodeAffinitySchedulingStrategy:
        """Return the strategy that places a task or an actor on this node and nowhere else."""
        return NodeAffinitySchedulingStrategy(self.id, soft=False)


class Cluster:
    """A connection to the cluster at an address, `auto` or HOST:PORT; a context manager.

    Entering raises a `ClusterError` if nothing answers, or if a node does not have this halma with
    all `libraries`. `note` gets a sentence about nodes that join later and cannot be used.
    """

    def __init__(
        self,
        address: str,
        libraries: Sequence[str] = (),
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._address = address
        self._libraries = tuple(libraries)
        self._note = note
        self._closing = threading.Event()
        self._nodes: tuple[ClusterNode, ...] = ()
        self._answered_at = 0.0
        #: why a node cannot be used, by its id; empty where it can
        self._faults: dict[str, str] = {}

    def __enter__(self) -> Cluster:
        check_address(self._address)
        with _kept_signals():
            try:
                ray.init(
                    address=self._address,
                    namespace="halma",
                    log_to_driver=False,
                    logging_level="ERROR",
                )
            except (ConnectionError, RuntimeError, ValueError, TimeoutError, OSError) as error:
                raise ClusterError(_no_answer(self._address, str(error))) from None
        _silence()
        try:
            self._here = ray.get_runtime_context().get_node_id()
            self._look(refusing=True)
        except BaseException:
            ray.shutdown()
            raise
        self._watchdog = _start_watchdog()
        self._thread = threading.Thread(target=self._keep_looking, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.set()
        self._watchdog.communicate(b"\n")
        is_lost = self.is_lost
        if not is_lost:
            self._thread.join(_LOST_SECONDS)
            # A disconnect waits for the head.
            with suppress(Exception):
                ray.shutdown()

    @property
    def nodes(self) -> tuple[ClusterNode, ...]:
        """The nodes that are alive and can be used; raises a `ClusterError` if the head is lost."""
        if self.is_lost:
            raise ClusterError(
                "The head of the cluster does not answer any more. Start it again, and then the "
                "same command."
            )
        return self._nodes

    @property
    def is_lost(self) -> bool:
        """Whether the head has not answered for a while."""
        return time.monotonic() - self._answered_at > _LOST_SECONDS

    def check_shared(self, folder: Path) -> None:
        """Raise a `ClusterError` unless all nodes see the same files in a folder."""
        token = folder.resolve() / f".shared-{os.getpid()}"
        replace_file(token, "")
        try:
            exists = ray.remote(num_cpus=0)(_make_look())
            for node in self.nodes:
                placed = exists.options(scheduling_strategy=node.affinity())
                if not ray.get(placed.remote(str(token)), timeout=_PROBE_SECONDS):
                    raise ClusterError(
                        f"Node {node.name} does not see '{folder}': the folder must be one that "
                        "all nodes share, such as a network file system."
                    )
        finally:
            remove_file(token)

    def _keep_looking(self) -> None:
        while not self._closing.wait(_LOOK_SECONDS):
            with suppress(Exception):  # an answer that does not come is noticed by its age
                self._look()

    def _look(self, refusing: bool = False) -> None:
        """Ask for the nodes; check new ones, and raise what is wrong with one if asked."""
        alive = [entry for entry in ray.nodes() if entry["Alive"]]
        self._answered_at = time.monotonic()
        hosts = [entry["NodeManagerHostname"] for entry in alive]
        found = []
        for entry in alive:
            host, resources = entry["NodeManagerHostname"], entry["Resources"]
            name = host if hosts.count(host) == 1 else f"{host}/{entry['NodeID'][:6]}"
            found.append(
                ClusterNode(
                    entry["NodeID"],
                    name,
                    int(resources.get("CPU", 0)),
                    int(resources.get("GPU", 0)),
                    entry["NodeID"] == self._here,
                )
            )
        new = [node for node in found if node.id not in self._faults]
        for node, fault in zip(new, _faults(new, self._libraries), strict=True):
            if fault is None:  # it has gone again, or is not ready: asked the next time
                continue
            self._faults[node.id] = fault
            if fault and refusing:
                raise ClusterError(f"Node {node.name} {fault}.")
            if fault:
                self._note(f"Node {node.name} is not used: it {fault}.")
        self._nodes = tuple(node for node in found if self._faults.get(node.id) == "")


def check_address(address: str) -> None:
    """Raise a `ClusterError` unless something answers at an address as the head of a cluster."""
    if address == "auto":
        return
    found = _ADDRESS.fullmatch(address)
    if found is None or int(found[2]) > 65535:
        raise ClusterError(
            f"'{address[:60]}' is not the address of a cluster: it is auto, or HOST:PORT of its "
            "head, such as 10.0.0.1:6379."
        )
    try:
        socket.create_connection((found[1].strip("[]"), int(found[2])), _CONNECT_SECONDS).close()
    except OSError as error:
        raise ClusterError(_no_answer(address, error.strerror or str(error))) from None
    # Ray's own attempts to connect to something that is not a cluster take minutes.
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        healthy = subprocess.run(command, capture_output=True, timeout=_HEALTH_SECONDS).returncode
    except subprocess.TimeoutExpired:
        healthy = 1
    if healthy:
        raise ClusterError(_no_answer(address, "it is not the head of a Ray cluster"))


def _start_watchdog() -> subprocess.Popen[bytes]:
    """Start a process that prints a sentence if this one ends before it writes a line to it.

    Ray ends a process at once, without an error that could be handled, when the node that it is
    connected to is lost.
    """
    sentence = (
        "halma: The connection to the cluster is lost, and the process has ended. Start the head "
        "of the cluster again, and then the same command."
    )
    command = ["sh", "-c", 'read -r line || printf "%s\\n" "$0" >&2', sentence]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


def _no_answer(address: str, reason: str) -> str:
    start = "start the head with 'ray start --head'"
    if address == "auto":
        return f"There is no Ray cluster on this machine: {start}, or give its address."
    clause = reason.strip().splitlines()[0].rstrip(".")[:200] if reason.strip() else "no answer"
    return f"No Ray cluster answers at '{address}' ({clause}): {start}, and see its address there."


def _faults(nodes: Sequence[ClusterNode], libraries: Sequence[str]) -> list[str | None]:
    """Return why each node cannot be used, as a clause: empty where it can, None if unknown."""
    if not nodes:
        return []
    probe = _make_probe()
    here = probe(libraries)
    remote = ray.remote(num_cpus=0, max_retries=0)(probe)
    asked = [
        remote.options(scheduling_strategy=node.affinity()).remote(libraries) for node in nodes
    ]
    ready, _ = ray.wait(asked, num_returns=len(asked), timeout=_PROBE_SECONDS)
    found: list[str | None] = []
    for answer in asked:
        try:
            found.append(_fault(here, ray.get(answer)) if answer in ready else None)
        except ray.exceptions.RayError:
            found.append(None)
    return found


def _fault(here: dict[str, Any], there: dict[str, Any]) -> str:
    """Return how a node differs from this process, as a clause."""
    if there["halma"] is None:
        return "has no halma: install it there as it is here"
    for what in ("halma", "python"):
        if there[what] != here[what]:
            return f"has {what} {there[what]}, and here it is {here[what]}"
    if there["sources"] != here["sources"]:
        return f"has other files of halma {there['halma']} than this machine: install the same"
    if there["missing"]:
        return f"lacks {' and '.join(there['missing'])}: install the same extras of halma there"
    return ""


def _make_probe() -> Callable[[Sequence[str]], dict[str, Any]]:
    """Return the function that a node runs to say what it has.

    As a function within a function it travels as code: the node may have no halma, or another.
    """

    def probe(libraries: Sequence[str]) -> dict[str, Any]:
        import hashlib
        import importlib
        import importlib.util
        import platform
        from pathlib import Path

        python = ".".join(platform.python_version_tuple()[:2])
        missing = [name for name in libraries if importlib.util.find_spec(name) is None]
        found = {"halma": None, "python": python, "sources": "", "missing": missing}
        try:
            halma = importlib.import_module("halma")
            digest = hashlib.sha256()
            folder = Path(str(halma.__file__)).parent
            for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.toml")]):
                digest.update(f"{file.relative_to(folder)}\n".encode() + file.read_bytes())
            found |= {"halma": str(halma.__version__), "sources": digest.hexdigest()}
        except ImportError:
            pass
        return found

    return probe


def _make_look() -> Callable[[str], bool]:
    """Return a function that says whether a node sees a file."""

    def exists(path: str) -> bool:
        import os

        return os.path.exists(path)

    return exists


@contextmanager
def _kept_signals() -> Iterator[None]:
    """Keep the handlers of signals, which Ray replaces."""
    main = threading.current_thread() is threading.main_thread()
    before = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)} if main else {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _silence() -> None:
    """Keep Ray from printing pages of its nodes' logs when one is lost: halma says so itself."""
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *given, **named: None
