"""Section V: c_puct and the Dirichlet noise at the root."""

from __future__ import annotations

from halma.lab.hsueh2023.axis_figure import axis_figure
from halma.lab.hsueh2023.claims import (
    Claims,
    agree,
    all_close,
    is_falling,
    is_rising,
    listed,
    percent,
    short,
    span,
    with_interval,
)
from halma.lab.hsueh2023.figures import ERRORS, curves
from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import ALL_VARIANTS, CS, MAIN_VARIANTS, write_fraction
from halma.lab.report import Claim

#: Figure 11: variants that learn well without noise.
LEARNS_WITHOUT_NOISE = ("ewn-3x3-3", "ewn-3x3-4")


def claims_fig7(runs: VariantRuns) -> Claims:
    """All c_puct but the extremes learn; higher ones learn more slowly."""
    middle = runs.values(c for c in runs.labels if 0.5 <= c <= 4)
    yield Claim(
        "last WR_p but for the extreme ends",
        '"got close to 50%"',
        span(middle.values()),
        all_close(runs, middle),
    )
    early = {c: runs.early_mean(c) for c in runs.labels if c >= 1}
    yield Claim(
        "mean WR_p of the first half, by c_puct",
        '"higher c_puct tended to learn slower"',
        listed(early, percent, write_fraction),
        agree(is_falling(early.values(), 0.1)),
    )


def claims_fig8(runs: VariantRuns) -> Claims:
    """c_puct between 1/2 and 4 is good everywhere."""
    good = runs.values(c for c in runs.labels if 0.5 <= c <= 4)
    yield Claim(
        "c_puct from 1/2 to 4", '"WR_p close to 50%"', span(good.values()), all_close(runs, good)
    )
    ends = [c for c in runs.labels if c in (min(runs.labels), max(runs.labels))]
    for c, value in runs.values(ends).items():
        poor = agree(value < 0.8 * max(good.values())) if good and c not in good else ""
        yield Claim(f"c_puct = {write_fraction(c)}", "poor", with_interval(runs, c), poor)
    if good:
        gap = max(runs.highest(c) - value for c, value in good.items())
        yield Claim(
            "from the last WR_p to the highest, at most",
            '"did not differ too much"',
            f"{100 * gap:.2f} points",
            agree(gap < 0.03),
        )


def claims_fig9(runs: VariantRuns) -> Claims:
    """Errors are high at both ends."""
    for key, title in ERRORS.items():
        at = [*runs.labels[:1], 1.0, *runs.labels[-1:]]
        values = list(runs.values(at, key).values())
        if len(values) == 3:
            first, middle, last = values
            yield Claim(
                f"{title} at the lowest c_puct, at 1, at the highest",
                '"for low and high values both went high"',
                f"{first:.4f}, {middle:.4f}, {last:.4f}",
                agree(first > middle < last),
            )


def claims_fig10(runs: VariantRuns) -> Claims:
    """A higher c_puct updates more positions."""
    seen = runs.values((c for c in runs.labels if 1 / 8 <= c <= 8), "updated_1")
    yield Claim(
        "positions updated, c_puct from 1/8 to 8",
        '"with a higher c_puct, the number went higher"',
        listed(seen, write_label=write_fraction),
        agree(is_rising(seen.values())),
    )


def claims_alpha(runs: VariantRuns) -> Claims:
    """The shape of the noise hardly matters."""
    values = runs.values()
    yield Claim(
        "last WR_p over all α", '"all close to 50%"', span(values.values()), all_close(runs, values)
    )
    errors = runs.values(key="err_p")
    yield Claim("ERR_p over all α", '"relatively low"', span(errors.values(), short))


def claims_fig11(runs: VariantRuns) -> Claims:
    """Any noise is enough; without noise only the two shortest games are learned."""
    noisy = runs.values(x for x in runs.labels if x > 0)
    yield Claim(
        "last WR_p with ε from 0.1 to 0.5",
        '"close to 50%"',
        span(noisy.values()),
        all_close(runs, noisy),
    )
    without = runs.value(0.0)
    if without is not None and noisy:
        expected = runs.variant in LEARNS_WITHOUT_NOISE
        yield Claim(
            "ε = 0",
            '"learned well"' if expected else '"relatively bad results"',
            with_interval(runs, 0.0),
            agree((without >= min(noisy.values()) - 0.02) == expected),
        )


def claims_fig12(runs: VariantRuns) -> Claims:
    """Errors are low where there is noise."""
    for key, title in ERRORS.items():
        values = runs.values(key=key)
        without = values.pop(0.0, None)
        if without is None or not values:
            continue
        ours = span(values.values(), short)
        if runs.variant in LEARNS_WITHOUT_NOISE:
            yield Claim(f"{title} with ε > 0", '"relatively low"', ours)
        else:
            yield Claim(
                f"{title} with ε > 0, and without noise",
                '"relatively low"; higher without',
                f"{ours}; {without:.4f}",
                agree(without > max(values.values())),
            )


def claims_fig13(runs: VariantRuns) -> Claims:
    """More noise updates more positions."""
    seen = runs.values(key="updated_1")
    yield Claim(
        "positions updated, by ε",
        '"the numbers increased as ε increased"',
        listed(seen),
        agree(is_rising(seen.values())),
    )


EXPERIMENTS = (
    axis_figure(7, "curves", "c", claims_fig7, variants=ALL_VARIANTS, panels=curves("c", CS[::2])),
    axis_figure(8, "last", "c", claims_fig8, variants=ALL_VARIANTS),
    axis_figure(9, "errors", "c", claims_fig9),
    axis_figure(10, "updated", "c", claims_fig10),
    axis_figure(
        0,
        "last",
        "alpha",
        claims_alpha,
        name="alpha",
        title="Section V-C: different α of Dirichlet noise",
        variants=ALL_VARIANTS,
        quick_variants=MAIN_VARIANTS,
        text="The paper leaves this figure out, as all α were alike.",
    ),
    axis_figure(11, "last", "epsilon", claims_fig11, variants=ALL_VARIANTS),
    axis_figure(12, "errors", "epsilon", claims_fig12),
    axis_figure(13, "updated", "epsilon", claims_fig13),
)
