"""Opponents in self-play: who sits where, whose moves are played, and what becomes a sample."""

from __future__ import annotations

import numpy as np
import pytest
from small_pools import SMALL, by_number, each_game, made_up, replace, short
from test_pool import GatheringEvaluator

import halma
from halma import _core
from halma.agents import agent
from halma.errors import AgentError, ArgumentError, OptionError
from halma.networks import FunctionEvaluator
from halma.selfplay import FinishedGames, Pool, selfplay_options
from halma.selfplay.opponents import AgentOpponent, NetworkOpponent

OPPONENT, RANDOM = _core.Choice.OPPONENT.value, _core.Choice.RANDOM.value
#: one simulation a move, without noise: the move with the largest logit is played
POLICY = {"search": {"rule": "puct"}, "simulations": 1, "temperatures": [(0, 0.0)]}


def preferring(game: halma.Game, sign: int) -> FunctionEvaluator:
    """Return a network whose policy prefers high (1) or low (-1) policy indices."""
    logits = sign * np.arange(game.actions, dtype=np.float32)

    def evaluate(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.full((len(planes), game.players), 1 / game.players, np.float32)
        return np.tile(logits, (len(planes), 1)), values

    return FunctionEvaluator(game.shape, evaluate)


def play(
    game: halma.Game, opponents: list, share: float, games: int = 24, groups: int = 2, **more
) -> FinishedGames:
    """Return games of a network that prefers low policy indices."""
    options = {**POLICY, **more.pop("options", {}), "opponent_share": share}
    settings = {"slots": 6, "threads": 2, "limits": short(game, 16), **more}
    pool = Pool(
        game,
        selfplay_options(game, **options),
        [preferring(game, -1)] * groups,
        games=games,
        opponents=opponents,
        **settings,
    )
    return pool.play()


def network(game: halma.Game, sign: int = 1, groups: int = 2) -> NetworkOpponent:
    return NetworkOpponent([preferring(game, sign)] * groups)


def an_agent(name: str, groups: int = 2) -> AgentOpponent:
    return AgentOpponent([agent(name).choose] * groups)


def seats(games: FinishedGames) -> list[set[int]]:
    """Return the seats of the opponent in each game."""
    return [
        set(games.movers[rows][games.choices[rows] == OPPONENT].tolist())
        for _, rows in each_game(games)
    ]


@pytest.mark.parametrize("name", ["rhombus-4x4-3", "ewn-3x3-3", "star-37-3p"])
def test_each_seat_plays_its_own_network(name: str) -> None:
    game = halma.game(name)
    games = play(game, [network(game)], 1.0, limits=short(game, 12))
    found = seats(games)
    everybody = set(range(game.players))
    # The learner has every seat equally often, the opponent the others.
    assert [everybody - one for one in found] == [{n % game.players} for n in range(24)]
    for row, choice in enumerate(games.choices):
        state = games.states[row].tobytes()
        legal = [game.core.action(state, move) for move in game.core.legal(state)]
        played = game.core.action(state, int(games.moves[row]))
        assert played == (max if choice == OPPONENT else min)(legal)
    # Decisions of the learner alone have policy targets.
    assert ((np.diff(games.policy_offsets) > 0) == (games.choices != OPPONENT)).all()


def test_the_other_games_are_played_alone() -> None:
    game = halma.game("rhombus-4x4-3")
    for share in (0.25, 1 / 3, 0.5, 0.9):
        found = seats(play(game, [network(game)], share, games=60))
        with_opponent = [one for one in found if one]
        assert len(with_opponent) == pytest.approx(60 * share, abs=1)
        assert abs(with_opponent.count({0}) - with_opponent.count({1})) <= 1
        # Spread evenly: never far from the share.
        counts = np.cumsum([bool(one) for one in found])
        assert np.abs(counts - share * np.arange(1, 61)).max() <= 1


def test_no_share_or_no_opponent_is_plain_self_play() -> None:
    game = halma.game("rhombus-4x4-3")
    plain = by_number(play(game, [], 1.0))
    assert by_number(play(game, [network(game)], 0.0)) == plain
    assert all(OPPONENT not in one["choices"] for one in plain.values())


def test_opponents_take_turns() -> None:
    game = halma.game("rhombus-4x4-3")
    options = selfplay_options(game, **POLICY, opponent_share=1.0)
    options.opponents = [_core.OpponentKind.NETWORK, _core.OpponentKind.AGENT]
    assert [_core.seats_of(options, number, 2) for number in range(5)] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (0, 0),
    ]
    games = play(game, [network(game), an_agent("greedy")], 1.0, games=8)
    for i, rows in each_game(games):
        own = games.choices[rows] == OPPONENT
        # A network's moves have values, an agent's have none.
        assert np.isnan(games.values[rows][own]).all() == (i % 4 >= 2)


