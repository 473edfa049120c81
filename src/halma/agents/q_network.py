"""`q`: the legal move with the highest Q-value of a network, without search."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from halma.agents.agent import Agent, AgentSpec
from halma.errors import NameSyntaxError
from halma.games import Game, Move, Record
from halma.names import Option, Value
from halma.networks import OnnxEvaluator, find_network, load
from halma.networks.network_file import Q_VALUES


@dataclass
class QAgent:
    """Plays the legal move with the highest Q-value; of several, the first."""

    name: str
    file: Path
    _network: OnnxEvaluator | None = field(default=None, repr=False, compare=False)
    #: the variant that the network was checked to be for
    _checked: Game | None = field(default=None, repr=False, compare=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the move with the highest Q-value."""
        values = self.q_values(record)
        return max(values, key=lambda pair: pair[1])[0]

    def q_values(self, record: Record) -> list[tuple[Move, float]]:
        """Return every legal move with its Q-value, in the order of legal moves."""
        position = record.position
        found = self._evaluator(record.game).evaluate(record.encode()[None])[0][0]
        return [(move, float(found[position.action(move)])) for move in position.legal_moves]

    def check(self, game: Game) -> None:
        """Raise an error if the network is not of this game, or no Q network."""
        self._evaluator(game)

    def _evaluator(self, game: Game) -> OnnxEvaluator:
        if self._network is None or self._checked != game:
            self._network = load(self.file, game, head=Q_VALUES)
            self._checked = game
        return self._network


def _build(name: str, given: Mapping[str, Value]) -> Agent:
    if not given["file"]:
        raise NameSyntaxError("'q' plays from a Q network: write q:RUNDIR or q:FILE.")
    return QAgent(name, find_network(str(given["file"]), str(given["version"])))


SPEC = AgentSpec(
    "q",
    _build,
    options=(
        Option("file", "", "A file or a training run of a Q network.", text=True),
        Option("version", "", "Of a run: an archived iteration, first or last.", text=True),
    ),
    main="file",
    example="q:runs/liu2019/dqn",
)
