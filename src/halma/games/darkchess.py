"""Chinese dark chess: names, notation and pictures. Rules: `core/games/darkchess.hpp`."""

from halma.games.family import Family

FAMILY = Family(
    title="Chinese dark chess", pattern="", variants={}, build=lambda name, options: None
)
