"""`halma bench search`: the speed of the searches, beside OpenSpiel where it has one."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from halma import _core
from halma.bench import peers
from halma.bench.harness import Effort, Measurement, Work, measure_rate, rates, repeated
from halma.games import Game, Record, game
from halma.learn.fit_evaluator import FitOptions, play_games
from halma.networks.sparse_network import read_evaluator, shipped_evaluators
from halma.search import Minimax, greedy_games, search_options

#: variant, simulations per second with a uniform evaluator
UNIFORM = (("ewn-3x3-3", 3e6), ("cdc-2x4-PPPP", 2e6), ("rhombus-7x7-6", 1e6))
#: one random rollout per simulation: variant, OpenSpiel's game beside it, goal as a multiple of
#: OpenSpiel's simulations per second
ROLLOUTS = (
    ("ewn-5x5-6", "einstein_wurfelt_nicht", 12),
    ("cdc-4x8", "banqi", 8),
    ("draughts-8x8", "checkers", 60),
)
#: four plies from the start, as in he2016: on the board it shows, and on the real one
MINIMAX = ("rhombus-6x6-6", "star-121-2p")
#: alpha-beta with features, and with the network that comes with halma: nodes of a search for its
#: rate, and the depth whose time is measured
ALPHABETA, ALPHABETA_NODES, ALPHABETA_DEPTH = "draughts-8x8", 200_000, 13
#: expectimax with features, and with the network that comes with halma: random plies before it
EXPECTIMAX = {"ewn-5x5-6": 4, "cdc-4x8": 40}
#: games of a search against itself: nodes a move, and how many games are played together
FIT_NODES, FIT_GAMES = 1000, 10
#: liu2019 plays greedy games by the hundred thousand
GREEDY = "rhombus-7x7-6"
#: long games of agents that take no time, so that the arena itself is measured
ARENA = "rhombus-7x7-6"
#: simulations of one search
SIMULATIONS = 800
ROLLOUT_SIMULATIONS = 2000
UCT_C = 1.4


def measure_search(effort: Effort, seed: int) -> Iterator[Measurement | str]:
    """Measure tree search, minimax, greedy games, the arena's workers and memory."""
    if not peers.available():
        yield peers.MISSING
    for name, goal in UNIFORM:
        search = _core.Search(game(name).core, _core.SearchOptions(), "uniform", seed=seed)
        work = _repeated_search(search, first_decision(game(name), seed), SIMULATIONS)
        yield measure_rate(f"{name} tree, no rollout", "sims/s", effort, work, goal)
    for name, peer, factor in ROLLOUTS:
        search = _uct_with_rollouts(game(name), seed)
        ours = _repeated_search(search, first_decision(game(name), seed), ROLLOUT_SIMULATIONS)
        theirs = peers.tree_search(peer, seed, ROLLOUT_SIMULATIONS, UCT_C)
        row = peers.measure_beside(
            f"{name} tree, rollouts", "sims/s", effort, ours, theirs, "sims/s"
        )
        yield replace(row, goal=row.peer_value and factor * row.peer_value)
    for name in MINIMAX:
        work = repeated(partial(Minimax(game(name)).search, game(name).start(), depth=4), 1)
        seconds = 1 / rates(effort, work)[0]
        yield Measurement(f"{name} minimax, depth 4", seconds, "s", 0.010, at_most=True)
    yield from _measure_alphabeta(effort, seed)
    for name, plies in EXPECTIMAX.items():
        yield from _measure_expectimax(game(name), plies, effort, seed)
    work = _greedy_games(game(GREEDY), seed)
    yield measure_rate(f"{GREEDY} greedy games, 2 threads", "games/s", effort, work, 80e3)
    yield Measurement("arena, 2 workers beside 1", _two_workers(effort, seed), "times", 1.8)
    for name, _ in UNIFORM:
        memory = _memory(game(name), seed)
        yield Measurement(f"{name} tree memory", memory, "bytes/edge", 64, at_most=True)


def first_decision(variant: Game, seed: int) -> Record:
    """Return a record at the first decision of a game, after chance is resolved."""
    record = Record(variant)
    record.roll(random.Random(seed))
    return record


