"""PettingZoo's own tests on every variant, and what the environment adds to the rules."""

import copy
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, render_test, seed_test

import halma
from halma.envs import env, raw_env
from halma.errors import IllegalMoveError, OptionError, UnknownVariantError

VARIANTS = halma.variant_names()
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


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


def test_a_draw_by_repetition_is_a_termination():
    """Two kings go to and fro: the third occurrence of a position ends the game."""
    game = halma.game("draughts-8x8")
    environment = raw_env("draughts-8x8")
    environment.reset()
    environment.record = halma.Record(game, game.position("B:WK32:BK1"))
    environment._advance()
    moves = ["1-6", "32-27", "6-1", "27-32"] * 2
    for move in moves:
        assert not any(environment.terminations.values())
        environment.step(environment.record.position.action(move))
    assert environment.terminations == {"player_0": True, "player_1": True}
    assert environment.truncations == {"player_0": False, "player_1": False}
    assert environment.rewards == {"player_0": 0, "player_1": 0}
    assert environment.infos["player_0"] == {"end": "by repetition"}


@pytest.mark.parametrize(
    ("variant", "reason"),
    [("cdc-4x8", "for lack of progress"), ("cdc-2x4-KPPP", "by repetition")],
)
def test_other_draws_by_rule_are_terminations(variant, reason):
    for seed in range(200):
        environment = raw_env(variant)
        rewards, ends = play_out(environment, seed)
        if environment.record.end == reason:
            assert ends == {(True, False)}
            assert set(rewards.values()) == {0}
            return
    pytest.fail(f"no game ended {reason}")


def test_a_game_that_ends_by_cycles_is_terminated():
    environment = raw_env("rhombus-7x7-6:liu2019")
    environment.reset()
    played = ["a3-b3", "e7-d7"]
    while not environment.record.is_over:
        move = played[environment.record.plies % 2]
        environment.step(environment.record.position.action(move))
        played[environment.record.plies % 2 - 1] = "-".join(reversed(move.split("-")))
    assert environment.record.end == "by moving in cycles"
    assert environment.terminations == {"player_0": True, "player_1": True}


def test_a_game_that_its_move_limit_stops_is_truncated():
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
    for action in (illegal, None, -1, 10**20):
        with pytest.raises(IllegalMoveError, match="not legal"):
            raw.step(action)
    guarded = env("ewn-3x3-3")
    guarded.reset(seed=0)
    guarded.step(illegal)
    assert guarded.terminations == {"player_0": True, "player_1": True}
    assert guarded.rewards["player_0"] == -1


def test_state_is_what_the_mover_sees():
    environment = env("draughts-8x8")
    environment.reset()
    seen = environment.observe(environment.agent_selection)["observation"]
    np.testing.assert_array_equal(environment.state(), seen)
    assert environment.unwrapped.state_space.contains(environment.state())


def test_pictures():
    environment = env("draughts-8x8", render_mode="rgb_array", render_size=240)
    environment.reset()
    before = environment.render()
    assert (before.dtype, before.shape[2], max(before.shape)) == (np.uint8, 3, 240)
    environment.step(environment.unwrapped.record.position.action("11-15"))
    after = environment.render()
    assert before.shape == after.shape
    # The move changes the cells it touches, and the caption, not the board.
    assert 0 < (before != after).any(axis=2).mean() < 0.1


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
@pytest.mark.parametrize("make", [env, raw_env])
def test_a_copy_goes_on_as_the_original_does(make, duplicate):
    original = make("ewn-5x5-6")
    original.reset(seed=3)
    rng = np.random.default_rng(1)

    def moves(environment, number):
        for _ in range(number):
            mask = environment.observe(environment.agent_selection)["action_mask"]
            environment.step(int(rng.choice(np.flatnonzero(mask))))

    moves(original, 3)
    other = duplicate(original)
    before = original.unwrapped.record.texts
    assert other.unwrapped.record.texts == before
    rng = np.random.default_rng(2)
    moves(other, 4)
    assert original.unwrapped.record.texts == before
    rng = np.random.default_rng(2)
    moves(original, 4)
    # The dice are those of the same seed.
    assert original.unwrapped.record.texts == other.unwrapped.record.texts


def test_a_game_as_a_variant():
    assert env(halma.game("frogs-3-2")).unwrapped.game.name == "frogs-3-2"


def test_a_game_in_a_file(monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    environment = pickle.loads(pickle.dumps(env("hexapawn.py:Hexapawn", "rgb_array")))
    rewards, ends = play_out(environment, 0)
    assert sorted(rewards.values()) == [-1, 1] and ends == {(True, False)}
    assert environment.render().shape[2] == 3


def test_the_package_offers_the_environments():
    code = "import halma; print(halma.envs.env('ewn-3x3-3'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "ewn-3x3-3\n", done.stderr


def test_bad_requests_are_sentences():
    with pytest.raises(OptionError, match="human, ansi, rgb_array"):
        raw_env("ewn-3x3-3", render_mode="rgb")
    for size in (0, -1, 10**9):
        with pytest.raises(OptionError, match="pixels"):
            raw_env("ewn-3x3-3", render_size=size)
    with pytest.raises(UnknownVariantError):
        env("ewn")
