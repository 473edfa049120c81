"""The palette as a style sheet."""

import re
from dataclasses import replace

from halma.draw.palette import DEFAULT, PAINTS, PLAYERS
from halma.draw.stylesheet import palette_css


def test_every_paint_has_a_class_with_its_four_colours():
    rules = dict(re.findall(r"\.paint-([\w-]+) \{ (.*) \}", palette_css()))
    assert set(rules) == {*PAINTS, "hidden", *(f"player-{n}" for n in range(1, 7))}
    red = PAINTS["red"]
    assert (
        rules["red"] == f"--fill: {red.fill}; --edge: {red.edge}; --ink: {red.ink}; "
        f"--pale: {red.pale};"
    )
    assert rules["player-2"] == rules[PLAYERS[1]]


def test_colours_of_a_theme_are_used():
    text = palette_css(replace(DEFAULT, wood_edge="#123456"))
    assert "--board-wood-edge: #123456;" in text
