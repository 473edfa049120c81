"""`checkerboard`: a C library with CheckerBoard's functions `getmove` and `enginecommand`.

The library runs in a process of its own (`checkerboard_host.py`), so that it may crash or hang.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halma.agents.agent import Agent, AgentSpec
from halma.agents.external import (
    MARGIN,
    SETTINGS,
    START,
    TIME,
    ExternalAgent,
    reversible_part,
    shared_fields,
)
from halma.errors import EngineError, NameSyntaxError, UnknownAgentError
from halma.games import Game, Move, Record
from halma.names import Option, Value
from halma.programs import Program, ProgramFailure
from halma.structure import fields, list_of, parse_json, text, whole

_HOST = Path(__file__).with_name("checkerboard_host.py")
#: bits of `getmove`'s argument info: begin a new game, and take no more than the time
_NEW_GAME, _EXACT_TIME = 1, 2
#: bytes of a command with the zero at its end
_COMMAND_SIZE = 256
_INT = whole(-(2**31), 2**31 - 1)
_MOVE = fields({"board": list_of(_INT, 64), "result": _INT})
_REPLY = fields({"status": _INT, "reply": text()})


@dataclass(kw_only=True)
class CheckerBoardAgent(ExternalAgent):
    """Plays what an engine for CheckerBoard chooses."""

    library: str

    def _check_game(self, game: Game) -> None:
        if game.checkerboard is None:
            raise UnknownAgentError(
                f"'{game.name}' is not a game of CheckerBoard, so its engines do not play it."
            )

    def _open(self) -> Program:
        if not os.path.isfile(self.library):
            raise EngineError(f"There is no library '{self.library}'.")
        return Program((sys.executable, "-I", str(_HOST), self.library))

    def _get_ready(self, program: Program, game: Game, deadline: float) -> None:
        assert game.checkerboard is not None
        _read(program.receive(deadline), fields({"ready": text()}))
        wanted, played = (
            game.checkerboard.game_type,
            self._command(program, deadline, "get gametype"),
        )
        # Engines for one game alone do not know the question.
        if played.strip().isdecimal() and int(played) != wanted:
            raise ProgramFailure(f"plays CheckerBoard's game {int(played)}, not {wanted}")
        for key, value in self.settings.items():
            self._command(program, deadline, f"set {key} {value}")

    def _ask(self, program: Program, record: Record, is_new: bool) -> Move:
        notation, position = record.game.checkerboard, record.position
        assert notation is not None
        deadline = time.monotonic() + self.seconds + self.margin
        start, moves = reversible_part(record)
        while len(history := _history(start.text, moves)) >= _COMMAND_SIZE and moves:
            start, moves = start.play(moves[0]), moves[1:]
        query = {
            "gamehist": history,
            "board": notation.board(position),
            "colour": notation.colour(position),
            "time": self.seconds,
            "info": _EXACT_TIME | (_NEW_GAME if is_new else 0),
        }
        program.send(json.dumps(query))
        answer = _read(self._answer(program, deadline), _MOVE)
        return notation.find(position, answer["board"])

    def _command(self, program: Program, deadline: float, command: str) -> str:
        """Return the reply to a command."""
        if len(command.encode()) >= _COMMAND_SIZE:
            raise ProgramFailure(
                f"takes commands below {_COMMAND_SIZE} bytes, not '{command[:60]}'"
            )
        program.send(json.dumps({"command": command}))
        reply: str = _read(program.receive(deadline), _REPLY)["reply"]
        return reply


def _history(start: str, moves: list[Move]) -> str:
    """Return the command that tells the engine of moves that may repeat positions."""
    return " ".join(["set gamehist", start, *(move.text for move in moves)])


def _read(line: str, check: Any) -> dict[str, Any]:
    """Return an answer of the host."""
    try:
        answer = parse_json(line)
    except ValueError:
        answer = None
    if isinstance(answer, dict) and isinstance(answer.get("error"), str):
        raise ProgramFailure(answer["error"][:200])
    if fault := check(answer):
        raise ProgramFailure(f"gave an answer that {fault}")
    assert isinstance(answer, dict)
    return answer


def _build(name: str, given: Mapping[str, Value]) -> Agent:
    library = str(given["library"])
    if not library:
        raise NameSyntaxError("'checkerboard' is a shared library: write checkerboard:LIBRARY.so.")
    shared: dict[str, Any] = shared_fields(name, given)
    return CheckerBoardAgent(**shared, library=library)


SPEC = AgentSpec(
    "checkerboard",
    _build,
    options=(
        Option("library", "", "A shared library.", text=True),
        TIME,
        MARGIN,
        START,
        SETTINGS,
    ),
    main="library",
    example="checkerboard:engine.so,time=2",
    foreign=True,
)
