"""The page of a tabular run: curves, values beside exact ones, the largest errors."""

from __future__ import annotations

from html import escape
from typing import Any

from halma.draw.charts import scatter_chart
from halma.draw.page import paragraphs, table
from halma.learn.reports.page import Panel, Run, View, board, grid, move_row, win_rate_panel
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
        {"wr_p_first": "moving first", "wr_p_second": "second"},
        "The same from each side; where the game favours one, they end apart.",
        percent=True,
    ),
    Panel(
        "ERR_p, loss of the policy",
        {"err_p": "ERR_p"},
        "Mean loss in winning chances of a move sampled from the policy, over the test positions.",
    ),
    Panel(
        "MAE_v, error of the value",
        {"mae_v": "MAE_v"},
        "Mean absolute error of values, over the test positions.",
    ),
    Panel(
        "Positions updated",
        {f"updated_{n}": f"{n} or more" for n in (1, 4, 16)},
        "Positions by how often they were updated.",
    ),
    Panel(
        "Seconds an iteration",
        {
            "play_seconds": "self-play",
            "update_seconds": "updates",
            "truth_seconds": "comparison with exact values",
        },
        "Where the time went.",
    ),
]


def view(run: Run, solution: Solution | None) -> View:
    """Return what there is to show; a solution that is not given is found or computed."""
    solution = solution or find_solution(run.recipe.game)
    errors = find_errors(open_lookup_table(run.path, run.recipe.game, keep=False), solution)
    sections = {
        "Learned values against exact ones": _clouds(errors),
        "Largest errors of values": _worst_values(errors),
        "Costliest moves": _worst_moves(errors),
    }
    return View(_tiles(run), panels(run), sections, _facts(errors))


def panels(run: Run) -> list[Panel]:
    """Return the charts of a run."""
    return PANELS


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


def _tiles(run: Run) -> list[tuple[str, str, str]]:
    tiles = []
    if run.latest("wr_p") is not None:
        low, high = run.latest("wr_p_low"), run.latest("wr_p_high")
        tiles += [
            (f"{run.latest('wr_p'):.1%}", "WR_p", f"{low:.1%} to {high:.1%}; perfect is 50%"),
            (f"{run.latest('err_p'):.4f}", "ERR_p", "loss of the policy"),
            (f"{run.latest('mae_v'):.4f}", "MAE_v", "error of the value"),
        ]
    games, plies = (sum(m[key] for m in run.metrics) for key in ("games", "plies"))
    moves = f"{plies / max(1, games):.1f} moves each"
    return [*tiles, (f"{games:,}", "games of self-play", moves)]


def _clouds(errors: TableErrors) -> str:
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
    return f"{paragraphs(text)}\n{grid('three', cards, tag='figure')}\n{figures}"


def _worst_values(errors: TableErrors) -> str:
    text = (
        f"The largest errors of values, among all positions updated {_times(errors.level)} or "
        "more. An arrow or a ring shows the table's most probable move; the best moves are green."
    )
    return paragraphs(text) + _boards(errors.worst_values)


def _worst_moves(errors: TableErrors) -> str:
    where = f"the {errors.sample:,} positions updated most often"
    if not errors.worst_moves:
        text = f"In all of {where}, the table's most probable move is a best one."
    else:
        text = (
            f"In {errors.wrong:,} of {where}, the table's most probable move is not a best one. "
            "Here it loses most."
        )
    return paragraphs(text) + _boards(errors.worst_moves)


def _boards(positions: list[ComparedPosition]) -> str:
    return grid("three", map(_board, positions)) if positions else ""


def _board(position: ComparedPosition) -> str:
    picture = position.position.svg(position.moves[0].move, size=_BOARD)
    shown = position.moves[:_MOVES]
    if not any(move.is_best for move in shown):
        shown = [*shown[:-1], next(move for move in position.moves if move.is_best)]
    rows = "".join(
        move_row((move.move.text, f"{move.value:.3f}"), move.probability, move.is_best)
        for move in shown
    )
    left = len(position.moves) - len(shown)
    more = f'<tr><td colspan="3" class="faint">{left} more</td></tr>' if left else ""
    return board(
        picture,
        f"learned {position.learned:.3f}, exact {position.exact:.3f}",
        f"<tr><th>move</th><th>value</th><th>probability</th></tr>{rows}{more}",
        f'<div class="faint"><code>{escape(position.position.text)}</code>, '
        f"updated {_times(position.updates)}</div>",
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
