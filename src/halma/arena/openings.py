"""How games begin: random plies, or positions from a book."""

from __future__ import annotations

import random
from pathlib import Path

from halma.errors import HalmaError
from halma.games import Game, Position, Record

#: how often an opening that ends the game is drawn anew
ATTEMPTS = 100
#: how far into a random game chance is looked for
_LOOKED_AT = 50


def default_plies(game: Game) -> int:
    """Return how many random plies make games differ: two for each player, none with chance."""
    record = Record(game)
    rng = random.Random(0)
    for _ in range(_LOOKED_AT):
        if record.position.is_chance:
            return 0
        if record.is_over:
            break
        record.play(rng.choice(record.position.legal_moves))
    return 2 * game.players


def play_opening(
    game: Game, seed: str, plies: int, start: Position | None = None
) -> tuple[Record, random.Random]:
    """Return a game after random plies, and the dice it is to go on with.

    It is the same for the same seed, and the game is not over.
    """
    for attempt in range(ATTEMPTS):
        record = Record(game, start)
        dice = random.Random(f"{seed}/{attempt}/dice")
        hand = random.Random(f"{seed}/{attempt}/moves")
        while record.plies < plies and not record.is_over:
            if record.position.is_chance:
                record.roll(dice)
            else:
                record.play(hand.choice(record.position.legal_moves))
        if not record.is_over:
            return record, dice
    raise HalmaError(
        f"An opening of {plies} random plies is too long for '{game.name}': "
        f"{ATTEMPTS} times in a row the game was over by then."
    )


def read_book(path: Path, game: Game) -> list[str]:
    """Read positions, one text per line; empty lines are left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise HalmaError(f"'{path}' is no book: it is not a text file.") from None
    book = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            position = game.position(line)
        except HalmaError as error:
            raise HalmaError(f"Line {number} of '{path}': {error}") from None
        if Record(game, position).is_over:
            raise HalmaError(f"Line {number} of '{path}': the game is over in this position.")
        book.append(position.text)
    if not book:
        raise HalmaError(f"'{path}' is no book: it has no positions.")
    return book
