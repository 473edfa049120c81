"""A fuzzer of functions that read text: it changes valid texts and joins their parts anew.

Every text must give a value or a `HalmaError` whose message is one short line. All of it follows
from a seed; a failure is reported with the shortest text that the fuzzer could cut it down to.
"""

from __future__ import annotations

import random
import re
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise

from halma.errors import HalmaError
from halma.machine import peak_bytes

#: seconds that a text may take, and bytes that all of them together may add
SLOWEST, LARGEST = 2.0, 200_000_000
#: characters of an error message; some list all settings that there are
LONGEST_MESSAGE = 1600
#: seconds that a text may take on a busy machine
_LONGEST_WAIT = 20.0
#: seconds for cutting a failure down
_SHRINKING = 5.0
_FAILURES = 8
#: texts between two looks at the memory
_MEMORY_EVERY = 500

NASTY = (
    *("\0", "\x1b[2J", "\x7f", "\t", "\n", "\r\n", "\v", "\x85", "\u2028", "\u00a0", " ", "   "),
    *("\ud800", "\udcff", "\ufeff", "\u202e", "\u2066", "\u200b", "\u0301", "e\u0301\u0301"),
    *("\uff11\uff12", "\u0663", "\u00b2", "\u00bd", "\U0001d7d9", "\u2460", "\u0b67", "\u2212"),
    *("\u0130", "\u0131", "\u00df", "\ufb01", "\u212a", "\u01c5", "\U0001f9a0", "\U0010ffff"),
    *("-0", "-1", "+1", "00", "007", "0.5", "1e3", "1e400", "-1e-400", "nan", "inf", "-inf", "1_0"),
    *("9" * 19, "9" * 30, str(2**31), str(2**63), str(2**64), "0x10", "1e", "true", "null", "None"),
    *("'", '"', "\\", "`", "{", "}", "[", "]", "(", ")", "<", ">", "%s", "%n", "{0}", "$(id)"),
    *(
        "/",
        "../",
        "//",
        "~",
        "~nobody/",
        ".py",
        ":",
        "::",
        "=",
        "==",
        ",",
        ";",
        "#",
        "-",
        "--",
        "*",
    ),
)
_WORD = re.compile(r"\w+|\W", re.DOTALL)


@dataclass
class Target:
    """A function that reads text, with texts that it understands."""

    name: str
    seeds: Sequence[str]
    #: reads a text and checks what it gives; whatever it returns is ignored
    read: Callable[[str], object]
    #: makes texts that are nearly right
    grammar: Callable[[random.Random], str] | None = None
    _chain: dict[str, list[str]] = field(default_factory=dict, repr=False)

    def text(self, rng: random.Random) -> str:
        """Return a text: from the grammar, from parts of valid ones, or a valid one changed."""
        way = rng.random()
        if self.grammar is not None and way < 0.4:
            text = self.grammar(rng)
            return text if rng.random() < 0.5 else mutate(text, self.seeds, rng)
        if way < 0.55:
            return self._joined(rng)
        return mutate(rng.choice(self.seeds), self.seeds, rng)

    def _joined(self, rng: random.Random) -> str:
        """Return words of the seeds, each after one that it follows in some seed."""
        if not self._chain:
            for seed in self.seeds:
                words = ["", *_WORD.findall(seed), ""]
                for word, after in pairwise(words):
                    self._chain.setdefault(word, []).append(after)
        words = [rng.choice(self._chain[""])]
        while words[-1] and len(words) < 400:
            words.append(rng.choice(self._chain[words[-1]]))
        return "".join(words)


@dataclass(frozen=True)
class Failure:
    """What a text led to instead of a value or an error of ours."""

    text: str
    kind: str
    details: str


class TooSlow(BaseException):
    """A text took too long."""


