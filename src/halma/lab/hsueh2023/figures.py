"""hsueh2023's figures in the paper's arrangement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from halma.lab.hsueh2023.plan import (
    CS,
    EPSILONS,
    SIMULATIONS,
    UNTRIED,
    VARIANTS,
    Planner,
)
from halma.lab.panels import Line, Look, Panel, draw_panels
from halma.lab.runs import Metrics

#: Which c_puct figure 7 has curves of: about half of them.
CURVES_OF_C = CS[::2]
#: The numbers of simulations whose curves figure 21 has; the paper says "selected".
CURVES_OF_UNTRIED = (6, 25, 100)


@dataclass(frozen=True)
class Found:
    """The runs of an experiment: variant -> label -> metrics, as far as there are any."""

    planner: Planner
    runs: Mapping[str, Mapping[Any, list[Metrics]]]
    #: variant and label of those that have not come to their end
    unfinished: frozenset[tuple[str, Any]] = frozenset()

    def finished(self) -> Found:
        """Return the same without runs on their way: figures show those, claims are about ends."""
        runs = {
            variant: {
                label: [] if (variant, label) in self.unfinished else metrics
                for label, metrics in labelled.items()
            }
            for variant, labelled in self.runs.items()
        }
        return replace(self, runs=runs)

    def graded(self, variant: str, label: Any) -> list[Metrics]:
        """Return the metrics of the iterations that were graded."""
        return [line for line in self.runs[variant].get(label, ()) if line["wr_p"] is not None]

    def last(self, variant: str, label: Any) -> Metrics | None:
        """Return the last graded metrics of a run, if there are any."""
        graded = self.graded(variant, label)
        return graded[-1] if graded else None

    def labels(self, variant: str) -> list[Any]:
        """Return the labels of runs that have metrics."""
        return [label for label in self.runs[variant] if self.last(variant, label)]

    def value(self, variant: str, label: Any, key: str = "wr_p") -> float | None:
        """Return one of a run's last grades."""
        last = self.last(variant, label)
        return None if last is None else float(last[key])


Draw = Callable[[Path, Found], None]

_WIN_RATE = Look("", "WR_p", percent=True, ylim=(0.0, 0.55), level=0.5)


def write_c(c: float) -> str:
    """Write c_puct as the paper does: 1/64, 1, 64."""
    return str(Fraction(c).limit_denominator(1000))


def _write_number(value: float) -> str:
    return f"{value:,g}"


#: What runs differ in: how its axis looks, and how its values are written.
AXES: Mapping[str, tuple[Look, Callable[[float], str]]] = {
    "c": (Look("c_puct", "", xscale=2, xticks=CS, write_tick=write_c), write_c),
    "epsilon": (Look("ε", "", xticks=EPSILONS), _write_number),
    "alpha": (
        Look("α", "", xscale=2, xticks=(0.03, 0.15, 0.3, 0.75, 1.5, 3.0, 6.0, 12.0)),
        _write_number,
    ),
    "simulations": (Look("N_sim", "", xscale=2, xticks=SIMULATIONS), _write_number),
}


def draw_curves(axis: str, only: Sequence[float] | None = None) -> Draw:
    """WR_p by iteration, a line for each value of an axis (figures 7, 14, 17)."""

    def draw(path: Path, found: Found) -> None:
        look, write = AXES[axis]
        panels = [
            Panel(
                VARIANTS[variant],
                [
                    _curve(found, variant, label, write(label), rank=label)
                    for label in found.labels(variant)
                    if only is None or label in only
                ],
            )
            for variant in arranged(found.runs)
        ]
        _draw_curves(path, panels, found, legend=look.xlabel, ordered=True)

    return draw


def draw_trials(path: Path, found: Found) -> None:
    """WR_p by iteration, a line for each seed (figure 25)."""
    panels = [
        Panel(
            VARIANTS[variant],
            [
                _curve(found, variant, seed, f"trial {number}")
                for number, seed in enumerate(found.labels(variant), start=1)
            ],
        )
        for variant in arranged(found.runs)
    ]
    _draw_curves(path, panels, found)


def draw_untried_curves(path: Path, found: Found) -> None:
    """WR_p by iteration, a row for each variant, a panel for each N_sim (figure 21)."""
    panels = [
        Panel(
            f"{VARIANTS[variant]}, N_sim = {n}",
            [
                _curve(found, variant, (untried, n), UNTRIED[untried])
                for untried in UNTRIED
                if (untried, n) in found.labels(variant)
            ],
        )
        for variant in found.runs
        for n in CURVES_OF_UNTRIED
    ]
    look = replace(_WIN_RATE, columns=len(CURVES_OF_UNTRIED), size=(3.6, 2.8))
    _draw_curves(path, panels, found, look, legend="initial W/N")


def _draw_curves(
    path: Path, panels: Sequence[Panel], found: Found, look: Look = _WIN_RATE, **more: Any
) -> None:
    look = replace(look, xlabel="iteration", marked=False, shared_legend=True, **more)
    if look.columns == 2:
        look = replace(look, columns=columns(found.runs))
    draw_panels(path, panels, look)


