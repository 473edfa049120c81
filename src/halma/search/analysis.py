"""What an engine has to say about a position, whichever engine it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from halma.draw.notebook import beside, heading, line, share_table
from halma.errors import RecordError
from halma.games import Game, Move, Position, Record

#: moves that a notebook shows
_MOST = 10


@dataclass(frozen=True)
class MoveReport:
    """One legal move as an engine sees it. What an engine does not know is None."""

    move: Move
    #: value for the player who makes the move: 0 a loss, 1 a win
    value: float | None = None
    #: how often a tree search tried it
    visits: int | None = None
    #: how likely it looked before the search
    prior: float | None = None
    #: how likely the engine would play it if it played at random
    policy: float | None = None
    #: "win", "draw" or "loss" where that is certain; "exact" where the value is, but not
    #: how the game ends
    proof: str | None = None
    #: how the game may go on, this move first
    line: tuple[str, ...] = ()

    @property
    def value_text(self) -> str:
        """The value as people read it: a proof, or a number, that of an estimate never 0 or 1."""
        if self.proof and self.proof != "exact":
            return f"{self.proof}, proven"
        return value_text(self.value, bool(self.proof))

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {
            "move": self.move.text,
            "value": self.value,
            "visits": self.visits,
            "prior": self.prior,
            "policy": self.policy,
            "proof": self.proof,
            "proven": self.proof is not None,
            "line": list(self.line),
        }

    def cells(self) -> dict[str, str]:
        """Return a row of a table by the names of its columns; what is not known is empty."""
        return {
            "move": self.move.text,
            "value": self.value_text,
            "visits": "" if self.visits is None else f"{self.visits:,}",
            "prior": "" if self.prior is None else f"{self.prior:.3f}",
            "line": " ".join(self.line),
        }


@dataclass(frozen=True)
class Analysis:
    """A position after a look at it; its moves stand in order, the best first."""

    position: Position
    moves: tuple[MoveReport, ...]
    #: for the player to move, from 0 (a loss) to 1 (a win)
    value: float | None
    #: simulations of a tree search in this tree
    simulations: int | None = None
    #: positions an alpha-beta search looked at, and how deep it went
    nodes: int | None = None
    depth: int | None = None
    seconds: float | None = None
    #: of every player; None where there are more than two sides and the search values one of them.
    #: With two sides the value of the player to move tells both.
    values: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        game = self.position.game
        if self.values is None and self.value is not None and game.sides == 2:
            both = by_side(game, self.position.mover, self.value)
            object.__setattr__(self, "values", both)

    @property
    def proven(self) -> bool:
        """Whether the value is certain: the best move wins, or all moves are proven."""
        return self.moves[0].proof == "win" or all(report.proof for report in self.moves)

    @property
    def best(self) -> Move:
        """The move the engine thinks best."""
        return self.moves[0].move

    @property
    def effort(self) -> str:
        """Simulations, nodes, depth and time as text."""
        parts = [
            f"{number:,} {what}"
            for number, what in ((self.simulations, "simulations"), (self.nodes, "nodes"))
            if number is not None
        ]
        if self.depth is not None:
            parts.append(f"depth {self.depth}")
        if self.seconds is not None:
            parts.append(f"{self.seconds:.3f} s")
        return ", ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it but the time it took as plain values, the same for the same seed."""
        return {
            "position": self.position.text,
            "mover": self.position.mover,
            "best": self.best.text,
            "value": self.value,
            "values": None if self.values is None else list(self.values),
            "proven": self.proven,
            "simulations": self.simulations,
            "nodes": self.nodes,
            "depth": self.depth,
            "moves": [report.as_dict() for report in self.moves],
        }

    def _repr_html_(self) -> str:
        shares = {report.move.text: report.policy or 0.0 for report in self.moves}
        shown = self.moves[:_MOST]
        cells = [report.cells() for report in shown]
        # Columns that this engine has nothing for are left out.
        columns = [name for name in cells[0] if any(row[name] for row in cells)]
        rows = [
            ([row[name] for name in columns], shares[report.move.text])
            for row, report in zip(cells, shown, strict=True)
        ]
        hidden = len(self.moves) - len(shown)
        return beside(
            self.position.svg(policy=shares if any(shares.values()) else None),
            heading(f"{self.position.game.name}: {self.best}"),
            share_table(columns, rows),
            line(f"and {hidden} more moves" if hidden else ""),
            line(self.effort),
        )


def by_side(
    game: Game, mover: int, value: float, shares: Sequence[float] | None = None
) -> tuple[float, ...]:
    """Return the value of every player by that of one of them; partners have the same.

    The other sides divide what it leaves of 1 in proportion to `shares`, one per side, evenly
    where those are left out or nothing.
    """
    sides = game.partners
    mine = next(number for number, side in enumerate(sides) if mover in side)
    parts = [0.0 if number == mine else 1.0 for number in range(len(sides))]
    if shares is not None:
        given = [0.0 if number == mine else share for number, share in enumerate(shares)]
        parts = given if sum(given) > 0 else parts
    rest = (1.0 - value) / sum(parts)
    chances = [value if number == mine else rest * part for number, part in enumerate(parts)]
    by_player = {player: chances[number] for number, side in enumerate(sides) for player in side}
    return tuple(by_player[player] for player in range(game.players))


def value_text(value: float | None, proven: bool) -> str:
    """Return a value with three digits; one that is not proven is neither 0.000 nor 1.000."""
    if value is None:
        return ""
    return f"{value:.3f}, proven" if proven else f"{max(0.001, min(0.999, value)):.3f}"


def certainty(value: float) -> str:
    """Return what a proven value says of the end of the game."""
    return {0.0: "loss", 0.5: "draw", 1.0: "win"}.get(value, "exact")


def record_of(game: Game, at: Record | Position) -> Record:
    """Return what a search of a game starts from as a record, or raise a `RecordError`."""
    if at.game != game:
        raise RecordError(f"A search of '{game.name}' cannot start in a game of '{at.game.name}'.")
    return at if isinstance(at, Record) else Record(game, at)


def named(position: Position, value: int) -> Move:
    """Return the move of a value, with its text."""
    return Move(value, position.game.format_move(position.state, value))


def line_of(position: Position, values: Sequence[int]) -> tuple[Move, ...]:
    """Return the moves of a line by their values; it must not pass a position at chance."""
    game, state, moves = position.game, position.state, []
    for value in values:
        moves.append(Move(value, game.format_move(state, value)))
        state = game.core.play(state, value)
    return tuple(moves)
