"""Requirements on notation and drawings."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from halma.errors import HalmaError, error_text
from halma.games.conformance.requirement import Sample, requirement
from halma.games.game import Game, Move, Outcome, Position


@requirement("text", "any", "Position texts are parsed back to their positions.")
def _text(sample: Sample, position: Position) -> None:
    text = position.text
    untidy = f"The text {text!r} is empty, or not one line, or has space around it."
    sample.expect(text != "" and text == text.strip() and "\n" not in text, untidy)
    sample.expect(position.text == text, "The text differs from call to call.")
    back = sample.game.position(text)
    found = f"The text is read back as {sample.name(back.state)}"
    sample.expect(back == position, f"{found}, or as another state of that text.")


@requirement("names", "decision", "Move texts are distinct and parsed back to their moves.")
def _names(sample: Sample, position: Position) -> None:
    moves = position.legal_moves
    for text in (move.text for move in moves):
        untidy = f"The text {text!r} is empty, too long, or has space around it."
        sample.expect(text == text.strip() and 0 < len(text) <= 200, untidy)
        known = sample.game.is_move_text(text)
        sample.expect(known, f"'{text}' is not accepted as the text of a move.")
    _find_all(sample, position, moves, position.find, "move")


@requirement("outcomes", "chance", "Outcome texts are distinct and parsed back to their outcomes.")
def _outcomes(sample: Sample, position: Position) -> None:
    _find_all(sample, position, position.outcomes, position.find_outcome, "outcome")


def _find_all(
    sample: Sample,
    position: Position,
    choices: Sequence[Move | Outcome],
    find: Callable[..., object],
    what: str,
) -> None:
    """Expect that texts are distinct, and that `find` returns the choice of each."""
    if len({choice.text for choice in choices}) != len(choices):
        sample.fail(f"Two {what}s have the same text.")
        return
    for choice in sample.some(choices, 5, position.state.hex()):
        found = find(choice.text) == choice and find(choice) == choice
        sample.expect(found, f"'{choice.text}' finds another {what}.")


_GARBAGE = ("", " ", "x", "-1", "9" * 20, "a1-", "\0", "é–½", "., ;:/", "1 2 3 4 5" * 50)


@requirement("refusals", "game", "Invalid texts are refused with a HalmaError that has a message.")
def _refusals(sample: Sample) -> None:
    rng = sample.rng("refusals")
    for position in sample.some(sample.positions("decision", "chance", "terminal"), 40, "refused"):
        text = position.text
        letters = text + "0129 -/.?abzTX"
        for bad in (*_GARBAGE, *(_spoil(text, letters, rng) for _ in range(10))):
            _refuse(sample, "position", lambda text: _use(sample.game, text), bad)
        real = {m.text for m in position.legal_moves} | {o.text for o in position.outcomes}
        for bad in _GARBAGE:
            if bad not in real:
                _refuse(sample, "move", position.find, bad)
                _refuse(sample, "outcome", position.find_outcome, bad)


def _refuse(sample: Sample, what: str, read: Callable[[str], object], text: str) -> None:
    """Expect that `read` succeeds or raises a `HalmaError` with a message."""
    try:
        read(text)
    except HalmaError as error:
        sample.expect(str(error) != "", f"The {what} {text!r} is refused without a reason.")
    except Exception as error:
        sample.fail(f"The {what} {text!r} raises {error_text(error)}.")


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
def _drawing(sample: Sample, position: Position) -> None:
    from halma.draw.svg import draw_svg
    from halma.draw.text import draw_text

    moves = sample.game.core.legal(position.state) if not position.is_chance else []
    for move in [None, *sample.some(moves, 2, position.state.hex())]:
        scene = sample.game.scene(position.state, move)
        cells = range(len(scene.cells))
        places = {(cell.x, cell.y) for cell in scene.cells}
        taken = {piece.cell for piece in scene.pieces}
        sample.expect(len(places) == len(cells), "Two cells are in the same place.")
        sample.expect(len(taken) == len(scene.pieces), "Two pieces are on the same cell.")
        for piece in scene.pieces:
            outside = f"A piece is on cell {piece.cell} of {len(cells)}."
            sample.expect(piece.cell in cells, outside)
            single = len(piece.glyph) == 1
            sample.expect(single, f"The glyph {piece.glyph!r} is not one character.")
        if not {*scene.trail, *scene.marks} <= {*cells}:
            sample.fail(f"The trail or marks of move {move} leave the board.")
        else:
            sample.expect(draw_text(scene).strip() != "", "The drawing as text is empty.")
            drawn = "<svg" in draw_svg(scene)
            sample.expect(drawn, "The drawing as SVG has no <svg> element.")
