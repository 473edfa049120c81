"""The page of a tabular run: curves, values beside exact ones, the largest errors."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import Any

from halma.draw.charts import ChartGuide, scatter_chart
from halma.draw.page import paragraphs, table
from halma.learn.reports.events import Curve, clock
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
from halma.learn.reports.table_errors import ComparedPosition, TableErrors, find_errors
from halma.learn.truth import find_solution
from halma.networks.lookup_table import open_lookup_table
from halma.solve import Solution

#: Moves listed beneath a board; the best one always is.
_MOVES = 5
_BOARD = 250

PANELS = [
    win_rate_panel("the table's"),
    Panel(
        "WR_p by side",
        (Curve("wr_p_first", "moving first", ".1%"), Curve("wr_p_second", "second", ".1%")),
        "The same from each side; where the game favours one, they end apart.",
    ),
    Panel(
        "ERR_p, loss of the policy",
        (Curve("err_p", "ERR_p", ".4f"),),
        "Mean loss in winning chances of a move sampled from the policy, over the test positions.",
    ),
    Panel(
        "MAE_v, error of the value",
        (Curve("mae_v", "MAE_v", ".4f"),),
        "Mean absolute error of values, over the test positions.",
    ),
    Panel(
        "Positions updated",
        tuple(Curve(f"updated_{n}", f"{n} or more", ",") for n in (1, 4, 16)),
        "Positions by how often they were updated.",
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


def view(run: Run, solution: Solution | None) -> View:
    """Return what there is to show; a solution that is not given is found or computed."""
    solution = solution or find_solution(run.recipe.game)
    errors = find_errors(open_lookup_table(run.path, run.recipe.game, keep=False), solution)
    return View(
        _tiles(run),
        PANELS,
        # Where the learning rate changed.
        [
            ChartGuide(float(before["iteration"]), f"learning rate {after['learning_rate']:g}")
            for before, after in pairwise(run.metrics)
            if before["learning_rate"] != after["learning_rate"]
        ],
        [_clouds(errors), _worst_values(errors), _worst_moves(errors)],
        _commands(run),
        _facts(errors),
    )


def _facts(errors: TableErrors) -> dict[str, Any]:
    return {
        "iteration": errors.iteration,
        "positions": errors.positions,
        "values": [
            {
                "updated_at_least": cloud.at_least,
                "positions": cloud.positions,
                "mean_error": cloud.mean_error,
            }
            for cloud in errors.clouds
        ],
        "worst_values": [_position_facts(position) for position in errors.worst_values],
        "moves_examined": errors.sample,
        "moves_wrong": errors.wrong,
        "worst_moves": [_position_facts(position) for position in errors.worst_moves],
    }


def _position_facts(position: ComparedPosition) -> dict[str, Any]:
    return {
        "position": position.position.text,
        "updates": position.updates,
        "learned": position.learned,
        "exact": position.exact,
        "most_probable": position.moves[0].move.text,
        "loss": position.loss,
        "best": [move.move.text for move in position.moves if move.is_best],
    }


def _tiles(run: Run) -> list[Tile]:
    tiles = []
    if run.latest("wr_p") is not None:
        low, high = run.latest("wr_p_low"), run.latest("wr_p_high")
        tiles += [
            Tile(f"{run.latest('wr_p'):.1%}", "WR_p", f"{low:.1%} to {high:.1%}; perfect is 50%"),
            Tile(f"{run.latest('err_p'):.4f}", "ERR_p", "loss of the policy"),
            Tile(f"{run.latest('mae_v'):.4f}", "MAE_v", "error of the value"),
        ]
    games = sum(m["games"] for m in run.metrics)
    plies = sum(m["plies"] for m in run.metrics)
    return [
        *tiles,
        Tile(f"{run.last['iteration']:,}", "iterations", f"of {run.recipe.settings.iterations:,}"),
        Tile(f"{games:,}", "games of self-play", f"{plies / max(1, games):.1f} moves each"),
        Tile(clock(run.last["seconds"]), "time", "of the whole run"),
    ]


def _clouds(errors: TableErrors) -> Section:
    never = errors.positions - errors.clouds[0].positions
    text = (
        f"All positions that were updated, after iteration {errors.iteration:,}. Across is "
        "the exact value for the player to move, up the learned one; on the diagonal they agree. "
        "The stronger a square's colour, the more positions, on a logarithmic scale; where there "
        f"are few, each is a dot. {never:,} of {errors.positions:,} reachable positions were never "
        "updated; their values are near a half."
    )
    cards = [
        scatter_chart(
            f"updated {cloud.at_least} or more times: {cloud.positions:,}",
            cloud.counts.tolist(),
            "exact value",
            "learned value",
            cloud.points,
        )
        for cloud in errors.clouds
    ]
    rows = [
        [
            f"{cloud.at_least} or more times",
            f"{cloud.positions:,}",
            f"{cloud.positions / errors.positions:.1%}",
            "-" if cloud.mean_error is None else f"{cloud.mean_error:.4f}",
        ]
        for cloud in errors.clouds
    ]
    figures = table(["updated", "positions", "of all", "mean error"], rows, numbers=True)
    return Section(
        "Learned values against exact ones",
        f"{paragraphs(text)}\n{grid('three', cards, tag='figure')}\n{figures}",
    )


def _worst_values(errors: TableErrors) -> Section:
    text = (
        f"The largest errors of values, among all positions updated {_times(errors.level)} or "
        "more. An arrow or a ring shows the table's most probable move; the best moves are green."
    )
    return Section("Largest errors of values", paragraphs(text) + _boards(errors.worst_values))


def _worst_moves(errors: TableErrors) -> Section:
    where = f"the {errors.sample:,} positions updated most often"
    if not errors.worst_moves:
        text = f"In all of {where}, the table's most probable move is a best one."
    else:
        text = (
            f"In {errors.wrong:,} of {where}, the table's most probable move is not a best one. "
            "Here it loses most."
        )
    return Section("Costliest moves", paragraphs(text) + _boards(errors.worst_moves))


def _boards(positions: list[ComparedPosition]) -> str:
    return grid("three", map(_board, positions)) if positions else ""


def _board(position: ComparedPosition) -> str:
    picture = position.position.svg(position.moves[0].move, size=_BOARD)
    shown = position.moves[:_MOVES]
    if not any(move.is_best for move in shown):
        shown = [*shown[:-1], next(move for move in position.moves if move.is_best)]
    rows = "".join(
        f"<tr{' class=best' if move.is_best else ''}><td>{escape(move.move.text)}</td>"
        f"<td>{move.value:.3f}</td>{bar(move.probability)}</tr>"
        for move in shown
    )
    left = len(position.moves) - len(shown)
    more = f'<tr><td colspan="3" class="faint">{left} more</td></tr>' if left else ""
    return (
        f"{picture}<div><b>learned {position.learned:.3f}, exact {position.exact:.3f}</b></div>"
        f'<div class="faint"><code>{escape(position.position.text)}</code>, '
        f"updated {_times(position.updates)}</div>"
        '<table class="moves"><tr><th>move</th><th>value</th><th>probability</th></tr>'
        f"{rows}{more}</table>"
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _commands(run: Run) -> list[tuple[str, str]]:
    where, variant = quoted(run.path), run.recipe.game.name
    return [
        (f"halma play human tabular:{where} --game {variant}", "Play against it:"),
        (f"halma match tabular:{where} optimal --game {variant}", "A match with perfect play:"),
    ]
