"""What this machine has: a processor, cores, memory, optional libraries."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import PurePath

from halma.errors import MissingLibraryError, OutOfMemoryError

#: libraries that a plain install leaves out: import name, package, extra of halma
_EXTRAS = {
    "torch": ("torch", "train"),
    "onnx": ("onnx", "train"),
    "tensorboard": ("tensorboard", "train"),
    "matplotlib": ("matplotlib", "reports"),
    "gymnasium": ("gymnasium", "envs"),
    "pettingzoo": ("pettingzoo", "envs"),
    "PIL": ("pillow", "envs"),
    "pyspiel": ("open_spiel", "peers"),
    "optuna": ("optuna", "tune"),
    "fastapi": ("fastapi", "web"),
    "uvicorn": ("uvicorn", "web"),
    "websockets": ("websockets", "web"),
    "ray": ("ray", "cluster"),
    "prometheus_client": ("prometheus-client", "cluster"),
}

#: Address space that threads and libraries take beside what is asked for.
_RESERVED = 200 << 20
#: Sizes up to this are not compared with free memory.
_SMALL = 32 << 20


def processor() -> str:
    """Return the name of the processor."""
    return _line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()


def core_count() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def peak_bytes() -> int:
    """Return the peak resident memory of this process in bytes, mapped files included."""
    # ru_maxrss is inherited across fork and exec, so it may be the peak of the parent process.
    found = _kilobytes("/proc/self/status", "VmHWM")
    if found is not None:
        return found
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def free_memory() -> int:
    """Return the bytes of memory that this process may still use, 0 where the system does not say.

    That is the least of what the machine has available, what the limit of the process on its
    address space leaves (`ulimit -v`), and what its control groups leave.
    """
    found = [_kilobytes("/proc/meminfo", "MemAvailable"), _address_space_left(), *_groups_left()]
    known = [left for left in found if left is not None]
    return max(1, min(known)) if known else 0


def require_memory(needed: int, what: str) -> None:
    """Raise an `OutOfMemoryError` unless that many bytes are free; `what` begins its sentence.

    Sizes that every machine has are not compared, which would take longer than to allocate them.
    """
    free = free_memory() if needed > _SMALL else 0
    if free and needed > free:
        raise OutOfMemoryError(
            f"{what} needs {in_bytes(needed)} of memory, and {in_bytes(free)} are free."
        )


def in_bytes(number: int) -> str:
    """Return a number of bytes with a unit: 5.2 GiB."""
    for power, unit in ((6, "EiB"), (5, "PiB"), (4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if number >= 1024**power:
            return f"{number / 1024**power:.1f} {unit}"
    return f"{number} bytes"


def _address_space_left() -> int | None:
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    used = _kilobytes("/proc/self/status", "VmSize")
    if limit == resource.RLIM_INFINITY or used is None:
        return None
    return limit - used - _RESERVED


def _groups_left() -> Iterator[int]:
    """Yield the memory left by the control group of this process, and by those above it."""
    for line in _text("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            folder, limit, usage = "/sys/fs/cgroup", "memory.max", "memory.current"
        elif controllers == "memory":
            folder, limit = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
            usage = "memory.usage_in_bytes"
        else:
            continue
        # Within a container the group may be mounted as the root.
        for group in {
            folder,
            *(folder + str(p) for p in (PurePath(path), *PurePath(path).parents)),
        }:
            most, used = _text(f"{group}/{limit}").strip(), _text(f"{group}/{usage}").strip()
            if most.isdigit() and used.isdigit():
                # Pages of files are given back when memory is needed.
                files = _line(f"{group}/memory.stat", "inactive_file", " ")
                yield int(most) - int(used) + int(files or 0)


def is_installed(library: str) -> bool:
    """Return whether a library can be imported, without importing it."""
    try:
        return find_spec(library) is not None
    except (ImportError, ValueError):
        return False


def require(*libraries: str) -> None:
    """Raise a `MissingLibraryError` with the command to install, unless all libraries are there."""
    for library in libraries:
        if not is_installed(library):
            raise missing_library(library)


def missing_library(name: str) -> MissingLibraryError:
    """Return the error that says how to install a library, given the name it is imported by."""
    package, extra = _EXTRAS[name.partition(".")[0]]
    return MissingLibraryError(
        f'This needs {package}, which is not installed: pip install "halma[{extra}]".'
    )


def is_optional(name: str | None) -> bool:
    """Return whether a plain install leaves out the library of this module."""
    return name is not None and name.partition(".")[0] in _EXTRAS


def _line(path: str, key: str, separator: str = ":") -> str:
    """Return the value of a key in a file of `key: value` lines, or an empty string."""
    for line in _text(path).splitlines():
        if line.startswith(key):
            return line.partition(separator)[2].strip()
    return ""


def _kilobytes(path: str, key: str) -> int | None:
    """Return the bytes of a value in kilobytes, such as `123 kB`."""
    found = _line(path, key).split()
    return int(found[0]) * 1024 if found else None


def _text(path: str) -> str:
    """Return what a file of the system says, nothing where there is no such file."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""