def _repeated_search(search: _core.Search, record: Record, simulations: int) -> Work:
    """Return work that searches from a new tree and counts simulations."""

    def run() -> None:
        search.set_record(record.core)
        search.run(simulations)

    return repeated(run, simulations)


def _uct_with_rollouts(variant: Game, seed: int) -> _core.Search:
    options = search_options(variant, rule="uct", c=UCT_C)
    return _core.Search(variant.core, options, "rollout", seed=seed)


def _measure_alphabeta(effort: Effort, seed: int) -> Iterator[Measurement]:
    """Measure alpha-beta with and without a network in the core, and games for its training."""
    variant = game(ALPHABETA)
    network = read_evaluator(shipped_evaluators()[ALPHABETA], variant)
    start, goals = variant.start(), {"features": None, "network": 1.5e6}
    for label, goal in goals.items():
        search = Minimax(variant, selective=True, network=network if label == "network" else None)
        work = repeated(partial(search.search, start, nodes=ALPHABETA_NODES), ALPHABETA_NODES)
        yield measure_rate(f"{ALPHABETA} alpha-beta, {label}", "nodes/s", effort, work, goal)
        work = repeated(partial(search.search, start, depth=ALPHABETA_DEPTH), 1)
        seconds = 1 / rates(effort, work)[0]
        yield Measurement(f"{ALPHABETA} depth {ALPHABETA_DEPTH}, {label}", seconds, "s")
    plain = Minimax(variant)
    seconds = 1 / rates(effort, repeated(partial(plain.search, start, depth=ALPHABETA_DEPTH), 1))[0]
    yield Measurement(f"{ALPHABETA} depth {ALPHABETA_DEPTH}, not selective", seconds, "s")
    options = FitOptions(nodes=FIT_NODES, seed=seed, threads=2)
    work = repeated(partial(play_games, variant, network, 0, FIT_GAMES, options), FIT_GAMES)
    label = f"{ALPHABETA} games, {FIT_NODES:,} nodes, 2 threads"
    yield measure_rate(label, "games/s", effort, work, 15)


def _measure_expectimax(
    variant: Game, plies: int, effort: Effort, seed: int
) -> Iterator[Measurement]:
    """Measure expectimax with and without a network in the core, after random plies."""
    network = read_evaluator(shipped_evaluators()[variant.name], variant)
    rng, record = random.Random(seed), first_decision(variant, seed)
    while record.plies < plies and not record.is_over:
        record.play(rng.choice(record.position.legal_moves))
        record.roll(rng)
    for label, given in (("features", None), ("network", network)):
        search = Minimax(variant, "expectimax", selective=True, network=given)
        nodes = search.search(record, nodes=ALPHABETA_NODES).nodes
        work = repeated(partial(search.search, record, nodes=ALPHABETA_NODES), nodes)
        yield measure_rate(f"{variant.name} expectimax, {label}", "nodes/s", effort, work)


def _greedy_games(variant: Game, seed: int) -> Work:
    def play(portions: int) -> float:
        games = 2000 * portions
        greedy_games(variant, games, seed=seed, threads=2)
        return float(games)

    return play


def _two_workers(effort: Effort, seed: int) -> float:
    """Return the throughput of two workers over that of one, start-up included."""
    from halma.arena import make_plan, play_matches

    plan = make_plan(ARENA, ["random", "random"], seed=seed)
    games = 200  # with fewer, the start of the processes would dominate
    best = {1: 0.0, 2: 0.0}
    for _ in range(effort.rounds if effort.long else 1):
        for workers in best:
            started = time.perf_counter()
            play_matches([plan], games, workers=workers)
            best[workers] = max(best[workers], games / (time.perf_counter() - started))
    return best[2] / best[1]


def _memory(variant: Game, seed: int) -> float:
    """Return the bytes of a tree per visited edge, under UCT with rollouts."""
    search = _uct_with_rollouts(variant, seed)
    search.set_record(first_decision(variant, seed).core)
    search.run(20_000)
    return search.bytes / search.visited_edges
