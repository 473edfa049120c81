"""The page of a run with a network: curves, a game of self-play, the network's policy."""

from __future__ import annotations

import random
from dataclasses import dataclass
from html import escape

from halma.agents import agent
from halma.draw.charts import ChartGuide
from halma.draw.page import paragraphs
from halma.errors import HalmaError
from halma.games import Game, Position, Record
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.events import Curve
from halma.learn.reports.page import (
    Panel,
    Run,
    Section,
    Tile,
    View,
    bar,
    grid,
    quoted,
    win_rate_panel,
)
from halma.learn.run import MODEL
from halma.selfplay import FinishedGames
from halma.solve import Solution

_BOARD = 250
#: Positions of a game that are drawn, and moves listed beneath each.
_POSITIONS, _MOVES = 9, 6
#: Positions of it that the network evaluates, besides the start.
_EVALUATED = 5

PANELS = [
    Panel(
        "Losses",
        (Curve("policy_loss", "policy", ".3f"), Curve("value_loss", "value", ".3f")),
        "Cross-entropy of the policy with that of the searches, and loss between values and "
        "results. Both may rise while the games get better: there is more to learn then.",
    ),
    Panel(
        "Moves a game",
        (Curve("mean_plies", "moves", ".0f"),),
        "Mean length of the games of self-play.",
    ),
    Panel(
        "Games of self-play",
        (
            Curve("finished", "ended by the rules", ".0%"),
            Curve("draws", "drawn", ".0%"),
            Curve("first_share", "points of the first player", ".0%"),
            Curve("duplicates", "positions that repeat others", ".0%"),
        ),
        "How they ended.",
    ),
    Panel(
        "Seconds an iteration",
        (
            Curve("play_seconds", "self-play", ".1f"),
            Curve("train_seconds", "training", ".1f"),
            Curve("match_seconds", "matches", ".1f"),
        ),
        "Where the time went.",
    ),
]


def view(run: Run, solution: Solution | None) -> View:
    """Return what there is to show; nothing of it needs torch."""
    last = _last_game(run)
    sections = [*(_game(run, last) if last is not None else ()), *_policy(run, last)]
    panels = [*_result_panels(run), *PANELS]
    return View(_tiles(run), panels, _changes(run), sections, _commands(run))


def _result_panels(run: Run) -> list[Panel]:
    """Return a chart for every opponent, and for perfect play."""
    settings = run.recipe.settings
    panels = [win_rate_panel("the network's")] if settings.truth.every else []
    return panels + [
        Panel(
            f"Points against {name}",
            (Curve(f"vs_{name}", name, ".1%"),),
            "Share of points with its 95% interval, in pairs of games with exchanged seats.",
            band=(f"vs_{name}_low", f"vs_{name}_high"),
            level=ChartGuide(0.5, "equal"),
        )
        for name in settings.opponents
    ]


def _tiles(run: Run) -> list[Tile]:
    tiles = []
    for name in run.recipe.settings.opponents:
        share = run.latest(f"vs_{name}")
        if share is not None:
            elo = run.latest(f"vs_{name}_elo")
            tiles.append(Tile(f"{share:.1%}", f"against {name}", f"{elo:+.0f} Elo"))
    games = sum(m["games"] for m in run.metrics)
    iterations = run.recipe.settings.iterations
    return [
        *tiles,
        Tile(f"{run.last['iteration']:,}", "iterations", f"of {iterations:,}"),
        Tile(f"{games:,}", "games of self-play", f"{run.last['mean_plies']:.0f} moves at last"),
        Tile(f"{run.last['evaluations_per_second']:,.0f}", "evaluations a second", "in self-play"),
    ]


def _changes(run: Run) -> list[ChartGuide]:
    """Return where the learning rate fell in a step."""
    learning = run.recipe.settings.learning
    if learning.schedule != "step":
        return []
    later = [m["iteration"] for m in run.metrics if m["learning_rate"] == learning.late_rate]
    return (
        [ChartGuide(float(later[0] - 1), f"learning rate {learning.late_rate:g}")] if later else []
    )