def test_an_agent_plays_its_own_moves() -> None:
    game = halma.game("rhombus-4x4-3")
    games = play(game, [an_agent("greedy")], 1.0, options={"random_plies_max": 2})
    assert (np.diff(games.policy_offsets)[games.choices == OPPONENT] == 0).all()
    own = np.flatnonzero(games.choices == OPPONENT)
    assert len(own) > 60
    for row in own:
        state = games.states[row].tobytes()
        advances = {move: game.advance(state, move) for move in game.core.legal(state)}
        assert advances[int(games.moves[row])] == max(advances.values())
    assert (games.choices[games.choices == RANDOM]).size  # openings are random for both


@pytest.mark.parametrize("opponent", [network, lambda game: an_agent("random")])
def test_opponents_moves_are_targets_where_that_is_asked_for(opponent) -> None:
    game = halma.game("rhombus-4x4-3")
    plain, games = (
        play(game, [opponent(game)], 0.5, options={"random_plies_max": 2, **more})
        for more in ({}, {"opponent_targets": True})
    )
    assert np.array_equal(plain.moves, games.moves)
    own = np.flatnonzero(games.choices == OPPONENT)
    assert len(own) > 60
    assert not np.diff(plain.policy_offsets)[own].any()
    assert (np.diff(games.policy_offsets)[own] == 1).all()
    for row in own:
        entry = games.policy_offsets[row]
        state = games.states[row].tobytes()
        assert games.policy_actions[entry] == game.core.action(state, int(games.moves[row]))
        assert games.policy_weights[entry] == 1.0
    # All else is as it was.
    others = np.flatnonzero(games.choices != OPPONENT)
    sizes = [np.diff(one.policy_offsets)[others] for one in (plain, games)]
    assert np.array_equal(*sizes)


@pytest.mark.parametrize("name", ["rhombus-4x4-3", "ewn-3x3-3", "cdc-2x4-PPPP"])
def test_games_do_not_depend_on_threads_groups_or_slots(name: str) -> None:
    game = halma.game(name)
    results = []
    for threads, groups, slots in ((1, 1, 5), (2, 2, 5), (3, 2, 4), (1, 3, 7)):
        mine, other = (
            FunctionEvaluator(game.shape, lambda planes, sign=sign: flipped(game, planes, sign))
            for sign in (1, -1)
        )
        pool = Pool(
            game,
            selfplay_options(game, **replace(SMALL, simulations=6, opponent_share=0.6)),
            [mine] * groups,
            opponents=[NetworkOpponent([other] * groups), an_agent("random", groups)],
            slots=slots,
            threads=threads,
            seed=3,
            games=12,
            limits=short(game, 24),
        )
        results.append(by_number(pool.play()))
    assert sorted(results[0]) == list(range(12))
    assert all(result == results[0] for result in results[1:])


def flipped(game: halma.Game, planes: np.ndarray, sign: int) -> tuple[np.ndarray, np.ndarray]:
    logits, values = made_up(game, planes)
    return sign * logits, values


