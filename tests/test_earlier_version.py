"""The agent of an earlier version, with this version in its place."""

import random
import sys
from pathlib import Path

import pytest

import halma
from halma.agents import agent, play_game
from halma.errors import AgentError, PluginError

SCRIPT = Path(__file__).parents[1] / "scripts" / "earlier_version.py"


def earlier(name, python=sys.executable):
    return agent(f"{SCRIPT}:EarlierVersion:python={python},agent={name}")


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        ("rhombus-4x4-3", "minimax:depth=2;weights=-1/0/1"),
        ("ewn-3x3-3", "mcts:sims=20"),  # with outcomes of chance, and the seed of each move
    ],
)
def test_plays_as_the_agent_itself(variant, name):
    itself = agent(name.replace(";", ","))
    other = earlier(name)
    record = halma.Record(halma.game(variant))
    record.roll(random.Random(1))
    for ply in range(4):
        expected = itself.choose(record, random.Random(random.Random(ply).getrandbits(63)))
        assert other.choose(record, random.Random(ply)) == expected
        record.play(expected)
        record.roll(random.Random(ply))


def test_plays_several_games_from_given_positions():
    game, player = halma.game("rhombus-4x4-3"), earlier("minimax:depth=1")
    for seed in range(2):
        start = game.start()
        for _ in range(2):
            start = start.play(random.Random(seed).choice(start.legal_moves))
        record = halma.Record(game, start)
        assert list(play_game(record, [player, agent("greedy")], seed, most_plies=20))


@pytest.mark.parametrize(
    ("name", "variant", "said"),
    [
        ("minimx", "rhombus-4x4-3", "minimx"),
        ("alphabeta:depth=1", "ewn-3x3-3", "chance"),
    ],
)
def test_errors_are_sentences(name, variant, said):
    record = halma.Record(halma.game(variant))
    record.roll(random.Random(1))
    with pytest.raises(AgentError, match=said):
        earlier(name).choose(record, random.Random(1))


def test_needs_a_revision_or_an_interpreter():
    with pytest.raises(PluginError, match="Either 'revision' or 'python'"):
        agent(f"{SCRIPT}:EarlierVersion:agent=greedy")
    with pytest.raises(PluginError, match="There is no revision 'nonsense'"):
        agent(f"{SCRIPT}:EarlierVersion:revision=nonsense")
