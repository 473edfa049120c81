"""Engines: what looks at a position for a while and tells what it found."""

from halma.search.minimax import Found, Minimax

__all__ = ["Found", "Minimax"]
