"""Self-play: many games at once, searched by the core and evaluated in batches."""

from halma.selfplay.pool import Games, Pool, selfplay_options

__all__ = ["Games", "Pool", "selfplay_options"]
