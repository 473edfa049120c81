"""What hsueh2023 says in its text, beside what came of running it again.

A full run is held to the paper's words: near 50% is within two points of it. A reduced run
has not learnt to its end, so it is compared with the best of its own kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from halma.lab.hsueh2023_figures import Found, mean_games, write_c
from halma.lab.hsueh2023_plan import UNTRIED, VARIANTS, WATCHED
from halma.lab.report import Row

#: Seconds of self-play an iteration had in figures 16 and 17.
T_SELF = {"ewn-3x3-3": 2.143, "cdc-2x4-PPPP": 18.418}
#: WR_p with 6 simulations in figure 20; "about" where the paper says so.
SIX_SIMULATIONS = {
    "ewn-3x3-3": {"loss": 0.1062, "draw": 0.4305, "win": 0.34, "infinite": 0.34},
    "cdc-2x4-PPPP": {"loss": 0.0190, "draw": 0.1672, "win": 0.05, "infinite": 0.05},
}
_ABOUT = ("win", "infinite")
#: Footnote 10, and the label of its second run.
FEW, FEW_VARIANT = "few", "cdc-2x4-PPPP"
FOOTNOTE = (0.501, 0.417)
#: What figure 22's moves are worth.
WATCHED_VALUES = {"b1-c2": 0.827, "b1-b2": 0.193, "b1-c1": 0.144}
#: Figure 11: variants that learn well without noise.
LEARNS_WITHOUT_NOISE = ("ewn-3x3-3", "ewn-3x3-4")

_NEAR, _FAR = 0.015, 0.05
_CLOSE_TO_HALF = 0.48
_CLOSE_TO_BEST = 0.85


def percent(value: float) -> str:
    """Write a share as the paper does."""
    return f"{100 * value:.2f}%"


def told(found: Found, variant: str, label: Any) -> str:
    """Write the last WR_p of a run with its interval."""
    last = found.last(variant, label)
    if last is None:
        return "not run yet"
    return f"{percent(last['wr_p'])} ({percent(last['wr_p_low'])} to {percent(last['wr_p_high'])})"


def verdict(paper: float, low: float, high: float) -> str:
    """Say whether a figure of the paper and an interval of ours go together."""
    apart = max(0.0, low - paper, paper - high)
    if apart <= _NEAR:
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


def _close(found: Found, variant: str, values: Sequence[float]) -> bool:
    """Whether WR_p is close to 50%, or in reduced runs to the best of the variant."""
    if not values:
        return False
    if found.planner.full:
        return min(values) >= _CLOSE_TO_HALF
    best = max(found.value(variant, label) or 0.0 for label in found.labels(variant))
    return min(values) >= _CLOSE_TO_BEST * best


def _all_close(found: Found, variant: str, values: dict[Any, float]) -> str:
    """Say whether all of several runs are close; one reduced run alone says nothing."""
    if not values or (len(values) < 2 and not found.planner.full):
        return ""
    return agree(_close(found, variant, list(values.values())))


def _values(
    found: Found, variant: str, labels: Iterable[Any], key: str = "wr_p"
) -> dict[Any, float]:
    return {
        label: value for label in labels if (value := found.value(variant, label, key)) is not None
    }


def _range(values: Iterable[float], write: Callable[[float], str] = percent) -> str:
    listed = list(values)
    if not listed:
        return "not run yet"
    low, high = write(min(listed)), write(max(listed))
    return low if low == high else f"{low} to {high}"


def _each(found: Found, rows: Callable[[str], Iterable[Row]]) -> list[Row]:
    return [row for variant in found.runs for row in rows(variant)]


def _early(found: Found, variant: str, label: Any) -> float:
    """Return the mean WR_p of the first half of training."""
    graded = [line["wr_p"] for line in found.graded(variant, label)]
    half = graded[: max(1, len(graded) // 2)]
    return float(sum(half) / len(half))


def _rising(values: Sequence[float], tolerance: float = 0.05) -> bool:
    """Whether numbers go up, but for a small step back here and there, and more than a little."""
    steps = all(after >= before * (1 - tolerance) for before, after in pairwise(values))
    return len(values) > 1 and steps and values[-1] > values[0]


def _numbers(values: dict[Any, float], write: Callable[[Any], str] = str) -> str:
    if not values:
        return "not run yet"
    return ", ".join(f"{write(x)}: {_short(value)}" for x, value in values.items())


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.4f}"


# Section V.


def fig7(found: Found) -> list[Row]:
    """c_puct: all but the ends learn; higher ones learn more slowly."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        labels = found.labels(variant)
        middle = _values(found, variant, [c for c in labels if 0.5 <= c <= 4])
        yield Row(
            f"{name}: last WR_p but for the extreme ends",
            '"got close to 50%"',
            _range(middle.values()),
            _all_close(found, variant, middle),
        )
        slow = {c: _early(found, variant, c) for c in labels if c >= 1}
        yield Row(
            f"{name}: mean WR_p of the first half, by c_puct",
            '"higher c_puct tended to learn slower"',
            ", ".join(f"{write_c(c)}: {percent(value)}" for c, value in slow.items()),
            agree(_rising(list(slow.values())[::-1], 0.1)),
        )

    return _each(found, rows)


