"""Openings of a match: random plies, or positions from a book. `ballots.py` makes books."""

from __future__ import annotations

import random
from pathlib import Path

from halma.errors import HalmaError
from halma.files import read_file
from halma.games import Game, Position, Record

#: attempts to find a random opening that does not end the game
ATTEMPTS = 100
#: plies of a random game within which a chance node is looked for
_SEARCHED_PLIES = 50
#: largest file that may be a book
_MOST_BYTES = 1 << 28


def default_plies(game: Game) -> int:
    """Return the default number of random plies: two for each player, none with chance."""
    record = Record(game)
    rng = random.Random(0)
    for _ in range(_SEARCHED_PLIES):
        if record.position.is_chance:
            return 0
        if record.is_over:
            break
        record.play(rng.choice(record.position.legal_moves))
    return 2 * game.players


def play_opening(
    game: Game, seed: str, plies: int, start: Position | None = None
) -> tuple[Record, random.Random]:
    """Play random plies; return the game, which is not over, and its generator of dice.

    The opening depends on the seed alone.
    """
    for attempt in range(ATTEMPTS):
        record = Record(game, start)
        dice = random.Random(f"{seed}/{attempt}/dice")
        picks = random.Random(f"{seed}/{attempt}/moves")
        while record.plies < plies and not record.is_over:
            if record.position.is_chance:
                record.roll(dice)
            else:
                record.play(picks.choice(record.position.legal_moves))
        if not record.is_over:
            return record, dice
    raise HalmaError(
        f"An opening of {plies} random plies is too long for '{game.name}': "
        f"the game was over before that in {ATTEMPTS} attempts."
    )


def read_book(path: Path, game: Game) -> list[str]:
    """Read positions, one per line; ` # ` begins a comment, and empty lines are skipped."""
    content = read_file(path, _MOST_BYTES)
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError:
        raise HalmaError(f"'{path}' is not a book: it is not a text file.") from None
    book = []
    for number, line in enumerate(lines, start=1):
        text = line.partition(" # ")[0].strip()
        if not text or text.startswith("#"):
            continue
        try:
            position = game.position(text)
        except HalmaError as error:
            raise HalmaError(f"Line {number} of '{path}': {error}") from None
        if Record(game, position).is_over:
            raise HalmaError(f"Line {number} of '{path}': the game is over in this position.")
        book.append(position.text)
    if not book:
        raise HalmaError(f"'{path}' is not a book: it has no positions.")
    return book
