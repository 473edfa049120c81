"""Section VII: what a move counts as before it is tried; and trials of the default setting."""

from __future__ import annotations

from collections.abc import Iterable

from halma.lab.hsueh2023.claims.words import (
    NEAR,
    NO_RUN,
    agree,
    close,
    each,
    early_mean,
    percent,
    range_of,
    short,
    stated,
    values_of,
)
from halma.lab.hsueh2023.figures import Found, write_c
from halma.lab.hsueh2023.plan import UNTRIED, VARIANTS, WATCHED
from halma.lab.report import Row

#: WR_p with 6 simulations in figure 20; "about" where the paper says so.
SIX_SIMULATIONS = {
    "ewn-3x3-3": {"loss": 0.1062, "draw": 0.4305, "win": 0.34, "infinite": 0.34},
    "cdc-2x4-PPPP": {"loss": 0.0190, "draw": 0.1672, "win": 0.05, "infinite": 0.05},
}
_ABOUT = ("win", "infinite")
#: What figure 22's moves are worth.
WATCHED_VALUES = {"b1-c2": 0.827, "b1-b2": 0.193, "b1-c1": 0.144}


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
        six = values_of(found, variant, [(untried, 6) for untried in UNTRIED])
        if len(six) == len(UNTRIED):
            order = sorted(six, key=lambda label: six[label])
            yield Row(
                f"{name}: 6 simulations, from the worst to the best",
                "+0, then +1 and +∞, then +0.5",
                ", ".join(UNTRIED[untried] for untried, _ in order),
                agree(order[0][0] == "loss" and order[-1][0] == "draw"),
            )
        yield from _alike(found, variant, 100)

    return each(found, rows)


def _alike(found: Found, variant: str, simulations: int) -> Iterable[Row]:
    values = values_of(found, variant, [(untried, simulations) for untried in UNTRIED])
    if len(values) == len(UNTRIED):
        spread = max(values.values()) - min(values.values())
        yield Row(
            f"{VARIANTS[variant]}: {simulations} simulations, all initial W/N",
            '"did not differ too much, and all were close to 50%"',
            range_of(values.values()),
            agree(spread < (0.03 if found.planner.full else 0.1)),
        )


def fig21(found: Found) -> list[Row]:
    """The same, on the way."""

    def rows(variant: str) -> Iterable[Row]:
        early = {
            untried: early_mean(found, variant, (untried, 6))
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

    return each(found, rows)


def fig22(found: Found) -> list[Row]:
    """Where the policy of one position goes."""

    def rows(variant: str) -> Iterable[Row]:
        for (n, untried), metrics in found.runs[variant].items():
            what = f"N_sim = {n}, initial W/N {UNTRIED[untried]}: last policy"
            fails = (n, untried) == (6, "loss")
            claim = '"almost all to ↓" (b1-c1), the worst' if fails else "b1-c2 almost 100%"
            if not metrics:
                yield Row(what, claim, NO_RUN)
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
        *each(found, rows),
    ]


def exact_watched_values() -> dict[str, float]:
    """Return what the moves of figure 22's position are worth, by the exact solution."""
    from halma.games import game
    from halma.learn.truth import find_solution

    solution = find_solution(game("ewn-3x3-3"))
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
                agree(values["loss"] < min(others) and close(found, variant, others)),
            )

    return each(found, rows)


def fig25(found: Found) -> list[Row]:
    """Trials are alike."""

    def rows(variant: str) -> Iterable[Row]:
        name = VARIANTS[variant]
        values = values_of(found, variant, found.labels(variant))
        if not values:
            yield Row(f"{name}: last WR_p", "", NO_RUN)
            return
        average = sum(values.values()) / len(values)
        yield Row(
            f"{name}: last WR_p, mean of all trials ({len(values)})",
            "close to 50%",
            percent(average),
            agree(abs(average - 0.5) <= NEAR) if found.planner.full else "",
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
            errors = values_of(found, variant, found.labels(variant), key)
            yield Row(f"{name}: {title} of the trials", "", range_of(errors.values(), short))

    return each(found, rows)
