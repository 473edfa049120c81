"""Matches: games found in a store are counted, the others are played, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, islice

from halma.arena.lockstep import check_engines, close_engines, games_together, play_games
from halma.arena.plan import Plan
from halma.arena.sprt import Sprt
from halma.arena.store import GameStore
from halma.arena.tally import Tally
from halma.executors import Executor
from halma.processes import executor_of

#: called after every game with the tallies of all plans
Watch = Callable[[Sequence[Tally]], None]


def play_matches(
    plans: Sequence[Plan],
    games: int,
    workers: int | Executor = 1,
    store: GameStore | None = None,
    sprt: Sprt | None = None,
    watch: Watch | None = None,
    device: str = "cpu",
) -> list[Tally]:
    """Play at least `games` games of every plan, in whole sets, and count them.

    Games in the store from an earlier run are counted, not played. Where a network plays, a
    worker plays several games at the same time. New games are stored in
    order, one transaction each, so a store always holds the first games of a match. With
    `sprt` a match ends after the first set at which the test accepts a hypothesis. `workers` is
    a number of processes, or an executor. Results do not depend on it, unless networks are
    evaluated on another `device` than a CPU. Programs of other people are started once before the
    first game, so that one that cannot be used is an error and not a lost match.
    """
    tallies = [Tally(plan) for plan in plans]
    if store is not None:
        for tally in tallies:
            for played in store.games_of(tally.plan, tally.plan.games_for(games)):
                tally.add(played)
                if _is_decided(tally, sprt):
                    break
    if watch is not None:
        watch(tallies)
    left = sum(tally.plan.games_for(games) - tally.games for tally in tallies)
    if left:
        check_engines(plans)
    executor = executor_of(workers)
    together = games_together(plans, left, executor.workers, device)
    blocks = _blocks(_remaining(tallies, games, sprt), together)
    play_block = partial(play_games, tuple(plans), device=device)
    try:
        with closing(executor.map_ordered(play_block, blocks)) as results:
            for index, played in chain.from_iterable(results):
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
    finally:
        close_engines(plans)
    return tallies


def _blocks(tasks: Iterator[tuple[int, int]], size: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield tasks in blocks, whose games a worker plays at the same time."""
    while block := tuple(islice(tasks, size)):
        yield block


def _remaining(
    tallies: Sequence[Tally], games: int, sprt: Sprt | None
) -> Iterator[tuple[int, int]]:
    """Yield plan and number of the games left to play, one set of each plan in turn."""
    starts = [tally.games for tally in tallies]
    for set_number in range(max(tally.plan.sets_for(games) for tally in tallies)):
        for index, tally in enumerate(tallies):
            if set_number >= tally.plan.sets_for(games) or _is_decided(tally, sprt):
                continue
            first = set_number * tally.plan.set_size
            for number in range(max(starts[index], first), first + tally.plan.set_size):
                yield index, number


def _is_decided(tally: Tally, sprt: Sprt | None) -> bool:
    return (
        sprt is not None
        and tally.games > 0
        and tally.at_set_end
        and sprt.accepted(tally.set_scores) is not None
    )


def _is_finished(tally: Tally, games: int, sprt: Sprt | None) -> bool:
    return tally.games >= tally.plan.games_for(games) or _is_decided(tally, sprt)