@dataclass(frozen=True)
class _ShownGame:
    """The first game of an iteration."""

    iteration: int
    games: FinishedGames

    def rows(self, number: int) -> list[int]:
        """Return at most `number` of its rows, evenly spaced."""
        last = int(self.games.row_offsets[1]) - 1
        return sorted({round(i * last / (number - 1)) for i in range(number)}) if last >= 0 else []

    def position(self, game: Game, row: int) -> Position:
        """Return the position of a row."""
        return Position(game, self.games.states[row].tobytes())


def _last_game(run: Run) -> _ShownGame | None:
    """Return a game of the last iteration whose games are on disk."""
    files = GameFiles(run.path, run.recipe.game)
    kept = [number for number in files.iterations() if 0 < number <= run.last["iteration"]]
    return _ShownGame(kept[0], files.read(kept[0])[0]) if kept else None


def _game(run: Run, last: _ShownGame) -> list[Section]:
    text = (
        f"The first game of iteration {last.iteration:,}, its moves evenly spaced. An arrow or a "
        "ring shows what was played. The warmer a cell, the more probable a move of the search "
        "from it or to it; beneath are its most probable moves, and its value."
    )
    cards = (_row(run.recipe.game, last, row) for row in last.rows(_POSITIONS))
    return [Section("A game of self-play", f"{paragraphs(text)}\n{grid('three', cards)}")]


def _row(game: Game, last: _ShownGame, row: int) -> str:
    games, position = last.games, last.position(game, row)
    entries = slice(*games.policy_offsets[[row, row + 1]])
    actions = games.policy_actions[entries].tolist()
    targets = dict(zip(actions, games.policy_weights[entries].tolist(), strict=True))
    moves = {move.value: move for move in position.legal_moves}
    policy = {
        move.text: targets.get(game.core.action(position.state, move.value), 0.0)
        for move in moves.values()
    }
    played = moves.get(int(games.moves[row]))
    value = float(games.values[row])
    title = f"move {games.plies[row] + 1}, "
    title += "a random move" if value != value else f"value {value:.2f}"
    return _card(position.svg(played, size=_BOARD, policy=policy), title, policy)


def _card(picture: str, title: str, policy: dict[str, float]) -> str:
    ordered = sorted(policy.items(), key=lambda item: -item[1])[:_MOVES]
    rows = "".join(
        f"<tr><td>{escape(text)}</td>{bar(share)}</tr>" for text, share in ordered if share > 0
    )
    return f'{picture}<div><b>{escape(title)}</b></div><table class="moves">{rows}</table>'


def _policy(run: Run, last: _ShownGame | None) -> list[Section]:
    """Show the best network's policy at the start and in a game; nothing without a network."""
    game = run.recipe.game
    start = Record(game)
    start.roll(random.Random(0))
    shown = [("the start", start.position)]
    if last is not None:
        shown += [
            (f"before move {last.games.plies[row] + 1}", last.position(game, row))
            for row in last.rows(_EVALUATED + 1)[1:]
        ]
    cards = []
    for title, position in shown:
        try:
            network = agent(f"net:file={run.path / MODEL},sims=1")
            found = network.analyse(Record(game, position), random.Random(0))  # type: ignore[attr-defined]
        except (HalmaError, ImportError):
            return []
        policy = {report.move.text: report.prior or 0.0 for report in found.moves}
        value = f", value {found.value:.2f}" if found.value is not None else ""
        cards.append(_card(position.svg(size=_BOARD, policy=policy), title + value, policy))
    text = (
        "The policy of the best network before any search, at the start and in that game: the "
        "warmer a cell, the more probable a move from it or to it."
    )
    return [Section("The network's policy", paragraphs(text) + grid("three", cards))]


def _commands(run: Run) -> list[tuple[str, str]]:
    variant = run.recipe.game.name
    player = f"net:{quoted(run.path / MODEL)},sims=100"
    return [
        (f"halma play human {player} --game {variant}", "Play against it:"),
        (f"halma match {player} greedy --game {variant}", "A match with the greedy player:"),
    ]
