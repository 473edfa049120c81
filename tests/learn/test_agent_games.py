"""Games of agents for the warm start: the core's beside twins, their mix, targets and draws."""

import random
import threading
from collections import Counter

import numpy as np
import pytest
import small_networks
from reference import racing

import halma
from halma import _core
from halma.agents import agent
from halma.errors import ArgumentError, RunError
from halma.games import Position, Record
from halma.interrupt import Interrupted
from halma.learn.agent_games import agent_games
from halma.selfplay import FinishedGames

OPTIONS = {
    "stochastic": False,
    "prefer_trailing": True,
    "policy_targets": True,
    "keep_draws": True,
    "random_starts": 0.0,
    "random_openings": 0.0,
    "random_plies_min": 6,
    "random_plies_max": 6,
    "threads": 1,
}
#: liu2019's
MIX = {"random_starts": 0.5, "random_openings": 0.3}
LIU2019 = "rhombus-7x7-6:rules=liu2019"


def greedy_samples(variant, games, first=0, seed=3, **changes):
    game = halma.game(variant)
    options = {**OPTIONS, **changes}
    return FinishedGames(
        **_core.greedy_samples(game.core, game.limits, first, games, seed, **options)
    )


def settings(variant=LIU2019, **changes):
    given = {f"warm_start__{key}": value for key, value in changes.items()}
    return small_networks.small(game=variant, selfplay__max_plies=0, **given).settings


def targets_of(games, game):
    """Return the actions of the policy target of every row of a game, sorted."""
    rows = range(*games.row_offsets[[game, game + 1]])
    bounds = [slice(*games.policy_offsets[[row, row + 1]]) for row in rows]
    return [sorted(games.policy_actions[entries].tolist()) for entries in bounds]


def first_states(games):
    return games.states[games.row_offsets[:-1]]


@pytest.mark.parametrize("variant", ["rhombus-4x4-3", "rhombus-7x7-6", LIU2019])
@pytest.mark.parametrize("prefer_trailing", [True, False])
def test_games_and_targets_are_the_twin_s(variant, prefer_trailing):
    game = halma.game(variant)
    changes = {**MIX, "prefer_trailing": prefer_trailing, "random_plies_min": 2}
    games = greedy_samples(variant, 12, first=5, **changes)
    assert games.numbers.tolist() == list(range(5, 17))
    for i in range(12):
        record, targets = racing.sample_game(game, 3, 5 + i, {**OPTIONS, **changes})
        assert games.start(game, i).text == record.start.text
        assert games.events(i) == record.events
        assert targets_of(games, i) == targets
        assert games.ends[i] == record.core.end.value
        assert games.scores[i].tolist() == list(record.result)
    assert not games.fault(game)


@pytest.mark.parametrize("name", ["greedy", "greedy:ties=random", "greedy:stochastic"])
@pytest.mark.parametrize("variant", ["rhombus-5x5-3", "star-37-3p", "ewn-5x5-6", LIU2019])
def test_targets_are_the_agent_s_policy(variant, name):
    game, chosen = halma.game(variant), agent(name)
    games = greedy_samples(
        variant, 6, stochastic=chosen.stochastic, prefer_trailing=chosen.prefer_trailing
    )
    assert (games.choices == _core.Choice.FULL.value).all()
    for row, state in enumerate(games.states):
        position = Position(game, state.tobytes())
        policy = chosen.policy(Record(game, position))
        wanted = {game.core.action(position.state, move): p for move, p in policy.items()}
        entries = slice(*games.policy_offsets[[row, row + 1]])
        found = dict(zip(games.policy_actions[entries], games.policy_weights[entries], strict=True))
        assert found == pytest.approx(wanted, abs=1e-6)
        assert games.moves[row] in policy


@pytest.mark.parametrize("name", ["greedy", "greedy:ties=random", "greedy:stochastic"])
def test_moves_are_drawn_from_the_policy(name):
    """Chi-squared over the first moves of many games; the limit is that of p = 0.0001."""
    game, chosen, number = halma.game("rhombus-7x7-6"), agent(name), 4000
    policy = chosen.policy(Record(game))
    games = greedy_samples(
        "rhombus-7x7-6",
        number,
        stochastic=chosen.stochastic,
        prefer_trailing=chosen.prefer_trailing,
    )
    counts = Counter(games.moves[games.row_offsets[:-1]].tolist())
    assert set(counts) == set(policy)
    squares = sum((counts[m] - number * p) ** 2 / (number * p) for m, p in policy.items())
    freedom = len(policy) - 1
    assert squares < freedom + 4 * (2 * freedom) ** 0.5 + 8


def test_the_mix_of_starts():
    games = greedy_samples(LIU2019, 3000, **MIX)
    game = halma.game(LIU2019)
    normal = (first_states(games) == np.frombuffer(game.core.initial(), np.uint8)).all(axis=1)
    assert 1 - normal.mean() == pytest.approx(0.5, abs=0.03)
    at_random = games.choices == _core.Choice.RANDOM.value
    random_plies = np.add.reduceat(at_random, games.row_offsets[:-1])
    assert set(random_plies) == {0, 6}
    assert (random_plies == 6).mean() == pytest.approx(0.3, abs=0.03)
    assert not (random_plies[~normal]).any()
    # Random moves have no target.
    assert not np.diff(games.policy_offsets)[at_random].any()
    # Placements are spread over the whole board: 12 pieces on 49 holes.
    holes = Counter()
    for state in first_states(games)[~normal]:
        fields = game.core.describe(state.tobytes())[3:]
        holes.update(hole for hole, piece in enumerate(fields) if piece)
    share = 12 / 49 * (~normal).sum()
    assert all(0.8 * share < holes[hole] < 1.2 * share for hole in range(49))


