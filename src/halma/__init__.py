"""halma: a laboratory for board games in which pieces hop, race and hide."""

from halma.errors import HalmaError
from halma.games import Game, Move, Outcome, Position, Record, game, variant_names

__version__ = "0.1.0"
__all__ = [
    "Game",
    "HalmaError",
    "Move",
    "Outcome",
    "Position",
    "Record",
    "__version__",
    "game",
    "variant_names",
]
