"""Opponents in self-play: the best network, versions from the run's past, and agents.

liu2019 calls the network in training M, the best one M* and the opponent M_p.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from halma import _core
from halma.agents import agent
from halma.errors import NetworkError
from halma.games import Game
from halma.learn.archive import RunNetworks
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.sections.self_play import FIRST, PAST
from halma.networks.architectures.blocks import Network
from halma.networks.torch_evaluator import EvaluatorPool
from halma.selfplay import FinishedGames
from halma.selfplay.opponents import AgentOpponent, NetworkOpponent, Opponent
from halma.tensors import list_iterations

#: Purpose of seeds.
_PAST = 7


class Opponents:
    """The opponents of a run's self-play, in the order of `selfplay.opponents`.

    `best` evaluates with the best network. `make_pool` returns evaluators of another network.
    """

    def __init__(
        self,
        game: Game,
        settings: AlphaZeroSettings,
        networks: RunNetworks,
        best: EvaluatorPool,
        make_pool: Callable[[Network], EvaluatorPool],
        note: Callable[[str], None],
    ) -> None:
        self._game = game
        self._settings = settings
        self._networks = networks
        self._best = best
        self._make_pool = make_pool
        self._note = note
        self.names: list[str] = settings.selfplay_opponents
        groups = len(best.evaluators)
        # One for each group: they have threads of their own.
        self._agents = {
            name: AgentOpponent([agent(name).choose for _ in range(groups)])
            for name in settings.selfplay_agents
        }
        #: evaluators of versions, and the version that each has
        self._pools: dict[str, EvaluatorPool] = {}
        self._versions: dict[str, int] = {}
        #: their networks
        self.networks: dict[str, Network] = {}

    def draw(self, iteration: int) -> None:
        """Load the versions that play in an iteration; those of its own past alone count."""
        for name in self.names:
            if name in (FIRST, PAST):
                self._load(name, iteration)

    def _load(self, name: str, iteration: int) -> None:
        rng = np.random.default_rng((self._settings.seed, iteration, _PAST))
        known = [number for number, _ in list_iterations(self._networks.versions)]
        left = sorted(number for number in known if number < iteration)
        while left:
            version = left[0] if name == FIRST else int(rng.choice(left))
            if self._versions.get(name) == version:
                return
            try:
                network = self._networks.version(version)
            except NetworkError as error:
                self._note(f"{error} Another version is the opponent.")
                left.remove(version)
                continue
            if name in self._pools:
                self._pools[name].load(network)
            else:
                self._pools[name] = self._make_pool(network)
            self._versions[name], self.networks[name] = version, network
            return
        # Its past is lost: the best network takes its place.
        self._pools.pop(name, None)
        self._versions.pop(name, None)
        self.networks.pop(name, None)

    @property
    def current(self) -> list[Opponent]:
        """The opponents as they play now."""
        return [
            self._agents.get(name) or NetworkOpponent(self._pools.get(name, self._best).evaluators)
            for name in self.names
        ]

    def metrics(self, options: _core.SelfPlayOptions, games: FinishedGames) -> dict[str, Any]:
        """Return the learner's share of points against each opponent, and the versions of those.

        Where no game against one was played, its share is None.
        """
        points: dict[str, list[float]] = {name: [] for name in self.names}
        for number, scores in zip(games.numbers, games.scores, strict=True):
            opponent, seat = _core.seats_of(options, int(number), self._game.players)
            if opponent >= 0:
                points[self.names[opponent]].append(share_of(scores, seat))
        shares = {
            f"selfplay_vs_{name}": float(np.mean(found)) if found else None
            for name, found in points.items()
        }
        return shares | {f"{name}_version": version for name, version in self._versions.items()}


def share_of(scores: Sequence[float], seat: int) -> float:
    """Return a seat's share of a game's points; an equal share where nobody scored."""
    total = float(np.sum(scores))
    return float(scores[seat]) / total if total else 1 / len(scores)
