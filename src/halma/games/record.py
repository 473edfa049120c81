"""A played game: moves, outcomes, and the rules that depend on history."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from halma import _core
from halma.errors import GameOverError, RecordError
from halma.games.game import Game, Move, Outcome, Position

if TYPE_CHECKING:
    import numpy as np

    from halma.draw.scene import Scene

#: why a record ended, as a clause
END_TEXT = {
    _core.End.RULES: "by the rules",
    _core.End.PLIES: "by the move limit",
    _core.End.REPETITION: "by repetition",
    _core.End.NO_PROGRESS: "for lack of progress",
    _core.End.CYCLE: "by moving in cycles",
    _core.End.STALLED: "because no piece arrived for too long",
}


class Record:
    """One game from a start position on. Mutable: `play`, `resolve`, `undo`."""

    def __init__(self, game: Game, start: Position | None = None) -> None:
        """Begin a game; a position of another variant is read anew, as one of this."""
        self.game = game
        self.start = start or game.start()
        if self.start.game != game:
            self.start = game.position(self.start.text)
        self.core = _core.Record(game.core, game.limits, self.start.state)

    def __len__(self) -> int:
        return len(self.core)

    def __repr__(self) -> str:
        return f"<Record {self.game.name}: {' '.join(self.texts) or 'no moves'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _replay, (self.start, self.events)

    def _repr_svg_(self) -> str:
        from halma.draw.svg import draw_svg

        return draw_svg(self._scene())

    def _repr_html_(self) -> str:
        from halma.draw.notebook import beside, heading, line, numbered

        scores = zip(self.game.player_names, self.result, strict=True)
        ending = f"Over {self.end}: " + ", ".join(f"{name} {score:g}" for name, score in scores)
        return beside(
            self._repr_svg_(),
            heading(f"{self.game.name}, {self.plies} plies"),
            numbered(self._numbered_texts()),
            line(f"{ending}." if self.is_over else ""),
        )

    def pixels(self, size: int = 400) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Draw the current position and the last move: uint8 (height, width, 3), RGB.

        The longer side has `size` pixels; needs the extra `envs`.
        """
        from halma.draw.raster import draw_pixels

        return draw_pixels(self._scene(), size)

    def _scene(self) -> Scene:
        """Return the drawing of the current position, with the trail of the last move."""
        scene = self.game.scene(self.core.state())
        for i, (chance, value) in reversed(list(enumerate(self.events))):
            if not chance:
                return replace(scene, trail=self.game.scene(self.core.state_at(i), value).trail)
        return scene

    def _numbered_texts(self) -> Iterator[tuple[str, str]]:
        """Yield moves, each with the number of its ply and the outcomes of chance before it."""
        number, rolled = 0, ""
        for (chance, _), text in zip(self.events, self.texts, strict=True):
            if chance:
                rolled += f" ({text})"
                continue
            number += 1
            yield f"{number}.{rolled}", text
            rolled = ""
        if rolled:
            yield rolled, ""

    @property
    def position(self) -> Position:
        """The current position."""
        return Position(self.game, self.core.state())

    @property
    def positions(self) -> list[Position]:
        """Every position so far, the start first."""
        return [Position(self.game, self.core.state_at(i)) for i in range(len(self) + 1)]

    @property
    def events(self) -> list[tuple[bool, int]]:
        """Moves and outcomes as numbers, in order; True marks an outcome."""
        return self.core.events()

    @property
    def plies(self) -> int:
        """Moves played by all players."""
        return self.core.plies

    @property
    def repetitions(self) -> int:
        """Earlier occurrences of the current position."""
        return self.core.repetitions

    @property
    def halfmove_clock(self) -> int:
        """Moves since the last irreversible one."""
        return self.core.halfmove_clock

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by its rules or by a limit."""
        return self.core.end != _core.End.NONE

    @property
    def end(self) -> str:
        """Why the game is over, as a clause; empty while it is not."""
        return END_TEXT.get(self.core.end, "")

    @property
    def result(self) -> tuple[float, ...]:
        """Scores, one per player."""
        return self.position.result

    def forfeited_by(self, player: int) -> tuple[float, ...]:
        """Return the scores if a player gives the game up: nothing, and the rest to the others.

        Partners lose with the player.
        """
        game = self.game
        others, most = game.sides - 1, game.core.max_score
        # The core's scores are 32-bit numbers, whose sixths do not quite add up.
        total = round(sum(self.result[side[0]] for side in game.partners), 5)
        share = most if others == 1 else (total or most) / others
        (lost,) = (side for side in game.partners if player in side)
        return tuple(0.0 if seat in lost else share for seat in range(game.players))

    @property
    def texts(self) -> list[str]:
        """Moves and outcomes as text, in order."""
        write = (self.game.format_move, self.game.format_outcome)
        return [
            write[chance](self.core.state_at(i), value)
            for i, (chance, value) in enumerate(self.events)
        ]

    def play(self, move: Move | str) -> None:
        """Play a legal move."""
        if self.is_over:
            raise GameOverError(f"'{move}' cannot be played: the game is over {self.end}.")
        self.core.play(self.position.find(move).value)

    def resolve(self, outcome: Outcome | str) -> None:
        """Apply an outcome of chance."""
        self.core.resolve(self.position.find_outcome(outcome).value)

    def roll(self, rng: random.Random) -> None:
        """Sample outcomes of chance until a player is to move or the game is over."""
        while self.position.is_chance:
            outcomes = self.game.core.outcomes(self.core.state())
            values, weights = zip(*outcomes, strict=True)
            self.core.resolve(rng.choices(values, weights)[0])

    def undo(self) -> None:
        """Undo the last move or outcome."""
        if not len(self):
            raise RecordError("There is nothing to undo.")
        self.core.undo()

    def encode(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the planes, history included: float32 (planes, rows, columns)."""
        return self.core.encode()


def _replay(start: Position, events: list[tuple[bool, int]]) -> Record:
    """Return a record by its `events`, for copies and pickles."""
    record = Record(start.game, start)
    for chance, value in events:
        (record.core.resolve if chance else record.core.play)(value)
    return record
