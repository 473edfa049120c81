"""hsueh2023's table 1: how large the variants are, and how a fair player plays them.

The player is a tree search with random playouts; it meets itself, and its games are played in
blocks on all cores.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from halma import __version__
from halma.agents import agent, play_game
from halma.games import Record, game
from halma.lab.hsueh2023.plan import VARIANTS
from halma.lab.jobs import Job, run_jobs
from halma.lab.notebook import Notebook
from halma.lab.report import Row, Section
from halma.lab.request import Request
from halma.processes import ReportProgress
from halma.statistics import ratio_of_sums

#: variant -> actions and chance events a position has, plies of a game, positions
PAPER = {
    "ewn-3x3-3": (2.9, 3, 5.3, 367_956),
    "ewn-3x3-4": (2.4, 4, 5.3, 6_316_032),
    "ewn-3x4-3": (2.7, 3, 7.8, 3_268_620),
    "cdc-2x4-PPPP": (4.8, 1.3, 15.5, 194_933),
    "cdc-2x4-KPPP": (4.6, 1.6, 16.8, 1_934_199),
    "cdc-2x4-GGCC": (4.4, 1.7, 18.3, 4_032_500),
}
#: Positions in which the player to move has pieces but no move, which has lost.
STUCK = {"cdc-2x4-KPPP": 288, "cdc-2x4-GGCC": 720}
#: games and simulations a move
FULL, QUICK = (1000, 10_000), (60, 1000)
_BLOCK = 20
_HOW = {"chance events": "; the paper does not say how it counts them"}

#: plies, and the sums of actions and of chance events over the positions of a game
GameCounts = tuple[int, int, int]


def count_games(
    variant: str, simulations: int, numbers: Sequence[int], seed: int, tell: ReportProgress
) -> list[GameCounts]:
    """Play games of these numbers and count what their positions offer."""
    player = agent(f"mcts:sims={simulations}")
    chosen = game(variant)
    found = []
    for done, number in enumerate(numbers, start=1):
        record = Record(chosen)
        for _ in play_game(
            record, [player, player], random.Random(f"{seed}/{number}").getrandbits(32)
        ):
            pass
        found.append(count(record))
        tell(done / len(numbers))
    return found


def count(record: Record) -> GameCounts:
    """Count plies, legal moves and chance events of a game.

    A position's chance events are the outcomes that chance had just before it, one where it
    had no say.
    """
    plies = actions = events = 0
    before = 1
    for position in record.positions:
        if position.is_chance:
            before = len(position.outcomes)
        elif plies < record.plies:
            plies += 1
            actions += len(position.legal_moves)
            events += before
            before = 1
    return plies, actions, events


def build_section(
    variants: Sequence[str], pages: Path, request: Request, about: dict[str, Any]
) -> tuple[Section, dict[str, Any]]:
    """Play what has not been played yet; return the table, and its numbers for programs.

    What was played is added to `about`.
    """
    games, simulations = FULL if request.full else QUICK
    settings = {"games": games, "simulations": simulations, "seed": request.seed}
    notebook = Notebook(pages / "table1.json", {**settings, "version": __version__})
    blocks = {
        f"{variant} {first}": (variant, simulations, range(first, min(first + _BLOCK, games)))
        for variant in variants
        for first in range(0, games, _BLOCK)
    }
    tasks = [
        Job(name, count_games, (*block, request.seed), PAPER[block[0]][2] * len(block[2]))
        for name, block in blocks.items()
        if name not in notebook
    ]
    if not request.draw_only:
        run_jobs(
            tasks,
            request.workers or os.cpu_count() or 1,
            "blocks of games",
            lambda name, counted: notebook.measure(name, lambda: counted),
        )
    rows: list[Row] = []
    data: dict[str, Any] = {}
    for variant in variants:
        counted = [
            game_counts
            for name, block in blocks.items()
            if block[0] == variant and name in notebook
            for game_counts in notebook.measure(name, list)
        ]
        found, numbers = _rows(variant, counted)
        rows += found
        data[variant] = numbers
    about |= {"games": f"{games:,} a variant", "simulations": f"{simulations:,} a move"}
    if not request.full:
        about["reduced"] = "the paper has 1,000 games with 10,000 simulations, as --full"
    section = Section(
        "Table 1: the variants",
        "A tree search with random playouts plays against itself. A position's chance events are "
        "the outcomes that chance had just before it: the sides of the die, the kinds of pieces "
        "that could have been turned over, or one after a move without chance.\n\n"
        "Positions that are not terminal are counted by going through all that can be reached. "
        "CDC_KPPP and CDC_GGCC differ from the paper in the fourth digit. Our counts are odd, "
        "the start and as many positions with red as with black to move, and any count that "
        "treats the colours alike must be; the paper's 4,032,500 is even. With the positions in "
        "which the player to move is stuck they are 1,934,253 and 4,032,505.",
        rows,
    )
    return section, data


def _rows(variant: str, counted: Sequence[GameCounts]) -> tuple[list[Row], dict[str, Any]]:
    name = VARIANTS[variant]
    positions = PAPER[variant][3]
    reached = game(variant).core.reachable()[0]
    rows = []
    data: dict[str, Any] = {"games": len(counted), "positions": reached}
    if counted:
        plies, actions, events = zip(*counted, strict=True)
        measured = {
            "actions": ratio_of_sums(actions, plies),
            "chance events": ratio_of_sums(events, plies),
            "game length": ratio_of_sums(plies, [1] * len(plies)),
        }
        for (what, (value, error)), paper in zip(measured.items(), PAPER[variant][:3], strict=True):
            # The paper rounds to a tenth.
            agrees = abs(value - paper) <= 0.05 + error + 0.02 * paper
            rows.append(
                Row(
                    f"{name}: {what}",
                    f"{paper:g}",
                    f"{value:.2f} ± {error:.2f}",
                    "agrees" if agrees else "differs" + _HOW.get(what, ""),
                )
            )
            data[what] = [value, error]
    remark = "agrees" if reached == positions else "differs; see above"
    ours = f"{reached:,}"
    if variant in STUCK:
        ours += f", or {reached + STUCK[variant]:,} with positions where the mover is stuck"
    rows.append(Row(f"{name}: non-terminal positions", f"{positions:,}", ours, remark))
    return rows, data
