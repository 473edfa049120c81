"""Agents of the user: any class with a method `choose(record, rng)`.

What such an agent raises, and a move that is not legal, becomes an `AgentError` with file and
line: in a match its player loses the game.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any, TypeVar

from halma import plugins
from halma.agents.agent import AgentSpec
from halma.errors import AgentError, HalmaError, error_text
from halma.games import Game, Move, Record
from halma.search.analysis import Analysis

T = TypeVar("T")

#: What `file.py:Class` and entry points must lead to.
WANTED = plugins.Wanted(
    "agent",
    "halma.agents",
    lambda thing: isinstance(thing, AgentSpec) or callable(getattr(thing, "choose", None)),
    "an agent is a class with a method choose(record, rng)",
)


@dataclass(frozen=True)
class OwnAgent:
    """An agent of the user, with its errors explained."""

    name: str
    agent: Any

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the agent's move; it may give a move or its text."""
        chosen = self._call(record, lambda: self.agent.choose(record, rng))
        if not isinstance(chosen, Move | str):
            raise AgentError(
                f"'{self.name}' did not choose a move in '{record.position.text}', but "
                f"{str(chosen)[:60]!r}."
            )
        try:
            return record.position.find(chosen)
        except HalmaError as error:
            raise AgentError(
                f"'{self.name}' chose a wrong move in '{record.position.text}': {error}"
            ) from None

    def _call(self, record: Record, function: Callable[[], T]) -> T:
        """Call the agent; what it prints goes to standard error, where it cannot spoil JSON."""
        plies = record.plies
        try:
            with redirect_stdout(sys.stderr):
                found = function()
        except (Exception, SystemExit) as error:
            if _is_from_game(error, record.game):
                raise
            reason = plugins.explain(error) or error_text(error)
            raise AgentError(f"'{self.name}' failed: {reason}.") from error
        if record.plies != plies:
            raise AgentError(f"'{self.name}' played on the record, which is to be left as it is.")
        return found


class OwnAnalyst(OwnAgent):
    """An agent of the user that can also report on a position."""

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return the agent's analysis."""
        found = self._call(record, lambda: self.agent.analyse(record, rng))
        if not isinstance(found, Analysis):
            raise AgentError(f"'{self.name}' did not return a halma.search.analysis.Analysis.")
        return found


def own_spec(thing: Any, name: str) -> AgentSpec:
    """Return the spec of a class of the user, or of an instance of one."""
    if isinstance(thing, AgentSpec):
        return thing
    wrapper = OwnAnalyst if callable(getattr(thing, "analyse", None)) else OwnAgent
    return AgentSpec(
        name,
        lambda full, values: wrapper(full, plugins.build(thing, values, full)),
        options=plugins.options_of(thing),
        foreign=True,
    )


def _is_from_game(error: BaseException, game: Game) -> bool:
    """Whether a method of the game raised it, and not for a wrong argument."""
    if isinstance(error, HalmaError):
        return False
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_locals.get("self") is game:
            return True
        at = at.tb_next
    return False
