"""Opponents in self-play: networks that evaluate the leaves of their own searches, and agents."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from halma import _core
from halma.games import Game, Move, Position, Record
from halma.search.evaluator import Evaluator, InferenceBuffer
from halma.selfplay.games import Array

#: Chooses a legal move; all randomness comes from the generator.
Chooser = Callable[[Record, random.Random], Move]


@dataclass(frozen=True)
class NetworkOpponent:
    """A network that searches as the learner does; an evaluator for each group."""

    evaluators: Sequence[Evaluator]


@dataclass(frozen=True)
class AgentOpponent:
    """An agent; a function for each group, since groups have threads of their own."""

    choosers: Sequence[Chooser]


Opponent = NetworkOpponent | AgentOpponent


def opponent_kinds(opponents: Sequence[Opponent]) -> list[_core.OpponentKind]:
    """Return what each opponent is, as the core wants to know it."""
    kinds = _core.OpponentKind
    return [kinds.AGENT if isinstance(one, AgentOpponent) else kinds.NETWORK for one in opponents]


class RoutedBuffer:
    """A buffer of a group whose leaves are evaluated by several networks.

    `buffers` are by number: 0 is the learner's, i + 1 that of opponent i. Every leaf goes to the
    network of the player whose search it belongs to.
    """

    def __init__(
        self, core: _core.Pool, group: int, buffers: Mapping[int, InferenceBuffer]
    ) -> None:
        self._core, self._group, self._buffers = core, group, buffers
        self.planes: Array = np.zeros_like(buffers[0].planes)
        legal = buffers[0].legal
        self.legal: Array | None = None if legal is None else np.zeros_like(legal)
        #: the rows of each network in the current batch
        self._rows: dict[int, Array] = {}

    def start(self, number: int) -> None:
        """Start the evaluation of the first `number` positions, each by its network."""
        networks = self._core.networks(self._group)[:number]
        self._rows = {}
        for network in np.unique(networks).tolist():
            rows, buffer = np.flatnonzero(networks == network), self._buffers[network]
            buffer.planes[: len(rows)] = self.planes[rows]
            if self.legal is not None and buffer.legal is not None:
                buffer.legal[: len(rows)] = self.legal[rows]
            buffer.start(len(rows))
            self._rows[network] = rows

    def finish(self) -> tuple[Array, Array]:
        """Wait for all networks; return policies and values in the order of rows."""
        parts = [self._buffers[network].finish() for network in self._rows]
        if len(parts) == 1:
            return parts[0]
        order = np.argsort(np.concatenate(list(self._rows.values())))
        policies, values = zip(*parts, strict=True)
        return np.concatenate(policies)[order], np.concatenate(values)[order]


def play_agents_moves(
    game: Game, core: _core.Pool, group: int, choosers: Mapping[int, Chooser], seed: int
) -> None:
    """Let agents play where it is their turn; `choosers` are by the number of the opponent.

    What an agent draws at random depends on the seed, the number of the game and the ply.
    """
    for slot, opponent, number in core.agent_turns(group):
        played = core.agents_record(slot)
        record = Record(game, Position(game, played.state_at(0)))
        record.core = played
        rng = random.Random(f"{seed}/game {number}/ply {record.plies}")
        core.play_agents_move(slot, choosers[opponent](record, rng).value)
