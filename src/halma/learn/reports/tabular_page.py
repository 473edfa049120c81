"""What the page of a tabular run shows: grades, the table beside the truth, its worst errors."""

from __future__ import annotations

import math
from html import escape
from itertools import pairwise
from typing import Any

from halma.draw.charts import ChartGuide, scatter_chart
from halma.draw.page import paragraphs, table
from halma.learn.reports.events import Curve
from halma.learn.reports.page import Panel, Run, Section, Tile, View, quoted
from halma.learn.reports.table_errors import Cloud, Judged, Judgement, judge
from halma.learn.truth import find_solution
from halma.networks.lookup_table import open_lookup_table
from halma.solve import Solution

#: Moves listed beneath a board; the best one always is.
_MOVES = 5
_BOARD = 250

PANELS = [
    Panel(
        "WR_p, points against perfect play",
        (Curve("wr_p", "WR_p", ".1%"),),
        "Share of points of the table's likeliest moves against the optimal player, with its 95% "
        "interval. Nobody can have more than 50% in the long run.",
        band=("wr_p_low", "wr_p_high"),
        level=ChartGuide(0.5, "perfect play"),
        from_zero=False,
    ),
    Panel(
        "WR_p by side",
        (Curve("wr_p_first", "moving first", ".1%"), Curve("wr_p_second", "second", ".1%")),
        "The same from each side; where the game favours one, they end apart.",
    ),
    Panel(
        "ERR_p, loss of the policy",
        (Curve("err_p", "ERR_p", ".4f"),),
        "What a move drawn from the policy costs in chances of winning, over the test positions.",
    ),
    Panel(
        "MAE_v, error of the value",
        (Curve("mae_v", "MAE_v", ".4f"),),
        "How far learnt values are from exact ones on average, over the test positions.",
    ),
    Panel(
        "Positions updated",
        tuple(Curve(f"updated_{n}", f"{n} or more", ",") for n in (1, 4, 16)),
        "Positions that were learnt from so often at least.",
    ),
    Panel(
        "Seconds an iteration",
        (
            Curve("play_seconds", "self-play", ".2f"),
            Curve("update_seconds", "updates", ".2f"),
            Curve("truth_seconds", "comparison with exact values", ".2f"),
        ),
        "Where the time went.",
    ),
]


def view(run: Run, truth: Solution | None) -> View:
    """Return what there is to show; the exact solution is found or made if it is not given."""
    solution = truth or find_solution(run.recipe.game)
    judgement = judge(open_lookup_table(run.path, run.recipe.game, keep=False), solution)
    sections = [_clouds(judgement), _worst_values(judgement), _worst_moves(judgement)]
    return View(_tiles(run), PANELS, _changes(run), sections, _commands(run), facts(judgement))


def facts(judgement: Judgement) -> dict[str, Any]:
    """Return a judgement as plain values; an average of nothing is None."""
    return {
        "iteration": judgement.iteration,
        "positions": judgement.positions,
        "values": [
            {
                "updated_at_least": cloud.at_least,
                "positions": cloud.positions,
                "mean_error": None if math.isnan(cloud.mean_error) else cloud.mean_error,
            }
            for cloud in judgement.clouds
        ],
        "worst_values": [_plain(position) for position in judgement.worst_values],
        "moves_judged": judgement.sample,
        "moves_wrong": judgement.wrong,
        "worst_moves": [_plain(position) for position in judgement.worst_moves],
    }


def _plain(position: Judged) -> dict[str, Any]:
    return {
        "position": position.position.text,
        "updates": position.updates,
        "learnt": position.learnt,
        "true": position.true,
        "likeliest": position.moves[0].move.text,
        "loss": position.loss,
        "best": [move.move.text for move in position.moves if move.best],
    }


def _tiles(run: Run) -> list[Tile]:
    tiles = []
    if run.latest("wr_p") is not None:
        low, high = run.latest("wr_p_low"), run.latest("wr_p_high")
        tiles += [
            Tile(f"{run.latest('wr_p'):.1%}", "WR_p", f"{low:.1%} to {high:.1%}; perfect is 50%"),
            Tile(f"{run.latest('err_p'):.4f}", "ERR_p", "what a move costs"),
            Tile(f"{run.latest('mae_v'):.4f}", "MAE_v", "error of values"),
        ]
    games = sum(m["games"] for m in run.metrics)
    plies = sum(m["plies"] for m in run.metrics)
    return [
        *tiles,
        Tile(f"{run.last['iteration']:,}", "iterations", f"of {run.recipe.settings.iterations:,}"),
        Tile(f"{games:,}", "games of self-play", f"{plies / max(1, games):.1f} moves each"),
        Tile(_clock(run.last["seconds"]), "time", "grading included"),
    ]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _changes(run: Run) -> list[ChartGuide]:
    """Return where the learning rate changed."""
    return [
        ChartGuide(float(before["iteration"]), f"learning rate {after['learning_rate']:g}")
        for before, after in pairwise(run.metrics)
        if before["learning_rate"] != after["learning_rate"]
    ]


