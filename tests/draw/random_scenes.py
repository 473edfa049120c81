"""Any scene at all, sensible or not."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from halma.draw.scene import Cell, Die, Piece, Scene

COLOURS = ("red", "blue", "yellow", "green", "black", "white", "player 3", "player 9", "hidden", "")
TINTS = ("plain", "dark", "light", "home 1", "home 6", "home 7", "home", "")
coordinates = st.integers(-12, 12).map(lambda n: n / 2)
# Surrogates and control characters included.
words = st.text(st.characters(), max_size=12)


@st.composite
def scenes(draw: Any) -> Scene:
    cells = draw(
        st.lists(
            st.builds(Cell, x=coordinates, y=coordinates, name=words, tint=st.sampled_from(TINTS)),
            max_size=30,
        )
    )
    numbers = st.integers(0, max(0, len(cells) - 1))
    some_cells = st.lists(numbers, max_size=6 if cells else 0).map(tuple)
    pieces = st.builds(
        Piece,
        cell=numbers,
        colour=st.sampled_from(COLOURS),
        glyph=st.characters(categories=["L", "N"]),
        label=words,
        crowned=st.booleans(),
    )
    dice = st.builds(Die, value=st.integers(0, 20), colour=st.sampled_from(COLOURS))
    reserve = st.tuples(st.sampled_from(COLOURS), words, st.integers(0, 20))
    return Scene(
        board=draw(st.sampled_from(("squares", "holes"))),
        cells=tuple(cells),
        pieces=tuple(draw(st.lists(pieces, max_size=12 if cells else 0))),
        caption=draw(st.text(st.characters(), max_size=200)),
        trail=draw(some_cells),
        marks=draw(some_cells),
        heat=tuple(draw(st.lists(st.floats(0, 1), max_size=len(cells)))),
        die=draw(st.none() | dice),
        labels=tuple(draw(st.lists(st.tuples(coordinates, coordinates, words), max_size=8))),
        reserve=tuple(draw(st.lists(reserve, max_size=20))),
    )