def _curve(found: Found, variant: str, label: Any, name: str, rank: float = 0.0) -> Line:
    graded = found.graded(variant, label)
    x, y = [m["iteration"] for m in graded], [m["wr_p"] for m in graded]
    return Line(name, x, y, rank=rank)


def draw_last_and_max(axis: str) -> Draw:
    """Last WR_p with its interval, and the highest on the way (figures 8, 11, 15)."""

    def draw(path: Path, found: Found) -> None:
        panels = []
        for variant in arranged(found.runs):
            labels = [x for x in found.labels(variant) if not isinstance(x, str)]
            highest = [max(m["wr_p"] for m in found.graded(variant, x)) for x in labels]
            panels.append(
                Panel(
                    VARIANTS[variant],
                    [last_line(found, variant, "last", labels), Line("max", labels, highest)],
                )
            )
        look = replace(AXES[axis][0], **win_rate_fields(), columns=columns(found.runs))
        draw_panels(path, panels, look)

    return draw


def draw_by_untried(axis: str) -> Draw:
    """Last WR_p with its interval, a line for each value of untried moves (20, 23)."""

    def draw(path: Path, found: Found) -> None:
        panels = []
        for variant in arranged(found.runs):
            lines = []
            for untried, name in UNTRIED.items():
                labels = sorted(x for u, x in found.labels(variant) if u == untried)
                pairs = [(untried, x) for x in labels]
                lines.append(last_line(found, variant, name, pairs, labels))
            panels.append(Panel(VARIANTS[variant], lines))
        look = replace(
            AXES[axis][0],
            **win_rate_fields(),
            columns=columns(found.runs),
            legend="initial W/N",
        )
        draw_panels(path, panels, look)

    return draw


def win_rate_fields() -> dict[str, Any]:
    """Return how panels of WR_p look."""
    return {"ylabel": "WR_p", "percent": True, "ylim": (0.0, 0.55), "level": 0.5}


def last_line(
    found: Found, variant: str, name: str, labels: Sequence[Any], x: Sequence[float] | None = None
) -> Line:
    """Return the last WR_p of some runs with their intervals."""
    last = [found.last(variant, label) or {} for label in labels]
    return Line(
        name,
        labels if x is None else x,
        [m["wr_p"] for m in last],
        [m["wr_p_low"] for m in last],
        [m["wr_p_high"] for m in last],
    )


def draw_keys(axis: str, keys: Mapping[str, str], ylabel: str) -> Draw:
    """Draw some of the last metrics, each a line (figures 9, 10, 12, 13, 18, 19)."""

    def draw(path: Path, found: Found) -> None:
        panels = []
        for variant in arranged(found.runs):
            labels = found.labels(variant)
            lines = [
                Line(name, labels, [found.value(variant, x, key) or 0.0 for x in labels])
                for key, name in keys.items()
            ]
            panels.append(Panel(VARIANTS[variant], lines))
        look = replace(AXES[axis][0], ylabel=ylabel, ylim=(0.0, 0.0), columns=columns(found.runs))
        draw_panels(path, panels, look)

    return draw


ERRORS = {"err_p": "ERR_p", "mae_v": "MAE_v"}
UPDATED = {f"updated_{times}": f"≥ {times}" for times in (1, 4, 16)}


def draw_games(path: Path, found: Found) -> None:
    """Games an iteration has at equal self-play time (figure 16)."""
    lines = []
    for variant in found.runs:
        labels = found.labels(variant)
        lines.append(
            Line(VARIANTS[variant], labels, [mean_games(found, variant, n) for n in labels])
        )
    look = replace(
        AXES["simulations"][0], ylabel="games an iteration", yscale=10, columns=1, size=(6, 3.6)
    )
    draw_panels(path, [Panel("equal self-play time", lines)], look)


def mean_games(found: Found, variant: str, label: Any) -> float:
    """Return the games of an iteration on average."""
    games = [line["games"] for line in found.runs[variant][label]]
    return float(sum(games) / len(games))


def draw_watched(path: Path, found: Found) -> None:
    """Policies of the watched position by iteration, a panel for each run (figure 22)."""
    panels = []
    for variant, runs in found.runs.items():
        for (n, untried), metrics in runs.items():
            lines = []
            for move in metrics[0]["watched"][0]["policy"] if metrics else ():
                policy = [line["watched"][0]["policy"][move] for line in metrics]
                lines.append(Line(move, [line["iteration"] for line in metrics], policy))
            title = f"{VARIANTS[variant]}, N_sim = {n}, initial W/N {UNTRIED[untried]}"
            panels.append(Panel(title, lines))
    look = Look(
        "iteration",
        "probability",
        columns=max(len(panels), 1),
        percent=True,
        ylim=(0.0, 1.0),
        marked=False,
        shared_legend=True,
        size=(3.9, 2.9),
    )
    draw_panels(path, panels, look)


def arranged(variants: Mapping[str, Any]) -> list[str]:
    """Return variants as the paper puts six of them: EinStein left, dark chess right."""
    names = [variant for variant in VARIANTS if variant in variants]
    if len(names) < len(VARIANTS):
        return list(variants)
    half = len(names) // 2
    return [name for pair in zip(names[:half], names[half:], strict=True) for name in pair]


def columns(variants: Mapping[str, Any]) -> int:
    """Return how many panels stand in a row."""
    return min(2, max(len(variants), 1))
