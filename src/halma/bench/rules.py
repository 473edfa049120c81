"""`halma bench rules`: how fast the rules are, through the interface everyone uses.

The goals are what this project set out to reach on one thread of a 2.8 GHz Xeon with
the portable build.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from halma.bench import peers
from halma.bench.harness import Report, Row, Settings, Work, rates
from halma.errors import UnknownVariantError
from halma.games import Game, game


@dataclass(frozen=True)
class Playouts:
    """Random games of a variant, and the peer's game that is closest to it."""

    variant: str
    goal: float
    peer: str
    #: a peer may count something else than complete moves
    peer_unit: str = "plies/s"


PLAYOUTS = (
    Playouts("ewn-5x5-6", 30e6, "einstein_wurfelt_nicht"),
    Playouts("cdc-4x8", 8e6, "banqi"),
    # There a capture of several pieces is several plies, which flatters the peer a little.
    Playouts("draughts-8x8", 15e6, "checkers"),
    # OpenSpiel counts every single hop; a complete move of ours may be many.
    Playouts("star-121-2p", 1e6, "chinese_checkers", "hops/s"),
)
PERFT = (("draughts-8x8", 8, 100e6),)
MOVE_LISTS = (("rhombus-7x7-6", 4e6), ("star-121-2p", 1.2e6))
STATE_BYTES = ("rhombus-7x7-6", "draughts-8x8", "ewn-5x5-6", "cdc-2x4-PPPP")
#: positions per call where move lists are asked for in batches
BATCH = 4096
#: random games of some variants would never end by themselves
LONGEST_PLAYOUT = 1000


def measure_rules(settings: Settings, seed: int, note: Callable[[str], None]) -> Report:
    """Measure everything, telling `note` how it goes."""
    report = Report()
    with_peers = peers.available()
    if not with_peers:
        report.notes.append(f"{peers.NAME} is not installed, so nothing runs beside us.")

    def found(variant: str) -> Game | None:
        try:
            return game(variant)
        except UnknownVariantError:
            left_out = f"'{variant}' is not known here and was left out."
            if left_out not in report.notes:
                report.notes.append(left_out)
            return None

    def add(row: Row) -> None:
        report.rows.append(row)
        note(f"{row.name}: {row.value:,.4g} {row.unit}")

    for playouts in PLAYOUTS:
        if variant := found(playouts.variant):
            add(_playouts_row(variant, playouts, settings, seed, with_peers))
    for name, depth, goal in PERFT:
        if variant := found(name):
            rate = rates({"halma": _perft(variant, depth)}, settings)["halma"]
            add(Row(f"{name} perft {depth}", rate, "leaves/s", goal))
    for name, goal in MOVE_LISTS:
        if variant := found(name):
            rate = rates({"halma": _move_lists(variant, seed)}, settings)["halma"]
            add(Row(f"{name} move lists", rate, "positions/s", goal))
    for name in STATE_BYTES:
        if variant := found(name):
            add(Row(f"{name} state", variant.core.state_size, "bytes", 64, at_most=True))
    seconds = min(_import_seconds() for _ in range(settings.rounds))
    add(Row("import halma", seconds, "s", 0.15, at_most=True))
    return report


def _playouts_row(
    variant: Game, playouts: Playouts, settings: Settings, seed: int, with_peers: bool
) -> Row:
    contestants = {"halma": _random_games(variant, seed)}
    if with_peers := with_peers and peers.has(playouts.peer):
        contestants[peers.NAME] = peers.random_games(playouts.peer, seed, settings.peer_games)
    best = rates(contestants, settings)
    row = Row(f"{playouts.variant} playouts", best["halma"], "plies/s", playouts.goal)
    if with_peers:
        row.peer, row.peer_unit = peers.NAME, playouts.peer_unit
        row.peer_value = best[peers.NAME]
    return row


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
    """Import in a fresh interpreter, which is what a person waits for."""
    script = (
        "import time; started = time.perf_counter(); import halma; "
        "print(time.perf_counter() - started)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    return float(ran.stdout)
