"""Fitting an evaluator: games of a search against itself, then training on them; again and again.

The first round plays with the game's features, each later one with the network of the round before.
A position's target mixes the result of its game with the value that the search found. Positions are
kept on disk until the fit is done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halma import _core
from halma.errors import HalmaError
from halma.games import Game
from halma.games.registry import short_name
from halma.learn.fit_store import FitStore
from halma.machine import require
from halma.networks.sparse_network import has_inputs, make_network, write_evaluator
from halma.search.minimax import Minimax, has_chance
from halma.selfplay import FinishedGames

#: games that are played and kept together
_PORTION = 200
_MOST_PLIES = 400

#: Called with a stage, and how much of it is done.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class FitOptions:
    """How an evaluator is fitted."""

    rounds: int = 2
    #: a round
    games: int = 10_000
    #: of a search, a move
    nodes: int = 1000
    #: share of the game's result in a target; the rest is the search's value
    result_share: float = 0.5
    #: passes over all positions in a round
    epochs: float = 5.0
    #: plies of random openings, at most, and share of random moves later
    random_plies: int = 10
    random_moves: float = 0.02
    seed: int = 0
    threads: int = 1


@dataclass(frozen=True)
class FitRound:
    """What a round did."""

    number: int
    games: int
    #: to learn from, in this round and before
    positions: int
    #: None where all games were played before an interruption
    games_per_second: float | None
    #: shares of the games
    wins: float
    draws: float
    #: mean cross entropy in nats
    loss: float


def fit_evaluator(
    game: Game, out: Path, options: FitOptions, progress: Progress = lambda stage, done, total: None
) -> Iterator[FitRound]:
    """Fit an evaluator in rounds and write it after each; an interrupted fit goes on."""
    require("torch")
    from halma.learn.sparse_trainer import SparseSamples, train_model

    if not has_inputs(game):
        raise HalmaError(
            f"'{short_name(game.name)}' offers no inputs for an evaluator in the core, so there is "
            "nothing to fit."
        )
    store = FitStore(out, game, _about(options))
    network: _core.SparseNetwork | None = None
    parts: list[SparseSamples] = []
    for number in range(1, options.rounds + 1):
        results, played, seconds = [], 0, 0.0
        for first in range(0, options.games, _PORTION):
            progress(f"round {number}: games", first, options.games)
            arrays = store.load(number, first)
            if arrays is None:
                began = time.perf_counter()
                count = min(_PORTION, options.games - first)
                index = (number - 1) * options.games + first
                games = play_games(game, network, index, count, options)
                played, seconds = played + count, seconds + time.perf_counter() - began
                inputs, targets = positions_of(game, games, options.result_share)
                scores = np.ascontiguousarray(games.scores[:, 0], np.float32)
                arrays = {"inputs": inputs, "targets": targets, "results": scores}
                store.save(number, first, arrays)
            parts.append(SparseSamples(arrays["inputs"], arrays["targets"]))
            results.append(arrays["results"])
        samples = SparseSamples.join(parts)
        if not len(samples):
            raise HalmaError("No game had a position to learn from: play more games.")

        def train_progress(done: int, total: int, stage: str = f"round {number}: training") -> None:
            progress(stage, done, total)

        model, loss = train_model(
            game, samples, options.epochs, options.seed, train_progress, threads=options.threads
        )
        arrays = model.quantised()
        network = make_network(game, arrays)
        write_evaluator(out, game, arrays, {"rounds": number, **_about(options)})
        scores = np.concatenate(results)
        yield FitRound(
            number,
            len(scores),
            len(samples),
            played / seconds if played else None,
            float((scores == 1).mean()),
            float((scores == 0.5).mean()),
            loss,
        )
    store.remove()


def play_games(
    game: Game, network: _core.SparseNetwork | None, first: int, count: int, options: FitOptions
) -> FinishedGames:
    """Play games of a search against itself; their numbers and the seed say which."""
    kind = "expectimax" if has_chance(game) else "alphabeta"
    search = Minimax(game, kind, network=network, selective=True).core_options
    limits = game.limits
    if not limits.plies:
        limits = _core.Limits(
            plies=_MOST_PLIES, repetitions=limits.repetitions, no_progress=limits.no_progress
        )
    return FinishedGames(
        **_core.search_games(
            game.core,
            limits,
            search,
            options.nodes,
            first,
            count,
            options.seed,
            random_plies_min=0,
            random_plies_max=options.random_plies,
            random_moves=options.random_moves,
            threads=options.threads,
        )
    )


def positions_of(
    game: Game, games: FinishedGames, result_share: float
) -> tuple[np.ndarray[Any, np.dtype[np.uint16]], np.ndarray[Any, np.dtype[np.float32]]]:
    """Return the inputs and targets of the positions that were searched and are quiet.

    The images of a position under the symmetries of its game stand beside it, where their inputs
    differ.
    """
    rows = np.flatnonzero(games.choices == _core.Choice.FULL.value)
    values, results = games.values[rows], games.outcomes[rows, 0]
    targets = (result_share * results + (1 - result_share) * values).astype(np.float32)
    states = games.states[rows]
    images = [_core.list_inputs(game.core, states)]
    for mirror in range(1, game.core.symmetries):
        seen = _core.list_inputs(game.core, states, mirror)
        if not any(np.array_equal(seen, other) for other in images):
            images.append(seen)
    return np.concatenate(images), np.tile(targets, len(images))


def _about(options: FitOptions) -> dict[str, Any]:
    """Return what decides the games and targets, and how they are learned."""
    return {key: value for key, value in vars(options).items() if key not in ("rounds", "threads")}
