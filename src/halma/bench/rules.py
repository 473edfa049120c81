"""`halma bench rules`: the speed of the rules, through the public interface.

The goals are for one thread of a 2.8 GHz Xeon and the portable build.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from halma.bench import peers
from halma.bench.harness import Effort, Work, measure_rate
from halma.bench.report import Measurement
from halma.games import Game, game


@dataclass(frozen=True)
class PlayoutCase:
    """Random games of a variant, and OpenSpiel's game that is closest to it."""

    variant: str
    goal: float
    peer: str
    peer_unit: str = "plies/s"


PLAYOUTS = (
    PlayoutCase("ewn-5x5-6", 30e6, "einstein_wurfelt_nicht"),
    PlayoutCase("cdc-4x8", 8e6, "banqi"),
    # In OpenSpiel a capture of several pieces is several plies, which favours it a little.
    PlayoutCase("draughts-8x8", 15e6, "checkers"),
    # OpenSpiel counts every single hop; a complete move of ours may be many.
    PlayoutCase("star-121-2p", 1e6, "chinese_checkers", "hops/s"),
)
PERFT = (("draughts-8x8", 8, 100e6),)
MOVE_LISTS = (("rhombus-7x7-6", 4e6), ("star-121-2p", 1.2e6))
STATE_BYTES = ("rhombus-7x7-6", "draughts-8x8", "ewn-5x5-6", "cdc-2x4-PPPP")
#: positions per call of a batched move list
BATCH = 4096
#: ply limit of random games in variants without one
LONGEST_PLAYOUT = 1000


def measure_rules(effort: Effort, seed: int) -> Iterator[Measurement | str]:
    """Measure random games, perft, move lists, the size of a state and the import time."""
    if not peers.available():
        yield peers.MISSING
    for case in PLAYOUTS:
        yield _playouts(case, effort, seed)
    for name, depth, goal in PERFT:
        yield measure_rate(
            f"{name} perft {depth}", "leaves/s", effort, _perft(game(name), depth), goal
        )
    for name, goal in MOVE_LISTS:
        yield measure_rate(
            f"{name} move lists", "positions/s", effort, _move_lists(game(name), seed), goal
        )
    for name in STATE_BYTES:
        yield Measurement(f"{name} state", game(name).core.state_size, "bytes", 64, at_most=True)
    seconds = min(_import_seconds() for _ in range(effort.rounds))
    yield Measurement("import halma", seconds, "s", 0.15, at_most=True)


def _playouts(case: PlayoutCase, effort: Effort, seed: int) -> Measurement:
    ours = _random_games(game(case.variant), seed)
    name, unit = f"{case.variant} playouts", "plies/s"
    if not peers.has(case.peer):
        return measure_rate(name, unit, effort, ours, case.goal)
    peer = peers.random_games(case.peer, seed, effort.peer_games)
    row = Measurement(name, 0.0, unit, case.goal)
    return peers.compare(row, effort, ours, peer, case.peer_unit)


def _random_games(variant: Game, seed: int) -> Work:
    limits = variant.limits

    def play(games: int) -> float:
        totals = variant.core.playouts(
            variant.core.initial(),
            games,
            seed,
            ply_limit=limits.plies or LONGEST_PLAYOUT,
            quiet_limit=limits.no_progress,
        )
        return float(totals["plies"])

    return play


def _perft(variant: Game, depth: int) -> Work:
    start = variant.start()

    def count(times: int) -> float:
        return float(sum(start.perft(depth) for _ in range(times)))

    return count


def _move_lists(variant: Game, seed: int) -> Work:
    states = variant.core.sample_states(variant.core.initial(), BATCH, seed)

    def generate(times: int) -> float:
        for _ in range(times):
            variant.core.legal_many(states)
        return float(times * len(states))

    return generate


def _import_seconds() -> float:
    """Return the seconds of `import halma` in a fresh interpreter."""
    script = (
        "import time; started = time.perf_counter(); import halma; "
        "print(time.perf_counter() - started)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    return float(ran.stdout)
