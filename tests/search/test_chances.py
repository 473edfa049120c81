"""Values of minimax as chances of winning: scaled by the game, and certain only if proven."""

import math
import random

import pytest

from halma.agents import agent
from halma.games import Record, game
from halma.search import Minimax
from halma.search.analysis import MoveReport
from halma.search.minimax import default_scale


def analysis(variant, name, position=None):
    chosen = game(variant)
    record = Record(chosen, chosen.start() if position is None else chosen.position(position))
    return agent(name).analyse(record, random.Random(0))


def test_a_lead_is_scaled_by_the_game():
    chosen = game("rhombus-6x6-6")
    found = Minimax(chosen).search(chosen.start(), depth=3)
    assert found.value > 0
    wanted = 1 / (1 + math.exp(-default_scale(chosen) * found.value))
    assert found.as_analysis().value == pytest.approx(wanted)
    assert 0 < default_scale(chosen) < 1
    assert Minimax(chosen, scale=0.5).scale == 0.5
    assert default_scale(game("frogs-3-2")) == 0


@pytest.mark.parametrize("variant", ["rhombus-6x6-6", "rhombus-7x7-6", "star-121-2p"])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_nobody_has_won_at_the_start(variant, depth):
    """A move ahead is worth something, but never the game."""
    assert 0.4 < analysis(variant, f"alphabeta:depth={depth}").value < 0.8


@pytest.mark.parametrize("kind", ["maxn", "paranoid"])
def test_equal_players_have_about_equal_chances(kind):
    """The one to move has a little more."""
    for players in (3, 4, 6):
        value = analysis(f"star-121-{players}p", f"{kind}:depth=1").value
        assert 1 / players < value < 1 / players + 0.2


def test_what_is_proven_is_exact():
    found = analysis("rhombus-3x3-3", "alphabeta:depth=9")
    assert found.moves[0].proof == "win"
    assert found.value == 1.0 and found.proven


def test_expectimax_proves_an_immediate_win_and_estimates_the_rest():
    """Red may reach the corner, whatever else is on the board."""
    found = analysis("ewn-3x3-3", "expectimax:depth=1", ".a./b1./... r 1")
    best = found.moves[0]
    assert (best.move.text, best.proof, best.value) == ("b2-c3", "win", 1.0)
    assert found.proven
    others = [report for report in found.moves[1:] if report.proof is None]
    assert others and all(0 < report.value < 1 for report in others)


@pytest.mark.parametrize("scale", [0.3, 1, 30])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_lead_is_worth_a_win(depth, scale):
    """Red is far ahead and may capture the last piece."""
    position = "KG.M..../......../......Gp/........ r - 1"
    found = analysis("cdc-4x8", f"expectimax:depth={depth},scale={scale}", position)
    assert (found.moves[0].move.text, found.moves[0].proof) == ("c7xc8", "win")


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (MoveReport(None, 1.0), "0.999"),
        (MoveReport(None, 0.99999), "0.999"),
        (MoveReport(None, 0.0), "0.001"),
        (MoveReport(None, 0.5), "0.500"),
        (MoveReport(None, None), ""),
        (MoveReport(None, 1.0, proof="win"), "win, proven"),
        (MoveReport(None, 0.25, proof="exact"), "0.250, proven"),
    ],
)
def test_an_estimate_is_never_written_as_certain(report, text):
    assert report.value_text == text


def test_a_huge_lead_is_no_proof():
    """Eleven kings to one: nothing is certain before it is."""
    found = analysis("draughts-8x8", "minimax:1", "W:WK1,K2,K3,K4,K5,K6,K7,K8,K9,K10,K11:BK30")
    assert not found.proven and 0.99 < found.value < 1
    assert found.moves[0].value_text == "0.999"
