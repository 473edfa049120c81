"""Examples are what a game, looked at through Python alone, says they should be."""

import random

import numpy as np
import pytest

import halma
from halma import Record, _core

VARIANTS = ["rhombus-3x3-3", "rhombus-7x7-6:liu2019", "star-37-3p", "ewn-3x3-3", "cdc-2x4-PPPP"]


def random_rows(game, games, seed):
    """Play at random; return rows as self-play leaves them, with made-up policies."""
    rng = random.Random(seed)
    rows = []
    for _ in range(games):
        record = Record(game)
        ply = 0
        while True:
            if not record.is_over:
                record.roll(rng)
            if record.is_over or ply == 30:
                break
            state = record.position.state
            chosen = [m for m in game.core.legal(state) if rng.random() < 0.5]
            weights = {game.core.action(state, m): rng.random() for m in chosen}
            limit = game.limits.no_progress
            quiet = min(1.0, record.halfmove_clock / limit) if limit else 0.0
            rows.append((state, ply, record.repetitions, quiet, weights, record.encode()))
            record.play(rng.choice(record.position.legal_moves))
            ply += 1
    return rows


def as_columns(rows):
    policies = [row[4] for row in rows]
    return {
        "states": np.array([np.frombuffer(row[0], np.uint8) for row in rows]),
        "plies": np.array([row[1] for row in rows], np.int32),
        "repetitions": np.array([row[2] for row in rows], np.int32),
        "no_progress": np.array([row[3] for row in rows], np.float32),
        "policy_offsets": np.cumsum([0, *map(len, policies)]).astype(np.int64),
        "policy_actions": np.array([a for p in policies for a in p], np.uint16),
        "policy_weights": np.array([s for p in policies for s in p.values()], np.float32),
    }


def make(game, columns, chosen, mirrors, width=512):
    planes = np.full((len(chosen), *game.shape), np.nan, np.float32)
    actions = np.full((len(chosen), width), 7, np.int32)
    weights = np.full((len(chosen), width), np.nan, np.float32)
    most = _core.make_examples(
        game.core,
        **columns,
        rows=np.array(chosen, np.int64),
        mirrors=np.array(mirrors, np.uint8),
        planes=planes,
        actions=actions,
        weights=weights,
    )
    return most, planes, actions, weights


@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_become_examples(variant):
    game = halma.game(variant)
    rows = random_rows(game, 3, seed=1)
    chosen = random.Random(2).sample(range(len(rows)), min(len(rows), 25))
    most, planes, actions, weights = make(game, as_columns(rows), chosen, [0] * len(chosen))
    counts = []
    for i, row in enumerate(chosen):
        state, _, _, _, policy, encoded = rows[row]
        legal = [game.core.action(state, move) for move in game.core.legal(state)]
        counts.append(len(legal))
        assert actions[i, : len(legal)].tolist() == legal
        assert (actions[i, len(legal) :] == -1).all()
        assert (weights[i, len(legal) :] == 0).all()
        expected = [np.float32(policy.get(action, 0)) for action in legal]
        assert weights[i, : len(legal)].tolist() == expected
        assert np.array_equal(planes[i], encoded)
    assert most == max(counts)


@pytest.mark.parametrize("variant", ["rhombus-7x7-6", "star-37-3p", "ewn-3x3-3", "cdc-2x4-PPPP"])
def test_examples_in_a_mirror(variant):
    game = halma.game(variant)
    rows = random_rows(game, 2, seed=3)
    columns = as_columns(rows)
    for mirror in range(game.core.symmetries):
        chosen = list(range(0, len(rows), 3))
        _, planes, actions, weights = make(game, columns, chosen, [mirror] * len(chosen))
        for i, row in enumerate(chosen):
            state, ply, repetitions, quiet, policy, _ = rows[row]
            image = game.core.image(state, mirror)
            earlier = [game.core.image(rows[row - k][0], mirror) for k in range(ply + 1)]
            expected = game.core.encode(earlier[: game.core.history], repetitions, quiet)
            assert np.array_equal(planes[i], expected)
            seen = {
                game.core.action(image, game.core.image_move(state, move, mirror)): np.float32(
                    policy.get(game.core.action(state, move), 0)
                )
                for move in game.core.legal(state)
            }
            assert (
                dict(zip(actions[i, : len(seen)].tolist(), weights[i].tolist(), strict=False))
                == seen
            )
            # In the mirror these are the legal moves as well.
            legal = {game.core.action(image, move) for move in game.core.legal(image)}
            assert legal == seen.keys()


def test_a_narrow_array_says_how_wide_it_should_be():
    game = halma.game("rhombus-7x7-6")
    columns = as_columns(random_rows(game, 1, seed=1))
    most, *_ = make(game, columns, range(10), [0] * 10)
    narrow, _, actions, _ = make(game, columns, range(10), [0] * 10, width=3)
    assert narrow == most > 3
    assert (actions >= 0).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rows": np.array([10_000], np.int64)}, "no such row"),
        ({"mirrors": np.array([200], np.uint8)}, "no such mirror"),
        ({"mirrors": np.zeros(2, np.uint8)}, "too short"),
        ({"plies": np.full(30, 40, np.int32)}, "before the first row"),
        ({"policy_actions": np.zeros(1, np.uint16)}, "action for every weight"),
        ({"policy_offsets": np.zeros(3, np.int64)}, "differ in length"),
        ({"planes": np.zeros((1, 1, 1, 1), np.float32)}, "wrong shape"),
    ],
)
def test_arrays_that_do_not_fit(change, said):
    game = halma.game("rhombus-7x7-6")
    columns = as_columns(random_rows(game, 1, seed=1))
    assert len(columns["plies"]) == 30
    given = {
        **columns,
        "rows": np.array([0], np.int64),
        "mirrors": np.array([0], np.uint8),
        "planes": np.zeros((1, *game.shape), np.float32),
        "actions": np.zeros((1, 9), np.int32),
        "weights": np.zeros((1, 9), np.float32),
        **change,
    }
    with pytest.raises(ValueError, match=said):
        _core.make_examples(game.core, **given)
