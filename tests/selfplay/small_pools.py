"""Small pools of self-play whose evaluations are made up, and what their games are."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import cache

import numpy as np

import halma
from halma import _core
from halma.networks import FunctionEvaluator
from halma.selfplay import FinishedGames, Pool, selfplay_options

PUCT = {"rule": "puct", "c": 1.5, "dirichlet_weight": 0.25}
GUMBEL = {"rule": "gumbel", "gumbel_scale": 1.0}
SMALL = {"search": PUCT, "simulations": 12, "temperatures": [(0, 1.0), (8, 0.0)]}


def replace(options: dict, **changes: object) -> dict:
    return {**options, **changes}


#: without chance, with dice, with flips, with planes of the past, three players, passes
NAMES = ("rhombus-4x4-3", "ewn-3x3-3", "cdc-2x4-PPPP", "rhombus-4x4-3:view=ids", "star-37-3p")
NAMES += ("draughts-8x8",)


@cache
def outputs(actions: int, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Return logits and values of a thousand positions."""
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(1009, actions)).astype(np.float32)
    return logits, rng.dirichlet(np.ones(players), 1009).astype(np.float32)


def made_up(game: halma.Game, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return random logits and values, fixed by the planes of each position alone."""
    logits, values = outputs(game.actions, game.players)
    which = [zlib.crc32(one.astype(np.float32).tobytes()) % len(logits) for one in planes]
    return logits[which], values[which]


def make_pool(
    game: halma.Game,
    options: dict = SMALL,
    groups: int = 2,
    function=made_up,
    dtype: str = "float32",
    **more,
) -> Pool:
    """Return a pool whose evaluations are random but fixed."""
    evaluator = FunctionEvaluator(game.shape, lambda planes: function(game, planes), dtype)
    return Pool(game, selfplay_options(game, **options), [evaluator] * groups, **more)


def by_number(games: FinishedGames) -> dict[int, dict[str, object]]:
    """Return everything there is about each game, by number."""
    found: dict[int, dict[str, object]] = {}
    for i, rows in each_game(games):
        entries = slice(games.policy_offsets[rows.start], games.policy_offsets[rows.stop])
        found[int(games.numbers[i])] = {
            "events": games.events(i),
            "scores": games.scores[i].tolist(),
            "end": int(games.ends[i]),
            "states": games.states[rows].tobytes(),
            "values": games.values[rows].tobytes(),
            "choices": games.choices[rows].tolist(),
            "offsets": np.diff(games.policy_offsets[rows.start : rows.stop + 1]).tolist(),
            "actions": games.policy_actions[entries].tolist(),
            "shares": games.policy_weights[entries].tobytes(),
        }
    assert len(found) == len(games)
    return found


def each_game(games: FinishedGames) -> Iterator[tuple[int, slice]]:
    for i in range(len(games)):
        yield i, slice(int(games.row_offsets[i]), int(games.row_offsets[i + 1]))


def short(game: halma.Game, plies: int = 60) -> _core.Limits:
    """Return the game's limits with an early end, so that slow games stay quick to test."""
    limits = game.limits
    return _core.Limits(
        plies=plies,
        repetitions=limits.repetitions,
        no_progress=limits.no_progress,
        cycle_window=limits.cycle_window,
        cycle_landings=limits.cycle_landings,
    )
