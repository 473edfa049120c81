"""Agents that search by minimax: names, what they refuse, and how they play."""

import random

import pytest

import halma
from halma import _core
from halma.agents import agent, play_game
from halma.arena import make_plan, play_matches
from halma.errors import OptionError, UnknownAgentError
from halma.search.minimax import Minimax


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("minimax", "minimax"),
        ("minimax:2", "minimax"),
        ("minimax:4", "minimax:depth=4"),
        ("minimax:phases=on,depth=4", "minimax:depth=4,phases=on"),
        ("minimax:weights=-1/-0.1/2", "minimax:weights=-1/-0.1/2"),
        ("alphabeta:0.50", "alphabeta:time=0.5"),
        ("alphabeta:nodes=1000,depth=9", "alphabeta:depth=9,nodes=1000"),
        ("expectimax:3", "expectimax:depth=3"),
        ("expectimax:depth=3,scale=0.25", "expectimax:depth=3,scale=0.25"),
        ("maxn:2", "maxn:depth=2"),
        ("paranoid:time=0.1", "paranoid:time=0.1"),
    ],
)
def test_names(typed, canonical):
    assert agent(typed).name == canonical
    assert agent(canonical).name == canonical


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("alphabeta", "needs a limit"),
        ("maxn", "needs a limit"),
        ("alphabeta:time=0", "0.001"),
        ("alphabeta:time=nan", "time"),
        ("alphabeta:depth=0", "from 1 to 100"),
        ("alphabeta:nodes=-1", "nodes"),
        ("minimax:depth=1.5", "whole number"),
        ("minimax:weights=1/x/2", "slashes"),
        ("minimax:weights=1//2", "slashes"),
        ("minimax:weights=1/nan", "slashes"),
        ("minimax:phases=yes", "on"),
    ],
)
def test_impossible_options(name, words):
    with pytest.raises(OptionError, match=words):
        agent(name)


@pytest.mark.parametrize(
    ("name", "variant", "error"),
    [
        ("alphabeta:depth=2", "star-37-3p", UnknownAgentError),
        ("alphabeta:depth=2", "ewn-3x3-3", UnknownAgentError),
        ("minimax", "cdc-2x4-PPPP", UnknownAgentError),
        ("maxn:2", "ewn-3x3-3", UnknownAgentError),
        ("expectimax:2", "star-37-3p", UnknownAgentError),
        ("minimax:phases=on", "draughts-8x8", UnknownAgentError),
        ("minimax:weights=1/2", "rhombus-4x4-3", OptionError),
    ],
)
def test_games_they_do_not_play(name, variant, error):
    record = halma.Record(halma.game(variant))
    record.roll(random.Random(0))
    with pytest.raises(error):
        agent(name).choose(record, random.Random(0))


DETERMINISTIC = ["rhombus-4x4-3", "rhombus-6x6-6", "star-73-2p", "draughts-8x8", "frogs-3-2"]
CHANCE = ["ewn-3x3-3", "ewn-5x5-6", "cdc-2x4-PPPP", "cdc-4x8"]
CROWDS = ["star-37-3p", "star-121-4p", "star-121-6p"]


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        *((name, v) for name in ("minimax", "alphabeta:time=0.002") for v in DETERMINISTIC),
        *(("expectimax:nodes=300", v) for v in (*CHANCE, "rhombus-4x4-3")),
        *((f"{kind}:nodes=300", v) for kind in ("maxn", "paranoid") for v in CROWDS),
    ],
)
def test_plays_every_game_it_claims_to(name, variant):
    record = halma.Record(halma.game(variant))
    players = [agent(name), *(agent("random") for _ in range(record.game.players - 1))]
    for _ in play_game(record, players, seed=1, most_plies=24):
        pass
    assert record.is_over or record.plies == 24


def test_only_legal_move_takes_no_time():
    chosen = halma.game("draughts-8x8")
    record = halma.Record(chosen, chosen.position("B:W10:B6,1"))
    assert len(record.position.legal_moves) == 1
    assert agent("alphabeta:time=3600").choose(record, random.Random(0)).text == "6x15"


@pytest.mark.parametrize("kind", ["minimax:depth=7", "alphabeta:depth=7", "expectimax:depth=7"])
def test_finds_the_forced_win(kind):
    """The first player wins rhombus-3x3-3 in seven plies, whatever the other does."""
    for seed in range(5):
        record = halma.Record(halma.game("rhombus-3x3-3"))
        for _ in play_game(record, [agent(kind), agent("random")], seed=seed):
            pass
        assert record.result == (1.0, 0.0)
        assert record.plies <= 7


