"""Helpers of tests that play games or parse positions and moves."""

import random

import halma
from halma.errors import HalmaError


def move_texts(position: halma.Position) -> list[str]:
    return [move.text for move in position.legal_moves]


def random_game(name: str, seed: int, most: int = 150) -> list[halma.Position]:
    """Play at random and return the first positions, the start included."""
    rng = random.Random(seed)
    position = halma.game(name).start()
    seen = [position]
    while not position.is_terminal and len(seen) < most:
        if position.is_chance:
            outcomes = position.outcomes
            weights = [outcome.probability for outcome in outcomes]
            position = position.resolve(rng.choices(outcomes, weights)[0])
        else:
            position = position.play(rng.choice(position.legal_moves))
        seen.append(position)
    return seen


def forward_move(position: halma.Position, rng: random.Random, among: int) -> halma.Move:
    """Return the most advancing of a few random moves, so that armies meet and games end."""
    moves = position.legal_moves
    some = rng.sample(moves, min(among, len(moves)))
    return max(some, key=lambda move: position.game.advance(position.state, move.value))


def check_position_text(game: halma.Game, text: str) -> None:
    """Any text is parsed to a position that can be written, or refused with a sentence."""
    try:
        position = game.position(text)
    except HalmaError as error:
        assert str(error).endswith(".")
    else:
        assert game.position(position.text) == position


def check_move_text(position: halma.Position, text: str) -> None:
    """Any text is parsed to a legal move, or refused; a legal move's own text is not refused."""
    try:
        found = position.find(text)
    except HalmaError:
        assert text.strip() not in move_texts(position)
    else:
        assert found in position.legal_moves
