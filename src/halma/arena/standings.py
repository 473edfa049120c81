"""The standings of a file of stored games: for each variant, a crosstable with ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halma.arena.crosstable import as_dicts, crosstable
from halma.arena.plan import Plan
from halma.arena.ratings import rate
from halma.arena.store import GameStore, StoredMatch
from halma.arena.tally import Tally
from halma.errors import StoreError
from halma.structure import fields, list_of, optional, whole

_PLAN = fields(
    {"max_plies": whole(1)},
    {"opening_plies": whole(), "teams": optional(list_of(whole(0, 5))), "seats": whole(0, 6)},
)


def standings(store: GameStore) -> list[dict[str, Any]]:
    """Return a table for each variant, and for each group of agents that met, directly or not.

    The first agent of a table is rated 0.
    """
    by_game: dict[str, list[Tally]] = {}
    for stored in store.matches():
        if stored.games:
            by_game.setdefault(stored.plan["game"], []).append(tally_of(store, stored))
    return [
        _table(game, group) for game, tallies in by_game.items() for group in _connected(tallies)
    ]


def tally_of(store: GameStore, stored: StoredMatch) -> Tally:
    """Return the results of a stored match."""
    plan = stored.plan
    if fault := _PLAN(plan):
        raise StoreError(f"'{store.path}' is damaged: match {stored.id} {fault}.")
    tally = Tally(
        Plan(
            plan["game"],
            tuple(plan["agents"]),
            plan["players"],
            plan["seed"],
            plan.get("opening_plies", 0),
            (),
            plan["max_plies"],
            tuple(plan.get("teams") or ()),
            plan.get("seats", 0),
        )
    )
    for _, played in store.games(stored.id):
        if len(played.result) != tally.plan.players:
            raise StoreError(
                f"'{store.path}' is damaged: a game of match {stored.id} is another's."
            )
        tally.add(played)
    return tally


def _table(game: str, tallies: Sequence[Tally]) -> dict[str, Any]:
    names = list(dict.fromkeys(name for tally in tallies for name in tally.plan.agents))
    matches: dict[tuple[int, ...], Tally] = {}
    for tally in tallies:
        players = tuple(names.index(name) for name in tally.plan.agents)
        if players in matches:  # the same agents again, with another seed
            matches[players].placings += tally.placings
            matches[players].sets += tally.sets
        else:
            matches[players] = tally
    ratings = rate(names, matches, names[0])
    rows = crosstable(ratings, matches)
    return {
        "game": game,
        "rated_zero": names[0],
        "games": sum(tally.games for tally in tallies),
        "table": as_dicts(rows),
    }


def _connected(tallies: Sequence[Tally]) -> list[list[Tally]]:
    """Return the matches in groups that share no agent; ratings compare within a group alone."""
    groups: list[tuple[set[str], list[Tally]]] = []
    for tally in tallies:
        agents, members = set(tally.plan.agents), [tally]
        for group in [group for group in groups if group[0] & agents]:
            groups.remove(group)
            agents |= group[0]
            members = [*group[1], *members]
        groups.append((agents, members))
    return [members for _, members in groups]