@pytest.mark.parametrize("variant", ["rhombus-3x3-1", "rhombus-7x7-6", LIU2019, "star-37-3p"])
def test_random_starts_can_be_played(variant):
    game = halma.game(variant)
    for seed in range(50):
        start = Position(game, game.core.random_start(seed))
        assert not start.is_terminal
        assert start.legal_moves
        assert game.position(start.text) == start
    assert len({game.core.random_start(seed) for seed in range(50)}) > 20


def test_games_without_random_starts_say_so():
    game = halma.game("ewn-5x5-6")
    with pytest.raises(ArgumentError, match="has no random starts"):
        game.core.random_start(1)
    with pytest.raises(ArgumentError, match="has no random starts"):
        greedy_samples("ewn-5x5-6", 1, random_starts=0.5)
    with pytest.raises(ArgumentError, match="Pieces do not race"):
        greedy_samples("draughts-8x8", 1)
    with pytest.raises(ArgumentError, match="at most 1 together"):
        greedy_samples(LIU2019, 1, random_starts=0.8, random_openings=0.8)


@pytest.mark.parametrize("variant", [LIU2019, "ewn-5x5-6"])
def test_threads_do_not_matter(variant):
    mix = MIX if variant == LIU2019 else {"random_openings": 0.5}
    one = greedy_samples(variant, 300, **mix).arrays()
    for threads in (2, 5):
        for name, array in greedy_samples(variant, 300, threads=threads, **mix).arrays().items():
            assert np.array_equal(array, one[name], equal_nan=array.dtype.kind == "f"), name


def test_draws_are_discarded():
    everything = greedy_samples(LIU2019, 2000, **MIX)
    drawn = np.ptp(everything.scores, axis=1) == 0
    assert 0 < drawn.sum() < 200
    kept = greedy_samples(LIU2019, 2000, keep_draws=False, **MIX)
    assert kept.numbers.tolist() == everything.numbers[~drawn].tolist()


def test_epochs_have_other_games():
    recipe = settings(games=50, agent="greedy")
    game = halma.game(LIU2019)
    one, again, two = (agent_games(game, recipe, epoch) for epoch in (1, 1, 2))
    assert np.array_equal(one.event_values, again.event_values)
    assert one.numbers.tolist() == list(range(50))
    assert two.numbers.tolist() == list(range(50, 100))
    assert not np.array_equal(one.event_values[:200], two.event_values[:200])


@pytest.mark.parametrize("targets", ["played", "policy"])
def test_agents_that_the_core_does_not_have(targets):
    """They are played in Python, with the same options."""
    game = halma.game("rhombus-4x4-3")
    recipe = settings(
        "rhombus-4x4-3",
        games=40,
        agent="lookahead",
        targets=targets,
        random_starts=0.5,
        random_openings=0.25,
        random_plies_min=3,
        random_plies_max=3,
        draws="discard",
    )
    games = agent_games(game, recipe)
    assert not games.fault(game)
    assert (np.ptp(games.scores, axis=1) > 0).all()
    normal = (first_states(games) == np.frombuffer(game.core.initial(), np.uint8)).all(axis=1)
    assert 0.2 < normal.mean() < 0.8
    random_plies = np.add.reduceat(games.choices == 2, games.row_offsets[:-1])
    assert set(random_plies) == {0, 3}
    sizes = np.diff(games.policy_offsets)[games.choices != 2]
    assert sizes.max() == 1 if targets == "played" else sizes.max() > 1
    sums = np.add.reduceat(games.policy_weights, games.policy_offsets[:-1][games.choices != 2])
    assert sums == pytest.approx(1)


def test_agents_play_alike_on_any_number_of_threads():
    game = halma.game("rhombus-4x4-3")
    recipe = settings("rhombus-4x4-3", games=21, agent="minimax:depth=2", random_openings=1.0)
    one = agent_games(game, recipe).arrays()
    for threads in (2, 5):
        for name, array in agent_games(game, recipe, threads=threads).arrays().items():
            assert np.array_equal(array, one[name], equal_nan=array.dtype.kind == "f"), name


def test_games_are_stopped_and_watched():
    game, stop, seen = halma.game(LIU2019), threading.Event(), []
    recipe = settings(games=2500, agent="greedy")

    def watch(done):
        seen.append(done)
        if done >= 2000:
            stop.set()

    with pytest.raises(Interrupted):
        agent_games(game, recipe, watch=watch, is_stopped=stop.is_set)
    assert seen == [1000, 2000]


def test_nothing_but_draws():
    game = halma.game("rhombus-7x7-6")
    recipe = small_networks.small(
        game="rhombus-7x7-6",
        selfplay__max_plies=4,
        warm_start__games=3,
        warm_start__draws="discard",
    ).settings
    with pytest.raises(RunError, match="None of 3 games of the warm start was kept"):
        agent_games(game, recipe)


def test_a_forged_start_is_found():
    game = halma.game("rhombus-4x4-3")
    games = greedy_samples("rhombus-4x4-3", 3, random_starts=1.0)
    assert not games.fault(game)
    row = games.row_offsets[1]
    record = Record(game)
    while not record.is_over:
        record.play(agent("greedy").choose(record, random.Random(1)))
    games.states[row] = np.frombuffer(record.position.state, np.uint8)
    assert "has a game 2 that does not follow the rules" in games.fault(game)
