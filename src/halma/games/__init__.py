"""Games: variants by name, positions, notation and records."""

from halma.games.family import Family
from halma.games.game import Game, Move, Outcome, Position
from halma.games.record import Record
from halma.games.registry import families, game, register, variant_names

__all__ = [
    "Family",
    "Game",
    "Move",
    "Outcome",
    "Position",
    "Record",
    "families",
    "game",
    "register",
    "variant_names",
]
