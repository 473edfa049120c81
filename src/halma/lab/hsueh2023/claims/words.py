"""What hsueh2023 says in its text, beside what came of running it again.

A full run is held to the paper's words: near 50% is within two points of it. A reduced run
has not learnt to its end, so it is compared with the best of its own kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from halma.lab.hsueh2023.figures import Found
from halma.lab.report import Row

#: How far a figure of the paper may be from our interval to agree, and to be near.
NEAR, _FAR = 0.015, 0.05
_CLOSE_TO_HALF = 0.48
_CLOSE_TO_BEST = 0.85
#: What is said where there is nothing to judge.
NO_RUN = "no finished run"


def percent(value: float) -> str:
    """Write a share as the paper does."""
    return f"{100 * value:.2f}%"


def told(found: Found, variant: str, label: Any) -> str:
    """Write the last WR_p of a run with its interval."""
    last = found.last(variant, label)
    if last is None:
        return NO_RUN
    return f"{percent(last['wr_p'])} ({percent(last['wr_p_low'])} to {percent(last['wr_p_high'])})"


def verdict(paper: float, low: float, high: float) -> str:
    """Say whether a figure of the paper and an interval of ours go together."""
    apart = max(0.0, low - paper, paper - high)
    if apart <= NEAR:
        return "agrees"
    return "near" if apart <= _FAR else "differs"


def stated(found: Found, variant: str, label: Any, what: str, paper: float, about: str) -> Row:
    """Return a row for a WR_p that the paper states."""
    last = found.last(variant, label)
    remark = ""
    if last is not None:
        remark = verdict(paper, last["wr_p_low"], last["wr_p_high"])
    return Row(what, f"{about}{percent(paper)}", told(found, variant, label), remark)


def agree(whether: bool) -> str:
    """Say whether the paper and we agree."""
    return "agrees" if whether else "does not agree"


def of_reduced(remark: str) -> str:
    """Return the remark on a reduced run, which can agree in shape at most."""
    for word in ("does not agree", "differs", "near"):
        if remark.startswith(word):
            return remark.replace(word, f"{word}, in a reduced run", 1)
    return remark.replace("agrees", "the shape agrees", 1)


def close(found: Found, variant: str, values: Sequence[float]) -> bool:
    """Whether WR_p is close to 50%, or in reduced runs to the best of the variant."""
    if not values:
        return False
    if found.planner.full:
        return min(values) >= _CLOSE_TO_HALF
    best = max(found.value(variant, label) or 0.0 for label in found.labels(variant))
    return min(values) >= _CLOSE_TO_BEST * best


def all_close(found: Found, variant: str, values: dict[Any, float]) -> str:
    """Say whether all of several runs are close; one reduced run alone says nothing."""
    if not values or (len(values) < 2 and not found.planner.full):
        return ""
    return agree(close(found, variant, list(values.values())))


def values_of(
    found: Found, variant: str, labels: Iterable[Any], key: str = "wr_p"
) -> dict[Any, float]:
    """Return one of the last grades of some runs, of those that have any."""
    return {
        label: value for label in labels if (value := found.value(variant, label, key)) is not None
    }


def range_of(values: Iterable[float], write: Callable[[float], str] = percent) -> str:
    """Write the lowest and the highest of some values."""
    listed = list(values)
    if not listed:
        return NO_RUN
    low, high = write(min(listed)), write(max(listed))
    return low if low == high else f"{low} to {high}"


def each(found: Found, rows: Callable[[str], Iterable[Row]]) -> list[Row]:
    """Return the rows of all variants."""
    return [row for variant in found.runs for row in rows(variant)]


def early_mean(found: Found, variant: str, label: Any) -> float:
    """Return the mean WR_p of the first half of training."""
    graded = [line["wr_p"] for line in found.graded(variant, label)]
    half = graded[: max(1, len(graded) // 2)]
    return float(sum(half) / len(half))


def rising(values: Sequence[float], tolerance: float = 0.05) -> bool:
    """Whether numbers go up, but for a small step back here and there, and more than a little."""
    steps = all(after >= before * (1 - tolerance) for before, after in pairwise(values))
    return len(values) > 1 and steps and values[-1] > values[0]


def numbers(values: dict[Any, float], write: Callable[[Any], str] = str) -> str:
    """Write values with their labels."""
    if not values:
        return NO_RUN
    return ", ".join(f"{write(x)}: {short(value)}" for x, value in values.items())


def short(value: float) -> str:
    """Write a count or an error."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.4f}"
