"""How the paper's statements are compared with our runs.

A full run is compared with the paper's words: close to 50% means at least 48%. A reduced run has
not learned everything it could, so it is compared with the best run of its variant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.report import Claim

#: Distance of a stated number from our interval up to which it agrees, and is near.
NEAR, _FAR = 0.015, 0.05
_CLOSE_TO_HALF = 0.48
_CLOSE_TO_BEST = 0.85
#: Stands where there is nothing to compare.
NO_RUN = "no finished run"

#: What the paper says of the runs on one variant.
Claims = Iterator[Claim]


def percent(value: float) -> str:
    """Write a share as the paper does."""
    return f"{100 * value:.2f}%"


def short(value: float) -> str:
    """Write a count or an error."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.4f}"


def with_interval(runs: VariantRuns, label: Any) -> str:
    """Write the last WR_p of a run with its interval."""
    last = runs.last(label)
    if last is None:
        return NO_RUN
    return f"{percent(last['wr_p'])} ({percent(last['wr_p_low'])} to {percent(last['wr_p_high'])})"


def span(values: Iterable[float], write: Callable[[float], str] = percent) -> str:
    """Write the lowest and the highest of some values."""
    listed = list(values)
    if not listed:
        return NO_RUN
    low, high = write(min(listed)), write(max(listed))
    return low if low == high else f"{low} to {high}"


def listed(
    values: Mapping[Any, float],
    write: Callable[[float], str] = short,
    write_label: Callable[[Any], str] = str,
) -> str:
    """Write values with their labels."""
    return ", ".join(f"{write_label(x)}: {write(value)}" for x, value in values.items()) or NO_RUN


def verdict(paper: float, low: float, high: float) -> str:
    """Return whether a number of the paper lies in an interval of ours, or near it."""
    apart = max(0.0, low - paper, paper - high)
    if apart <= NEAR:
        return "agrees"
    return "near" if apart <= _FAR else "differs"


def agree(agrees: bool) -> str:
    """Return the remark on a statement that is true or not."""
    return "agrees" if agrees else "does not agree"


def reduced_remark(remark: str) -> str:
    """Return the remark on a reduced run, which can agree in shape at most."""
    for word in ("does not agree", "differs", "near"):
        if remark.startswith(word):
            return remark.replace(word, f"{word}, in a reduced run", 1)
    return remark.replace("agrees", "the shape agrees", 1)


def stated(runs: VariantRuns, label: Any, what: str, paper: float, about: str = "") -> Claim:
    """Return the claim of a WR_p that the paper states as a number."""
    last = runs.last(label)
    remark = "" if last is None else verdict(paper, last["wr_p_low"], last["wr_p_high"])
    return Claim(what, f"{about}{percent(paper)}", with_interval(runs, label), remark)


def is_close(runs: VariantRuns, values: Iterable[float]) -> bool:
    """Whether WR_p is close to 50%, or in reduced runs to the best of the variant."""
    lowest = min(values, default=0.0)
    if runs.full:
        return lowest >= _CLOSE_TO_HALF
    return lowest > 0 and lowest >= _CLOSE_TO_BEST * max(runs.values().values())


def all_close(runs: VariantRuns, values: Mapping[Any, float]) -> str:
    """Return the remark that all of several runs are close; one reduced run shows nothing."""
    if not values or (len(values) < 2 and not runs.full):
        return ""
    return agree(is_close(runs, values.values()))


def is_rising(values: Iterable[float], tolerance: float = 0.05) -> bool:
    """Whether values rise, apart from relative steps back of at most `tolerance`."""
    given: Sequence[float] = list(values)
    steps = all(after >= before * (1 - tolerance) for before, after in pairwise(given))
    return len(given) > 1 and steps and given[-1] > given[0]


def is_falling(values: Iterable[float], tolerance: float = 0.05) -> bool:
    """Whether values fall in the same way."""
    return is_rising(list(values)[::-1], tolerance)
