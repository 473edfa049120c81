"""The page of a run of deep Q-learning: curves, a game against the opponent, Q-values."""

from __future__ import annotations

import random

import numpy as np

from halma.agents.q_network import QAgent
from halma.draw.charts import ChartGuide
from halma.draw.page import paragraphs, table
from halma.errors import HalmaError
from halma.games import Record
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.alphazero_page import position_at, spaced_rows
from halma.learn.reports.page import Panel, Run, View, board, grid
from halma.learn.run import MODEL
from halma.solve import Solution

_BOARD = 250
#: Positions of a game that are drawn, and moves whose Q-values are listed.
_POSITIONS, _MOVES = 9, 8

PANELS = [
    Panel(
        "Epsilon",
        {"epsilon": "epsilon"},
        "Share of the network's moves that are random (liu2019, figure 9).",
    ),
    Panel(
        "Mean absolute TD error",
        {"td_error": "TD error", "loss": "Huber loss"},
        "Difference between a move's Q-value and its target: the reward, and the discounted best "
        "Q-value that follows (liu2019, figure 12).",
    ),
    Panel(
        "Accumulated reward of test games",
        {"test_reward": "test games"},
        "Rewards of a game summed, without random moves (liu2019, figure 14).",
        from_zero=False,
    ),
    Panel(
        "Accumulated reward of training games",
        {"reward": "training games"},
        "The same with random moves.",
        from_zero=False,
    ),
    Panel(
        "Results of training games",
        {"won": "won", "lost": "lost"},
        "Against the opponent, with random moves; the others were drawn or stopped.",
        percent=True,
    ),
    Panel(
        "Seconds an iteration",
        {"play_seconds": "games", "train_seconds": "learning", "match_seconds": "matches"},
        "Where the time went.",
    ),
]


def view(run: Run, solution: Solution | None) -> View:
    """Return what there is to show; nothing of it needs torch."""
    sections = {}
    files = GameFiles(run.path, run.recipe.game)
    kept = [number for number in files.iterations() if number <= run.last["iteration"]]
    if kept:
        sections["A game against the opponent"] = _game(run, files, kept[0])
    values = _q_values(run)
    if values is not None:
        sections["Q-values of the first move"] = values
    return View(_tiles(run), panels(run), sections)


def panels(run: Run) -> list[Panel]:
    """Return the charts of a run."""
    return [*_match_panels(run), *PANELS]


def _match_panels(run: Run) -> list[Panel]:
    return [
        Panel(
            f"Points against {name}",
            {f"vs_{name}": name},
            "Share of points of the moves with the highest Q-values, with its 95% interval.",
            percent=True,
            band=(f"vs_{name}_low", f"vs_{name}_high"),
            level=ChartGuide(0.5, "equal"),
        )
        for name in run.recipe.settings.opponents
    ]


def _tiles(run: Run) -> list[tuple[str, str, str]]:
    tiles = [
        (f"{share:.1%}", f"against {name}", "of points, without search")
        for name in run.recipe.settings.opponents
        if (share := run.latest(f"vs_{name}")) is not None
    ]
    games, steps = (sum(m[key] for m in run.metrics) for key in ("games", "steps"))
    opponent = f"against {run.recipe.settings.opponent}"
    return [*tiles, (f"{games:,}", "games", opponent), (f"{steps:,}", "steps", "of learning")]


def _game(run: Run, files: GameFiles, iteration: int) -> str:
    """Show the positions before the network's moves in the last game of an iteration."""
    game = run.recipe.game
    games = files.read(iteration)[0]
    last = games.part(len(games) - 1, len(games))
    text = (
        f"The last game of iteration {iteration:,}, its moves evenly spaced, those of the opponent "
        "included. An arrow or a ring shows what was played."
    )
    cards = []
    for row in spaced_rows(last, _POSITIONS):
        position = position_at(game, last, row)
        played = next(m for m in position.legal_moves if m.value == last.moves[row])
        network = last.movers[row] == last.numbers[0] % 2
        title = f"move {last.plies[row] + 1}, {'network' if network else 'opponent'}: {played.text}"
        cards.append(board(position.svg(played, size=_BOARD), title, ""))
    return f"{paragraphs(text)}\n{grid('three', cards)}"


def _q_values(run: Run) -> str | None:
    """List the Q-values of the first position; None without a network."""
    start = Record(run.recipe.game)
    start.roll(random.Random(0))
    try:
        found = QAgent("q", run.path / MODEL).q_values(start)
    except (HalmaError, ImportError):
        return None
    best = sorted(found, key=lambda pair: -pair[1])[:_MOVES]
    rows = [[move.text, f"{value:.3f}"] for move, value in best]
    mean = float(np.mean([value for _, value in found]))
    text = f"The highest of {len(found)} legal moves; their mean is {mean:.3f}."
    return paragraphs(text) + table(["move", "Q-value"], rows, numbers=True)
