"""What notebooks display: drawings, tables and moves, with every text escaped."""

import random
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

import halma
from halma.agents import agent
from halma.draw.notebook import beside, heading, line, numbered, share_table
from halma.networks import NetworkOutput
from halma.search import Analysis, MoveReport

HOSTILE = "<script>alert(1)</script>&\"'"


def parse(html: str) -> ElementTree.Element:
    """Return the tree of a fragment, which must be well-formed."""
    return ElementTree.fromstring(html.replace("&ensp;", " "))


def texts(html: str) -> str:
    return " ".join("".join(parse(html).itertext()).split())


def played(variant: str, plies: int) -> halma.Record:
    rng, record = random.Random(2), halma.Record(halma.game(variant))
    record.roll(rng)
    while record.plies < plies and not record.is_over:
        record.play(rng.choice(record.position.legal_moves))
        if not record.is_over:
            record.roll(rng)
    return record


@pytest.mark.parametrize("variant", halma.variant_names())
def test_records(variant):
    record = played(variant, 4)
    shown = texts(record._repr_html_())
    assert f"{variant}, 4 plies" in shown
    chances = [chance for chance, _ in record.events]
    for chance, text in zip(chances, record.texts, strict=True):
        assert (f"({text})" if chance else text) in shown
    listed = shown[shown.index("4 plies") :]
    assert [listed.index(f" {ply}.") for ply in (1, 2, 3, 4)] == sorted(
        listed.index(f" {ply}.") for ply in (1, 2, 3, 4)
    )
    assert record._repr_svg_() in record._repr_html_()
    assert not record.is_over and "Over" not in shown


def test_a_record_draws_its_last_move():
    record = halma.Record(halma.game("draughts-8x8"))
    assert 'class="trail"' not in record._repr_svg_()
    record.play("11-15")
    assert 'class="trail"' in record._repr_svg_()
    assert record._repr_svg_().count('class="piece"') == 24


def test_a_finished_record_says_how_it_ended():
    record = played("ewn-3x3-3", 1000)
    assert record.is_over
    assert "Over by the rules: red" in texts(record._repr_html_())


@pytest.mark.parametrize("name", ["mcts:sims=50", "alphabeta:depth=2", "net:rhombus-7x7-6,sims=8"])
def test_analyses(name):
    record = halma.Record(halma.game("rhombus-7x7-6"))
    found = agent(name).analyse(record, random.Random(0))
    shown = texts(found._repr_html_())
    assert f"rhombus-7x7-6: {found.best.text}" in shown
    assert found.effort in shown
    assert all(report.move.text in shown for report in found.moves[:10])
    assert ("visits" in shown) == (found.simulations is not None)


def test_network_outputs():
    network = halma.load_network("rhombus-7x7-6")
    shown = texts(network.evaluate(network.game.start())._repr_html_())
    assert "player 1 0." in shown and "%" in shown


def test_every_text_is_escaped():
    for html in (
        heading(HOSTILE),
        line(HOSTILE),
        numbered([(HOSTILE, HOSTILE)]),
        share_table([HOSTILE], [([HOSTILE], 0.5)]),
    ):
        assert "<script" not in html
        assert HOSTILE in "".join(parse(html).itertext())
    position = halma.game("rhombus-5x5-3").start()
    move = replace(position.legal_moves[0], text=HOSTILE)
    report = MoveReport(move, 0.5, line=(HOSTILE,))
    output = NetworkOutput(position, {HOSTILE: 1.0}, (0.5, 0.5), 0.0)
    for thing in (Analysis(position, (report,), 0.5), output):
        assert "<script" not in thing._repr_html_()
        parse(thing._repr_html_())


def test_bars_stay_within_their_cell():
    for share in (-1.0, 0.0, 0.5, 7.0, float("nan")):
        assert "width: " in share_table(["a"], [(["b"], share)])
    assert "width: 6.00em" in share_table(["a"], [(["b"], 7.0)])
    assert beside("<svg/>", "", heading("x")).count("<p>") == 1
