"""`halma bench rules`: the speed of the rules, through the public interface.

The goals are for one thread of a 2.8 GHz Xeon and the portable build.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial

from halma.bench import peers
from halma.bench.harness import Effort, Measurement, Work, measure_rate, repeated
from halma.games import Game, game

#: variant, goal, OpenSpiel's game that is closest to it, what that game counts
PLAYOUTS = (
    ("ewn-5x5-6", 30e6, "einstein_wurfelt_nicht", "plies/s"),
    ("cdc-4x8", 8e6, "banqi", "plies/s"),
    # In OpenSpiel a capture of several pieces is several plies, which favours it a little.
    ("draughts-8x8", 15e6, "checkers", "plies/s"),
    # OpenSpiel counts every single hop; a complete move of ours may be many.
    ("star-121-2p", 1e6, "chinese_checkers", "hops/s"),
)
#: variant, depth, goal
PERFT = (("draughts-8x8", 8, 100e6),)
#: variant, goal
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
    for name, goal, peer, peer_unit in PLAYOUTS:
        ours = _random_games(game(name), seed)
        theirs = peers.random_games(peer, seed, effort.peer_games)
        yield peers.measure_beside(
            f"{name} playouts", "plies/s", effort, ours, theirs, peer_unit, goal
        )
    for name, depth, goal in PERFT:
        start = game(name).start()
        work = repeated(partial(start.perft, depth), start.perft(depth))
        yield measure_rate(f"{name} perft {depth}", "leaves/s", effort, work, goal)
    for name, goal in MOVE_LISTS:
        core = game(name).core
        states = core.sample_states(core.initial(), BATCH, seed)
        work = repeated(partial(core.legal_many, states), BATCH)
        yield measure_rate(f"{name} move lists", "positions/s", effort, work, goal)
    for name in STATE_BYTES:
        yield Measurement(f"{name} state", game(name).core.state_size, "bytes", 64, at_most=True)
    seconds = min(_import_seconds() for _ in range(effort.rounds))
    yield Measurement("import halma", seconds, "s", 0.15, at_most=True)


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


def _import_seconds() -> float:
    """Return the seconds of `import halma` in a fresh interpreter."""
    script = (
        "import time; started = time.perf_counter(); import halma; "
        "print(time.perf_counter() - started)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    return float(ran.stdout)
