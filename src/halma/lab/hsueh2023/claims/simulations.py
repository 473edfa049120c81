"""Section VI: how many simulations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from halma.lab.hsueh2023.claims.words import (
    NO_RUN,
    agree,
    all_close,
    each,
    early_mean,
    numbers,
    percent,
    range_of,
    rising,
    stated,
    told,
    values_of,
)
from halma.lab.hsueh2023.figures import Found, mean_games
from halma.lab.hsueh2023.plan import VARIANTS
from halma.lab.report import Row

#: Seconds of self-play an iteration had in figures 16 and 17.
T_SELF = {"ewn-3x3-3": 2.143, "cdc-2x4-PPPP": 18.418}
#: Footnote 10, and the label of its second run.
FEW, FEW_VARIANT = "few", "cdc-2x4-PPPP"
FOOTNOTE = (0.501, 0.417)
#: N_sim that "could already learn approximately optimal play".
ENOUGH = {"ewn-3x3-3": 25, "cdc-2x4-PPPP": 50}


def fig14(found: Found) -> list[Row]:
    """More simulations learn faster."""

    def rows(variant: str) -> Iterable[Row]:
        early = {n: early_mean(found, variant, n) for n in found.labels(variant)}
        yield Row(
            f"{VARIANTS[variant]}: mean WR_p of the first half, by N_sim",
            '"with higher N_sim, the curves grew more drastically"',
            ", ".join(f"{n}: {percent(value)}" for n, value in early.items()),
            agree(rising(list(early.values()), 0.1)),
        )

    return each(found, rows)


def fig15(found: Found) -> list[Row]:
    """How many simulations are enough; many of them in few iterations are worse."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        enough = ENOUGH.get(variant, 100)
        labels = [n for n in found.labels(variant) if not isinstance(n, str)]
        values = values_of(found, variant, [n for n in labels if n >= enough])
        yield Row(
            f"{name}: {enough} simulations or more",
            '"approximately optimal play"',
            range_of(values.values()),
            all_close(found, variant, values),
        )
        if 6 in labels:
            others = values_of(found, variant, [n for n in labels if n > 6])
            yield Row(
                f"{name}: 6 simulations",
                '"failed"',
                told(found, variant, 6),
                agree((found.value(variant, 6) or 0) < 0.6 * max(others.values(), default=0)),
            )
        if variant == FEW_VARIANT:
            amount = found.planner.amount(variant)
            few, iterations = amount.few_iterations
            yield stated(
                found,
                variant,
                amount.simulations,
                f"{name}: {amount.simulations:,} simulations, {amount.iterations} iterations",
                FOOTNOTE[0],
                "800 simulations, 300 iterations: ",
            )
            yield stated(
                found,
                variant,
                FEW,
                f"{name}: {few:,} simulations, {iterations} iterations",
                FOOTNOTE[1],
                "25,600 simulations, 13 iterations: ",
            )

    return each(found, rows)


def fig16(found: Found) -> list[Row]:
    """How many games there are at equal time."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        labels = found.labels(variant)
        games = {n: mean_games(found, variant, n) for n in labels}
        yield Row(
            f"{name}: games an iteration, by N_sim",
            "fall as N_sim rises; about 40 with 25,600",
            ", ".join(f"{n:,}: {number:,.0f}" for n, number in games.items()) or NO_RUN,
            agree(rising(list(games.values())[::-1])),
        )

    return each(found, rows)


def fig17(found: Found) -> list[Row]:
    """A moderate number of simulations is best at equal time."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        values = values_of(found, variant, found.labels(variant))
        if not values:
            yield Row(f"{name}: last WR_p", "", NO_RUN)
            return
        best = max(values, key=lambda n: values[n])
        yield Row(
            f"{name}: last WR_p, by N_sim",
            '"N_sim between 50 and 400 seemed promising"',
            ", ".join(f"{n:,}: {percent(value)}" for n, value in values.items()),
            agree(_promising(values)) + f"; best with {best:,}",
        )
        if 6 in values:
            yield Row(
                f"{name}: 6 simulations, with more games",
                '"still failed to learn"',
                told(found, variant, 6),
                agree(values[6] < 0.6 * values[best]),
            )

    return each(found, rows)


def _promising(values: dict[Any, float]) -> bool:
    """Whether the moderate numbers of simulations hold the best, but for chance."""
    moderate = [value for n, value in values.items() if 50 <= n <= 400]
    return bool(moderate) and max(moderate) >= max(values.values()) - 0.02


def fig18(found: Found) -> list[Row]:
    """More simulations make smaller errors."""
    most = 0.5 if found.planner.full else 1.0

    def rows(variant: str) -> Iterable[Row]:
        for key, title in (("err_p", "ERR_p"), ("mae_v", "MAE_v")):
            values = values_of(found, variant, found.labels(variant), key)
            listed = list(values.values())
            yield Row(
                f"{VARIANTS[variant]}: {title}, by N_sim",
                '"generally decreased as N_sim increased"',
                numbers(values),
                agree(len(listed) > 1 and listed[-1] < listed[0] * most),
            )

    return each(found, rows)


def fig19(found: Found) -> list[Row]:
    """More simulations see fewer positions."""

    def rows(variant: str) -> Iterable[Row]:
        many = [n for n in found.labels(variant) if n >= 100]
        seen = values_of(found, variant, many, "updated_1")
        yield Row(
            f"{VARIANTS[variant]}: positions updated with 100 simulations or more",
            '"steadily decreased as N_sim increased"',
            numbers(seen),
            agree(rising(list(seen.values())[::-1])),
        )

    return each(found, rows)
