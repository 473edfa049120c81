"""Grades of agents as one page: shares, curves, and their errors drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from halma.draw.charts import ChartLine, line_chart
from halma.draw.page import page, paragraphs, table
from halma.draw.svg import draw_svg
from halma.games import Game
from halma.learn.grading import AgentGrades, Grade
from halma.learn.grading.grades import Blunder, KeptShare, bin_title
from halma.learn.reports.page import board, grid

_BOARD = 340
#: Errors drawn in a section, value-keeping moves drawn on a board, and those listed beneath it.
_ERRORS, _DRAWN, _LISTED = 6, 3, 8
_WORDS = {1.0: "a win", 0.5: "a draw", 0.0: "a loss"}
_ABOUT = (
    "A move keeps the value of a position if a won position stays won and a drawn one drawn; in "
    "games of chance, if no move has a higher value. In lost positions every move does. At stake "
    "are the positions in which some legal move gives value away; the last column has the share of "
    "a player who picks any legal move. Games end where a position occurs for the third time. For "
    "intervals, the moves of a game are taken together."
)
_DRAWING = "The violet arrow is the move that was picked, green ones are moves that keep the value."


def grading_page(game: Game, grades: Sequence[AgentGrades]) -> str:
    """Return the page of agents graded on one variant."""
    parts = [f"<h1>Graded by exact values: {escape(game.name)}</h1>", paragraphs(_ABOUT)]
    for one in grades:
        parts.append(f"<h2>{escape(one.agent)}</h2>")
        if one.error:
            parts.append(paragraphs(one.error))
        if one.games is not None:
            parts.append(_sample(one.games))
        if one.table is not None:
            parts.append(_sample(one.table))
    return page(f"{game.name}: graded by exact values", "\n".join(parts))


def _sample(grade: Grade) -> str:
    title = grade.title[0].upper() + grade.title[1:]
    rows = [_row(kind, share) for kind, share in grade.shares.items()]
    headings = ["positions", "number", "kept", "95% interval", "any legal move"]
    bins = {
        "By ply, without lost positions": (grade.by_ply, "ply"),
        "Wins, by plies to the end": (grade.by_distance, "plies to the end"),
    }
    charts = [
        _chart(title, shares, label) for title, (shares, label) in bins.items() if len(shares) > 1
    ]
    parts = [f"<h3>{escape(title)}</h3>", table(headings, rows, numbers=True)]
    if charts:
        parts.append(grid("two", charts, tag="figure"))
    parts += _errors(grade)
    return "\n".join(parts)


def _row(kind: str, share: KeptShare) -> list[str]:
    ends = "" if share.low is None else f"{share.low:.1%} to {share.high:.1%}"
    return [kind, f"{share.positions:,}", f"{share.share:.2%}", ends, f"{share.random:.1%}"]


def _chart(title: str, shares: Mapping[int, KeptShare], label: str) -> str:
    """Return a chart of shares by the middle of each bin, beside a random player's."""
    middles = [first + 5.0 for first in shares]
    found = list(zip(middles, shares.values(), strict=True))
    lines = [
        ChartLine(
            "picked",
            [(x, one.share) for x, one in found],
            [(x, one.low, one.high or 0.0) for x, one in found if one.low is not None],
        ),
        ChartLine("any legal move", [(x, one.random) for x, one in found]),
    ]
    caption = ", ".join(f"{bin_title(x)}: {one.positions:,}" for x, one in shares.items())
    picture = line_chart(title, lines, label, lambda y: f"{100 * y:g}%")
    return f"{picture}<figcaption>Positions: {caption}.</figcaption>"


def _errors(grade: Grade) -> Iterable[str]:
    """Yield the errors drawn: the costliest, then the earliest or those nearest to the end."""
    if not grade.errors:
        yield paragraphs("No move gave value away.")
        return
    number = sum(error.times for error in grade.errors)
    yield paragraphs(
        f"{number:,} moves gave value away, in {len(grade.errors):,} distinct errors. {_DRAWING}"
    )
    costliest = grade.errors[:_ERRORS]
    others = grade.errors[_ERRORS:]
    if grade.games is not None:
        first, second = "Costliest, the most frequent first", "Earliest of the others"
        others.sort(key=lambda error: (error.ply or 0, -error.loss))
    else:
        first, second = "Costliest, the nearest to the end first", "Farthest from the end"
        others.sort(key=lambda error: (-error.loss, -(error.exact.distance or 0)))
    for title, errors in ((first, costliest), (second, others[:_ERRORS])):
        if errors:
            yield f"<h3>{escape(title)}</h3>"
            yield grid("three", map(_card, errors))


def _card(error: Blunder) -> str:
    exact, position = error.exact, error.exact.position
    game = position.game
    others = [game.scene(position.state, move).trail for move in exact.keeping[:_DRAWN]]
    scene = game.scene(position.state, error.move)
    before, after = _word(exact.value), _word(exact.value - error.loss)
    keeping = [exact.text_of(move) for move in exact.keeping]
    listed = " ".join(keeping[:_LISTED])
    more = f" and {len(keeping) - _LISTED} more" if len(keeping) > _LISTED else ""
    facts = [
        f"picked {'once' if error.times == 1 else f'{error.times:,} times'}",
        *([f"after {error.ply} plies"] if error.ply is not None else []),
        *([f"{exact.distance} plies to the end"] if exact.distance is not None else []),
        f"{len(keeping)} of {len(exact.moves)} moves keep the value",
    ]
    return board(
        draw_svg(scene, _BOARD, alternatives=others),
        f"{exact.text_of(error.move)}: from {before} to {after}",
        f'<tr class="best"><td>{escape(listed)}{more}</td></tr>',
        f'<div class="faint">{", ".join(facts)}<br><code>{escape(position.text)}</code></div>',
    )


def _word(value: float) -> str:
    return _WORDS.get(value, f"{value:.3f}")
