"""A match and a tournament as one object for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from halma.arena.sprt import Sprt
from halma.arena.tally import Group, Tally


def match_report(tally: Tally, sprt: Sprt | None = None) -> dict[str, Any]:
    """Return all figures of a match; wins, draws and losses are the first agent's."""
    plan, all_games = tally.plan, tally.all
    return {
        "game": plan.game,
        "agents": list(plan.agents),
        "seed": plan.seed,
        "opening_plies": plan.opening_plies,
        "book_positions": len(plan.book),
        "games": tally.games,
        "distinct_games": tally.distinct,
        "sets": len(tally.sets),
        "set_size": plan.set_size,
        "wins": all_games.wins,
        "draws": all_games.draws,
        "losses": all_games.losses,
        "wins_interval": list(tally.rate("wins").interval),
        "draws_interval": list(tally.rate("draws").interval),
        "losses_interval": list(tally.rate("losses").interval),
        "scores": tally.points,
        "points": tally.point_shares,
        "points_interval": list(tally.share.interval),
        "elo": tally.elo,
        "elo_interval": list(tally.elo_interval),
        "los": tally.superiority,
        "pentanomial": tally.pentanomial,
        "sprt": None if sprt is None else sprt.as_dict(tally.set_shares),
        "seats": _seats(tally),
        "seats_held": {
            str(held): _group(group) for held, group in sorted(tally.by_seats_held.items())
        },
        "ends": dict(tally.ends),
        "mean_plies": tally.plies / tally.games if tally.games else 0.0,
        "warnings": tally.warnings,
    }


def _seats(tally: Tally) -> list[dict[str, Any]]:
    """Return, seat by seat, the share of all points made there and the first agent's games."""
    total = sum(tally.seat_points) or 1.0
    return [
        {"seat": seat + 1, "points": tally.seat_points[seat] / total, "first": _group(group)}
        for seat, group in enumerate(tally.by_seat)
    ]


def _group(group: Group) -> dict[str, Any]:
    return asdict(group)
