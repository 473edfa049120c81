"""OpenSpiel beside us: its own C++ random games, counted in our units.

OpenSpiel plays random games in C++ only inside its tree search. One simulation of an
MCTSBot evaluates the root with as many random rollouts as its evaluator is told to
make, and does next to nothing else, so that is what we time. It does not say how many
plies those were; their mean number is taken from random games stepped through its
Python interface before the clock starts. As in our own count, chance is not a ply.
"""

from __future__ import annotations

import random
from typing import Any

from halma.bench.harness import Work

NAME = "OpenSpiel"


def available() -> bool:
    """Tell whether OpenSpiel is installed."""
    from importlib.util import find_spec

    return find_spec("pyspiel") is not None


def about() -> str:
    """Return name and version of the peer, as far as it is there."""
    from importlib.metadata import version

    return f"{NAME} {version('open_spiel')}" if available() else "none"


def has(name: str) -> bool:
    """Tell whether the installed OpenSpiel knows this game."""
    import pyspiel

    return name in pyspiel.registered_names()


def random_games(name: str, seed: int, sample: int) -> Work:
    """Return work that plays random games of an OpenSpiel game and counts plies."""
    import pyspiel

    game = pyspiel.load_game(name)
    rng = random.Random(seed)
    start = _first_decision(game, rng)
    plies = sum(_random_length(start.clone(), rng) for _ in range(sample)) / sample

    def play(games: int) -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(games, seed)
        # game, evaluator, exploration, simulations, megabytes, solve, seed, verbose
        bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, seed, False)
        bot.mcts_search(start)
        return games * plies

    return play


def _first_decision(game: Any, rng: random.Random) -> Any:
    state = game.new_initial_state()
    while state.is_chance_node():
        _resolve(state, rng)
    return state


def _random_length(state: Any, rng: random.Random) -> int:
    plies = 0
    while not state.is_terminal():
        if state.is_chance_node():
            _resolve(state, rng)
        else:
            state.apply_action(rng.choice(state.legal_actions()))
            plies += 1
    return plies


def _resolve(state: Any, rng: random.Random) -> None:
    outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
    state.apply_action(rng.choices(outcomes, probabilities)[0])


def tree_search(name: str, seed: int, simulations: int, c: float) -> Work:
    """Return work that searches from an OpenSpiel game's start and counts simulations.

    Its MCTSBot with one random rollout a simulation. It stops early where a move is
    forced or proven, so what counts is how often its root was really visited.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    start = _first_decision(game, random.Random(seed))

    def search(times: int) -> float:
        made = 0
        for number in range(times):
            evaluator = pyspiel.RandomRolloutEvaluator(1, seed + number)
            # game, evaluator, exploration, simulations, megabytes, solve, seed, verbose
            bot = pyspiel.MCTSBot(
                game, evaluator, c, simulations, 1000, False, seed + number, False
            )
            made += bot.mcts_search(start).explore_count
        return float(made)

    return search
