"""PettingZoo's own tests on every variant, and what the environment adds to the rules."""

import warnings

import numpy as np
import pytest

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, render_test, seed_test

import halma
from halma.envs import env, raw_env
from halma.errors import IllegalMoveError, OptionError, UnknownVariantError

VARIANTS = halma.variant_names()


@pytest.mark.parametrize("variant", VARIANTS)
def test_pettingzoo_api(variant):
    with warnings.catch_warnings():
        # An agent that is not to move has no legal action, and a plane may hold any number.
        warnings.simplefilter("ignore", UserWarning)
        api_test(env(variant), num_cycles=50)


@pytest.mark.parametrize("variant", VARIANTS)
def test_pettingzoo_seed(variant):
    seed_test(lambda: env(variant), num_cycles=30)


@pytest.mark.parametrize("variant", VARIANTS)
def test_pettingzoo_render(variant, capsys):
    render_test(lambda render_mode: env(variant, render_mode))
    assert halma.game(variant).player_names[0] in capsys.readouterr().out


def play_out(environment, seed, steps=10_000):
    """Play random legal actions; return the rewards and how the game ended."""
    environment.reset(seed=seed)
    rng = np.random.default_rng(seed)
    rewards = {}
    ends = set()
    for agent in environment.agent_iter(steps):
        observation, reward, terminated, truncated, _ = environment.last()
        if terminated or truncated:
            rewards[agent] = reward
            ends.add((terminated, truncated))
            action = None
        else:
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        environment.step(action)
    return rewards, ends


def test_a_game_that_ends_by_its_rules_terminates_with_a_winner():
    for seed in range(10):
        rewards, ends = play_out(raw_env("ewn-3x3-3"), seed)
        assert sorted(rewards.values()) == [-1, 1]
        assert ends == {(True, False)}


def test_a_game_that_a_limit_stops_is_truncated():
    environment = raw_env("ewn-3x3-3")
    environment.game.limits = halma._core.Limits(plies=2)
    rewards, ends = play_out(environment, 0)
    assert rewards == {"player_0": 0, "player_1": 0}
    assert ends == {(False, True)}


def test_only_the_mover_has_legal_actions():
    environment = raw_env("ewn-5x5-6")
    environment.reset(seed=1)
    position = environment.record.position
    seen = environment.observe("player_0")
    legal = {position.action(move) for move in position.legal_moves}
    assert set(np.flatnonzero(seen["action_mask"])) == legal
    assert not environment.observe("player_1")["action_mask"].any()
    np.testing.assert_array_equal(seen["observation"], position.encode())
    assert seen["observation"].dtype == np.float32
    assert seen["action_mask"].dtype == np.int8


def test_dice_follow_the_seed():
    def placements(seed):
        environment = raw_env("ewn-5x5-6")
        environment.reset(seed=seed)
        return environment.record.texts

    assert placements(5) == placements(5)
    assert len({tuple(placements(seed)) for seed in range(5)}) == 5


def test_illegal_actions():
    raw = raw_env("ewn-3x3-3")
    raw.reset(seed=0)
    illegal = int(np.flatnonzero(raw.observe("player_0")["action_mask"] == 0)[0])
    with pytest.raises(IllegalMoveError, match="not legal"):
        raw.step(illegal)
    guarded = env("ewn-3x3-3")
    guarded.reset(seed=0)
    guarded.step(illegal)
    assert guarded.terminations == {"player_0": True, "player_1": True}
    assert guarded.rewards["player_0"] == -1


def test_bad_requests_are_sentences():
    with pytest.raises(OptionError, match="human, ansi"):
        raw_env("ewn-3x3-3", render_mode="rgb_array")
    with pytest.raises(UnknownVariantError):
        env("ewn")
