"""Players who move in many games at once: networks, judged in batches, and agents."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from halma import _core
from halma.agents import Agent
from halma.games import Game, Move, Record
from halma.networks.evaluator import Evaluator, InferenceBuffer, priors


class Player(Protocol):
    """Someone who chooses moves in many games."""

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return a legal move for each game; the player is to move in all of them."""


class AgentPlayer:
    """An agent, who takes one game after the other."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return a move for each game."""
        return [self._agent.choose(record, rng) for record, rng in zip(records, rngs, strict=True)]


class PolicyPlayer:
    """A network's likeliest moves, without any search (hsueh2023, section IV)."""

    def __init__(self, game: Game, judge: Evaluator) -> None:
        self._game = game
        self._judge = judge

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return the likeliest legal move of each game."""
        planes = np.stack([record.encode() for record in records])
        logits, _ = self._judge.evaluate(planes)
        core = self._game.core
        chosen = []
        for record, row in zip(records, logits, strict=True):
            position = record.position
            values = [row[core.action(position.state, move.value)] for move in position.legal_moves]
            chosen.append(position.legal_moves[int(np.argmax(values))])
        return chosen


class SearchPlayer:
    """A network that searches: all games' trees grow together."""

    def __init__(
        self,
        game: Game,
        judge: Evaluator,
        options: _core.SearchOptions,
        simulations: int,
        seed: int,
    ) -> None:
        self._game = game
        self._judge = judge
        self._options = options
        self._simulations = simulations
        self._seeds = random.Random(seed)
        self._buffer: InferenceBuffer | None = None

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return what a search finds best in each game."""
        core, number = self._game.core, len(records)
        batch = _core.Batch(core, self._options, number, self._seeds.getrandbits(62))
        for tree, record in enumerate(records):
            states = (record.state_at(i) for i in reversed(range(len(record))))
            earlier = [state for state in states if not core.at_chance(state)]
            batch.set_root(tree, record.state_at(len(record)), self._simulations, earlier)
        if self._buffer is None or len(self._buffer.planes) < number:
            self._buffer = self._judge.buffer(number)
        buffer = self._buffer
        while collected := batch.collect(buffer.planes):
            buffer.start(collected)
            logits, values = buffer.finish()
            batch.submit(priors(logits), values)
        return [
            record.position.legal_moves[batch.best(tree)] for tree, record in enumerate(records)
        ]
