"""The protocols of agents, and what is known of an agent before its options are."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from halma.games import Game, Move, Record
from halma.names import Option, Value

if TYPE_CHECKING:
    from halma.search.analysis import Analysis


class Agent(Protocol):
    """Chooses moves.

    It keeps nothing between calls that changes what it would play in another game.
    """

    @property
    def name(self) -> str:
        """The name that `agent()` would give this agent for."""

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a legal move where a player is to move; all randomness comes from `rng`."""


@runtime_checkable
class Analyst(Protocol):
    """An agent that can also report on a position."""

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Analyse the record's position, where a player must be to move."""


@runtime_checkable
class PolicyAgent(Protocol):
    """An agent that can also tell the probabilities of its moves."""

    def policy(self, record: Record) -> Mapping[int, float]:
        """Return the probability of every move that the agent may play, by the move's number."""


@runtime_checkable
class GameChecker(Protocol):
    """An agent that knows without playing which games it can play."""

    def check(self, game: Game) -> None:
        """Raise a `HalmaError` that says why the agent cannot play a game, if it cannot."""


@dataclass(frozen=True)
class AgentSpec:
    """An agent's name, its options and how one is made."""

    name: str
    #: takes the canonical name and the resolved options
    build: Callable[[str, Mapping[str, Value]], Agent]
    options: Sequence[Option] = ()
    #: the option that may stand bare
    main: str | None = None
    #: a name to try, where the bare one lacks something
    example: str = ""
    #: for an agent with a path in place of options: the error where it is missing
    no_path: str = ""
    #: whether it runs code or a program of the user
    foreign: bool = False
