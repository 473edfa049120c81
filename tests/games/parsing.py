"""What holds for whatever a person may type."""

import halma
from halma.errors import HalmaError


def reads_or_complains(game: halma.Game, text: str) -> None:
    """A text is a position, and then can be written again, or is refused in a sentence."""
    try:
        position = game.position(text)
    except HalmaError as error:
        assert str(error).endswith(".")
    else:
        assert game.position(position.text) == position


def finds_or_complains(position: halma.Position, text: str) -> None:
    """A text is one of the legal moves, or is refused."""
    try:
        found = position.find(text)
    except HalmaError:
        assert text.strip() not in [move.text for move in position.legal_moves]
    else:
        assert found in position.legal_moves