def fig8(found: Found) -> list[Row]:
    """c_puct between 1/2 and 4 is good everywhere."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        labels = found.labels(variant)
        good = _values(found, variant, [c for c in labels if 0.5 <= c <= 4])
        yield Row(
            f"{name}: c_puct from 1/2 to 4",
            '"WR_p close to 50%"',
            _range(good.values()),
            _all_close(found, variant, good),
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

    return _each(found, rows)


def _ends_are_worse(found: Found, variant: str, labels: Sequence[Any], at: Any) -> Iterable[Row]:
    for key, title in (("err_p", "ERR_p"), ("mae_v", "MAE_v")):
        values = _values(found, variant, [labels[0], at, labels[-1]], key) if labels else {}
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
    return _each(found, lambda v: _ends_are_worse(found, v, found.labels(v), 1.0))


def fig10(found: Found) -> list[Row]:
    """A higher c_puct sees more positions."""

    def rows(variant: str) -> Iterable[Row]:
        moderate = [c for c in found.labels(variant) if 1 / 8 <= c <= 8]
        seen = _values(found, variant, moderate, "updated_1")
        yield Row(
            f"{VARIANTS[variant]}: positions updated, c_puct from 1/8 to 8",
            '"with a higher c_puct, the number went higher"',
            _numbers(seen, write_c),
            agree(_rising(list(seen.values()))),
        )

    return _each(found, rows)


def alpha(found: Found) -> list[Row]:
    """The shape of the noise hardly matters."""

    def rows(variant: str) -> Iterable[Row]:
        values = _values(found, variant, found.labels(variant))
        errors = _values(found, variant, found.labels(variant), "err_p")
        yield Row(
            f"{VARIANTS[variant]}: last WR_p over all α",
            '"all close to 50%"',
            _range(values.values()),
            _all_close(found, variant, values),
        )
        yield Row(
            f"{VARIANTS[variant]}: ERR_p over all α",
            '"relatively low"',
            _range(errors.values(), _short),
        )

    return _each(found, rows)


def fig11(found: Found) -> list[Row]:
    """Any noise is enough; none is not, but for the two shortest games."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        noisy = _values(found, variant, [x for x in found.labels(variant) if x > 0])
        yield Row(
            f"{name}: last WR_p with ε from 0.1 to 0.5",
            '"close to 50%"',
            _range(noisy.values()),
            _all_close(found, variant, noisy),
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

    return _each(found, rows)


def fig12(found: Found) -> list[Row]:
    """Errors are low where there is noise."""

    def rows(variant: str) -> Iterable[Row]:
        for key, title in (("err_p", "ERR_p"), ("mae_v", "MAE_v")):
            values = _values(found, variant, found.labels(variant), key)
            without = values.pop(0.0, None)
            row = f"{VARIANTS[variant]}: {title} with ε > 0"
            if without is None or not values:
                continue
            if variant in LEARNS_WITHOUT_NOISE:
                yield Row(row, '"relatively low"', _range(values.values(), _short))
            else:
                yield Row(
                    row + ", and without noise",
                    '"relatively low"; higher without',
                    f"{_range(values.values(), _short)}; {without:.4f}",
                    agree(without > max(values.values())),
                )

    return _each(found, rows)


def fig13(found: Found) -> list[Row]:
    """More noise sees more positions."""

    def rows(variant: str) -> Iterable[Row]:
        seen = _values(found, variant, found.labels(variant), "updated_1")
        yield Row(
            f"{VARIANTS[variant]}: positions updated, by ε",
            '"the numbers increased as ε increased"',
            _numbers(seen),
            agree(_rising(list(seen.values()))),
        )

    return _each(found, rows)


# Section VI.

#: N_sim that "could already learn approximately optimal play".
ENOUGH = {"ewn-3x3-3": 25, "cdc-2x4-PPPP": 50}


def fig14(found: Found) -> list[Row]:
    """More simulations learn faster."""

    def rows(variant: str) -> Iterable[Row]:
        early = {n: _early(found, variant, n) for n in found.labels(variant)}
        yield Row(
            f"{VARIANTS[variant]}: mean WR_p of the first half, by N_sim",
            '"with higher N_sim, the curves grew more drastically"',
            ", ".join(f"{n}: {percent(value)}" for n, value in early.items()),
            agree(_rising(list(early.values()), 0.1)),
        )

    return _each(found, rows)


def fig15(found: Found) -> list[Row]:
    """How many simulations are enough; many of them in few iterations are worse."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        enough = ENOUGH.get(variant, 100)
        labels = [n for n in found.labels(variant) if not isinstance(n, str)]
        values = _values(found, variant, [n for n in labels if n >= enough])
        yield Row(
            f"{name}: {enough} simulations or more",
            '"approximately optimal play"',
            _range(values.values()),
            _all_close(found, variant, values),
        )
        if 6 in labels:
            others = _values(found, variant, [n for n in labels if n > 6])
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

    return _each(found, rows)


def fig16(found: Found) -> list[Row]:
    """How many games there are at equal time."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        labels = found.labels(variant)
        games = {n: mean_games(found, variant, n) for n in labels}
        yield Row(
            f"{name}: games an iteration, by N_sim",
            "fall as N_sim rises; about 40 with 25,600",
            ", ".join(f"{n:,}: {number:,.0f}" for n, number in games.items()) or "not run yet",
            agree(_rising(list(games.values())[::-1])),
        )

    return _each(found, rows)


def fig17(found: Found) -> list[Row]:
    """A moderate number of simulations is best at equal time."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        values = _values(found, variant, found.labels(variant))
        if not values:
            yield Row(f"{name}: last WR_p", "", "not run yet")
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

    return _each(found, rows)


def _promising(values: dict[Any, float]) -> bool:
    """Whether the moderate numbers of simulations hold the best, but for chance."""
    moderate = [value for n, value in values.items() if 50 <= n <= 400]
    return bool(moderate) and max(moderate) >= max(values.values()) - 0.02


def fig18(found: Found) -> list[Row]:
    """More simulations make smaller errors."""
    most = 0.5 if found.planner.full else 1.0

    def rows(variant: str) -> Iterable[Row]:
        for key, title in (("err_p", "ERR_p"), ("mae_v", "MAE_v")):
            values = _values(found, variant, found.labels(variant), key)
            numbers = list(values.values())
            yield Row(
                f"{VARIANTS[variant]}: {title}, by N_sim",
                '"generally decreased as N_sim increased"',
                _numbers(values),
                agree(len(numbers) > 1 and numbers[-1] < numbers[0] * most),
            )

    return _each(found, rows)


def fig19(found: Found) -> list[Row]:
    """More simulations see fewer positions."""

    def rows(variant: str) -> Iterable[Row]:
        many = [n for n in found.labels(variant) if n >= 100]
        seen = _values(found, variant, many, "updated_1")
        yield Row(
            f"{VARIANTS[variant]}: positions updated with 100 simulations or more",
            '"steadily decreased as N_sim increased"',
            _numbers(seen),
            agree(_rising(list(seen.values())[::-1])),
        )

    return _each(found, rows)


# Section VII.


def fig20(found: Found) -> list[Row]:
    """Untried values differ where simulations are few."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        for untried, paper in SIX_SIMULATIONS.get(variant, {}).items():
            yield stated(
                found,
                variant,
                (untried, 6),
                f"{name}: 6 simulations, initial W/N {UNTRIED[untried]}",
                paper,
                "about " if untried in _ABOUT else "",
            )
        six = _values(found, variant, [(untried, 6) for untried in UNTRIED])
        if len(six) == len(UNTRIED):
            order = sorted(six, key=lambda label: six[label])
            yield Row(
                f"{name}: 6 simulations, from the worst to the best",
                "+0, then +1 and +∞, then +0.5",
                ", ".join(UNTRIED[untried] for untried, _ in order),
                agree(order[0][0] == "loss" and order[-1][0] == "draw"),
            )
        yield from _alike(found, variant, 100)

    return _each(found, rows)


def _alike(found: Found, variant: str, simulations: int) -> Iterable[Row]:
    values = _values(found, variant, [(untried, simulations) for untried in UNTRIED])
    if len(values) == len(UNTRIED):
        spread = max(values.values()) - min(values.values())
        yield Row(
            f"{VARIANTS[variant]}: {simulations} simulations, all initial W/N",
            '"did not differ too much, and all were close to 50%"',
            _range(values.values()),
            agree(spread < (0.03 if found.planner.full else 0.1)),
        )


def fig21(found: Found) -> list[Row]:
    """The same, on the way."""

    def rows(variant: str) -> Iterable[Row]:
        early = {
            untried: _early(found, variant, (untried, 6))
            for untried in UNTRIED
            if (untried, 6) in found.labels(variant)
        }
        if early:
            yield Row(
                f"{VARIANTS[variant]}: 6 simulations, mean WR_p of the first half",
                "+0.5 best, +0 worst",
                ", ".join(f"{UNTRIED[u]}: {percent(value)}" for u, value in early.items()),
                agree(
                    max(early, key=lambda u: early[u]) == "draw"
                    and min(early, key=lambda u: early[u]) == "loss"
                ),
            )
        yield from _alike(found, variant, 100)

    return _each(found, rows)


def fig22(found: Found) -> list[Row]:
    """Where the policy of one position goes."""

    def rows(variant: str) -> Iterable[Row]:
        for (n, untried), metrics in found.runs[variant].items():
            what = f"N_sim = {n}, initial W/N {UNTRIED[untried]}: last policy"
            fails = (n, untried) == (6, "loss")
            claim = '"almost all to ↓" (b1-c1), the worst' if fails else "b1-c2 almost 100%"
            if not metrics:
                yield Row(what, claim, "not run yet")
                continue
            policy = metrics[-1]["watched"][0]["policy"]
            best = policy["b1-c2"] > 0.5
            remark = agree(best != fails)
            if best and fails:
                remark += " with this seed: what is tried first takes all, here the best by chance"
            yield Row(
                what,
                claim,
                ", ".join(f"{move} {percent(policy[move])}" for move in WATCHED_VALUES),
                remark,
            )

    worth = exact_watched_values()
    return [
        Row(
            "theoretical values of b1-c2, b1-b2, b1-c1",
            ", ".join(f"{value:.3f}" for value in WATCHED_VALUES.values()),
            ", ".join(f"{worth[move]:.3f}" for move in WATCHED_VALUES),
            agree(all(abs(worth[m] - v) < 0.001 for m, v in WATCHED_VALUES.items())),
        ),
        *_each(found, rows),
    ]


def exact_watched_values() -> dict[str, float]:
    """Return what the moves of figure 22's position are worth, by the exact solution."""
    from halma.learn import load
    from halma.learn.tabular import find_solution

    solution = find_solution(load("hsueh2023/ewn-3x3-3"))
    moves = solution.moves(solution.game.position(WATCHED))
    return {move.move.text: float(move.value) for move in moves}


def watched_position() -> dict[str, str]:
    """Return a picture of figure 22's position."""
    from halma.games import game

    return {"fig22-position.svg": game("ewn-3x3-3").position(WATCHED).svg(size=220)}


def fig23(found: Found) -> list[Row]:
    """A low c_puct fails with +0 only."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        for c in sorted({c for _, c in found.labels(variant) if c <= 1 / 16}):
            values = {
                untried: value
                for untried in UNTRIED
                if (value := found.value(variant, (untried, c))) is not None
            }
            others = [value for untried, value in values.items() if untried != "loss"]
            if "loss" not in values or not others:
                continue
            yield Row(
                f"{name}: c_puct = {write_c(c)}",
                '"+0 was the worst and the remaining three were all close to 50%"',
                ", ".join(f"{UNTRIED[u]}: {percent(value)}" for u, value in values.items()),
                agree(values["loss"] < min(others) and _close(found, variant, others)),
            )

    return _each(found, rows)


# Appendix A-A.


def fig25(found: Found) -> list[Row]:
    """Trials are alike."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        values = _values(found, variant, found.labels(variant))
        if not values:
            yield Row(f"{name}: last WR_p", "", "not run yet")
            return
        average = sum(values.values()) / len(values)
        yield Row(
            f"{name}: last WR_p, mean of all trials ({len(values)})",
            "close to 50%",
            percent(average),
            agree(abs(average - 0.5) <= _NEAR) if found.planner.full else "",
        )
        if len(values) > 1:
            spread = max(values.values()) - min(values.values())
            yield Row(
                f"{name}: last WR_p of each trial",
                '"the differences were very limited"',
                ", ".join(percent(value) for value in values.values())
                + f"; {100 * spread:.2f} points apart",
                agree(spread < 0.03),
            )
        for key, title in (("err_p", "ERR_p"), ("mae_v", "MAE_v")):
            errors = _values(found, variant, found.labels(variant), key)
            yield Row(f"{name}: {title} of the trials", "", _range(errors.values(), _short))

    return _each(found, rows)
