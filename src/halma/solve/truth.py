"""Statistics of a solved variant, how often agents err in it, and pictures of its values."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import numpy as np

from halma import _core
from halma.draw.canvas import Canvas
from halma.draw.palette import DEFAULT
from halma.draw.scene import Piece, Scene
from halma.errors import HalmaError
from halma.games import Game, Move, Position, Record
from halma.solve.solution import MoveValue, Solution

#: Bins of the distribution of values.
BINS = 20


class MoveChooser(Protocol):
    """An agent, as far as its errors are counted."""

    @property
    def name(self) -> str:
        """Its name."""

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return a move in the position of a record."""


@dataclass(frozen=True)
class Opening:
    """A first decision and the value of every move in it."""

    position: Position
    value: float
    moves: list[MoveValue]


@dataclass(frozen=True)
class AgentErrors:
    """How an agent compares with perfect play over a sample of positions."""

    agent: str
    positions: int
    #: share of positions in which its move is not a best one
    rate: float
    #: value lost per move, averaged over all positions
    mean_loss: float
    worst_loss: float
    #: the position of the worst move
    worst: str


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
    errors: list[AgentErrors]
    #: agents left out, and why
    notes: list[str]

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
            "agents": [asdict(errors) for errors in self.errors],
            "notes": self.notes,
        }


def examine(
    solution: Solution,
    agents: Sequence[MoveChooser],
    sample: int = 2000,
    seed: int = 0,
    note: Callable[[str], None] = lambda text: None,
) -> Truth:
    """Compute the statistics of a solution, and the errors of agents over a sample."""
    game = solution.game
    notes: list[str] = []
    distribution = np.zeros(BINS, dtype=np.int64)
    for indices in solution.index_chunks():
        values = solution.values_at(indices)
        counts, _ = np.histogram(values[~np.isnan(values)], bins=BINS, range=(0.0, 1.0))
        distribution += counts
    note("values are counted")
    positions = sample_positions(solution, sample, seed)
    evaluated = [(position, solution.moves(position)) for position in positions]
    unique = sum(_best(moves)[1] == 1 for _, moves in evaluated)
    errors = []
    for player in agents:
        try:
            errors.append(_errors(player, evaluated, seed))
            note(f"errors of {player.name} are counted")
        except HalmaError as error:
            notes.append(f"{player.name}: {error}")
    return Truth(
        game,
        solution.about,
        distribution.tolist(),
        len(positions),
        unique / max(1, len(positions)),
        _openings(solution),
        longest_win(solution),
        errors,
        notes,
    )


def sample_positions(solution: Solution, number: int, seed: int) -> list[Position]:
    """Return distinct decisions, drawn uniformly from the table."""
    game = solution.game
    rng = np.random.default_rng(seed)
    found: dict[int, Position] = {}
    size = game.core.index_size
    for _ in range(1000):
        drawn = rng.integers(0, size, size=number)
        for index in drawn[~np.isnan(solution.values_at(drawn))].tolist():
            position = Position(game, game.core.unindex(index))
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


def _best(moves: list[MoveValue]) -> tuple[float, int]:
    """Return the best value and how many moves have it."""
    best = max(m.value for m in moves)
    return best, sum(m.value > best - _core.VALUE_TOLERANCE for m in moves)


def _errors(
    player: MoveChooser, evaluated: list[tuple[Position, list[MoveValue]]], seed: int
) -> AgentErrors:
    # The name may hold a path that is not UTF-8.
    rng = random.Random(f"{seed}/{player.name}".encode(errors="surrogateescape"))
    losses = []
    for position, moves in evaluated:
        chosen = player.choose(Record(position.game, position), rng)
        value = next(m.value for m in moves if m.move.value == chosen.value)
        losses.append(_best(moves)[0] - value)
    wrong = sum(loss > _core.VALUE_TOLERANCE for loss in losses)
    worst, number = max(losses, default=0.0), max(1, len(losses))
    text = evaluated[losses.index(worst)][0].text if worst > 0 else ""
    return AgentErrors(player.name, len(losses), wrong / number, sum(losses) / number, worst, text)


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
