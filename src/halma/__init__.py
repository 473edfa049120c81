"""halma: a laboratory for board games in which pieces hop, race and hide."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from halma.errors import HalmaError
from halma.games import Game, Move, Outcome, Position, Record, game, variant_names

if TYPE_CHECKING:
    from halma import agents as agents
    from halma import arena as arena
    from halma import envs as envs
    from halma import learn as learn
    from halma import networks as networks
    from halma import search as search
    from halma import solve as solve
    from halma.networks import load_network

__version__ = "0.1.0"
__all__ = [
    "Game",
    "HalmaError",
    "Move",
    "Outcome",
    "Position",
    "Record",
    "__version__",
    "game",
    "load_network",
    "variant_names",
]

_SUBPACKAGES = ("agents", "arena", "envs", "learn", "networks", "search", "solve")


def __getattr__(name: str) -> Any:
    # Imported at first use, so that `import halma` is fast.
    if name in _SUBPACKAGES:
        return import_module(f"halma.{name}")
    if name == "load_network":
        return import_module("halma.networks").load_network
    raise AttributeError(f"module 'halma' has no attribute '{name}'")
