"""Chinese Checkers: names, notation and pictures. Rules: `core/games/sternhalma.hpp`."""

from halma.games.family import Family

FAMILY = Family(title="Chinese Checkers", pattern="", variants={}, build=lambda name, options: None)
