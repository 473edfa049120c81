"""Other people's programs as processes: lines over pipes, and a time limit for every answer.

A program ends when this process ends, however that happens, and does not hear the terminal's
Ctrl-C.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from queue import Empty, Queue
from typing import IO

from halma.errors import NameSyntaxError, printable
from halma.processes import PR_SET_PDEATHSIG, ending

#: Bytes of a line; a longer one is read as several. Lines that wait to be read.
_LONGEST, _MOST_LINES = 1 << 16, 1000
#: seconds that a program has to end by itself once its input is closed
_GRACE = 0.5
#: longest part of an error message of a program
_MOST_SAID = 200


class ProgramFailure(Exception):
    """A program cannot be used any longer; the message is a clause that follows its name."""


def split_command(text: str) -> list[str]:
    """Return the words of a command, split as a shell does."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise NameSyntaxError(f"'{text}' is not a command: {str(error).lower()}.") from None
    if not words:
        raise NameSyntaxError(f"'{text}' is not a command: it is empty.")
    return words


def exists(program: str) -> bool:
    """Whether there is a program that can be run, at a path or in the search path."""
    return shutil.which(program) is not None


class Program:
    """A program that is running; its methods raise a `ProgramFailure` once it is not."""

    def __init__(self, words: Sequence[str]) -> None:
        try:
            self._process = _starter().submit(_start, list(words)).result()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ProgramFailure(f"cannot be started: {reason}") from None
        assert self._process.stdout is not None and self._process.stderr is not None
        self._lines: Queue[str | None] = Queue(_MOST_LINES)
        #: the last line on its standard error
        self._said: deque[str] = deque(maxlen=1)
        # The threads do not refer to this object, whose end ends the program.
        for target in (
            partial(_read_lines, self._process.stdout, self._lines),
            partial(_read_errors, self._process.stderr, self._said),
        ):
            threading.Thread(target=target, daemon=True).start()
        self._end = weakref.finalize(self, _end, self._process, self._lines)

    def send(self, line: str) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode(errors="replace") + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended() from None

    def receive(self, deadline: float) -> str:
        """Return the next line without its end, or raise a `TimeoutError`.

        The deadline is one of `time.monotonic`.
        """
        left = deadline - time.monotonic()
        try:
            line = self._lines.get(timeout=max(left, 0.0)) if left > 0 else None
        except Empty:
            left, line = 0.0, None
        if line is not None:
            return line
        raise self._ended() if left > 0 else TimeoutError

    def discard(self) -> None:
        """Forget the lines that came unasked."""
        with suppress(Empty):
            while self._lines.get_nowait() is not None:
                pass
            self._lines.put(None)  # the end of its output is told to the next who asks

    def end(self) -> None:
        """End the program, whatever it is doing."""
        self._end()

    def _ended(self) -> ProgramFailure:
        """Return the failure of a program that has ended or closed its streams."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        status = self._process.poll()
        how = "closed its output" if status is None else f"ended {ending(status)}"
        said = f" ({self._said[0]})" if self._said else ""
        return ProgramFailure(how + said)


@cache
def _starter() -> ThreadPoolExecutor:
    """Return the thread that starts programs.

    Linux ends a program with the thread that started it, so that thread must not end before.
    """
    return ThreadPoolExecutor(1, "halma-programs")


def _start(words: list[str]) -> subprocess.Popen[bytes]:
    parent = os.getpid()
    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def end_with_parent() -> None:
        if prctl is not None:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

    pipe = subprocess.PIPE
    # A group of its own keeps the terminal's signals away.
    return subprocess.Popen(
        words, stdin=pipe, stdout=pipe, stderr=pipe, process_group=0, preexec_fn=end_with_parent
    )


def _read_lines(stream: IO[bytes], lines: Queue[str | None]) -> None:
    """Pass lines on until the stream ends."""
    with suppress(OSError, ValueError):
        while line := stream.readline(_LONGEST):
            lines.put(line.decode(errors="replace").strip())
    lines.put(None)


def _read_errors(stream: IO[bytes], said: deque[str]) -> None:
    with suppress(OSError, ValueError):
        while line := stream.readline(_LONGEST):
            if text := printable(line.decode(errors="replace")).strip():
                said.append(text[:_MOST_SAID])


def _end(process: subprocess.Popen[bytes], lines: Queue[str | None]) -> None:
    """Close a program's input, and kill it with its children unless it ends soon."""
    with suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    with suppress(Empty):  # its reader may wait for room
        while lines.get(timeout=_GRACE) is not None:
            pass