def mutate(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    """Return a text with one to four changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        text = rng.choice(_CHANGES)(text, seeds, rng)
    return text


def _insert(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(NASTY) + text[at:]


def _replace(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    first, last = _range(text, rng)
    return text[:first] + rng.choice(NASTY) + text[last:]


def _flip(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    if not text:
        return "\0"
    at = rng.randrange(len(text))
    return text[:at] + chr(ord(text[at]) ^ 1 << rng.randrange(8)) + text[at + 1 :]


def _delete(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    first, last = _range(text, rng)
    return text[:first] + text[last:]


def _double(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    first, last = _range(text, rng)
    return text[:last] + text[first:last] + text[last:]


def _truncate(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    return text[: rng.randint(0, len(text))]


def _splice(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    other = rng.choice(seeds)
    return text[: rng.randint(0, len(text))] + other[rng.randint(0, len(other)) :]


def _change_number(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    numbers = list(re.finditer(r"[0-9]+", text))
    if not numbers:
        return _insert(text, seeds, rng)
    found = rng.choice(numbers)
    value = int(found[0][:50]) + rng.choice((-1, 1, 10, -100, 2**31, 2**32, 2**63, 2**64))
    return text[: found.start()] + str(value) + text[found.end() :]


def _change_digit(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    """Write a digit in another script, or zeros before it."""
    digits = list(re.finditer(r"[0-9]", text))
    if not digits:
        return _insert(text, seeds, rng)
    found = rng.choice(digits)
    zero = rng.choice("\u0660\u06f0\u0966\uff10\U0001d7ce")
    written = rng.choice((chr(ord(zero) + int(found[0])), f"0{found[0]}", f"00{found[0]}"))
    return text[: found.start()] + written + text[found.end() :]


def _change_case(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    first, last = _range(text, rng)
    return text[:first] + text[first:last].swapcase() + text[last:]


def _repeat(text: str, seeds: Sequence[str], rng: random.Random) -> str:
    """Write a part many times: deep nesting, huge numbers, long lines."""
    first, last = _range(text, rng)
    part = text[first : min(last, first + 3)] or rng.choice(NASTY)
    most = 20_000 if rng.random() < 0.1 else 300
    return text[:first] + part * (rng.randint(2, most) // len(part) + 1) + text[first:]


def _range(text: str, rng: random.Random) -> tuple[int, int]:
    first = rng.randint(0, len(text))
    return first, min(len(text), first + rng.choice((1, 1, 2, 3, 8, 40)))


_CHANGES = (
    *(_insert, _replace, _flip, _delete, _double, _truncate, _splice, _change_number),
    *(_insert, _replace, _flip, _delete, _change_case, _change_digit, _repeat),
)


def outcome(target: Target, text: str) -> Failure | None:
    """Read a text; return what is wrong with what it led to, if anything."""
    try:
        with time_limit(SLOWEST):
            target.read(text)
    except HalmaError as error:
        wrong = flaw(str(error))
        return Failure(text, f"message {wrong}", repr(error)) if wrong else None
    except TooSlow:
        return Failure(text, "too slow", f"more than {SLOWEST:g} s")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{type(error).__name__} at {at.filename}:{at.lineno}"
        return Failure(text, kind, "".join(traceback.format_exception(error))[-1500:])
    return None


def flaw(message: str) -> str:
    """Return what is wrong with an error message; nothing if it is one short, plain line."""
    if not message.isprintable():
        return "has control characters or several lines"
    if len(message) > LONGEST_MESSAGE:
        return "is too long"
    if not message.endswith((".", "?")):
        return "does not end with a full stop"
    return ""


#: when the text that is being read began, on the wall and of the processor
_began = [0.0, 0.0]


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in the block after some seconds."""
    _began[:] = time.monotonic(), time.process_time()
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _raise_too_slow(number: int, frame: object) -> None:
    """Raise `TooSlow`, unless other programs had the processor all the time."""
    waited, worked = time.monotonic() - _began[0], time.process_time() - _began[1]
    if worked >= 0.9 * SLOWEST or waited > _LONGEST_WAIT:
        raise TooSlow


def fuzz(
    target: Target, seed: int, seconds: float = 1e9, texts: int = 10**9
) -> tuple[int, list[Failure]]:
    """Read texts until the time or their number is used up; return their number and failures."""
    rng = random.Random(f"{seed}/{target.name}")
    previous = signal.signal(signal.SIGALRM, _raise_too_slow)
    failures: dict[str, Failure] = {}
    number, begin, memory = 0, time.monotonic(), peak_bytes()
    try:
        for text in target.seeds:
            found = outcome(target, text)
            if found is not None:
                failures.setdefault(found.kind, found)
        while number < texts and time.monotonic() - begin < seconds and len(failures) < _FAILURES:
            text = target.text(rng)
            number += 1
            found = outcome(target, text)
            # A busy machine may be slow once.
            if found is not None and found.kind not in failures and outcome(target, text):
                failures[found.kind] = _shortest(target, found, rng)
            if number % _MEMORY_EVERY == 0 and peak_bytes() - memory > LARGEST:
                failures["memory"] = Failure(text, "memory", f"after {number} texts")
                break
    finally:
        signal.signal(signal.SIGALRM, previous)
    return number + len(target.seeds), list(failures.values())


def _shortest(target: Target, failure: Failure, rng: random.Random) -> Failure:
    """Return the same kind of failure with parts of its text left out."""
    end = time.monotonic() + _SHRINKING
    size = max(1, len(failure.text) // 2)
    while time.monotonic() < end:
        for at in range(0, len(failure.text), size):
            text = failure.text[:at] + failure.text[at + size :]
            shorter = outcome(target, text)
            if shorter is not None and shorter.kind == failure.kind:
                failure = shorter
                break
            if time.monotonic() > end:
                break
        else:
            if size == 1:
                break
            size = max(1, size // 2)
    return failure


def report(target: Target, seed: int, failures: Sequence[Failure]) -> str:
    """Return failures as text: each with the shortest text that causes it."""
    return "\n\n".join(
        f"{target.name}, seed {seed}: {failure.kind}\n"
        f"text: {failure.text[:300]!r}{'...' if len(failure.text) > 300 else ''}\n{failure.details}"
        for failure in failures
    )
