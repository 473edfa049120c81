"""Playing plans to their end: what is stored already, then the rest, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from halma.arena.plan import Plan
from halma.arena.sprt import Sprt
from halma.arena.store import Store
from halma.arena.table import Played, Table
from halma.arena.tally import Tally
from halma.processes import map_ordered

#: is told how things stand, after every game
Watch = Callable[[Sequence[Tally]], None]


class PlayGames:
    """Plays any game of some plans; a worker process gets the plans once."""

    def __init__(self, plans: Sequence[Plan]) -> None:
        self._plans = tuple(plans)
        self._tables: dict[int, Table] = {}

    def __call__(self, task: tuple[int, int]) -> tuple[int, Played]:
        """Play a game, given by the index of its plan and its number; return both."""
        index, number = task
        if index not in self._tables:
            self._tables[index] = Table(self._plans[index])
        return index, self._tables[index].play(number)


def contest(
    plans: Sequence[Plan],
    games: int,
    workers: int = 1,
    store: Store | None = None,
    sprt: Sprt | None = None,
    watch: Watch | None = None,
) -> list[Tally]:
    """Play at least `games` games of every plan, in whole sets, and count them.

    Games that the store has from an earlier run are counted, not played. They are stored
    in order, one transaction each, so what a store holds is always a match cut short.
    With `sprt` a plan ends at the first set after which the test has its answer; results
    do not depend on the number of workers.
    """
    tallies = [Tally(plan) for plan in plans]
    if store is not None:
        for tally in tallies:
            wanted = tally.plan.sets_for(games) * tally.plan.set_size
            for played in store.games_of(tally.plan, wanted):
                tally.add(played)
                if _is_decided(tally, sprt):
                    break
    if watch is not None:
        watch(tallies)
    tasks = _remaining(tallies, games, sprt)
    with closing(map_ordered(PlayGames(plans), tasks, workers)) as results:
        for index, played in results:
            tally = tallies[index]
            if _is_decided(tally, sprt):
                continue
            if store is not None:
                store.add(plans[index], played)
            tally.add(played)
            if watch is not None:
                watch(tallies)
            if all(_is_finished(tally, games, sprt) for tally in tallies):
                break
    return tallies


def _remaining(
    tallies: Sequence[Tally], games: int, sprt: Sprt | None
) -> Iterator[tuple[int, int]]:
    """Yield plan and number of the games left, set by set, so that all plans grow together."""
    starts = [tally.games for tally in tallies]
    for number in range(max(tally.plan.sets_for(games) for tally in tallies)):
        for index, tally in enumerate(tallies):
            size = tally.plan.set_size
            if number >= tally.plan.sets_for(games) or _is_decided(tally, sprt):
                continue
            for game in range(max(starts[index], number * size), (number + 1) * size):
                yield index, game


def _is_decided(tally: Tally, sprt: Sprt | None) -> bool:
    return (
        sprt is not None
        and tally.games > 0
        and tally.at_set_end
        and sprt.accepted(tally.set_shares) is not None
    )


def _is_finished(tally: Tally, games: int, sprt: Sprt | None) -> bool:
    return tally.games >= tally.plan.sets_for(games) * tally.plan.set_size or _is_decided(
        tally, sprt
    )
