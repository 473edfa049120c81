"""A look at the truth: what a solved variant is like, and how far agents are from it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from halma.agents import Agent
from halma.errors import HalmaError
from halma.games import Game, Outcome, Position, Record
from halma.solve.solution import TOLERANCE, MoveValue, Solution

#: Steps of the distribution of values.
BINS = 20


@dataclass(frozen=True)
class Opening:
    """A first decision and the value of every move in it."""

    position: Position
    value: float
    moves: list[MoveValue]


@dataclass(frozen=True)
class Errors:
    """How far an agent is from perfect play, over a sample of positions."""

    agent: str
    positions: int
    #: share of positions in which it does not play a best move
    rate: float
    #: how much value a move loses, on average over all positions
    mean_loss: float
    worst_loss: float
    #: the position of the worst move
    worst: str


@dataclass(frozen=True)
class Line:
    """A longest certain win: both sides and chance make it last."""

    start: Position
    plies: int
    #: moves and outcomes, in order
    steps: list[str]


@dataclass(frozen=True)
class Truth:
    """What there is to tell about a solved variant."""

    game: Game
    about: dict[str, Any]
    #: positions by value for the player to move, from 0 to 1 in equal steps
    distribution: list[int]
    #: positions looked at for what follows
    sample: int
    #: share of positions that have a single best move; by value alone
    unique_best: float
    #: best first decision for the first player, and the worst where set-ups differ
    openings: list[Opening]
    longest_win: Line | None
    errors: list[Errors]
    #: what was left out, and why
    notes: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
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
            "longest_line": None
            if line is None
            else {"start": line.start.text, "plies": line.plies, "steps": line.steps},
            "agents": [asdict(errors) for errors in self.errors],
            "notes": self.notes,
        }


def look(
    solution: Solution,
    agents: Sequence[Agent],
    sample: int = 2000,
    seed: int = 0,
    note: Callable[[str], None] = lambda text: None,
) -> Truth:
    """Look at a solution from all sides."""
    game = solution.game
    notes: list[str] = []
    distribution = np.zeros(BINS, dtype=np.int64)
    for indices in solution.portions():
        values = solution.values_at(indices)
        counts, _ = np.histogram(values[~np.isnan(values)], bins=BINS, range=(0.0, 1.0))
        distribution += counts
    note("values are counted")
    positions = sample_positions(solution, sample, seed)
    judged = [(position, solution.moves(position)) for position in positions]
    unique = sum(_best(moves)[1] == 1 for _, moves in judged)
    errors = []
    for player in agents:
        try:
            errors.append(_errors(player, judged, seed))
            note(f"{player.name} has played")
        except HalmaError as error:
            notes.append(f"{player.name}: {error}")
    return Truth(
        game,
        solution.about,
        distribution.tolist(),
        len(positions),
        unique / max(1, len(positions)),
        _openings(solution),
        longest_line(solution),
        errors,
        notes,
    )


def sample_positions(solution: Solution, number: int, seed: int) -> list[Position]:
    """Return different decisions, each position of the table as likely as any other."""
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


def longest_line(solution: Solution) -> Line | None:
    """Replay a win that takes longest: the winner hurries, the loser and chance delay."""
    plies = int(solution.about.get("longest_win") or 0)
    index = _find(solution, plies) if plies and solution.has_distances else None
    if index is None:
        return None
    start = Position(solution.game, solution.game.core.unindex(index))
    position, steps = start, []
    while not position.is_terminal:
        if position.is_chance:
            outcome = max(position.outcomes, key=_delay(solution, position))
            position = position.resolve(outcome)
            steps.append(outcome.text)
        else:
            move = solution.best_moves(position)[0]
            position = position.play(move)
            steps.append(move.text)
    return Line(start, plies, steps)


def _delay(solution: Solution, position: Position) -> Callable[[Outcome], int]:
    return lambda outcome: solution.distance(position.resolve(outcome))


def _find(solution: Solution, plies: int) -> int | None:
    for indices in solution.portions():
        won = solution.values_at(indices) == 1.0
        found = np.flatnonzero(won & (solution.distances_at(indices) == plies))
        if found.size:
            return int(indices[found[0]])
    return None


def _best(moves: list[MoveValue]) -> tuple[float, int]:
    """Return the best value and how many moves have it."""
    best = max(m.value for m in moves)
    return best, sum(m.value > best - TOLERANCE for m in moves)


def _errors(player: Agent, judged: list[tuple[Position, list[MoveValue]]], seed: int) -> Errors:
    rng = random.Random(f"{seed}/{player.name}")
    wrong, lost, worst, worst_position = 0, 0.0, 0.0, ""
    for position, moves in judged:
        chosen = player.choose(Record(position.game, position), rng)
        value = next(m.value for m in moves if m.move.value == chosen.value)
        loss = _best(moves)[0] - value
        wrong += loss > TOLERANCE
        lost += loss
        if loss > worst:
            worst, worst_position = loss, position.text
    number = max(1, len(judged))
    return Errors(player.name, len(judged), wrong / number, lost / number, worst, worst_position)


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
