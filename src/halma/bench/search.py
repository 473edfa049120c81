"""`halma bench search`: how fast the searches are, beside OpenSpiel where it has one."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from halma import _core
from halma.bench import peers
from halma.bench.harness import Report, Row, Settings, Work, rates
from halma.games import Game, Record, game


@dataclass(frozen=True)
class Rollouts:
    """A search with one random rollout a simulation, and the peer's game beside it."""

    variant: str
    peer: str
    #: how many times the peer's simulations we set out to make
    factor: float


#: variant, simulations per second with an evaluator that knows nothing
UNIFORM = (("ewn-3x3-3", 3e6), ("cdc-2x4-PPPP", 2e6), ("rhombus-7x7-6", 1e6))
ROLLOUTS = (
    Rollouts("ewn-5x5-6", "einstein_wurfelt_nicht", 12),
    Rollouts("cdc-4x8", "banqi", 8),
    Rollouts("draughts-8x8", "checkers", 60),
)
#: he2016 searches four plies from the start, on the board it shows and on the one it counts
MINIMAX = ("rhombus-6x6-6", "star-121-2p")
#: liu2019 plays greedy games by the hundred thousand
GREEDY = "rhombus-7x7-6"
#: long games of agents that cost nothing: what is left is the arena itself
ARENA = "rhombus-7x7-6"
#: simulations of one search
SIMULATIONS = 800
ROLLOUT_SIMULATIONS = 2000
UCT_C = 1.4


def measure_search(settings: Settings, seed: int, note: Callable[[str], None]) -> Report:
    """Measure everything, telling `note` how it goes."""
    report = Report()
    with_peers = peers.available()
    if not with_peers:
        report.notes.append(f"{peers.NAME} is not installed, so nothing runs beside us.")

    def add(row: Row) -> None:
        report.rows.append(row)
        note(f"{row.name}: {row.value:,.4g} {row.unit}")

    for name, goal in UNIFORM:
        work = _uniform(game(name), seed)
        rate = rates({"halma": work}, settings)["halma"]
        add(Row(f"{name} tree, no rollout", rate, "sims/s", goal))
    for rollouts in ROLLOUTS:
        add(_rollouts_row(rollouts, settings, seed, with_peers))
    for name in MINIMAX:
        seconds = 1 / rates({"halma": _minimax(game(name))}, settings)["halma"]
        add(Row(f"{name} minimax, depth 4", seconds, "s", 0.010, at_most=True))
    rate = rates({"halma": _greedy_games(game(GREEDY), seed)}, settings)["halma"]
    add(Row(f"{GREEDY} greedy games, 2 threads", rate, "games/s", 80e3))
    add(Row("arena, 2 workers beside 1", _two_workers(settings, seed), "times", 1.8))
    for name, _ in UNIFORM:
        add(Row(f"{name} tree memory", _memory(game(name), seed), "bytes/edge", 64, at_most=True))
    return report


def first_decision(variant: Game, seed: int) -> Record:
    """Return a record at the first player's first decision, chance being resolved."""
    record = Record(variant)
    record.roll(random.Random(seed))
    return record


def _uniform(variant: Game, seed: int) -> Work:
    record = first_decision(variant, seed)
    search = _core.Search(variant.core, _core.SearchOptions(), "uniform", seed=seed)

    def run(times: int) -> float:
        for _ in range(times):
            search.set_record(record.core)
            search.run(SIMULATIONS)
        return float(times * SIMULATIONS)

    return run


def _uct_with_rollouts(variant: Game, seed: int) -> _core.Search:
    options = search_options(variant, rule="uct", c=UCT_C)
    return _core.Search(variant.core, options, "rollout", seed=seed)


def _rollouts_row(rollouts: Rollouts, settings: Settings, seed: int, with_peers: bool) -> Row:
    variant = game(rollouts.variant)
    record = first_decision(variant, seed)
    search = _uct_with_rollouts(variant, seed)

    def run(times: int) -> float:
        for _ in range(times):
            search.set_record(record.core)
            search.run(ROLLOUT_SIMULATIONS)
        return float(times * ROLLOUT_SIMULATIONS)

    contestants: dict[str, Work] = {"halma": run}
    if with_peers := with_peers and peers.has(rollouts.peer):
        contestants[peers.NAME] = peers.tree_search(rollouts.peer, seed, ROLLOUT_SIMULATIONS, UCT_C)
    best = rates(contestants, settings)
    row = Row(f"{rollouts.variant} tree, rollouts", best["halma"], "sims/s")
    if with_peers:
        row.peer, row.peer_unit, row.peer_value = peers.NAME, row.unit, best[peers.NAME]
        row.goal = rollouts.factor * best[peers.NAME]
    return row


def _minimax(variant: Game) -> Work:
    from halma.search import Minimax

    search = Minimax(variant)
    start = variant.start()

    def run(times: int) -> float:
        for _ in range(times):
            search.search(start, depth=4)
        return float(times)

    return run


def _greedy_games(variant: Game, seed: int) -> Work:
    from halma.search import greedy_games

    def play(portions: int) -> float:
        games = 2000 * portions
        greedy_games(variant, games, seed=seed, threads=2)
        return float(games)

    return play


def _two_workers(settings: Settings, seed: int) -> float:
    """Return how many times as many games two workers play as one, start-up included."""
    from halma.arena import make_plan, play_matches

    plan = make_plan(ARENA, ["random", "random"], seed=seed)
    games = 200  # fewer would measure how long processes take to start
    best = {1: 0.0, 2: 0.0}
    for _ in range(settings.rounds if settings.seconds >= 1 else 1):
        for workers in best:
            started = time.perf_counter()
            play_matches([plan], games, workers=workers)
            best[workers] = max(best[workers], games / (time.perf_counter() - started))
    return best[2] / best[1]


def _memory(variant: Game, seed: int) -> float:
    """Return the bytes a tree takes per move it has tried, under UCT with rollouts."""
    search = _uct_with_rollouts(variant, seed)
    search.set_root(first_decision(variant, seed))
    search.run(20_000)
    return search.bytes / search.visited_edges
