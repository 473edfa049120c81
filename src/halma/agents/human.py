"""A person at the terminal."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass

from halma.agents.agent import AgentSpec
from halma.errors import HalmaError, MoveError
from halma.games import Move, Record


class LeftError(HalmaError):
    """A person left the game."""


@dataclass(frozen=True)
class HumanAgent:
    """Asks for every move. `?` lists the legal ones, `quit` leaves.

    It talks on standard error, so that standard output stays the program's own.
    """

    name: str = "human"

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Draw the position and ask until a legal move is given."""
        position = record.position
        _say(f"\n{position}\n")
        while True:
            text = _ask(f"{record.game.player_names[position.mover]}, your move (or ?): ")
            if text == "?":
                _say(" ".join(move.text for move in position.legal_moves))
            elif text:
                try:
                    return position.find(text)
                except MoveError as error:
                    _say(str(error))


def _ask(prompt: str) -> str:
    """Return a line without its ends; the end of the input is as good as `quit`."""
    _say(prompt, end="")
    line = sys.stdin.readline()
    text = line.strip()
    if not line or text in ("quit", "exit"):
        raise LeftError("You have left the game.")
    return text


def _say(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)


SPEC = AgentSpec("human", lambda name, options: HumanAgent(name))
