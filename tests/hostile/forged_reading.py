"""What is tried with forged files: readers, within limits of time and memory, and what they did."""

import random
import resource
import signal
import time
import traceback
from collections.abc import Callable
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from hostile import forger

from halma.errors import HalmaError

#: Most seconds and bytes that a reader may take.
MOST_SECONDS, MOST_BYTES = 2.0, 200 << 20


@dataclass
class Format:
    """A file that is forged, and its readers: each takes its path."""

    path: Path
    forge: Callable[[random.Random, bytes], bytes]
    readers: list[Callable[[Path], object]]
    #: slow ones, which read one file in fifty
    slow: list[Callable[[Path], object]] = field(default_factory=list)
    #: rounds between two files, more than one where reading takes long
    every: int = 1

    def __post_init__(self):
        self.valid = self.path.read_bytes()

    def forged(self, rng):
        """Return the bytes of a forged or damaged file."""
        if rng.random() < 0.15:
            return forger.damage(rng, self.valid)
        return self.forge(rng, self.valid)


class TooSlowError(BaseException):
    """A reader took more than its time; no except clause of ours catches it."""


@contextmanager
def watchdog(seconds):
    """Raise a `TooSlowError` in the block after some seconds of the processor.

    What waits uses none, so there is a second limit: a machine may be busy, but not that busy.
    """

    def strike(number, frame):
        raise TooSlowError(f"more than {seconds:g} s")

    timers = {signal.ITIMER_PROF: seconds, signal.ITIMER_REAL: 10 * seconds}
    before = [signal.signal(number, strike) for number in (signal.SIGPROF, signal.SIGALRM)]
    for timer, limit in timers.items():
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for timer in timers:
            signal.setitimer(timer, 0)
        for number, handler in zip((signal.SIGPROF, signal.SIGALRM), before, strict=True):
            signal.signal(number, handler)


@dataclass
class Findings:
    """What readers did with forged files."""

    files: int = 0
    refused: int = 0
    #: the first file of each kind of failure: what happened, where, and the seed of the file
    failures: dict[str, str] = field(default_factory=dict)

    def try_readers(self, one, data, seed, slow):
        """Run the readers of a format on a file until one refuses it."""
        self.files += 1
        one.path.write_bytes(data)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for reader in [*one.readers, *(one.slow if slow else ())]:
            began = time.process_time()
            try:
                with watchdog(MOST_SECONDS), redirect_stderr(StringIO()):
                    reader(one.path)
                refused = False
            except HalmaError as error:
                self._check_sentence(seed, str(error))
                refused = True
            except (Exception, TooSlowError) as error:
                self._fail(seed, f"{type(error).__name__} in {_place(error)}", str(error))
                break
            if time.process_time() - began > MOST_SECONDS:
                self._fail(seed, "too slow", reader)
            if refused:
                self.refused += 1
                break
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before << 10
        if grown > MOST_BYTES:
            self._fail(seed, "too much memory", f"{grown:,} bytes")

    def _check_sentence(self, seed, sentence):
        if len(sentence) > 2000 or "\n" in sentence or not sentence.endswith((".", "?")):
            self._fail(seed, "not a sentence", repr(sentence[:200]))

    def _fail(self, seed, what, why):
        name = seed.split("/")[1]
        self.failures.setdefault(f"{name}: {what}", f"{seed}: {what}: {str(why)[:300]}")


def _place(error):
    """Return the last line of the package that an error comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "hostile" not in frame.filename] or frames
    return f"{Path(ours[-1].filename).name}, line {ours[-1].lineno}"


def check_files(formats, seed, seconds=None, number=None):
    """Forge files of some formats in turn, for seconds of the processor or a number of each."""
    findings, began = Findings(), time.process_time()
    done = 0
    while (number is None or done < number) and (
        seconds is None or time.process_time() - began < seconds
    ):
        for name, one in formats.items():
            if done % one.every == 0:
                own = f"{seed}/{name}/{done}"
                data = one.forged(random.Random(own))
                findings.try_readers(one, data, own, slow=done // one.every % 50 == 7)
        done += 1
    for one in formats.values():
        one.path.write_bytes(one.valid)
    return findings
