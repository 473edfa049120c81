"""Self-play: many games at once, searched by the core and evaluated in batches."""

from halma.selfplay.games import FinishedGames
from halma.selfplay.pool import Pool, selfplay_options

__all__ = ["FinishedGames", "Pool", "selfplay_options"]
