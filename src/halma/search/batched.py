"""Players that choose in many games at once, by tree searches that grow together."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from halma import _core
from halma.games import Game, Move, Record
from halma.search.evaluator import Evaluator, InferenceBuffer
from halma.search.options import leaves_at_once
from halma.search.tree_search import run_with_network


class Player(Protocol):
    """Chooses moves in many games at once."""

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return a legal move for each game; the player is to move in all of them."""


@dataclass
class SearchPlayer:
    """A tree search with a network; the trees of all games grow together.

    Moves are sampled with weights policy^(1 / temperature); 0 plays the best. After
    `temperature_plies` plies of a game it plays the best as well; -1: never.
    """

    game: Game
    evaluator: Evaluator
    options: _core.SearchOptions
    simulations: int
    #: of all searches; without one, each draws its own from the generator of its game, as the
    #: agent `net` does
    seed: int | None = None
    temperature: float = 0.0
    temperature_plies: int = -1

    def __post_init__(self) -> None:
        self._seeds = None if self.seed is None else random.Random(self.seed)
        self._buffer: InferenceBuffer | None = None

    def choose(self, records: Sequence[Record], rngs: Sequence[random.Random]) -> list[Move]:
        """Return a move for each game, found by its search."""
        searches, pending = [], leaves_at_once(self.options)
        for record, rng in zip(records, rngs, strict=True):
            seed = (self._seeds or rng).getrandbits(63)
            search = _core.Search(
                self.game.core, self.options, "network", seed=seed, max_pending=pending
            )
            search.set_record(record.core)
            search.begin(self.simulations)
            searches.append(search)
        if self._buffer is None or len(self._buffer.planes) < pending * len(records):
            self._buffer = self.evaluator.buffer(pending * len(records))
        run_with_network(searches, self._buffer)
        return [
            record.position.legal_moves[self._pick(search, record, rng)]
            for record, search, rng in zip(records, searches, rngs, strict=True)
        ]

    def _pick(self, search: _core.Search, record: Record, rng: random.Random) -> int:
        """Return the index of the move to play."""
        if not self.temperature or 0 <= self.temperature_plies <= record.plies:
            return search.best()
        policy = search.policy_target()
        most = max(policy)
        weights = [(share / most) ** (1 / self.temperature) for share in policy]
        return rng.choices(range(len(weights)), weights)[0]
