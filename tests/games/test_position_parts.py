"""Positions in parts, as editors change them."""

import random

import pytest

from halma.errors import PositionError
from halma.games import Record, game, variant_names

EDITABLE = [name for name in variant_names() if game(name).piece_kinds]


@pytest.mark.parametrize("name", EDITABLE)
def test_parts_give_back_the_position(name):
    rules, rng = game(name), random.Random(1)
    record = Record(rules)
    kinds = {piece.glyph for piece in rules.piece_kinds} | {".", "*"}
    for _ in range(40):
        text = record.position.text
        glyphs, fields = rules.split_position(text)
        assert rules.join_position(glyphs, fields) == text
        assert set(glyphs) <= kinds
        scene = rules.scene(record.position.state)
        assert {piece.cell for piece in scene.pieces} == {
            cell for cell, glyph in enumerate(glyphs) if glyph != "."
        }
        for field, value in zip(rules.position_fields, fields, strict=False):
            assert not field.choices or value in field.choices
        if record.is_over:
            break
        if record.position.is_chance:
            record.resolve(rng.choice(record.position.outcomes))
        else:
            record.play(rng.choice(record.position.legal_moves))


def test_every_family_but_games_in_python_can_be_edited():
    assert {game(name).title for name in EDITABLE} == {
        "Chinese Checkers",
        "English draughts",
        "EinStein würfelt nicht!",
        "Chinese dark chess",
    }


@pytest.mark.parametrize("name", ["ewn-3x3-3", "draughts-8x8", "star-37-3p"])
def test_wrong_parts_are_refused(name):
    rules = game(name)
    glyphs, fields = rules.split_position(rules.start().text)
    for wrong in ([], glyphs[1:], ["xx", *glyphs[1:]], ["", *glyphs[1:]]):
        with pytest.raises(PositionError):
            rules.position(rules.join_position(wrong, fields))
    with pytest.raises(PositionError):
        rules.position(rules.join_position(glyphs, ["z"]))
