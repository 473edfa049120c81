"""Self-play: many games at once, searched by the core and evaluated in batches."""

from halma.selfplay.games import FinishedGames
from halma.selfplay.pool import Pool, PoolOptions

__all__ = ["FinishedGames", "Pool", "PoolOptions"]