def test_several_leaves_of_a_tree_go_to_its_network() -> None:
    game = halma.game("rhombus-4x4-3")
    options = {"max_pending": 3, "simulations": 12, "search": {"rule": "puct", "c": 0.01}}
    games = play(game, [network(game)], 1.0, options=options)
    for row in range(len(games.moves)):
        state = games.states[row].tobytes()
        legal = [game.core.action(state, move) for move in game.core.legal(state)]
        played = game.core.action(state, int(games.moves[row]))
        wanted = max(legal) if games.choices[row] == OPPONENT else min(legal)
        # A win or a loss that the search saw may be worth more than the policy.
        assert played == wanted or games.values[row] != 0.5


def test_policies_of_legal_moves_are_routed_too() -> None:
    """Where evaluators want legal moves listed, each network gets those of its leaves."""
    game = halma.game("rhombus-4x4-3")
    plain = FunctionEvaluator(game.shape, lambda planes: made_up(game, planes))
    found = []
    for evaluator in (plain, GatheringEvaluator(game)):
        pool = Pool(
            game,
            selfplay_options(game, **replace(SMALL, simulations=8, opponent_share=1.0)),
            [evaluator] * 2,
            opponents=[NetworkOpponent([evaluator] * 2)],
            slots=6,
            games=9,
            limits=short(game, 24),
        )
        games = pool.play()
        found.append([games.events(i) for i in range(len(games))])
    # Roundings of the softmax may differ in the last digit, which hardly ever decides a move.
    assert sum(a == b for a, b in zip(*found, strict=True)) >= 8


def test_left_and_taken_up_with_other_opponents() -> None:
    """Pending leaves are kept; from then on the new opponent plays."""
    game = halma.game("rhombus-4x4-3")
    options = selfplay_options(game, **POLICY, opponent_share=1.0)
    learner = [preferring(game, -1)] * 2
    pool = Pool(
        game,
        options,
        learner,
        opponents=[network(game, -1)],
        slots=4,
        games=12,
        limits=short(game, 16),
    )
    first = pool.play(games=4)
    pool.change_evaluators(learner, [network(game, 1)])
    games = FinishedGames.join([first, pool.play()])
    assert sorted(games.numbers) == list(range(12))
    late = games.numbers >= 8
    for i, rows in each_game(games):
        for row in range(rows.start, rows.stop):
            state = games.states[row].tobytes()
            legal = [game.core.action(state, move) for move in game.core.legal(state)]
            played = game.core.action(state, int(games.moves[row]))
            if late[i]:
                assert played == (max if games.choices[row] == OPPONENT else min)(legal)


def test_misuse_is_refused() -> None:
    game = halma.game("rhombus-4x4-3")
    with pytest.raises(OptionError, match="not reused where opponents take turns"):
        play(game, [network(game)], 0.5, options={"reuse": True})
    options = selfplay_options(game, **POLICY, opponent_share=1.0)
    pool = Pool(game, options, [preferring(game, -1)], slots=2, opponents=[an_agent("greedy", 1)])
    core = pool.core
    core.collect(0, pool.buffers[0].planes)
    waiting = [slot for slot, _, _ in core.agent_turns(0)]
    assert waiting == [1]  # in the other slot the learner has the first move
    for slot in (0, -1, 2):
        with pytest.raises(ArgumentError, match="No agent is to move"):
            core.agents_record(slot)
        with pytest.raises(ArgumentError, match="No agent is to move"):
            core.play_agents_move(slot, 0)
    with pytest.raises(ArgumentError, match="not legal"):
        core.play_agents_move(1, 0xFFFFFFFF)
    record = core.agents_record(1)
    core.play_agents_move(1, game.core.legal(record.state())[0])
    assert record.plies == 0
    assert core.agent_turns(0) == []


def test_an_error_of_an_agent_is_raised() -> None:
    game = halma.game("rhombus-4x4-3")

    def fail(record: halma.Record, rng: object) -> halma.Move:
        raise AgentError("It does not want to.")

    with pytest.raises(AgentError, match="does not want"):
        play(game, [AgentOpponent([fail] * 2)], 1.0)
