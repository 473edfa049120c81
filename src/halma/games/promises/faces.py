"""Promises about what people are shown: texts, refusals and pictures."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from halma.draw.scene import Scene
from halma.errors import HalmaError, error_text
from halma.games.game import Game, Position
from halma.games.promises.promise import Sample, name, promise

# Text and pictures.


@promise("text", "any", "A position can be written and read back.")
def _text(sample: Sample, position: Position) -> Iterator[str]:
    text = position.text
    if not text or text != text.strip() or "\n" in text:
        yield f"The text {text!r} is empty, or not one line without space around it."
    if position.text != text:
        yield "The text differs from call to call."
    back = sample.game.position(text)
    if back != position:
        yield f"The text is read back as {name(back)}, or as another state of that text."


@promise("names", "decision", "Every move has a text of its own that finds it again.")
def _names(sample: Sample, position: Position) -> Iterator[str]:
    moves = position.legal_moves
    if len({move.text for move in moves}) != len(moves):
        yield "Two moves have the same text."
        return
    for move in moves:
        if not move.text or move.text != move.text.strip() or len(move.text) > 200:
            yield f"The text {move.text!r} is empty, too long, or has space around it."
        if not sample.game.is_move_text(move.text):
            yield f"'{move.text}' is not recognised as the text of a move."
    for move in sample.rng(position.state.hex()).sample(moves, min(len(moves), 5)):
        if position.find(move.text) != move or position.find(move) != move:
            yield f"'{move.text}' finds another move."


@promise("rolls", "chance", "Every outcome has a text of its own that finds it again.")
def _rolls(sample: Sample, position: Position) -> Iterator[str]:
    outcomes = position.outcomes
    if len({outcome.text for outcome in outcomes}) != len(outcomes):
        yield "Two outcomes have the same text."
        return
    for outcome in sample.rng(position.state.hex()).sample(outcomes, min(len(outcomes), 5)):
        if position.find_outcome(outcome.text) != outcome:
            yield f"'{outcome.text}' finds another outcome."


_GARBAGE = (
    "",
    " ",
    "x",
    "-1",
    "99999999999999999999",
    "a1-",
    "\0",
    "é–½",
    "., ;:/",
    "1 2 3 4 5" * 50,
)


@promise("refusals", "game", "Texts that mean nothing are refused with a sentence.")
def _refusals(sample: Sample) -> Iterator[str]:
    rng = sample.rng("refusals")
    positions = [p for kind in ("decision", "chance", "terminal") for p in sample.positions(kind)]
    for position in rng.sample(positions, min(len(positions), 40)):
        text = position.text
        letters = text + "0129 -/.?abzTX"
        for bad in (*_GARBAGE, *(_spoil(text, letters, rng) for _ in range(10))):
            yield from _refuses("position", lambda text: _use(sample.game, text), bad)
        real = {m.text for m in position.legal_moves} | {o.text for o in position.outcomes}
        for bad in _GARBAGE:
            if bad not in real:
                yield from _refuses("move", position.find, bad)
                yield from _refuses("outcome", position.find_outcome, bad)


def _refuses(what: str, read: Callable[[str], object], text: str) -> Iterator[str]:
    """Yield a sentence unless `read` works or gives a reason."""
    try:
        read(text)
    except HalmaError as error:
        if not str(error):
            yield f"The {what} {text!r} is refused without a reason."
    except Exception as error:
        yield f"The {what} {text!r} leads to {error_text(error)}."


def _use(game: Game, text: str) -> None:
    """Ask a position that was read from doubtful text everything that must not go wrong."""
    position = game.position(text)
    _ = position.mover, position.legal_moves, position.outcomes, position.result
    if game.position(position.text) != position:
        raise ValueError("it is accepted, but cannot be written and read back")


def _spoil(text: str, letters: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    letter = rng.choice(letters)
    return rng.choice(
        (
            text[:at] + text[at + 1 :],
            text[:at] + letter + text[at:],
            text[:at] + letter + text[at + 1 :],
        )
    )


@promise("picture", "any", "A position can be drawn, and all pieces stand on cells.")
def _picture(sample: Sample, position: Position) -> Iterator[str]:
    moves = sample.game.core.legal(position.state) if not position.is_chance else []
    rng = sample.rng(position.state.hex())
    for move in [None, *rng.sample(moves, min(len(moves), 2))]:
        scene = sample.game.scene(position.state, move)
        cells = range(len(scene.cells))
        if len({(cell.x, cell.y) for cell in scene.cells}) != len(scene.cells):
            yield "Two cells are in the same place."
        if len({piece.cell for piece in scene.pieces}) != len(scene.pieces):
            yield "Two pieces stand on the same cell."
        for piece in scene.pieces:
            if piece.cell not in cells:
                yield f"A piece stands on cell {piece.cell} of {len(cells)}."
            if len(piece.glyph) != 1:
                yield f"The glyph {piece.glyph!r} is not one character."
        if any(cell not in cells for cell in (*scene.trail, *scene.marks)):
            yield f"The trail or marks of move {move} leave the board."
        else:
            yield from _draw(scene)


def _draw(scene: Scene) -> Iterator[str]:
    from halma.draw.svg import draw_svg
    from halma.draw.text import draw_text

    if not draw_text(scene).strip():
        yield "The drawing in text is empty."
    if "<svg" not in draw_svg(scene):
        yield "The drawing in SVG is none."
