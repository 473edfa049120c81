"""Evaluations that self-play keeps: they change no game, and are those of one game and network."""

from __future__ import annotations

import numpy as np
import pytest
from small_pools import (
    GUMBEL,
    NAMES,
    PUCT,
    SMALL,
    by_number,
    each_game,
    made_up,
    make_pool,
    replace,
    short,
)

import halma


@pytest.mark.parametrize("search", [PUCT, GUMBEL], ids=["puct", "gumbel"])
@pytest.mark.parametrize("name", NAMES)
def test_cached_evaluations_change_no_game(name: str, search: dict) -> None:
    game = halma.game(name)
    results, totals = {}, {}
    for cached in (False, True):
        options = replace(SMALL, search=search, simulations=30, cache_evaluations=cached)
        pool = make_pool(game, options, slots=3, seed=5, games=4, limits=short(game, 20))
        results[cached] = by_number(pool.play())
        totals[cached] = pool.totals
    assert results[True] == results[False]
    assert totals[False]["cached"] == 0 < totals[True]["cached"]
    assert totals[True]["leaves"] + totals[True]["cached"] == totals[False]["leaves"]


def test_each_game_evaluates_its_own_positions() -> None:
    """However many games a slot plays, so that what is evaluated does not depend on threads."""
    game = halma.game("rhombus-4x4-3")
    totals = []
    for slots in (1, 3):
        pool = make_pool(game, slots=slots, groups=1, seed=5, games=6, limits=short(game, 20))
        pool.play()
        totals.append(pool.totals)
    assert totals[0] == totals[1] and totals[0]["cached"] > 0


def test_evaluations_of_earlier_weights_are_forgotten() -> None:
    """An evaluator that gets new weights in place, as one on a GPU does, is asked again."""
    game = halma.game("rhombus-7x7-6")
    weights = [0.25]

    def network(game: halma.Game, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits, _ = made_up(game, planes)
        return logits, np.full((len(planes), 2), weights[0], np.float32)

    search = {**PUCT, "limits": "rules"}
    options = replace(SMALL, search=search, simulations=30, random_plies_min=0, random_plies_max=10)
    pool = make_pool(game, options, 1, network, slots=8, threads=1, seed=5, limits=short(game, 14))
    pool.play(1)
    weights[0] = 0.75
    (evaluator,) = pool._players[0].evaluators
    pool.change_evaluators([evaluator])
    games = pool.play(12)
    # No line comes to its end, so a search has the value of its network; one search of a game that
    # was in progress may have both.
    mixed = [
        int((np.abs(np.abs(games.values[rows] - 0.5) - 0.25) > 1e-6).sum())
        for _, rows in each_game(games)
    ]
    assert sum(mixed) > 0 and max(mixed) == 1
