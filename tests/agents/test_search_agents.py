"""Agents that search, look ahead or ask a person: options, whole games, manners."""

import io
import random
from collections import Counter

import pytest

import halma
from halma.agents import Analyst, LeftError, agent, play_game, specs
from halma.agents.mcts import sample_move
from halma.errors import OptionError
from halma.search import MoveReport

RACES = ["rhombus-4x4-3", "rhombus-7x7-6:rules=liu2019", "star-37-3p", "ewn-5x5-6"]
BOARDS = ["rhombus-5x5-3", "star-37-3p", "star-121-2p", "draughts-8x8", "ewn-3x3-3", "cdc-2x4-PPPP"]


def play(names, variant, seed=0, most_plies=0):
    record = halma.Record(halma.game(variant))
    players = [agent(names[i % len(names)]) for i in range(record.game.players)]
    list(play_game(record, players, seed, most_plies))
    return record


@pytest.mark.parametrize("variant", RACES)
@pytest.mark.parametrize("name", ["greedy:ties=random", "initialize"])
def test_racing_agents_play_whole_games(name, variant):
    assert play([name, "greedy"], variant).is_over


@pytest.mark.parametrize("variant", [name for name in RACES if not name.startswith("ewn")])
def test_lookahead_plays_whole_games(variant):
    assert play(["lookahead", "greedy"], variant).is_over


@pytest.mark.parametrize("variant", BOARDS)
@pytest.mark.parametrize(
    "name",
    [
        "mcts:sims=20",
        "mcts:sims=20,rule=puct,fpu=parent,evaluator=linear,scale=0.1,dirichlet_weight=0.2,reuse=on",
        "mcts:sims=16,rule=gumbel,evaluator=uniform,limits=first-repetition,temperature=1,temperature_plies=6",
        "mcts:time=0.001,evaluator=uniform",
    ],
)
def test_mcts_plays_every_family(name, variant):
    record = play([name], variant, most_plies=40)
    assert record.plies == 40 or record.is_over


@pytest.mark.parametrize("variant", ["rhombus-4x4-3", "ewn-5x5-6", "cdc-2x4-PPPP"])
def test_mcts_for_two_players_plays_whole_games(variant):
    names = ["mcts:sims=200,rule=pluska", "mcts:sims=200,solver=on,reuse=on"]
    assert play(names, variant).is_over


def test_mcts_plays_a_game_written_in_python():
    assert play(["mcts:sims=30", "random"], "frogs-3-2").is_over


@pytest.mark.parametrize(
    "name",
    ["lookahead", "initialize", "mcts:sims=50,temperature=1", "mcts:sims=50,reuse=on,rule=puct"],
)
def test_the_same_seed_gives_the_same_game_with_new_or_used_agents(name):
    fresh = [play([name, "random"], "rhombus-4x4-3", seed).texts for seed in (1, 2, 1)]
    assert fresh[0] == fresh[2] != fresh[1]
    used = [agent(name), agent("random")]
    for seed, expected in ((2, fresh[1]), (1, fresh[0])):
        record = halma.Record(halma.game("rhombus-4x4-3"))
        list(play_game(record, used, seed))
        assert record.texts == expected


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mcts", "needs a limit: sims="),
        ("mcts:rule=puct", "needs a limit"),
        ("mcts:sims=0", "whole number from 1"),
        ("mcts:time=0", "number from 0.001"),
        ("mcts:time=nan", "number from 0.001"),
        ("mcts:time=soon", "number from 0.001"),
        ("mcts:sims=1.5", "whole number"),
        ("mcts:time=1,rule=gumbel", "needs 'sims'"),
        ("mcts:sims=5,fpu=win", "'fpu' is read by rule=puct or rule=rpo, not by rule=uct"),
        ("mcts:sims=5,rule=gumbel,c=2", "not by rule=gumbel"),
        ("mcts:sims=5,temperature_plies=3", "needs a 'temperature'"),
        ("mcts:sims=5,dirichlet_weight=0.3", "not by rule=uct"),
        ("mcts:sims=5,scale=2", "'evaluator=linear'"),
        ("mcts:sims=5,rule=puct,dirichlet_alpha=1", "needs a 'dirichlet_weight'"),
        ("mcts:sims=5,rule=ucb", "Did you mean"),
        ("lookahead:depth=0", "from 1 to 4"),
        ("greedy:ties=last", "one of trailing, random"),
    ],
)
def test_impossible_options_are_sentences(name, words):
    with pytest.raises(OptionError, match=words) as caught:
        agent(name)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


