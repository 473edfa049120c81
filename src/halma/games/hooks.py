"""Optional hooks of the contract: which of them a game offers, and the cost of the others.

A game without a hook still works; what uses the hook then runs on a slower path or is not
available. `core/hooks.hpp` documents each hook.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halma import _core
from halma.games.game import Game

#: By name, as in `_core.capabilities`: what the hook is for, and what happens without it.
_HOOKS = {
    "compiled": (
        "search, self-play and training compiled for the game",
        "every call goes through a generic interface, and a game in Python runs on one thread",
    ),
    "count": ("perft counts moves", "moves are listed to be counted"),
    "random_ply": ("random playouts", "all moves are listed to draw one"),
    "features": (
        "linear evaluation",
        "linear evaluators refuse the game, minimax sees only results",
    ),
    "inputs": (
        "evaluators that the core updates move by move",
        "`halma fit` refuses the game",
    ),
    "is_quiet": (
        "quiescence search and expansions",
        "minimax evaluates at its nominal depth",
    ),
    "captures": (
        "quiescence search of expectimax, where nobody has to capture",
        "expectimax evaluates at its nominal depth",
    ),
    "advance": ("greedy agents for races", "they do not play this game"),
    "furthest": ("greedy agents find the longest advance", "all moves are listed and compared"),
    "give_turn": (
        "greedy agents that look several moves ahead, and passes in expectimax",
        "those agents do not play this game, and expectimax looks at all outcomes",
    ),
    "reopen": ("moves a player needs to finish alone", "they are not counted"),
    "random_start": ("games from random placements of all pieces", "recipes cannot ask for them"),
    "random_position": ("games from random endgames", "recipes cannot ask for them"),
    "arrived": (
        "self-play ends where no piece has arrived for long",
        "`selfplay.progress_plies` is refused",
    ),
    "team": (
        "partners share their scores: evaluations, `paranoid` and matches take them for one side",
        "every player is on its own",
    ),
    "symmetries": ("training samples are augmented", "samples are used as they are"),
    "byte_planes": (
        "network input as bytes",
        "planes are floats, four times as large",
    ),
    "index": (
        "`halma solve`, `optimal` and tabular training, for two players",
        "the variant can be neither solved nor tabulated",
    ),
    "layers": (
        "an order of solving, with exact fractions",
        "positions are solved together, which takes longer and 15 times the memory",
    ),
    "backward": (
        "retrograde analysis of games without chance",
        "solved forward, with 9 bytes a position instead of 1.25",
    ),
    "slices": ("endgame tables: `halma solve --pieces`", "no endgame tables"),
}


@dataclass(frozen=True)
class Hook:
    """An optional hook of the contract, as far as one game is concerned."""

    name: str
    offered: bool
    #: what uses it
    purpose: str
    #: what happens without it
    otherwise: str


def hooks_of(game: Game) -> tuple[Hook, ...]:
    """Return every optional hook, offered by this game or not."""
    offered = _core.capabilities(game.core)
    return tuple(Hook(name, offered[name], *texts) for name, texts in _HOOKS.items())


def describe_hooks(hooks: Sequence[Hook]) -> str:
    """Return a line for each hook."""
    lines = ["Optional hooks:"]
    for hook in hooks:
        status = "offered    " if hook.offered else "not offered"
        cost = "" if hook.offered else f"; without it: {hook.otherwise}"
        lines.append(f"{status} {hook.name:<12} {hook.purpose}{cost}")
    return "\n".join(lines)