def _clouds(judgement: Judgement) -> Section:
    seen = judgement.clouds[0].positions
    text = (
        f"All positions that were learnt from, after iteration {judgement.iteration:,}. Across is "
        "the exact value for the player to move, up the learnt one; on the diagonal they agree. "
        "The stronger a square's colour, the more positions, on a logarithmic scale; where there "
        "are few, each is a dot. "
        f"{judgement.positions - seen:,} of {judgement.positions:,} positions that can be reached "
        "were never learnt from; their values are near a half."
    )
    cards = "\n".join(
        f'<figure class="card">{_cloud(cloud)}</figure>' for cloud in judgement.clouds
    )
    rows = [
        [
            f"{cloud.at_least} or more times",
            f"{cloud.positions:,}",
            f"{cloud.positions / judgement.positions:.1%}",
            "-" if math.isnan(cloud.mean_error) else f"{cloud.mean_error:.4f}",
        ]
        for cloud in judgement.clouds
    ]
    figures = table(["updated", "positions", "of all", "mean error"], rows, numbers=True)
    return Section(
        "Learnt values against exact ones",
        f'{paragraphs(text)}\n<div class="grid three">\n{cards}\n</div>\n{figures}',
    )


def _cloud(cloud: Cloud) -> str:
    return scatter_chart(
        f"updated {cloud.at_least} or more times: {cloud.positions:,}",
        cloud.counts.tolist(),
        "exact value",
        "learnt value",
        cloud.points,
    )


def _worst_values(judgement: Judgement) -> Section:
    text = (
        "Of all positions that were learnt from "
        f"{_times(judgement.level)} or more, these have the values that are "
        "furthest off. An arrow or a ring shows the move that is likeliest to the table; the moves "
        "that really are best are green."
    )
    return Section("Worst judged positions", paragraphs(text) + _boards(judgement.worst_values))


def _worst_moves(judgement: Judgement) -> Section:
    where = f"the {judgement.sample:,} positions that were learnt from most often"
    if not judgement.worst_moves:
        text = f"In all of {where}, the table's likeliest move is a best one."
        return Section("Worst moves", paragraphs(text))
    text = (
        f"In {judgement.wrong:,} of {where}, the table's likeliest move is not a best one. "
        "Here it costs most."
    )
    return Section("Worst moves", paragraphs(text) + _boards(judgement.worst_moves))


def _boards(positions: list[Judged]) -> str:
    cards = "\n".join(_board(position) for position in positions)
    return f'<div class="grid three">\n{cards}\n</div>'


def _board(position: Judged) -> str:
    picture = position.position.svg(position.moves[0].move, size=_BOARD)
    shown = position.moves[:_MOVES]
    if not any(move.best for move in shown):
        shown = [*shown[:-1], next(move for move in position.moves if move.best)]
    rows = "".join(
        f"<tr{' class=best' if move.best else ''}><td>{escape(move.move.text)}</td>"
        f"<td>{move.value:.3f}</td>"
        f'<td class="share"><i style="width:{55 * move.policy:.0f}%"></i>{move.policy:.0%}</td>'
        "</tr>"
        for move in shown
    )
    left = len(position.moves) - len(shown)
    more = f'<tr><td colspan="3" class="faint">{left} more</td></tr>' if left else ""
    return (
        f'<div class="card">{picture}'
        f"<div><b>learnt {position.learnt:.3f}, exact {position.true:.3f}</b></div>"
        f'<div class="faint"><code>{escape(position.position.text)}</code>, '
        f"updated {_times(position.updates)}</div>"
        '<table class="moves"><tr><th>move</th><th>worth</th><th>likely</th></tr>'
        f"{rows}{more}</table></div>"
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _commands(run: Run) -> list[tuple[str, str]]:
    where, variant = quoted(run.path), run.recipe.game.name
    return [
        (f"halma play human tabular:{where} --game {variant}", "Play against it:"),
        (
            f"halma match tabular:{where} optimal --game {variant}",
            "Let it play against perfect play:",
        ),
    ]
