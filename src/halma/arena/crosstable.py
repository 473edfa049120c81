"""The crosstable of a round-robin tournament: standings with the score of each pairing."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halma.arena.ratings import Rating
from halma.arena.tally import Tally
from halma.draw.canvas import Canvas
from halma.draw.palette import DEFAULT, PAINTS, mix


@dataclass(frozen=True)
class PairingScore:
    """The results of one agent against another."""

    games: int
    wins: int
    draws: int
    losses: int
    #: proportion of the points
    score: float


@dataclass(frozen=True)
class Standing:
    """A row of the table; `pairings` are in the order of the rows, None for the agent itself."""

    rating: Rating
    games: int
    #: proportion of the points of its games
    score: float
    pairings: tuple[PairingScore | None, ...]


def crosstable(
    ratings: Sequence[Rating], pairings: Mapping[tuple[int, int], Tally]
) -> list[Standing]:
    """Return the standings, highest rating first; `pairings` is indexed as `ratings` is."""
    cells: dict[tuple[int, int], PairingScore] = {}
    points, totals = [0.0] * len(ratings), [0.0] * len(ratings)
    for (i, j), tally in pairings.items():
        wins, draws, losses = tally.all.wins, tally.all.draws, tally.all.losses
        cells[i, j] = PairingScore(tally.games, wins, draws, losses, tally.scores[0])
        cells[j, i] = PairingScore(tally.games, losses, draws, wins, tally.scores[1])
        for index, scored in zip((i, j), tally.points, strict=True):
            points[index] += scored
            totals[index] += sum(tally.points)
    order = sorted(range(len(ratings)), key=lambda index: -ratings[index].elo)
    rows = []
    for index in order:
        row = tuple(cells.get((index, other)) for other in order)
        games = sum(cell.games for cell in row if cell)
        score = points[index] / totals[index] if totals[index] else 0.5
        rows.append(Standing(ratings[index], games, score, row))
    return rows


def as_dicts(rows: Sequence[Standing]) -> list[dict[str, Any]]:
    """Return the table for JSON."""
    names = [row.rating.agent for row in rows]
    return [
        {
            "agent": row.rating.agent,
            "elo": row.rating.elo,
            "elo_interval": row.rating.interval,
            "games": row.games,
            "points": row.score,
            "against": {
                name: vars(pairing)
                for name, pairing in zip(names, row.pairings, strict=True)
                if pairing
            },
        }
        for row in rows
    ]


def as_text(rows: Sequence[Standing]) -> str:
    """Return the table as text; columns have the numbers of the rows."""
    width = max(len(row.rating.agent) for row in rows)
    numbers = "".join(f"{number:>7}" for number in range(1, len(rows) + 1))
    lines = [f"    {'':<{width}}    elo    ±  points  games {numbers}"]
    for number, row in enumerate(rows, start=1):
        cells = "".join("      -" if p is None else f"{p.score:7.1%}" for p in row.pairings)
        lines.append(
            f"{number:>3} {row.rating.agent:<{width}} {row.rating.elo:6.0f} "
            f"{row.rating.half_width:>4} {row.score:7.1%} {row.games:6} {cells}"
        )
    return "\n".join(lines)


def as_csv(rows: Sequence[Standing]) -> str:
    """Return the table as CSV; an agent's column holds the scores against it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [row.rating.agent for row in rows]
    writer.writerow(["rank", "agent", "elo", "elo_low", "elo_high", "games", "points", *names])
    for rank, row in enumerate(rows, start=1):
        ends = row.rating.interval or (None, None)
        numbers = ["" if v is None else f"{v:.1f}" for v in (row.rating.elo, *ends)]
        scores = ["" if p is None else f"{p.score:.4f}" for p in row.pairings]
        writer.writerow([rank, row.rating.agent, *numbers, row.games, f"{row.score:.4f}", *scores])
    return out.getvalue()


# Lengths of the SVG drawing, in pixels.
_CELL, _HEIGHT, _HEAD, _MARGIN, _FONT = 76, 40, 34, 16, 13
_LETTER = 7.2


def as_svg(rows: Sequence[Standing], title: str) -> str:
    """Return the table as SVG: blue cells for scores above one half, red ones for scores below."""
    names = max(len(row.rating.agent) for row in rows) * _LETTER + 44
    figures = 190
    left = _MARGIN + names + figures
    width = max(left + _CELL * len(rows), _MARGIN + len(title) * 1.2 * _LETTER) + _MARGIN
    top = _MARGIN + 28 + _HEAD
    height = top + _HEIGHT * len(rows) + _MARGIN
    text, faint = DEFAULT.text, DEFAULT.faint
    canvas = Canvas(1.0, DEFAULT, "crosstable")
    canvas.add("rect", width=width, height=height, rx=8, fill=DEFAULT.paper)
    canvas.write((_MARGIN, _MARGIN + 10), title, _FONT, text, "start", bold=True)
    head = top - 16
    canvas.write((left - figures + 60, head), "elo", _FONT, faint, "end")
    canvas.write((left - 16, head), "points", _FONT, faint, "end")
    for number, row in enumerate(rows, start=1):
        y = top + _HEIGHT * (number - 1)
        middle = y + _HEIGHT / 2
        canvas.write((left + _CELL * (number - 0.5), head), str(number), _FONT, faint)
        canvas.write((_MARGIN + 14, middle), str(number), _FONT, faint, "end")
        canvas.write((_MARGIN + 26, middle), row.rating.agent, _FONT, text, "start")
        elo = f"{row.rating.elo:.0f}"
        canvas.write((left - figures + 60, middle), elo, _FONT, text, "end", bold=True)
        half = f"± {row.rating.half_width}"
        canvas.write((left - figures + 68, middle), half, _FONT, faint, "start")
        canvas.write((left - 16, middle), f"{row.score:.1%}", _FONT, text, "end")
        for column, pairing in enumerate(row.pairings):
            _draw_cell(canvas, left + _CELL * column, y, pairing)
    return canvas.finish(width, height, max(width, height), title)


def _draw_cell(canvas: Canvas, x: float, y: float, pairing: PairingScore | None) -> None:
    box = {"x": x + 2, "y": y + 2, "width": _CELL - 4, "height": _HEIGHT - 4, "rx": 4}
    if pairing is None:
        canvas.add("rect", **box, fill=DEFAULT.paper_edge, opacity=0.5)
        return
    side = PAINTS["blue" if pairing.score >= 0.5 else "red"].fill
    canvas.add("rect", **box, fill=mix(DEFAULT.paper, side, abs(pairing.score - 0.5) * 1.1))
    record = f"+{pairing.wins} ={pairing.draws} -{pairing.losses}"
    centre = x + _CELL / 2
    canvas.write((centre, y + 13), f"{pairing.score:.1%}", _FONT, DEFAULT.text)
    canvas.write((centre, y + 28), record, min(9.0, 112 / len(record)), DEFAULT.text)
