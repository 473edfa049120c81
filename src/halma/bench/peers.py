"""OpenSpiel as a peer: its C++ random games and tree search, counted in our units.

OpenSpiel plays random games in C++ only inside its tree search. One simulation of an
MCTSBot evaluates the root with a given number of random rollouts and does little else, so
that is what is timed. It does not report the plies of the rollouts; their mean is taken
from random games stepped through its Python interface before the clock starts. As in our
own count, a chance outcome is not a ply.
"""

from __future__ import annotations

import random
from typing import Any

from halma.bench.harness import Effort, Measurement, Work, measure_rate, rates
from halma.machine import is_installed, missing_library

NAME = "OpenSpiel"
MISSING = f"No peer is measured. {missing_library('pyspiel')}"


def available() -> bool:
    """Return whether OpenSpiel is installed."""
    return is_installed("pyspiel")


def about() -> str:
    """Return name and version of the installed OpenSpiel, or `none`."""
    from importlib.metadata import version

    return f"{NAME} {version('open_spiel')}" if available() else "none"


def measure_beside(
    name: str,
    unit: str,
    effort: Effort,
    ours: Work,
    peer: Work | None,
    peer_unit: str,
    goal: float | None = None,
) -> Measurement:
    """Measure our units per second and, in turns with them, those of a peer if there is one."""
    if peer is None:
        return measure_rate(name, unit, effort, ours, goal)
    value, peer_value = rates(effort, ours, peer)
    return Measurement(
        name, value, unit, goal, peer=NAME, peer_value=peer_value, peer_unit=peer_unit
    )


def random_games(name: str, seed: int, sample: int) -> Work | None:
    """Return work that plays random games of an OpenSpiel game and counts plies."""
    game = _load(name)
    if game is None:
        return None
    rng = random.Random(seed)
    start = _first_decision(game, rng)
    plies = sum(_random_length(start.clone(), rng) for _ in range(sample)) / sample

    def play(games: int) -> float:
        _bot(game, games, 1.0, 1, 100, seed).mcts_search(start)
        return games * plies

    return play


def tree_search(name: str, seed: int, simulations: int, c: float) -> Work | None:
    """Return work that searches from the start of an OpenSpiel game and counts simulations.

    The MCTSBot makes one random rollout per simulation. It stops early where a move is
    forced or proven, so the visits of its root are counted.
    """
    game = _load(name)
    if game is None:
        return None
    start = _first_decision(game, random.Random(seed))

    def search(times: int) -> float:
        bots = (_bot(game, 1, c, simulations, 1000, seed + number) for number in range(times))
        return float(sum(bot.mcts_search(start).explore_count for bot in bots))

    return search


def _load(name: str) -> Any:
    """Return a game of OpenSpiel, or None where OpenSpiel is not installed or lacks the game."""
    if not available():
        return None
    import pyspiel

    return pyspiel.load_game(name) if name in pyspiel.registered_names() else None


def _bot(game: Any, rollouts: int, c: float, simulations: int, megabytes: int, seed: int) -> Any:
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)
    solve = verbose = False
    return pyspiel.MCTSBot(game, evaluator, c, simulations, megabytes, solve, seed, verbose)


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
