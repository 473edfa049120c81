"""The ledger of games: every game counts once, whatever happens to workers."""

import random

import numpy as np
import pytest

from halma.games import game
from halma.learn.distributed.ledger import GameLedger
from halma.networks import FunctionEvaluator
from halma.selfplay import FinishedGames, Pool, selfplay_options


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize("seed", range(30))
def test_every_game_counts_once(seed):
    """Workers get games, finish them in any order, are slow, vanish, and answer too late."""
    rng, clock = random.Random(seed), Clock()
    ledger = GameLedger(rng.randint(1, 40), clock)
    playing = {f"worker {number}": set() for number in range(rng.randint(1, 6))}
    iteration, counted, arrived = 1, [], 0
    ledger.open(1)
    while ledger.missing:
        clock.now += rng.random()
        worker = rng.choice(list(playing))
        action = rng.random()
        if action < 0.4:
            playing[worker] |= set(ledger.give(worker, rng.randint(0, 9)))
            assert ledger.given(worker) <= len(playing[worker])
        elif action < 0.5:
            playing[worker] |= set(ledger.repeat(worker, rng.randint(0, 9), 2.0))
        elif action < 0.6:
            # The run gives a worker up, but some of its games may still arrive.
            ledger.give_back(worker)
            playing[worker] -= set(rng.sample(sorted(playing[worker]), len(playing[worker]) // 2))
        elif playing[worker]:
            done = rng.sample(sorted(playing[worker]), rng.randint(1, len(playing[worker])))
            playing[worker] -= set(done)
            arrived += len(done)
            counts, took = ledger.arrive(worker, done)
            assert all(seconds >= 0 for seconds in took)
            counted += [number for number, counts_ in zip(done, counts, strict=True) if counts_]
        if not ledger.waiting and iteration < 3 and rng.random() < 0.3:
            iteration += 1
            ledger.open(iteration)
    wanted = [n for i in range(1, iteration + 1) for n in ledger.numbers_of(i)]
    assert sorted(counted) == wanted
    assert arrived >= len(wanted)


def test_games_that_are_here_are_not_given():
    ledger = GameLedger(10)
    ledger.open(2, here=[10, 13, 19])
    assert ledger.give("a", 100) == [11, 12, 14, 15, 16, 17, 18]
    assert ledger.missing_of(2) == 7
    assert ledger.arrive("a", [13]) == ([False], [])


def test_a_lost_workers_games_come_first():
    ledger = GameLedger(10)
    ledger.open(1)
    assert ledger.give("a", 3) == [0, 1, 2] and ledger.give("b", 2) == [3, 4]
    ledger.arrive("a", [1])
    ledger.give_back("a")
    assert ledger.give("c", 4) == [0, 2, 5, 6]


def test_slow_games_are_repeated_once():
    clock = Clock()
    ledger = GameLedger(4, clock)
    ledger.open(1)
    ledger.give("slow", 4)
    clock.now = 5.0
    assert ledger.repeat("fast", 3, seconds=6.0) == []
    assert ledger.repeat("fast", 3, seconds=4.0) == [0, 1, 2]
    clock.now = 20.0
    assert ledger.repeat("third", 9, seconds=4.0) == [3]
    assert ledger.arrive("fast", [0])[0] == [True]
    assert ledger.arrive("slow", [0, 1])[0] == [False, True]


def make_pool(**options):
    """Return a pool of a game of chance, with an evaluator that depends on the planes alone."""
    variant = game("ewn-3x3-3")

    def evaluate(planes):
        rows = planes.reshape(len(planes), -1)
        share = (rows @ np.arange(1, rows.shape[1] + 1, dtype=np.float32)) % 7 / 7
        logits = np.outer(share, np.linspace(0, 3, variant.actions))
        return logits.astype(np.float32), np.stack([share, 1 - share], 1).astype(np.float32)

    chosen = selfplay_options(variant, {"rule": "gumbel"}, simulations=8, temperatures=[(0, 1.0)])
    evaluators = [FunctionEvaluator(variant.shape, evaluate)] * 2
    return Pool(variant, chosen, evaluators, seed=3, **options)


@pytest.mark.parametrize("slots", [2, 7])
def test_games_given_by_number_are_those_of_a_range(slots):
    """A pool that is given games one batch after the other plays those of a pool of its own."""
    whole = make_pool(slots=16, first=40, games=60).play()
    pool = make_pool(slots=slots, games=0)
    assert len(pool.play()) == 0
    pool.add_games(range(40, 55))
    parts = [pool.play(games=4)]
    pool.add_games([99, *range(55, 99)])
    parts.append(pool.play())
    found = FinishedGames.join(parts)
    found = found.take(np.argsort(found.numbers))
    for name, array in whole.arrays().items():
        assert np.array_equal(getattr(found, name), array, equal_nan=array.dtype.kind == "f"), name


def test_taking_games_agrees_with_parts():
    games = make_pool(slots=8, games=20).play()
    places = [4, 0, 19, 7, 7]
    expected = FinishedGames.join([games.part(place, place + 1) for place in places])
    taken = games.take(np.array(places))
    for name, array in expected.arrays().items():
        assert np.array_equal(getattr(taken, name), array, equal_nan=array.dtype.kind == "f"), name
        assert getattr(taken, name).dtype == array.dtype
