"""What this machine has: a processor, cores, memory, optional libraries."""

from __future__ import annotations

import os
import platform
import sys
from importlib.util import find_spec

from halma.errors import MissingLibraryError

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
}


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
