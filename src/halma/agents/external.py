"""What agents that are other people's programs share.

A program that does not start, ends, answers too late or chooses an illegal move is an
`EngineError`: in a match its player loses the game, and the next game starts the program anew.
"""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from weakref import ReferenceType, ref

from halma.errors import EngineError, MoveError, NameSyntaxError
from halma.games import Game, Move, Position, Record
from halma.names import Option, Value
from halma.programs import Program, ProgramFailure

TIME = Option(
    "time", 1.0, "Seconds a move, as told to the engine.", low=0.001, high=86_400, decimal=True
)
MARGIN = Option(
    "margin",
    1.0,
    "Seconds that an answer may be late; then the game is lost.",
    low=0.001,
    high=86_400,
    decimal=True,
)
START = Option(
    "start", 10.0, "Seconds to get ready at the start.", low=0.001, high=86_400, decimal=True
)
SETTINGS = Option("set", "", "Settings of the engine: name:value, several with ;.", text=True)


@dataclass
class ExternalAgent(ABC):
    """Asks a program for moves; it is started for the first one."""

    name: str
    #: seconds of a move, as the program is told
    seconds: float
    #: seconds that an answer may be late
    margin: float
    #: seconds to get ready
    start: float
    #: of the program, by name
    settings: Mapping[str, str]
    _program: Program | None = field(default=None, repr=False, compare=False)
    #: the game that the program was asked about last
    _record: ReferenceType[Record] | None = field(default=None, repr=False, compare=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the program's move; its own randomness does not follow the seed."""
        is_new = self._record is None or self._record() is not record
        try:
            program = self._running(record.game)
            self._record = ref(record)
            return self._ask(program, record, is_new)
        except ProgramFailure as failure:
            self.close()
            raise EngineError(f"'{self.name}' {failure}.") from None
        except MoveError as error:
            self.close()
            raise EngineError(
                f"'{self.name}' chose a wrong move in '{record.position.text}': {error}"
            ) from None

    def check(self, game: Game) -> None:
        """Raise an error if the program does not play a game, or does not get ready in time."""
        try:
            self._running(game)
        except ProgramFailure as failure:
            self.close()
            raise EngineError(f"'{self.name}' {failure}.") from None

    def close(self) -> None:
        """End the program; the next move starts it again."""
        if self._program is not None:
            self._program.end()
        self._program = self._record = None

    def _running(self, game: Game) -> Program:
        """Return the program, ready for a game."""
        self._check_game(game)
        if self._program is None:
            self._program = self._open()
            self._record = None
            try:
                self._get_ready(self._program, game, time.monotonic() + self.start)
            except TimeoutError:
                raise ProgramFailure(f"is not ready after {self.start:g} s") from None
        return self._program

    def _answer(self, program: Program, deadline: float) -> str:
        """Return the next line of an answer to a move."""
        try:
            return program.receive(deadline)
        except TimeoutError:
            raise ProgramFailure(
                f"did not answer within {self.seconds + self.margin:g} s "
                f"(its {self.seconds:g} s and a margin of {self.margin:g} s)"
            ) from None

    @abstractmethod
    def _check_game(self, game: Game) -> None:
        """Raise an error if engines of this protocol do not play a game."""

    @abstractmethod
    def _open(self) -> Program:
        """Start the program."""

    @abstractmethod
    def _get_ready(self, program: Program, game: Game, deadline: float) -> None:
        """Exchange what comes before the first game."""

    @abstractmethod
    def _ask(self, program: Program, record: Record, is_new: bool) -> Move:
        """Return the program's move; `is_new` says whether the record is another than before."""


def reversible_part(record: Record) -> tuple[Position, list[Move]]:
    """Return the position after the last irreversible move, and the moves since then."""
    positions, events = record.positions, record.events
    first = len(events) - min(record.halfmove_clock, len(events))
    write = record.game.format_move
    moves = [
        Move(value, write(position.state, value))
        for position, (_, value) in zip(positions[first:-1], events[first:], strict=True)
    ]
    return positions[first], moves


def read_settings(text: str) -> dict[str, str]:
    """Return the settings of `name:value;name:value`."""
    settings = {}
    for part in text.split(";") if text else []:
        key, colon, value = (word.strip() for word in part.partition(":"))
        if not key or not colon:
            raise NameSyntaxError(f"'{part}' is not a setting of the form name:value.")
        settings[key] = value
    return settings


def shared_fields(name: str, given: Mapping[str, Value]) -> dict[str, object]:
    """Return the fields of an agent that every protocol has."""
    return {
        "name": name,
        "seconds": float(given["time"]),
        "margin": float(given["margin"]),
        "start": float(given["start"]),
        "settings": read_settings(str(given["set"])),
    }
