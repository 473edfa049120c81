"""hsueh2023's section VIII: a network in place of the table, graded by the same exact truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halma.lab.hsueh2023.claims.words import agree, percent, told
from halma.lab.hsueh2023.figures import AXES, Found, last_line, win_rate_fields
from halma.lab.hsueh2023.plan import CS, EPSILONS, UNTRIED, UNTRIED_SIMULATIONS, VARIANTS
from halma.lab.panels import Line, Panel, draw_panels
from halma.lab.report import Row
from halma.lab.runs import base_recipe
from halma.learn import Recipe
from halma.learn.settings import Plain

VARIANT = "cdc-2x4-PPPP"
RECIPE = f"hsueh2023/net-{VARIANT}"
#: What a panel varies, by the key of the setting.
_VARIED = {
    "simulations": "search.simulations",
    "c": "search.c",
    "epsilon": "search.dirichlet_weight",
}
#: What counts as close to 50%, and in reduced runs as on the way there.
_NEAR_HALF, _PROMISING = 0.48, 0.4
#: What is close to the usual setting, as a share of its WR_p.
_CLOSE = 0.85
#: The paper's noise from which on learning was stable.
STABLE_EPSILON = 0.15


@dataclass(frozen=True)
class Amount:
    """How much of everything there is."""

    network: str
    iterations: int
    games: int
    simulations: int
    grade_games: int
    #: for untried moves counted as lost, and for the other three values
    axes: Mapping[str, Sequence[float]]
    untried_axes: Mapping[str, Sequence[float]]


FULL = Amount(
    network="hsueh2023",
    iterations=50,
    games=1000,
    simulations=800,
    grade_games=10_000,
    axes={"simulations": UNTRIED_SIMULATIONS, "c": CS, "epsilon": EPSILONS},
    untried_axes={"simulations": UNTRIED_SIMULATIONS, "c": CS},
)
QUICK = Amount(
    network="hsueh2023:filters=32",
    iterations=16,
    games=200,
    simulations=50,
    grade_games=2000,
    axes={"simulations": (6, 25, 100), "c": (CS[0], 1.0, CS[-1]), "epsilon": (0.0, 0.25)},
    untried_axes={"simulations": (6, 25), "c": (CS[0],)},
)


def amount(full: bool) -> Amount:
    """Return the paper's amount or the reduced one."""
    return FULL if full else QUICK


def plan(full: bool, seed: int) -> dict[tuple[str, str, float], Recipe]:
    """Return the runs by what is varied, the value of untried moves, and x."""
    size = amount(full)
    return {
        (axis, untried, x): _run(size, seed, {_VARIED[axis]: x, "search.fpu": untried})
        for untried in UNTRIED
        for axis, xs in (size.axes if untried == "loss" else size.untried_axes).items()
        for x in xs
    }


def _run(size: Amount, seed: int, changes: Mapping[str, Plain]) -> Recipe:
    return base_recipe(RECIPE).changed(
        {
            "seed": seed,
            "network": size.network,
            "iterations": size.iterations,
            "search.simulations": size.simulations,
            "selfplay.games": size.games,
            "selfplay.parallel_games": size.games,
            "truth.every": size.iterations,
            "truth.games": size.grade_games,
            **changes,
        }
    )


def describe(full: bool) -> str:
    """Return how the runs are sized, in words."""
    size = amount(full)
    return (
        f"{size.iterations} iterations of {size.games:,} games with {size.simulations} simulations "
        f"and the network {size.network}, graded at the end by {size.grade_games:,} games"
    )


def draw(path: Path, found: Found) -> None:
    """Last WR_p by N_sim and by c_puct as in figure 24, and by ε, of which the paper only tells."""
    shown = {**win_rate_fields(), "columns": len(_VARIED), "legend": "initial W/N"}
    panels = []
    for axis in _VARIED:
        lines: list[Line] = []
        for untried, name in UNTRIED.items():
            labels = sorted(label for label in _labels(found) if label[:2] == (axis, untried))
            if labels:
                lines.append(last_line(found, VARIANT, name, labels, [x for _, _, x in labels]))
        look = replace(AXES[axis][0], **shown)
        panels.append(Panel(f"{VARIANTS[VARIANT]} with a network", lines, look))
    draw_panels(path, panels, replace(AXES["c"][0], **shown))


def _labels(found: Found) -> list[Any]:
    return found.labels(VARIANT)


def rows(found: Found) -> list[Row]:
    """What the paper says beside what came out."""
    return [*_few_simulations(found), *_small_c(found), *_noise(found), *_most_simulations(found)]


def _by_untried(found: Found, axis: str, x: float) -> dict[str, float]:
    values = {untried: found.value(VARIANT, (axis, untried, x)) for untried in UNTRIED}
    return {untried: value for untried, value in values.items() if value is not None}


def _written(values: Mapping[str, float]) -> str:
    return ", ".join(f"{UNTRIED[untried]}: {percent(value)}" for untried, value in values.items())


def _few_simulations(found: Found) -> Iterable[Row]:
    values = _by_untried(found, "simulations", 6)
    if len(values) == len(UNTRIED):
        right = values["loss"] == min(values.values()) and values["draw"] == max(values.values())
        paper = "as with tables: +0 fails, +0.5 is best"
        yield Row("6 simulations, by initial W/N", paper, _written(values), agree(right))


def _small_c(found: Found) -> Iterable[Row]:
    values = _by_untried(found, "c", CS[0])
    usual = found.value(VARIANT, ("c", "loss", 1.0))
    if len(values) == len(UNTRIED) and usual is not None:
        enough = _CLOSE * usual
        right = all((value >= enough) == (untried != "loss") for untried, value in values.items())
        paper = "as with tables: +0 fails, the others do not"
        yield Row("c_puct = 1/64, by initial W/N", paper, _written(values), agree(right))


def _noise(found: Found) -> Iterable[Row]:
    values = {x: found.value(VARIANT, (a, u, x)) for a, u, x in _labels(found) if a == "epsilon"}
    if values:
        told_values = ", ".join(f"ε = {x:g}: {percent(v or 0)}" for x, v in sorted(values.items()))
        paper = f"close to 50% for ε ≥ {STABLE_EPSILON:g}; unstable below, e.g. 42.0%"
        yield Row("noise at the root", paper, told_values, "")


def _most_simulations(found: Found) -> Iterable[Row]:
    most = max(amount(found.planner.full).axes["simulations"])
    label = ("simulations", "loss", most)
    value = found.value(VARIANT, label)
    if value is not None:
        near = agree(value >= (_NEAR_HALF if found.planner.full else _PROMISING))
        what = f"{most:,g} simulations, initial W/N +0"
        yield Row(what, "close to 50%", told(found, VARIANT, label), near)
