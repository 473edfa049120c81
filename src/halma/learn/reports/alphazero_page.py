"""The page of a run with a network: curves, a game of self-play, the network's policy."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np

from halma import _core
from halma.agents import agent
from halma.draw.charts import ChartGuide
from halma.draw.page import paragraphs
from halma.errors import HalmaError
from halma.games import Game, Move, Position, Record
from halma.games import game as game_named
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.page import (
    Panel,
    Run,
    View,
    board,
    curves,
    grid,
    move_row,
    win_rate_panel,
)
from halma.learn.run import MODEL
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.selfplay import FinishedGames
from halma.solve import Solution

_BOARD = 250
#: Positions of a game that are drawn, and moves listed beneath each.
_POSITIONS, _MOVES = 9, 6
#: Positions of it that the network evaluates, besides the start.
_EVALUATED = 5

PANELS = [
    Panel(
        "Policy loss",
        {"policy_loss": "training", "validation_policy_loss": "validation"},
        "Cross-entropy of the policy with that of the searches. It may rise while the games get "
        "better: there is more to learn then. Validation: on the newest games before the network "
        "is trained on them.",
    ),
    Panel(
        "Value loss",
        {"value_loss": "training", "validation_value_loss": "validation"},
        "Loss between values and results. Where that of validation is far above that of "
        "training, the network overfits: make fewer passes over a game.",
    ),
    Panel("Moves a game", {"mean_plies": "moves"}, "Mean length of the games of self-play."),
    Panel(
        "Games of self-play",
        {
            "finished": "ended by the rules",
            "draws": "drawn",
            "first_share": "points of the first player",
            "duplicates": "positions that repeat others",
        },
        "How they ended.",
        percent=True,
    ),
    Panel(
        "Seconds an iteration",
        {"play_seconds": "self-play", "train_seconds": "training", "match_seconds": "matches"},
        "Where the time went.",
    ),
]
ILLEGAL = Panel(
    "Policy on illegal moves",
    {"illegal_share": "of the network as trained"},
    "Share that illegal moves have of a softmax over all actions, in the newest positions.",
    percent=True,
)
WARM_START_PANELS = [
    Panel(
        "Losses of the warm start",
        {"policy_loss": "policy", "value_loss": "value"},
        "Loss between the network and its targets: policy and results of an agent's games, or "
        "the evaluation of positions.",
    ),
    Panel(
        "Games or positions a second of the warm start",
        {"games_per_second": "games/s"},
        "How fast the agent played, or positions were drawn.",
    ),
]


def view(run: Run, solution: Solution | None) -> View:
    """Return what there is to show; nothing of it needs torch."""
    start = Record(run.recipe.game)
    start.roll(random.Random(0))
    evaluated = [("the start", start.position)]
    sections = {}
    if run.epochs:
        sections["Warm start"] = _warm_start(run)
    files = GameFiles(run.path, run.recipe.game)
    kept = [number for number in files.iterations() if 0 < number <= run.last["iteration"]]
    if kept:
        first = files.read(kept[0])[0].part(0, 1)
        sections["A game of self-play"] = _game(run.recipe.game, kept[0], first)
        evaluated += [
            (f"before move {first.plies[row] + 1}", position_at(run.recipe.game, first, row))
            for row in spaced_rows(first, _EVALUATED + 1)[1:]
        ]
    policy = _policy(run, evaluated)
    if policy is not None:
        sections["The network's policy"] = policy
    return View(_tiles(run), panels(run), sections)


def panels(run: Run) -> list[Panel]:
    """Return the charts of a run."""
    return [*_result_panels(run), *PANELS]


def _warm_start(run: Run) -> str:
    """Show the epochs of the warm start: numbers and curves."""
    wanted, last = run.recipe.settings.warm_start.epochs, run.epochs[-1]
    games, discarded = (sum(m[key] for m in run.epochs) for key in ("games", "discarded"))
    if run.recipe.settings.warm_start.source == "positions":
        what = f"new random positions, {games:,} in all. "
    else:
        what = (
            f"new games of {run.recipe.settings.warm_start_agent}: {games:,} games, beside "
            f"{discarded / len(run.epochs):.2%} that were drawn and discarded. "
        )
    text = (
        f"{len(run.epochs):,} of {wanted:,} epochs, in each of which the network was trained on "
        f"{what}In the end the policy's loss was {last['policy_loss']:.3f} and that of values "
        f"{last['value_loss']:.3f}."
    )
    return paragraphs(text) + curves(run.epochs, WARM_START_PANELS, unit="epoch")


def _result_panels(run: Run) -> list[Panel]:
    """Return a chart for every opponent, and for perfect play."""
    settings = run.recipe.settings
    panels = [win_rate_panel("the network's")] if settings.truth.every else []
    panels += _gate_panels(settings) + _opponent_panels(settings)
    panels += [ILLEGAL] if settings.learning.policy_loss == "all" else []
    return panels + [
        Panel(
            f"Points against {name}",
            {f"vs_{name}": name},
            "Share of points with its 95% interval, in pairs of games with exchanged seats.",
            percent=True,
            band=(f"vs_{name}_low", f"vs_{name}_high"),
            level=ChartGuide(0.5, "equal"),
        )
        for name in settings.opponents
    ]


def _gate_panels(settings: AlphaZeroSettings) -> list[Panel]:
    """Return the charts of the gate, if there is one."""
    gate = settings.gate
    if not gate.games:
        return []
    return [
        Panel(
            "Gate",
            {"gate": "new network"},
            f"The new network's share of {gate.counts} against the best in {gate.games} games; "
            "from the threshold on it is promoted.",
            percent=True,
            level=ChartGuide(gate.threshold, "threshold"),
        ),
        Panel(
            "Promotions",
            {"promotions": "promotions", "gate_distinct": "different games of the gate"},
            "How often a new network has become the best, and how many games of each gate differ "
            "in at least one move.",
        ),
    ]


def _opponent_panels(settings: AlphaZeroSettings) -> list[Panel]:
    """Return the chart of self-play against opponents, if there are any."""
    names = settings.selfplay_opponents
    if not names:
        return []
    return [
        Panel(
            "Self-play against opponents",
            {f"selfplay_vs_{name}": name for name in names},
            "The network's share of points in those games of self-play that it plays against an "
            "opponent, with random openings and exploration.",
            percent=True,
            level=ChartGuide(1 / game_named(settings.game).players, "equal"),
        )
    ]


def _tiles(run: Run) -> list[tuple[str, str, str]]:
    tiles = [
        (f"{share:.1%}", f"against {name}", f"{run.latest(f'vs_{name}_elo') or 0:+.0f} Elo")
        for name in run.recipe.settings.opponents
        if (share := run.latest(f"vs_{name}")) is not None
    ]
    if not run.metrics:
        return tiles
    games = sum(m["games"] for m in run.metrics)
    return [
        *tiles,
        (f"{games:,}", "games of self-play", f"{run.last['mean_plies']:.0f} moves at last"),
        (f"{run.last['evaluations_per_second']:,.0f}", "evaluations a second", "in self-play"),
    ]


def spaced_rows(games: FinishedGames, number: int) -> list[int]:
    """Return at most `number` rows, evenly spaced."""
    rows = len(games.moves)
    return sorted({round(i * (rows - 1) / (number - 1)) for i in range(number)}) if rows else []


def position_at(game: Game, games: FinishedGames, row: int) -> Position:
    """Return the position of a row."""
    return Position(game, games.states[row].tobytes())


def _game(game: Game, iteration: int, games: FinishedGames) -> str:
    """Show the positions of one game, with the policy targets of the search."""
    text = (
        f"The first game of iteration {iteration:,}, its moves evenly spaced. An arrow or a "
        "ring shows what was played. The warmer a cell, the more probable a move of the search "
        "from it or to it; beneath are its most probable moves, and its value."
    )
    cards = []
    for row in spaced_rows(games, _POSITIONS):
        position = position_at(game, games, row)
        entries = slice(*games.policy_offsets[[row, row + 1]])
        targets = dict(
            zip(games.policy_actions[entries], games.policy_weights[entries], strict=True)
        )
        moves = {move.value: move for move in position.legal_moves}
        policy = {
            move.text: float(targets.get(position.action(move), 0.0)) for move in moves.values()
        }
        played = moves.get(int(games.moves[row]))
        title = f"move {games.plies[row] + 1}, {_found(games, row)}"
        cards.append(_card(position, title, policy, played))
    return f"{paragraphs(text)}\n{grid('three', cards)}"


def _found(games: FinishedGames, row: int) -> str:
    """Return how the move of a row was found."""
    choice, value = _core.Choice(int(games.choices[row])), games.values[row]
    if choice == _core.Choice.OPPONENT:
        return "the opponent's"
    return "a random move" if np.isnan(value) else f"value {value:.2f}"


def _card(
    position: Position, title: str, policy: dict[str, float], played: Move | None = None
) -> str:
    likely = sorted(policy.items(), key=lambda item: -item[1])[:_MOVES]
    rows = "".join(move_row((text,), share) for text, share in likely if share > 0)
    return board(position.svg(played, size=_BOARD, policy=policy), title, rows)


def _policy(run: Run, positions: Iterable[tuple[str, Position]]) -> str | None:
    """Show the best network's policy in some positions; None without a network."""
    cards = []
    try:
        network = agent(f"net:file={run.path / MODEL},sims=1")
        for title, position in positions:
            found = network.analyse(Record(position.game, position), random.Random(0))  # type: ignore[attr-defined]
            policy = {report.move.text: report.prior or 0.0 for report in found.moves}
            value = f", value {found.value:.2f}" if found.value is not None else ""
            cards.append(_card(position, title + value, policy))
    except (HalmaError, ImportError):
        return None
    text = (
        "The policy of the best network before any search, at the start and in that game: the "
        "warmer a cell, the more probable a move from it or to it."
    )
    return paragraphs(text) + grid("three", cards)
