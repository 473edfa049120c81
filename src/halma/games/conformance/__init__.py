"""The conformance check: random games, and every requirement of `core/game.hpp` tested on them."""

from halma.games.conformance.runner import check

__all__ = ["check"]