@pytest.mark.parametrize("name", ["minimax:depth=2", "alphabeta:depth=3", "expectimax:depth=2"])
def test_says_what_it_thinks(name):
    record = halma.Record(halma.game("rhombus-5x5-3"))
    analysis = agent(name).analyse(record, random.Random(0))
    assert len(analysis.moves) == len(record.position.legal_moves)
    assert analysis.best == agent(name).choose(record, random.Random(0))
    values = [report.value for report in analysis.moves]
    assert values == sorted(values, reverse=True)
    assert analysis.nodes > 0 and analysis.depth >= 2


def test_phases():
    """Before contact one ply, in contact the search, afterwards straight forward."""
    chosen = halma.game("rhombus-6x6-6")
    record = halma.Record(chosen)
    rng = random.Random(0)
    full, shallow, phased = map(agent, ("minimax:4", "minimax:1", "minimax:4,phases=on"))
    seen = []
    while not record.is_over:
        contact = chosen.contact(record.position.state)
        if not seen or seen[-1] != contact:
            seen.append(contact)
        move = phased.choose(record, rng)
        if contact == "before":
            assert move == shallow.choose(record, rng)
        elif contact == "during":
            assert move == full.choose(record, rng)
        else:
            runs = {agent("lookahead:depth=2").choose(record, random.Random(i)) for i in range(99)}
            assert move in runs
        record.play(move)
    assert seen == ["before", "during", "after"]


def test_contact_is_about_rows_of_the_picture():
    chosen = halma.game("rhombus-3x3-1")
    for text, contact in (
        ("..2/.../1.. 1", "before"),
        (".2./1../... 1", "before"),
        ("2../.../..1 1", "during"),
        ("1../.2./... 1", "during"),
        (".1./.2./... 1", "after"),
    ):
        assert chosen.contact(chosen.position(text).state) == contact


def test_the_star_s_own_weights_beat_he2016_s():
    paper = "weights=-0.911/-0.14/0.388"
    for variant, search in (("star-121-2p", "alphabeta:depth=2"), ("star-121-3p", "maxn:depth=1")):
        plan = make_plan(variant, [search, f"{search},{paper}"], seed=1)
        (tally,) = play_matches([plan], 24)
        assert tally.points[0] > 12, variant


def test_other_boards_keep_he2016_s_weights():
    for variant in ("rhombus-7x7-6", "rhombus-9x9-10", "star-73-2p", "star-37-3p"):
        found = _core.default_weights(halma.game(variant).core)
        assert found == pytest.approx([-0.911, -0.140, 0.388])


@pytest.mark.parametrize("limit", ["time=0.01", "nodes=3000"])
@pytest.mark.parametrize(
    ("kind", "variant"),
    [
        ("alphabeta", "rhombus-5x5-3"),
        ("expectimax", "ewn-5x5-6"),
        ("expectimax", "cdc-4x8"),
        ("maxn", "star-37-3p"),
    ],
)
def test_an_analysis_keeps_its_limit(kind, variant, limit, monkeypatch):
    """All that it searches is the one search that has the limit."""
    searched = []
    search = Minimax.search

    def counted(*arguments, **options):
        found = search(*arguments, **options)
        searched.append((options, found.nodes))
        return found

    monkeypatch.setattr(Minimax, "search", counted)
    record = halma.Record(halma.game(variant))
    record.roll(random.Random(0))
    agent(f"{kind}:{limit}").analyse(record, random.Random(0))
    [(options, nodes)] = searched
    if limit == "nodes=3000":
        assert options["nodes"] == 3000 and nodes <= 3000
    else:
        assert options["seconds"] == 0.01


@pytest.mark.parametrize(
    ("name", "variant"),
    [("alphabeta:selective=off,{}", "rhombus-5x5-3"), ("maxn:{}", "star-37-3p")],
)
def test_a_limited_analysis_has_the_values_of_its_depth(name, variant):
    """Deepening has met the values of smaller depths that others search for."""
    record = halma.Record(halma.game(variant))
    limited = agent(name.format("nodes=20000")).analyse(record, random.Random(0))
    assert limited.depth > 1
    wanted = agent(name.format(f"depth={limited.depth}")).analyse(record, random.Random(0))
    assert [(report.move, pytest.approx(report.value)) for report in limited.moves] == [
        (report.move, report.value) for report in wanted.moves
    ]
