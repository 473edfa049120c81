"""The crosstable of a tournament: standings with the score of each pairing."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from halma.arena.ratings import Rating, places
from halma.arena.tally import Tally
from halma.draw.canvas import Canvas
from halma.draw.palette import DEFAULT, PAINTS, mix


@dataclass(frozen=True)
class PairingScore:
    """The results of one agent against another."""

    #: games in which at least one of them had a place
    games: int
    wins: int
    draws: int
    losses: int
    #: proportion of wins, a draw as half of one
    score: float


@dataclass(frozen=True)
class Standing:
    """A row of the table; `pairings` are in the order of the rows.

    One is None for the agent itself, and for those that it never met.
    """

    rating: Rating
    games: int
    #: proportion of the points of its games
    score: float
    pairings: tuple[PairingScore | None, ...]


def crosstable(
    ratings: Sequence[Rating], matches: Mapping[tuple[int, ...], Tally]
) -> list[Standing]:
    """Return the standings, highest rating first; `matches` has indices of `ratings`.

    Of two agents in a game with more sides the one with the best place of its sides is ahead.
    """
    numbers = range(len(ratings))
    leads: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    games, points, totals = ([0.0 for _ in numbers] for _ in range(3))
    for players, tally in matches.items():
        for placing in tally.placings:
            best = {players[who]: -1 for who, _ in placing}  # without a place
            for place, group in enumerate(places(placing)):
                for who in group:
                    best[players[who]] = max(best[players[who]], len(placing) - place)
            for one, other in permutations(best, 2):
                if max(best[one], best[other]) >= 0:
                    lead = best[one] - best[other]
                    leads[one, other][(lead > 0) - (lead < 0)] += 1
            for who in best:
                games[who] += 1
                totals[who] += sum(score for _, score in placing)
            for who, score in placing:
                points[players[who]] += score
    order = sorted(numbers, key=lambda index: -ratings[index].elo)
    cells = {pair: _pairing_score(counts) for pair, counts in leads.items()}
    return [
        Standing(
            ratings[index],
            int(games[index]),
            points[index] / totals[index] if totals[index] else 0.5,
            tuple(cells.get((index, other)) for other in order),
        )
        for index in order
    ]


def _pairing_score(leads: Counter[int]) -> PairingScore:
    """Return the score of games in which one of two agents was ahead, level or behind."""
    number = leads.total()
    return PairingScore(number, leads[1], leads[0], leads[-1], (leads[1] + leads[0] / 2) / number)


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
