"""Requirements on notation and drawings."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from halma.draw.scene import Scene
from halma.errors import HalmaError, error_text
from halma.games.conformance.requirement import Sample, name, requirement
from halma.games.game import Game, Position


@requirement("text", "any", "Position texts are parsed back to their positions.")
def _text(sample: Sample, position: Position) -> Iterator[str]:
    text = position.text
    if not text or text != text.strip() or "\n" in text:
        yield f"The text {text!r} is empty, or not one line, or has space around it."
    if position.text != text:
        yield "The text differs from call to call."
    back = sample.game.position(text)
    if back != position:
        yield f"The text is read back as {name(back)}, or as another state of that text."


@requirement("names", "decision", "Move texts are distinct and parsed back to their moves.")
def _names(sample: Sample, position: Position) -> Iterator[str]:
    moves = position.legal_moves
    if len({move.text for move in moves}) != len(moves):
        yield "Two moves have the same text."
        return
    for move in moves:
        if not move.text or move.text != move.text.strip() or len(move.text) > 200:
            yield f"The text {move.text!r} is empty, too long, or has space around it."
        if not sample.game.is_move_text(move.text):
            yield f"'{move.text}' is not accepted as the text of a move."
    for move in sample.rng(position.state.hex()).sample(moves, min(len(moves), 5)):
        if position.find(move.text) != move or position.find(move) != move:
            yield f"'{move.text}' finds another move."


@requirement("outcomes", "chance", "Outcome texts are distinct and parsed back to their outcomes.")
def _outcomes(sample: Sample, position: Position) -> Iterator[str]:
    outcomes = position.outcomes
    if len({outcome.text for outcome in outcomes}) != len(outcomes):
        yield "Two outcomes have the same text."
        return
    for outcome in sample.rng(position.state.hex()).sample(outcomes, min(len(outcomes), 5)):
        if position.find_outcome(outcome.text) != outcome:
            yield f"'{outcome.text}' finds another outcome."


_GARBAGE = ("", " ", "x", "-1", "9" * 20, "a1-", "\0", "é–½", "., ;:/", "1 2 3 4 5" * 50)


@requirement("refusals", "game", "Invalid texts are refused with a HalmaError that has a message.")
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
    """Yield a violation unless `read` succeeds or raises a `HalmaError` with a message."""
    try:
        read(text)
    except HalmaError as error:
        if not str(error):
            yield f"The {what} {text!r} is refused without a reason."
    except Exception as error:
        yield f"The {what} {text!r} raises {error_text(error)}."


def _use(game: Game, text: str) -> None:
    """Read a position, and call on it what must not raise."""
    position = game.position(text)
    _ = position.mover, position.legal_moves, position.outcomes, position.result
    if game.position(position.text) != position:
        raise ValueError("it is accepted, but its text is not parsed back to it")


def _spoil(text: str, letters: str, rng: random.Random) -> str:
    """Delete, insert or replace a letter."""
    at = rng.randrange(len(text) + 1)
    head, letter, tail = text[:at], rng.choice(letters), text[at:]
    return rng.choice((head + tail[1:], head + letter + tail, head + letter + tail[1:]))


@requirement("drawing", "any", "A position can be drawn, and all pieces are on cells.")
def _drawing(sample: Sample, position: Position) -> Iterator[str]:
    moves = sample.game.core.legal(position.state) if not position.is_chance else []
    rng = sample.rng(position.state.hex())
    for move in [None, *rng.sample(moves, min(len(moves), 2))]:
        scene = sample.game.scene(position.state, move)
        cells = range(len(scene.cells))
        if len({(cell.x, cell.y) for cell in scene.cells}) != len(scene.cells):
            yield "Two cells are in the same place."
        if len({piece.cell for piece in scene.pieces}) != len(scene.pieces):
            yield "Two pieces are on the same cell."
        for piece in scene.pieces:
            if piece.cell not in cells:
                yield f"A piece is on cell {piece.cell} of {len(cells)}."
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
        yield "The drawing as text is empty."
    if "<svg" not in draw_svg(scene):
        yield "The drawing as SVG has no <svg> element."
