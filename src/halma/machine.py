"""What this machine is, and what this process takes of it."""

from __future__ import annotations

import platform
import sys


def processor() -> str:
    """Return the name of the processor."""
    return _line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()


def peak_bytes() -> int:
    """Return the most bytes this process ever had in memory; mapped files count too."""
    # What the system reports in other ways counts the process that started this one.
    found = _line("/proc/self/status", "VmHWM")
    if found:
        return int(found.split()[0]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _line(path: str, key: str) -> str:
    """Return what follows a key in a file of `key: value` lines; nothing if it is not there."""
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith(key):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return ""
