"""Section V: c_puct and the noise at the root."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from halma.lab.hsueh2023.claims.words import (
    agree,
    all_close,
    each,
    early_mean,
    numbers,
    percent,
    range_of,
    rising,
    short,
    told,
    values_of,
)
from halma.lab.hsueh2023.figures import Found, write_c
from halma.lab.hsueh2023.plan import VARIANTS
from halma.lab.report import Row

#: Figure 11: variants that learn well without noise.
LEARNS_WITHOUT_NOISE = ("ewn-3x3-3", "ewn-3x3-4")


def fig7(found: Found) -> list[Row]:
    """c_puct: all but the ends learn; higher ones learn more slowly."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        labels = found.labels(variant)
        middle = values_of(found, variant, [c for c in labels if 0.5 <= c <= 4])
        yield Row(
            f"{name}: last WR_p but for the extreme ends",
            '"got close to 50%"',
            range_of(middle.values()),
            all_close(found, variant, middle),
        )
        slow = {c: early_mean(found, variant, c) for c in labels if c >= 1}
        yield Row(
            f"{name}: mean WR_p of the first half, by c_puct",
            '"higher c_puct tended to learn slower"',
            ", ".join(f"{write_c(c)}: {percent(value)}" for c, value in slow.items()),
            agree(rising(list(slow.values())[::-1], 0.1)),
        )

    return each(found, rows)


def fig8(found: Found) -> list[Row]:
    """c_puct between 1/2 and 4 is good everywhere."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        labels = found.labels(variant)
        good = values_of(found, variant, [c for c in labels if 0.5 <= c <= 4])
        yield Row(
            f"{name}: c_puct from 1/2 to 4",
            '"WR_p close to 50%"',
            range_of(good.values()),
            all_close(found, variant, good),
        )
        for c in (c for c in labels if c in (min(labels), max(labels))):
            ends = found.value(variant, c) or 0.0
            yield Row(
                f"{name}: c_puct = {write_c(c)}",
                "poor",
                told(found, variant, c),
                agree(ends < 0.8 * max(good.values())) if good and c not in good else "",
            )
        if good:
            gap = max(
                max(m["wr_p"] for m in found.graded(variant, c)) - value
                for c, value in good.items()
            )
            yield Row(
                f"{name}: from the last WR_p to the highest, at most",
                '"did not differ too much"',
                f"{100 * gap:.2f} points",
                agree(gap < 0.03),
            )

    return each(found, rows)


def _ends_are_worse(found: Found, variant: str, labels: Sequence[Any], at: Any) -> Iterable[Row]:
    for key, title in (("err_p", "ERR_p"), ("mae_v", "MAE_v")):
        values = values_of(found, variant, [labels[0], at, labels[-1]], key) if labels else {}
        if len(values) < 3:
            continue
        first, middle, last = values.values()
        yield Row(
            f"{VARIANTS[variant]}: {title} at the lowest c_puct, at 1, at the highest",
            '"for low and high values both went high"',
            f"{first:.4f}, {middle:.4f}, {last:.4f}",
            agree(first > middle < last),
        )


def fig9(found: Found) -> list[Row]:
    """Errors are high at both ends."""
    return each(found, lambda v: _ends_are_worse(found, v, found.labels(v), 1.0))


def fig10(found: Found) -> list[Row]:
    """A higher c_puct sees more positions."""

    def rows(variant: str) -> Iterable[Row]:
        moderate = [c for c in found.labels(variant) if 1 / 8 <= c <= 8]
        seen = values_of(found, variant, moderate, "updated_1")
        yield Row(
            f"{VARIANTS[variant]}: positions updated, c_puct from 1/8 to 8",
            '"with a higher c_puct, the number went higher"',
            numbers(seen, write_c),
            agree(rising(list(seen.values()))),
        )

    return each(found, rows)


def alpha(found: Found) -> list[Row]:
    """The shape of the noise hardly matters."""

    def rows(variant: str) -> Iterable[Row]:
        values = values_of(found, variant, found.labels(variant))
        errors = values_of(found, variant, found.labels(variant), "err_p")
        yield Row(
            f"{VARIANTS[variant]}: last WR_p over all α",
            '"all close to 50%"',
            range_of(values.values()),
            all_close(found, variant, values),
        )
        yield Row(
            f"{VARIANTS[variant]}: ERR_p over all α",
            '"relatively low"',
            range_of(errors.values(), short),
        )

    return each(found, rows)


def fig11(found: Found) -> list[Row]:
    """Any noise is enough; none is not, but for the two shortest games."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        noisy = values_of(found, variant, [x for x in found.labels(variant) if x > 0])
        yield Row(
            f"{name}: last WR_p with ε from 0.1 to 0.5",
            '"close to 50%"',
            range_of(noisy.values()),
            all_close(found, variant, noisy),
        )
        without = found.value(variant, 0.0)
        if without is not None and noisy:
            learns = without >= min(noisy.values()) - 0.02
            expected = variant in LEARNS_WITHOUT_NOISE
            yield Row(
                f"{name}: ε = 0",
                '"learned well"' if expected else '"relatively bad results"',
                told(found, variant, 0.0),
                agree(learns == expected),
            )

    return each(found, rows)


def fig12(found: Found) -> list[Row]:
    """Errors are low where there is noise."""

    def rows(variant: str) -> Iterable[Row]:
        for key, title in (("err_p", "ERR_p"), ("mae_v", "MAE_v")):
            values = values_of(found, variant, found.labels(variant), key)
            without = values.pop(0.0, None)
            row = f"{VARIANTS[variant]}: {title} with ε > 0"
            if without is None or not values:
                continue
            if variant in LEARNS_WITHOUT_NOISE:
                yield Row(row, '"relatively low"', range_of(values.values(), short))
            else:
                yield Row(
                    row + ", and without noise",
                    '"relatively low"; higher without',
                    f"{range_of(values.values(), short)}; {without:.4f}",
                    agree(without > max(values.values())),
                )

    return each(found, rows)


def fig13(found: Found) -> list[Row]:
    """More noise sees more positions."""

    def rows(variant: str) -> Iterable[Row]:
        seen = values_of(found, variant, found.labels(variant), "updated_1")
        yield Row(
            f"{VARIANTS[variant]}: positions updated, by ε",
            '"the numbers increased as ε increased"',
            numbers(seen),
            agree(rising(list(seen.values()))),
        )

    return each(found, rows)
