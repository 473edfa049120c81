"""English draughts: names, notation and pictures. Rules: `core/games/draughts.hpp`."""

from halma.games.family import Family

FAMILY = Family(title="English draughts", pattern="", variants={}, build=lambda name, options: None)
