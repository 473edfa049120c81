"""Agents: names, what they choose, and games between them."""

import random
from collections import Counter

import pytest

import halma
from halma.agents import agent, play_game, specs
from halma.errors import HalmaError, NameSyntaxError, OptionError, UnknownAgentError
from halma.games.einstein import EinsteinGame


class Backward(EinsteinGame):
    """A game in which every move goes back, one to `b1` least."""

    def advance(self, state, move):
        return -float(move >> 8)


def record_at(text, game=None):
    game = game or halma.game("ewn-5x5-6")
    return halma.Record(game, game.position(text))


def choices(name, record, times=200):
    chooser = agent(name)
    rng = random.Random(7)
    return Counter(chooser.choose(record, rng).text for _ in range(times))


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("random", "random"),
        ("greedy", "greedy"),
        ("greedy:best", "greedy"),
        ("greedy:stochastic", "greedy:pick=stochastic"),
        ("greedy:pick=stochastic", "greedy:pick=stochastic"),
        ("greedy:ties=random", "greedy:ties=random"),
        ("lookahead:depth=2", "lookahead"),
        ("lookahead:3", "lookahead:depth=3"),
        ("mcts:100", "mcts:sims=100"),
        ("mcts:time=0.50", "mcts:time=0.5"),
        ("mcts:c=2,sims=9,rule=puct", "mcts:sims=9,rule=puct,c=2"),
    ],
)
def test_names(typed, canonical):
    assert agent(typed).name == canonical
    assert agent(canonical).name == canonical


def test_every_kind_is_found_by_its_name():
    examples = [kind.example or kind.name for kind in specs()]
    assert [agent(example).name for example in examples] == examples
    assert [example.partition(":")[0] for example in examples] == [kind.name for kind in specs()]


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("gredy", UnknownAgentError, "Did you mean 'greedy'"),
        ("", NameSyntaxError, "no name"),
        ("greedy:stochastc", OptionError, "Did you mean 'stochastic'"),
        ("greedy:pock=best", OptionError, "Did you mean 'pick'"),
        ("random:best", NameSyntaxError, "key=value"),
        ("random:sims=3", OptionError, "no options"),
        ("x" * 10_000, NameSyntaxError, "too long"),
    ],
)
def test_bad_names_are_sentences(name, error, words):
    with pytest.raises(error, match=words):
        agent(name)


def test_random_plays_every_move_about_equally_often():
    record = record_at("1..../...../...../...../....a r 1")
    counts = choices("random", record, times=3000)
    assert set(counts) == {"a1-b1", "a1-a2", "a1-b2"}
    assert all(900 < count < 1100 for count in counts.values())


def test_greedy_plays_the_longest_way_forward():
    assert set(choices("greedy", record_at("1..../...../...../...../....a r 1"))) == {"a1-b2"}
    assert set(choices("greedy", record_at("1..../...../...../...../....a b 1"))) == {"e5-d4"}


def test_greedy_prefers_the_piece_furthest_behind():
    # The die shows 2, which is gone: pieces 1 and 3 may move, and 1 has further to go.
    record = record_at("...../.1.../..3../...../....a r 2")
    assert set(choices("greedy", record)) == {"b2-c3"}


def test_greedy_draws_lots_among_equals():
    record = record_at("..1../...../3..../...../....a r 2")
    counts = choices("greedy", record)
    assert set(counts) == {"c1-d2", "a3-b4"}
    assert min(counts.values()) > 60


def test_stochastic_greedy_follows_the_advance():
    record = record_at("1..../...../...../...../....a r 1")
    counts = choices("greedy:stochastic", record, times=4000)
    assert 1850 < counts["a1-b2"] < 2150  # two of four
    assert 850 < counts["a1-b1"] < 1150  # one of four


def test_without_a_forward_move_both_go_back_as_little_as_possible():
    record = record_at("1..../...../...../...../....a r 1", Backward("backward", 5, 5, 6))
    assert set(choices("greedy", record)) == {"a1-b1"}
    assert set(choices("greedy:stochastic", record)) == {"a1-b1"}


def test_greedy_declines_a_game_without_advance():
    record = halma.Record(halma.game("draughts-8x8"))
    for name in ("greedy", "greedy:stochastic", "greedy:ties=random", "initialize"):
        with pytest.raises(UnknownAgentError, match="'draughts-8x8' has no measure of how far"):
            agent(name).choose(record, random.Random(0))


@pytest.mark.parametrize(
    ("mover", "advances", "to_go"),
    [
        ("r", {"b1-c1": 1, "b1-b2": 1, "b1-c2": 2}, 4),
        ("b", {"c3-b3": 1, "c3-c2": 1, "c3-b2": 2}, 4),
    ],
)
def test_advance_in_einstein_counts_rows_and_columns(mover, advances, to_go):
    game = halma.game("ewn-3x4-3")
    position = game.position(f".1./.../..a/... {mover} 1")
    found = {m.text: game.advance(position.state, m.value) for m in position.legal_moves}
    assert found == advances
    assert {game.trailing(position.state, m.value) for m in position.legal_moves} == {to_go}


def play(seed, names=("greedy", "random"), variant="ewn-3x3-3", **options):
    record = halma.Record(halma.game(variant))
    steps = list(play_game(record, [agent(name) for name in names], seed, **options))
    return record, steps


def test_the_same_seed_gives_the_same_game():
    assert play(4)[0].texts == play(4)[0].texts
    assert len({tuple(play(seed)[0].texts) for seed in range(10)}) == 10


def test_a_game_is_played_to_its_end_and_every_step_is_told():
    record, steps = play(1)
    assert record.is_over
    assert record.end == "by the rules"
    assert [step.played.text for step in steps] == record.texts
    assert [step.before for step in steps] == record.positions[:-1]


def test_a_game_stops_after_so_many_plies():
    record, _ = play(1, variant="ewn-5x5-6", most_plies=4)
    assert record.plies == 4
    assert not record.is_over


def test_one_player_s_choices_leave_the_dice_alone():
    """Both games roll the same dice as long as they last, whoever plays."""

    def dice(names):
        steps = play(2, names, variant="ewn-5x5-6")[1]
        return [step.played.text for step in steps if step.before.is_chance]

    first, second = dice(("greedy", "random")), dice(("random", "random"))
    together = min(len(first), len(second))
    assert first[:together] == second[:together]


def test_greedy_beats_random():
    wins = sum(play(seed, variant="ewn-5x5-6")[0].result[0] for seed in range(100))
    assert wins > 65


def test_a_game_needs_an_agent_for_every_player():
    with pytest.raises(HalmaError, match="takes 2 agents, not 1"):
        play(0, names=("random",))
