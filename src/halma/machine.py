"""What this machine has: a processor, cores, memory, optional libraries."""

from __future__ import annotations

import os
import platform
import sys
from importlib.util import find_spec

from halma.errors import HalmaError


def processor() -> str:
    """Return the name of the processor."""
    return _line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()


def core_count() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def peak_bytes() -> int:
    """Return the peak resident memory of this process in bytes, mapped files included."""
    # ru_maxrss is inherited across fork and exec, so it may be the peak of the parent process.
    found = _line("/proc/self/status", "VmHWM")
    if found:
        return int(found.split()[0]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def free_memory() -> int:
    """Return the bytes of memory available, 0 where the system does not say."""
    found = _line("/proc/meminfo", "MemAvailable")
    return int(found.split()[0]) * 1024 if found else 0


def require(library: str, extra: str = "train") -> None:
    """Raise a `HalmaError` that names the extra to install, unless the library is there."""
    if find_spec(library) is None:
        raise HalmaError(
            f'This needs {library}, which is not installed: pip install "halma[{extra}]".'
        )


def _line(path: str, key: str) -> str:
    """Return the value of a key in a file of `key: value` lines, or an empty string."""
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith(key):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return ""
