"""Players who move in many games at once: networks, judged in batches, and agents."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from halma import _core
from halma.agents import Agent
from halma.games import Game, Move, Record
from halma.search.evaluator import Evaluator, InferenceBuffer
from halma.search.tree_search import run_with_network


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
    """A network that searches: the trees of all games grow together."""

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        options: _core.SearchOptions,
        simulations: int,
        seed: int,
    ) -> None:
        self._game = game
        self._evaluator = evaluator
        self._options = options
        self._simulations = simulations
        self._seeds = random.Random(seed)
        self._buffer: InferenceBuffer | None = None

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[int]:
        """Return the best move of a search in each game."""
        core = self._game.core
        searches = []
        for record in records:
            search = _core.Search(core, self._options, "network", seed=self._seeds.getrandbits(62))
            search.set_record(record.core)
            search.begin(self._simulations)
            searches.append(search)
        if self._buffer is None or len(self._buffer.planes) < len(records):
            self._buffer = self._evaluator.buffer(len(records))
        run_with_network(searches, self._buffer)
        return [
            core.legal(record.position.state)[search.best()]
            for record, search in zip(records, searches, strict=True)
        ]
