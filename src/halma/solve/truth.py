"""Statistics of a solved variant, and pictures of its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from halma import _core
from halma.draw.canvas import Canvas
from halma.draw.palette import DEFAULT
from halma.draw.scene import Piece, Scene
from halma.games import Game, Position
from halma.solve.solution import MoveValue, Solution

#: Bins of the distribution of values.
BINS = 20
#: A table of up to this many times the positions wanted is mixed, not drawn from.
_MOST_MIXED = 4


@dataclass(frozen=True)
class Opening:
    """A first decision and the value of every move in it."""

    position: Position
    value: float
    moves: list[MoveValue]


@dataclass(frozen=True)
class LongestWin:
    """A certain win that takes longest, the loser and chance delaying it."""

    start: Position
    plies: int
    #: moves and outcomes, in order
    steps: list[str]


@dataclass(frozen=True)
class Truth:
    """Statistics of a solved variant."""

    game: Game
    about: dict[str, Any]
    #: positions by value for the player to move, from 0 to 1 in equal steps
    distribution: list[int]
    #: positions sampled for what follows
    sample: int
    #: share of positions that have a single best move; by value alone
    unique_best: float
    #: best first decision for the first player, and the worst where set-ups differ
    openings: list[Opening]
    longest_win: LongestWin | None

    def as_dict(self) -> dict[str, Any]:
        """Return the statistics as plain values, for JSON."""
        line = self.longest_win
        return {
            **self.about,
            "distribution": self.distribution,
            "sample": self.sample,
            "unique_best": self.unique_best,
            "openings": [
                {
                    "position": opening.position.text,
                    "value": opening.value,
                    "moves": {
                        m.move.text: {"value": m.value, "distance": m.distance}
                        for m in opening.moves
                    },
                }
                for opening in self.openings
            ],
            "longest_line": line and {**vars(line), "start": line.start.text},
        }


def examine(
    solution: Solution,
    sample: int = 2000,
    seed: int = 0,
    note: Callable[[str], None] = lambda text: None,
) -> Truth:
    """Compute the statistics of a solution."""
    distribution = _distribution(solution)
    note("values are counted")
    positions = sample_positions(solution, sample, seed)
    unique = sum(_has_one_best(solution.moves(position)) for position in positions)
    return Truth(
        solution.game,
        solution.about,
        distribution,
        len(positions),
        unique / max(1, len(positions)),
        _openings(solution),
        longest_win(solution),
    )


def _distribution(solution: Solution) -> list[int]:
    """Return the number of positions in each bin of values."""
    about, counts = solution.about, np.zeros(BINS, dtype=np.int64)
    if not about.get("between"):  # the solver has counted them; there may be billions
        for kind, place in (("losses", 0), ("draws", BINS // 2), ("wins", BINS - 1)):
            counts[place] = about[kind]
        return counts.tolist()
    for indices in solution.index_chunks():
        values = solution.values_at(indices)
        counts += np.histogram(values[~np.isnan(values)], bins=BINS, range=(0.0, 1.0))[0]
    return counts.tolist()


def sample_positions(solution: Solution, number: int, seed: int) -> list[Position]:
    """Return distinct decisions, drawn uniformly from the table; all if there are no more."""
    core = solution.game.core
    rng = np.random.default_rng(seed)
    size = core.index_size
    found: dict[int, Position] = {}
    # Drawing without replacement is slow where most of the table is wanted.
    mix = rng.permutation(size) if size <= _MOST_MIXED * number else None
    for start in range(0, 1000 * number if mix is None else size, number):
        drawn = rng.integers(0, size, number) if mix is None else mix[start : start + number]
        for index in drawn[~np.isnan(solution.values_at(drawn))].tolist():
            position = Position(solution.game, core.unindex(index))
            if len(found) < number and not position.is_terminal:
                found[index] = position
        if len(found) == number:
            break
    return list(found.values())


def longest_win(solution: Solution) -> LongestWin | None:
    """Replay a certain win that takes longest."""
    plies = int(solution.about.get("longest_win") or 0)
    index = _find(solution, plies) if plies and solution.has_distances else None
    if index is None:
        return None
    start = Position(solution.game, solution.game.core.unindex(index))
    position, steps = start, []
    while not position.is_terminal:
        if position.is_chance:
            delays = [solution.distance(position.resolve(one)) for one in position.outcomes]
            outcome = position.outcomes[delays.index(max(delays))]
            position = position.resolve(outcome)
            steps.append(outcome.text)
        else:
            move = solution.best_moves(position)[0]
            position = position.play(move)
            steps.append(move.text)
    return LongestWin(start, plies, steps)


def _find(solution: Solution, plies: int) -> int | None:
    for indices in solution.index_chunks():
        won = solution.values_at(indices) == 1.0
        found = np.flatnonzero(won & (solution.distances_at(indices) == plies))
        if found.size:
            return int(indices[found[0]])
    return None


def _has_one_best(moves: list[MoveValue]) -> bool:
    least = max(m.value for m in moves) - _core.VALUE_TOLERANCE
    return sum(m.value > least for m in moves) == 1


def _openings(solution: Solution) -> list[Opening]:
    decisions = list(_first_decisions(solution.game.start()))
    values = [solution.value(position) for position in decisions]
    chosen = dict.fromkeys([values.index(max(values)), values.index(min(values))])
    return [Opening(decisions[i], values[i], solution.moves(decisions[i])) for i in chosen]


def _first_decisions(position: Position) -> Iterator[Position]:
    if not position.is_chance:
        yield position
    for outcome in position.outcomes:
        yield from _first_decisions(position.resolve(outcome))


# Pictures.


def opening_scene(opening: Opening) -> Scene:
    """Return the board with, on every cell a move ends on, its best value in percent."""
    game, state = opening.position.game, opening.position.state
    scene = game.scene(state)
    best: dict[int, float] = {}
    for m in opening.moves:
        cell = game.core.landing(state, m.move.value)
        best[cell] = max(best.get(cell, 0.0), m.value)
    percent = {cell: f"{100 * value:.0f}" for cell, value in best.items()}
    taken = {piece.cell for piece in scene.pieces}
    top = max(best.values())
    return replace(
        scene,
        pieces=tuple(
            _with_value(piece, percent[piece.cell]) if piece.cell in percent else piece
            for piece in scene.pieces
        ),
        marks=tuple(cell for cell, value in best.items() if value == top),
        labels=(
            *scene.labels,
            *(
                (scene.cells[cell].x, scene.cells[cell].y, text)
                for cell, text in percent.items()
                if cell not in taken
            ),
        ),
        caption=f"{scene.caption}: {100 * opening.value:.1f}\xa0%",
    )


def _with_value(piece: Piece, percent: str) -> Piece:
    """Write the value beside the label of a piece; a face-down one shows it alone."""
    if piece.colour == "hidden":
        return replace(piece, colour="grey", label=percent)
    return replace(piece, label=f"{piece.label}:{percent}" if piece.label else percent)


def histogram(counts: list[int], title: str, size: int = 600) -> str:
    """Draw the distribution of values as SVG."""
    width, height, margin, font = 600.0, 340.0, 44.0, 15.0
    theme = DEFAULT
    canvas = Canvas(1.0, theme, "histogram")
    canvas.rect((0, 0), width, height, rx=10, fill=theme.paper)
    canvas.write((width / 2, margin / 2), title, font, theme.text, bold=True)
    bottom, top, total = height - margin, margin + font, max(1, sum(counts))
    step = (width - 2 * margin) / len(counts)
    tallest = max([1, *counts])
    fill = theme.paint("blue").fill
    for i, count in enumerate(counts):
        tall = (bottom - top) * count / tallest
        x = margin + i * step
        canvas.rect((x + 1, bottom - tall), step - 2, tall, fill=fill)
        if count >= total / 100:
            share = f"{100 * count / total:.0f} %"
            canvas.write((x + step / 2, bottom - tall - 8), share, 10, theme.faint)
    for i in range(5):
        x = margin + i / 4 * (width - 2 * margin)
        canvas.write((x, bottom + 14), f"{i / 4:g}", 12, theme.text)
    canvas.write((width / 2, bottom + 32), "value for the player to move", 12, theme.faint)
    return canvas.finish(width, height, size, title)
