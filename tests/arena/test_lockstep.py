"""Games of a match that advance together: the same games as one by one, and how many at a time."""

from dataclasses import replace

import numpy as np
import pytest
from networks.tiny_network import linear_model, tiny_network

import halma
from halma.agents import agent
from halma.arena import lockstep, make_plan, play_matches
from halma.arena.games import MatchGame
from halma.arena.lockstep import games_together, play_games, play_match_game
from halma.networks import NetworkInfo
from halma.networks.network_file import write_model

GAME = "rhombus-4x4-3"


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    folder = tmp_path_factory.mktemp("networks")
    for variant in (GAME, "ewn-3x3-3", "star-37-3p"):
        tiny_network(halma.game(variant), folder / f"{variant}.onnx", seed=2)
    return folder


def alone(plan, number):
    """Play a game by the agents' own `choose`, as a naive twin."""
    one = MatchGame(halma.game(plan.game), plan, number)
    players = [agent(name) for name in plan.agents]
    while (index := one.to_move) is not None:
        one.choose_and_play(players[index])
    return one.played()


def timeless(played):
    return replace(played, seconds=0.0)


@pytest.mark.parametrize(
    ("variant", "others"),
    [
        (GAME, ["greedy"]),
        (GAME, ["net:{0}/rhombus-4x4-3.onnx,sims=9,dirichlet_weight=0.3"]),
        (GAME, ["net:{0}/rhombus-4x4-3.onnx,rule=gumbel,sims=8,gumbel_scale=1"]),
        (GAME, ["net:{0}/rhombus-4x4-3.onnx,sims=4,temperature=1"]),
        (GAME, ["mcts:sims=20"]),
        ("ewn-3x3-3", ["expectimax:depth=1"]),
        ("star-37-3p", ["greedy", "random"]),
    ],
)
def test_games_are_those_that_are_played_one_by_one(net, variant, others):
    names = [f"net:{net}/{variant}.onnx,sims=12", *(name.format(net) for name in others)]
    plan = make_plan(variant, names, seed=4)
    tasks = [(0, number) for number in range(3 * plan.set_size)]
    together = play_games([plan], tasks)
    assert [index for index, _ in together] == [0] * len(tasks)
    assert [timeless(one) for _, one in together] == [
        timeless(alone(plan, number)) for _, number in tasks
    ]
    assert all(one.seconds > 0 for _, one in together)
    assert timeless(play_match_game(plan, 2)) == timeless(together[2][1])


def test_a_player_of_several_matches(net):
    first = f"net:{net}/{GAME}.onnx,sims=12"
    plans = [make_plan(GAME, [first, other], seed=1) for other in ("greedy", "random")]
    tasks = [(1, 0), (0, 0), (1, 1), (0, 1)]
    found = play_games(plans, tasks)
    assert [index for index, _ in found] == [1, 0, 1, 0]
    for (index, number), (_, played) in zip(tasks, found, strict=True):
        assert timeless(played) == timeless(alone(plans[index], number))


@pytest.mark.parametrize("workers", [1, 2])
def test_matches(net, workers, monkeypatch):
    plan = make_plan(GAME, [f"net:{net}/{GAME}.onnx,sims=12", "greedy"], seed=2)
    (tally,) = play_matches([plan], 26, workers)
    monkeypatch.setattr(lockstep, "_MOST_GAMES", 1)
    (one_by_one,) = play_matches([plan], 26, 1)
    assert tally.as_dict() == one_by_one.as_dict()
    assert tally.fingerprints == one_by_one.fingerprints


def test_how_many_at_a_time(net):
    def number(*names, games=300, workers=2, variant=GAME, device="cpu"):
        return games_together([make_plan(variant, names)], games, workers, device)

    file = f"net:{net}/{GAME}.onnx"
    assert number(f"{file},sims=180", "greedy") == 8
    # Few enough for an early first result.
    assert number(f"{file},sims=800", "greedy") == 4
    assert number(f"{file},sims=5000", "greedy") == 1
    assert number(f"{file},sims=100", "alphabeta:time=0.3") == 3
    assert number(f"{file},sims=100", "alphabeta:time=2") == 1
    # Few enough for every worker to have some.
    assert number(f"{file},sims=100", "greedy", games=12) == 3
    assert number(f"{file},sims=100", "greedy", games=2) == 1
    # A GPU takes all that there are, unless the opponent thinks by the clock.
    assert number(f"{file},sims=800", "greedy", device="cuda") == 150
    assert number(f"{file},sims=800", "greedy", games=1000, device="cuda") == 256
    assert number(f"{file},sims=100", "alphabeta:time=0.3", device="cuda") == 3
    assert number("greedy", "random", device="cuda") == 1
    # Without a network, or with one that the clock or a temperature stops.
    assert number("greedy", "random") == 1
    assert number(f"{file},time=0.1", "greedy") == 1
    assert number(f"{file},temperature=1", "greedy") == 1
    # An agent that keeps its tree plays one game at a time.
    assert number(f"{file},sims=100", "mcts:sims=10,reuse=on") == 1
    assert number("best", "greedy", variant="rhombus-7x7-6") == 4


def test_an_agent_of_the_user_plays_one_game_at_a_time(net, tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(
        "class Own:\n"
        "    def choose(self, record, rng):\n"
        "        return record.position.legal_moves[0]\n"
    )
    monkeypatch.chdir(tmp_path)
    plan = make_plan(GAME, [f"net:{net}/{GAME}.onnx,sims=8", "own.py"])
    assert games_together([plan], 100, 1) == 1


def test_only_the_game_of_a_bad_output_is_lost(tmp_path):
    """A network whose policy overflows once all own pieces have left their home."""
    game = halma.game(GAME)
    size, rng = int(np.prod(game.shape)), np.random.default_rng(1)
    policy = rng.standard_normal((game.actions, size))
    home = halma.Record(game).encode()[0].ravel() > 0
    policy[:, : home.size][:, ~home] = 1.2e38  # three of them are too much for a float32
    values = rng.standard_normal((game.players, size))
    info = NetworkInfo.for_game(game, "modern:size=s")
    write_model(tmp_path / "x.onnx", info, linear_model(game, policy, values))
    plan = make_plan(GAME, [f"net:{tmp_path / 'x.onnx'},sims=6", "random"], seed=3)
    tasks = [(0, number) for number in range(8)]
    found = [played for _, played in play_games([plan], tasks)]
    assert [timeless(one) for one in found] == [timeless(alone(plan, n)) for _, n in tasks]
    lost = [one for one in found if one.end.startswith("by an error")]
    assert len(lost) > 0 and len({one.plies for one in lost}) > 1


def test_generators_are_not_shared(net):
    plan = make_plan(GAME, [f"net:{net}/{GAME}.onnx,sims=12,dirichlet_weight=0.5", "random"])
    found = play_games([plan], [(0, number) for number in range(8)])
    assert len({one.moves for _, one in found}) == 8
