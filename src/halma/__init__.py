"""halma: a laboratory for board games in which pieces hop, race and hide."""

from __future__ import annotations

from importlib import import_module

# Not from typing, whose import takes longer than all of this: Ctrl-C finds Python's own handler
# until the command line has set another.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from halma import agents as agents
    from halma import arena as arena
    from halma import envs as envs
    from halma import learn as learn
    from halma import networks as networks
    from halma import search as search
    from halma import solve as solve
    from halma.errors import HalmaError
    from halma.games import Game, Move, Outcome, Position, Record, variant_names
    from halma.games.registry import game
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
#: what the package offers under its own name, and where it is
_OFFERED = {
    "HalmaError": "errors",
    "load_network": "networks",
    **dict.fromkeys(
        ("Game", "Move", "Outcome", "Position", "Record", "game", "variant_names"), "games"
    ),
}


def __getattr__(name: str) -> Any:
    # Imported at first use: `import halma` is fast, and the command line handles Ctrl-C before
    # anything that takes time is imported.
    if name in _SUBPACKAGES:
        return import_module(f"halma.{name}")
    if name not in _OFFERED:
        raise AttributeError(f"module 'halma' has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(f"halma.{_OFFERED[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBPACKAGES})
