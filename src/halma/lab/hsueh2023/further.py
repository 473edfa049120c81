"""One step beyond hsueh2023: Gumbel AlphaZero, proven values and symmetry on its testbed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from halma.lab.hsueh2023.figures import Found, columns
from halma.lab.hsueh2023.plan import FURTHER_SIMULATIONS, METHODS, VARIANTS
from halma.lab.panels import Line, Look, Panel, draw_panels
from halma.lab.report import Figure, Row, Section
from halma.statistics import difference, half_width

BASE = "PUCT +0"
#: With few simulations the paper finds this one best.
BEST_BASE = "PUCT +0.5"

#: What is compared: a number for every run.
Measure = Callable[[Found, str, tuple[str, int, int]], float]


def last_win_rate(found: Found, variant: str, label: tuple[str, int, int]) -> float:
    """Return WR_p at the end."""
    value = found.value(variant, label)
    assert value is not None
    return value


def mean_win_rate(found: Found, variant: str, label: tuple[str, int, int]) -> float:
    """Return the mean of WR_p over training: how fast it was learnt."""
    return fmean(line["wr_p"] for line in found.graded(variant, label))


MEASURES: dict[str, Measure] = {"last WR_p": last_win_rate, "mean WR_p": mean_win_rate}


def _seeds(found: Found, variant: str, method: str, n: int, measure: Measure) -> list[float]:
    return [
        measure(found, variant, label)
        for label in found.labels(variant)
        if label[:2] == (method, n)
    ]


def _axis(found: Found, variant: str) -> list[int]:
    return sorted({n for _, n, _ in found.labels(variant)})


def build_sections(found: Found, pages: Path, page: str) -> list[Section]:
    """Draw and compare: what is asked with both pictures, then a section for every variant."""
    pictures = []
    for number, (name, measure) in enumerate(MEASURES.items(), start=1):
        file = f"{page}-{number}.png"
        _draw(pages / file, found, name, measure)
        pictures.append(Figure(file, f"{name} by simulations: mean and 95% interval over seeds"))
    sections = []
    for variant in found.runs:
        rows, sentences = _compare(found, variant)
        sections.append(
            Section(
                f"Beyond the paper: {VARIANTS[variant]}",
                " ".join(sentences),
                rows,
                columns=("PUCT", "instead", "gain, in points"),
            )
        )
    intro = Section(
        "Beyond the paper: Gumbel, proven values, symmetry",
        "The default setting, with other ways to search or to learn. Gumbel AlphaZero draws the "
        "moves of the root without replacement and halves them; proven values let the search pass "
        "wins, draws and losses that it has seen to the end up the tree; symmetry lets all mirror "
        "images of a position learn from it. The position itself does not count as a simulation "
        "here, as it does in the paper: of 2 simulations only one would be left.\n\n"
        "Compared are WR_p at the end and its mean over all of training, which tells how fast it "
        "rose. Intervals are Student's, over seeds. Gumbel is also held against PUCT with untried "
        "moves at +0.5, which the paper finds best with few simulations.",
        figures=pictures,
    )
    return [intro, *sections]


def _draw(path: Path, found: Found, name: str, measure: Measure) -> None:
    panels = []
    for variant in found.runs:
        lines = []
        for method in METHODS:
            axis = [n for n in _axis(found, variant) if _seeds(found, variant, method, n, measure)]
            values = [_seeds(found, variant, method, n, measure) for n in axis]
            means = [fmean(seeds) for seeds in values]
            reach = [half_width(seeds) if len(seeds) > 1 else 0.0 for seeds in values]
            lines.append(
                Line(
                    method,
                    axis,
                    means,
                    [m - r for m, r in zip(means, reach, strict=True)],
                    [m + r for m, r in zip(means, reach, strict=True)],
                )
            )
        panels.append(Panel(VARIANTS[variant], lines))
    look = Look(
        "simulations",
        name,
        xscale=2,
        xticks=FURTHER_SIMULATIONS,
        percent=True,
        ylim=(0.0, 0.55),
        level=0.5,
        shared_legend=True,
    )
    draw_panels(path, panels, replace(look, columns=columns(found.runs)))


def _compare(found: Found, variant: str) -> tuple[list[Row], list[str]]:
    pairs = [(method, BASE) for method in METHODS if method != BASE] + [("Gumbel", BEST_BASE)]
    rows, sentences = [], []
    for method, base in pairs:
        for name, measure in MEASURES.items():
            better: dict[int, float] = {}
            worse: dict[int, float] = {}
            for n in _axis(found, variant):
                ours = _seeds(found, variant, method, n, measure)
                theirs = _seeds(found, variant, base, n, measure)
                if not ours or not theirs:
                    continue
                gain, reach = difference(ours, theirs)
                if abs(gain) > reach:
                    (better if gain > 0 else worse)[n] = gain
                rows.append(
                    Row(
                        f"{name}, {n} simulations: {method} instead of {base}",
                        f"{fmean(theirs):.2%}",
                        f"{fmean(ours):.2%}",
                        f"{100 * gain:+.2f} ± {100 * reach:.2f}: " + _word(gain, reach),
                    )
                )
            sentences.append(_sentence(name, method, base, better, worse))
    return rows, sentences


def _word(gain: float, reach: float) -> str:
    if abs(gain) <= reach:
        return "no clear difference"
    return "better" if gain > 0 else "worse"


def _sentence(
    name: str, method: str, base: str, better: dict[int, float], worse: dict[int, float]
) -> str:
    parts = []
    for word, found in (("beats", better), ("loses to", worse)):
        if found:
            gains = sorted(abs(100 * gain) for gain in found.values())
            most = f"{gains[0]:.1f} to {gains[-1]:.1f}" if len(gains) > 1 else f"{gains[0]:.1f}"
            parts.append(f"{word} {base} with {', '.join(map(str, found))} ({most} points)")
    said = " and ".join(parts) or f"is not clearly different from {base} anywhere"
    return f"By {name}, {method} {said}."


def data(found: Found) -> dict[str, Any]:
    """Return what was measured for every seed, for programs."""
    return {
        variant: {
            name: {
                f"{method} {n}": _seeds(found, variant, method, n, measure)
                for method in METHODS
                for n in _axis(found, variant)
            }
            for name, measure in MEASURES.items()
        }
        for variant in found.runs
    }
