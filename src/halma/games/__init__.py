"""Games: variants by name, positions, notation and records."""

from halma._core import Limits
from halma.games.family import Family
from halma.games.game import Game, Move, Outcome, Position
from halma.games.record import Record
from halma.games.registry import families, game, register, variant_names
from halma.games.scripted import ScriptedGame

__all__ = [
    "Family",
    "Game",
    "Limits",
    "Move",
    "Outcome",
    "Position",
    "Record",
    "ScriptedGame",
    "families",
    "game",
    "register",
    "variant_names",
]
