"""The networks that play in a run: the best one, the one that makes the games, and opponents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from halma.games import Game
from halma.learn.archive import RunNetworks
from halma.learn.opponents import Opponents
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.trainer import Arrays, set_weights
from halma.networks.architectures.blocks import Network
from halma.networks.architectures.build import build
from halma.networks.torch_evaluator import EvaluatorPool
from halma.search.evaluator import Evaluator


class Players:
    """The best network, which is `selfplay.player` unless that is the latest one, and opponents.

    `make_pool` returns evaluators of a network.
    """

    def __init__(
        self,
        game: Game,
        settings: AlphaZeroSettings,
        networks: RunNetworks,
        trained: Network,
        best: Arrays,
        make_pool: Callable[[Network], EvaluatorPool],
        note: Callable[[str], None],
    ) -> None:
        self._trained = trained
        self.best = build(trained.info, seed=settings.seed)
        set_weights(self.best, best)
        #: evaluators of the best network
        self.evaluators = make_pool(self.best)
        self._latest: EvaluatorPool | None = None
        if settings.selfplay.player == "latest" and settings.gate.games:
            self._latest = make_pool(trained)
        self.opponents: Opponents | None = None
        if settings.selfplay_opponents:
            self.opponents = Opponents(game, settings, networks, self.evaluators, make_pool, note)

    @property
    def playing(self) -> Sequence[Evaluator]:
        """Evaluators of the network that makes the games, one for each group."""
        return (self._latest or self.evaluators).evaluators

    @property
    def playing_network(self) -> Network:
        """The network that makes the games."""
        return self.best if self._latest is None else self._trained

    def promote(self, weights: Arrays) -> None:
        """Give the best network these weights."""
        set_weights(self.best, weights)
        self.evaluators.load(self.best)

    def follow(self, trained: Network) -> None:
        """Give the latest network, if it makes the games, the weights that training has found."""
        if self._latest is not None:
            self._latest.load(trained)
