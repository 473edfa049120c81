"""What the page of a run with a network shows: curves, a game of self-play, the policy."""

from __future__ import annotations

import random
from dataclasses import dataclass
from html import escape

from halma.draw.charts import ChartGuide
from halma.draw.page import paragraphs
from halma.games import Game, Position
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.events import Curve
from halma.learn.reports.page import Panel, Run, Section, Tile, View, quoted
from halma.learn.run import MODEL
from halma.learn.samples import Samples
from halma.solve import Solution

_BOARD = 250
#: positions of a game that are drawn, and moves listed beneath each
_POSITIONS, _MOVES = 9, 6
#: positions of it that the network is asked about, besides the start
_JUDGED = 5

PANELS = [
    Panel(
        "Losses",
        (Curve("policy_loss", "policy", ".3f"), Curve("value_loss", "value", ".3f")),
        "Cross-entropy of the policy with the searches', and how far values are from results. "
        "Both may rise while the games get better: there is more to learn then.",
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
            Curve("duplicates", "positions seen before", ".0%"),
        ),
        "What became of them.",
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


def view(run: Run, truth: Solution | None) -> View:
    """Return what there is to show; nothing of it needs torch."""
    panels = [*_measured(run), *PANELS]
    last = _last_game(run)
    found = (_game(run, last) if last is not None else None, _policy(run, last))
    sections = [section for section in found if section is not None]
    return View(_tiles(run), panels, _changes(run), sections, _commands(run))


def _measured(run: Run) -> list[Panel]:
    """Return a panel for everything the network was measured against."""
    settings = run.recipe.settings
    panels = []
    if settings.truth.every:
        panels.append(
            Panel(
                "WR_p, points against perfect play",
                (Curve("wr_p", "WR_p", ".1%"),),
                "Share of points of the network's likeliest moves against the optimal player, "
                "with its 95% interval. Nobody can have more than 50% in the long run.",
                band=("wr_p_low", "wr_p_high"),
                level=ChartGuide(0.5, "perfect play"),
                from_zero=False,
            )
        )
    for name in settings.opponents:
        key = f"vs_{name}"
        panels.append(
            Panel(
                f"Points against {name}",
                (Curve(key, name, ".1%"),),
                "Share of points with its 95% interval, in pairs of games with changed seats.",
                band=(f"{key}_low", f"{key}_high"),
                level=ChartGuide(0.5, "equal"),
            )
        )
    return panels


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
class _Game:
    """The first game of an iteration."""

    iteration: int
    samples: Samples

    def rows(self, number: int) -> list[int]:
        """Return at most so many of its rows, evenly spaced."""
        last = int(self.samples["row_offsets"][1]) - 1
        return sorted({round(i * last / (number - 1)) for i in range(number)}) if last >= 0 else []

    def position(self, game: Game, row: int) -> Position:
        """Return what the player to move saw."""
        return Position(game, self.samples["states"][row].tobytes())


def _last_game(run: Run) -> _Game | None:
    """Return a game of the last iteration whose games are on disk."""
    files = GameFiles(run.path, run.recipe.game)
    kept = [number for number in files.iterations() if 0 < number <= run.last["iteration"]]
    return _Game(kept[0], files.read(kept[0])[0]) if kept else None


def _game(run: Run, last: _Game) -> Section:
    text = (
        f"The first game of iteration {last.iteration:,}, its moves evenly spaced. An arrow or a "
        "ring shows what was played. The warmer a cell, the likelier the search made it that a "
        "piece leaves it or comes to it; beneath are its likeliest moves, and what it expected."
    )
    cards = "\n".join(_row(run.recipe.game, last, row) for row in last.rows(_POSITIONS))
    return Section(
        "A game of self-play", f'{paragraphs(text)}\n<div class="grid three">\n{cards}\n</div>'
    )


def _row(game: Game, last: _Game, row: int) -> str:
    samples, position = last.samples, last.position(game, row)
    entries = slice(*samples["policy_offsets"][[row, row + 1]])
    shares = dict(
        zip(
            samples["policy_actions"][entries].tolist(),
            samples["policy_weights"][entries].tolist(),
            strict=True,
        )
    )
    moves = {move.value: move for move in position.legal_moves}
    played = moves.get(int(samples["moves"][row]))
    value = float(samples["values"][row])
    expected = "a random move" if value != value else f"expects {value:.2f}"
    likely = {
        move.text: shares.get(game.core.action(position.state, move.value), 0.0)
        for move in moves.values()
    }
    picture = position.svg(played, size=_BOARD, policy=likely)
    return _card(picture, f"move {samples['plies'][row] + 1}, {expected}", likely)


def _card(picture: str, title: str, likely: dict[str, float]) -> str:
    ordered = sorted(likely.items(), key=lambda item: -item[1])[:_MOVES]
    rows = "".join(
        f"<tr><td>{escape(text)}</td>"
        f'<td class="share"><i style="width:{55 * share:.0f}%"></i>{share:.0%}</td></tr>'
        for text, share in ordered
        if share > 0
    )
    return (
        f'<div class="card">{picture}<div><b>{escape(title)}</b></div>'
        f'<table class="moves">{rows}</table></div>'
    )


def _policy(run: Run, last: _Game | None) -> Section | None:
    """Show what the best network makes of the start and of a game, without any search."""
    from halma.agents import agent
    from halma.errors import HalmaError
    from halma.games import Record

    game = run.recipe.game
    opening = Record(game)
    opening.roll(random.Random(0))
    shown = [("the start", opening.position)]
    if last is not None:
        shown += [
            (f"before move {last.samples['plies'][row] + 1}", last.position(game, row))
            for row in last.rows(_JUDGED + 1)[1:]
        ]
    cards = []
    for title, position in shown:
        try:
            network = agent(f"net:file={run.path / MODEL},sims=1")
            found = network.analyse(Record(game, position), random.Random(0))  # type: ignore[attr-defined]
        except (HalmaError, ImportError):
            return None
        likely = {report.move.text: report.prior or 0.0 for report in found.moves}
        expected = f", expects {found.value:.2f}" if found.value is not None else ""
        cards.append(_card(position.svg(size=_BOARD, policy=likely), title + expected, likely))
    text = (
        "The policy of the best network before any search, at the start and in that game: the "
        "warmer a cell, the likelier a piece leaves it or comes to it."
    )
    body = "\n".join(cards)
    return Section(
        "What the network sees", f'{paragraphs(text)}<div class="grid three">{body}</div>'
    )


def _commands(run: Run) -> list[tuple[str, str]]:
    variant = run.recipe.game.name
    player = f"net:{quoted(run.path / MODEL)},sims=100"
    return [
        (f"halma play human {player} --game {variant}", "Play against it:"),
        (f"halma match {player} greedy --game {variant}", "Let it play:"),
    ]