def test_options_a_game_cannot_have():
    for name in ("mcts:sims=5,rule=pluska", "mcts:sims=5,solver=on"):
        with pytest.raises(OptionError, match="for two players"):
            play([name], "star-37-3p")


def test_schulte2021_s_greedy_draws_lots_among_the_longest():
    game = halma.game("ewn-5x5-6")
    record = halma.Record(game, game.position("...../.1.../..3../...../....a r 2"))
    rng = random.Random(7)
    counts = Counter(agent("greedy:ties=random").choose(record, rng).text for _ in range(300))
    assert set(counts) == {"b2-c3", "c3-d4"}
    assert min(counts.values()) > 110


def test_initialize_weighs_back_sideways_and_forward():
    game = halma.game("rhombus-4x4-3")
    record = halma.Record(game, game.position("..22/...2/.1../11.. 1"))
    state = record.position.state
    kinds_of = {m.text: game.advance(state, m.value) for m in record.position.legal_moves}
    weights = {text: 1 if a < 0 else 2 if a == 0 else 4 for text, a in kinds_of.items()}
    assert set(weights.values()) == {1, 2, 4}
    rng = random.Random(3)
    counts = Counter(agent("initialize").choose(record, rng).text for _ in range(4000))
    for text, weight in weights.items():
        assert counts[text] == pytest.approx(4000 * weight / sum(weights.values()), rel=0.2)


def test_mcts_beats_random():
    wins = sum(play(["mcts:sims=100", "random"], "ewn-3x3-3", s).result[0] for s in range(40))
    assert wins >= 28


def test_a_temperature_sharpens_or_flattens():
    moves = [halma.Move(i, str(i)) for i in range(3)]
    reports = tuple(MoveReport(m, policy=p) for m, p in zip(moves, (0.6, 0.3, 0.1), strict=True))

    def shares(temperature):
        rng = random.Random(1)
        counts = Counter(sample_move(reports, temperature, rng).text for _ in range(3000))
        return [counts[str(i)] / 3000 for i in range(3)]

    assert shares(1.0) == pytest.approx([0.6, 0.3, 0.1], abs=0.03)
    assert shares(0.5) == pytest.approx([0.36 / 0.46, 0.09 / 0.46, 0.01 / 0.46], abs=0.03)
    assert shares(0.01) == [1, 0, 0]


def test_a_temperature_holds_for_some_plies():
    chooser = agent("mcts:sims=60,rule=puct,evaluator=uniform,temperature=1,temperature_plies=1")
    record = halma.Record(halma.game("rhombus-4x4-3"))
    rng = random.Random(0)
    assert len({chooser.choose(record, rng).text for _ in range(30)}) > 1
    record.play(record.position.legal_moves[0])
    assert len({chooser.choose(record, rng).text for _ in range(30)}) == 1


def test_who_can_analyse():
    able = {kind.name for kind in specs() if isinstance(agent(kind.example or kind.name), Analyst)}
    assert "mcts" in able
    assert not able & {"random", "greedy", "lookahead", "initialize", "human"}


# A person.


def ask(monkeypatch, typed):
    """Return the move of a person who types this at the start of a game, and the game."""
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    record = halma.Record(halma.game("rhombus-4x4-3"))
    return agent("human").choose(record, random.Random(0)), record


def test_a_person_is_helped_until_a_move_is_legal(monkeypatch, capsys):
    move, record = ask(monkeypatch, "hello\n\n  d1-d2\nmoves\n a1-a3 \n")
    assert move.text == "a1-a3"
    text = capsys.readouterr().err
    assert str(record.position) in text
    assert "'hello' is not a move in this game's notation." in text
    assert "'d1-d2' is not legal here." in text
    assert " ".join(m.text for m in record.position.legal_moves) in text
    assert text.count("player 1, red: your move") == 5


@pytest.mark.parametrize("typed", ["quit\n", "exit\n", "", "a9-a8\nquit\n"])
def test_a_person_may_leave(typed, monkeypatch):
    with pytest.raises(LeftError, match="left the game"):
        ask(monkeypatch, typed)


def test_a_network_that_is_ahead_does_not_go_round_in_circles():
    # It does where only the rules end a line: four positions, until the move limit.
    game = halma.game("rhombus-7x7-6")
    start = game.position("....1../...22../..22.../...21../...12../...1.../..11... 1")
    ended = {}
    for limits in ("", ",limits=game"):
        player = agent(f"net:rhombus-7x7-6,sims=8{limits}")
        record = halma.Record(game, start)
        while not record.is_over and record.plies < 60:
            record.play(player.choose(record, random.Random(0)))
        ended[limits] = record.is_over, len({position.text for position in record.positions})
    assert ended[""][0] and ended[",limits=game"] == (False, 4)
