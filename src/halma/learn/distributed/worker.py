"""The actor on a node: it plays games of self-play and of matches."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch

from halma.agents import agent
from halma.arena.games import MatchGame, PlayedGame
from halma.arena.lockstep import AgentPlayer
from halma.arena.plan import Plan
from halma.learn.matches import play_seats
from halma.learn.recipe import Recipe
from halma.learn.sections.common import search_values
from halma.learn.selfplay import limits, pool_options
from halma.learn.trainer import Arrays, set_weights
from halma.networks.architectures.build import build
from halma.networks.torch_evaluator import EvaluatorPool, find_device
from halma.plugins import is_file_reference
from halma.search import search_options
from halma.search.batched import Player, SearchPlayer
from halma.selfplay import Pool
from halma.selfplay.opponents import AgentOpponent, NetworkOpponent, Opponent


@dataclass(frozen=True)
class PlayingNetworks:
    """The networks of self-play, as the object store has them once for each node and version."""

    #: weights by name of the network that makes the games
    player: Arrays
    #: opponents by name, in order: weights of a network, or None for an agent
    opponents: Mapping[str, Arrays | None]


@dataclass(frozen=True)
class SelfPlayShard:
    """What a worker has finished since it was last asked."""

    #: the arrays of `FinishedGames`
    arrays: Mapping[str, Any]
    #: the version of the networks it plays with now
    version: int
    evaluations: int
    seconds: float
    #: memory of its trees
    pool_bytes: int


@dataclass(frozen=True)
class MatchSide:
    """A side of a match: an agent by name, or a network that searches."""

    name: str
    #: id of the network's weights; empty for an agent
    network: str = ""
    simulations: int = 0
    seed: int = 0
    temperature: float = 0.0
    temperature_plies: int = -1


@dataclass(frozen=True)
class MatchBlock:
    """Games of a match that are played together."""

    plan: Plan
    sides: tuple[MatchSide, ...]
    numbers: tuple[int, ...]


def recipe_digest(recipe: Recipe) -> str:
    """Return what differs where a node would train or play by other settings or other rules."""
    game = recipe.game
    about: list[Any] = [recipe.flat, game.identity, game.core.version]
    names = (recipe.settings.game, *recipe.settings.selfplay_agents, *recipe.settings.opponents)
    files = {name[: name.index(".py") + 3] for name in names if is_file_reference(name)}
    about += [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in sorted(files)]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()


class PlayWorker:
    """Plays on one node, with some of its cores and with one of its GPUs if it has one."""

    def __init__(self, recipe: Recipe, cores: int, folder: str) -> None:
        if os.path.isdir(folder):
            os.chdir(folder)  # games and agents of the user may be files there
        torch.set_num_threads(1)
        self._recipe, self._cores = recipe, cores
        self._game, self._settings = recipe.game, recipe.settings
        self._device = find_device("auto")
        self._pool: Pool | None = None
        #: the iteration whose starting positions the pool has, where they change
        self._pool_stage = 0
        self._version = -1
        self._networks: dict[str, EvaluatorPool] = {}
        self._agents: dict[str, AgentOpponent] = {}
        self._matching: dict[str, EvaluatorPool] = {}

    def digest(self) -> str:
        """Return the digest of the recipe as this node has it."""
        return recipe_digest(self._recipe)

    def play(
        self,
        numbers: Sequence[int],
        iteration: int,
        version: int,
        networks: Sequence[Any],
        seconds: float,
    ) -> SelfPlayShard:
        """Take on more games, and play for a while; return those that are finished.

        `networks` is a list of one reference, which is followed where the version is another one.
        """
        if version != self._version:
            self._load(ray.get(networks[0]), version)
        pool = self._pool_of(iteration)
        pool.change_evaluators(self._networks[""].evaluators, self._opponents)
        pool.add_games(numbers)
        before, stop = pool.totals["leaves"], threading.Event()
        timer = threading.Timer(seconds, stop.set)
        timer.start()
        began = time.perf_counter()
        try:
            games = pool.play(stop=stop)
        finally:
            timer.cancel()
        return SelfPlayShard(
            games.arrays(),
            self._version,
            pool.totals["leaves"] - before,
            time.perf_counter() - began,
            pool.bytes,
        )

    def _load(self, networks: PlayingNetworks, version: int) -> None:
        """Take over new weights of all networks."""
        self._load_network("", networks.player)
        groups = len(self._networks[""].evaluators)
        self._opponents: list[Opponent] = []
        for name, weights in networks.opponents.items():
            if weights is None:
                if name not in self._agents:
                    choosers = [agent(name).choose for _ in range(groups)]
                    self._agents[name] = AgentOpponent(choosers)
                self._opponents.append(self._agents[name])
            else:
                self._load_network(name, weights)
                self._opponents.append(NetworkOpponent(self._networks[name].evaluators))
        self._version = version

    def _load_network(self, name: str, weights: Arrays) -> None:
        network = self._build(weights)
        if name in self._networks:
            self._networks[name].load(network)
        else:
            self._networks[name] = EvaluatorPool(network, self._device, self._cores)

    def _build(self, weights: Arrays) -> Any:
        network = build(self._settings.network_info(self._game), seed=self._settings.seed)
        # Arrays of the object store cannot be written to, which torch warns about.
        set_weights(network, {name: np.array(array) for name, array in weights.items()})
        return network

    def _pool_of(self, iteration: int) -> Pool:
        """Return the pool; with a curriculum, each iteration has one of its own."""
        play = self._settings.selfplay
        stage = iteration if play.curriculum else 0
        if self._pool is None or stage != self._pool_stage:
            evaluators = self._networks[""].evaluators
            self._pool = Pool(
                self._game,
                pool_options(self._game, self._settings, iteration),
                evaluators,
                slots=max(worker_slots(self._recipe), len(evaluators)),
                threads=self._cores,
                seed=self._settings.seed,
                games=0,
                limits=limits(self._game, self._settings),
                opponents=self._opponents,
            )
            self._pool_stage = stage
        return self._pool

    def play_match(
        self, block: MatchBlock, networks: Mapping[str, Sequence[Any]]
    ) -> list[PlayedGame]:
        """Play games of a match; `networks` has a list of one reference to weights by their ids."""
        for old in self._matching.keys() - networks.keys():
            del self._matching[old]
        players = [self._side(side, networks) for side in block.sides]
        games = [MatchGame(self._game, block.plan, number) for number in block.numbers]
        play_seats([(game, players) for game in games])
        return [game.played() for game in games]

    def _side(self, side: MatchSide, networks: Mapping[str, Sequence[Any]]) -> Player | AgentPlayer:
        if not side.network:
            return AgentPlayer(agent(side.name))
        if side.network not in self._matching:
            weights = ray.get(networks[side.network][0])
            self._matching[side.network] = EvaluatorPool(self._build(weights), self._device, 1)
        options = search_options(self._game, **search_values(self._settings.search, noise=False))
        return SearchPlayer(
            self._game,
            self._matching[side.network].evaluators[0],
            options,
            side.simulations,
            side.seed,
            side.temperature,
            side.temperature_plies,
        )


def worker_slots(recipe: Recipe) -> int:
    """Return how many games a worker plays at the same time."""
    play = recipe.settings.selfplay
    return min(int(play.parallel_games), 2 * int(play.games))
