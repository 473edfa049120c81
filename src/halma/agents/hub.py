"""`hub`: a program that speaks the Hub protocol (version 2), over its standard streams."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
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
from halma.agents.hub_lines import format_line, parse_line
from halma.errors import EngineError, NameSyntaxError, UnknownAgentError
from halma.games import Game, Move, Record
from halma.names import Option, Value
from halma.programs import Program, ProgramFailure, exists, split_command
from halma.search.minimax import MAX_DEPTH


@dataclass(kw_only=True)
class HubAgent(ExternalAgent):
    """Plays what a Hub engine chooses."""

    #: the program and its arguments
    command: tuple[str, ...]
    #: plies, as the engine is told; 0 for no limit
    depth: int = 0

    def _check_game(self, game: Game) -> None:
        if game.hub is None:
            raise UnknownAgentError(
                f"'{game.name}' has no Hub notation, so Hub engines do not play it."
            )

    def _open(self) -> Program:
        if not exists(self.command[0]):
            raise EngineError(f"There is no program '{self.command[0]}' that can be run.")
        return Program(self.command)

    def _get_ready(self, program: Program, game: Game, deadline: float) -> None:
        assert game.hub is not None
        program.send("hub")
        declared: dict[str, Mapping[str, str]] = {}
        while (line := self._next(program, deadline))[0] != "wait":
            if line[0] == "param":
                declared[line[1].get("name", "")] = line[1]
        settings = dict(self.settings)
        if variant := declared.get("variant"):
            played = variant.get("values", variant.get("value", "")).split()
            if game.hub.variant not in played:
                known = ", ".join(played) or "others"
                raise ProgramFailure(f"plays {known[:60]}, not {game.hub.variant}")
            settings.setdefault("variant", game.hub.variant)
        for key, value in settings.items():
            if key not in declared:
                known = ", ".join(declared) or "none"
                raise ProgramFailure(f"has no setting '{key[:40]}': it has {known[:200]}")
            program.send(format_line("set-param", {"name": key, "value": value}))
        program.send("init")
        while self._next(program, deadline)[0] != "ready":
            pass

    def _ask(self, program: Program, record: Record, is_new: bool) -> Move:
        notation = record.game.hub
        assert notation is not None
        if is_new:
            program.send("new-game")
        start, moves = reversible_part(record)
        at = {"pos": notation.format_position(start)}
        texts, position = [], start
        for move in moves:
            texts.append(notation.format_move(position, move))
            position = position.play(move)
        program.send(format_line("pos", at | ({"moves": " ".join(texts)} if texts else {})))
        depth = {"depth": self.depth} if self.depth else {}
        program.send(format_line("level", {**depth, "move-time": f"{self.seconds:g}"}))
        deadline = time.monotonic() + self.seconds + self.margin
        program.discard()  # what followed the last answer
        program.send("go think")
        while (line := _read(self._answer(program, deadline)))[0] != "done":
            _raise_error(line)
        return notation.find(record.position, line[1].get("move", ""))

    def _next(self, program: Program, deadline: float) -> tuple[str, dict[str, str]]:
        """Return the next line while the program gets ready."""
        line = _read(program.receive(deadline))
        _raise_error(line)
        return line


def _read(line: str) -> tuple[str, dict[str, str]]:
    """Return a line of an engine; what is not of the protocol has no command, and is ignored."""
    try:
        return parse_line(line)
    except ValueError:
        return "", {}


def _raise_error(line: tuple[str, Mapping[str, str]]) -> None:
    if line[0] == "error":
        raise ProgramFailure(f"reports an error: {line[1].get('message', '')[:200]}")


def _build(name: str, given: Mapping[str, Value]) -> Agent:
    if not given["command"]:
        raise NameSyntaxError(
            "'hub' is a program of yours: write hub:PROGRAM or hub:PROGRAM,time=2."
        )
    words = split_command(str(given["command"]))
    fields: dict[str, Any] = shared_fields(name, given)
    return HubAgent(**fields, command=tuple(words), depth=int(given["depth"]))


SPEC = AgentSpec(
    "hub",
    _build,
    options=(
        Option("command", "", "A program with its arguments.", text=True),
        TIME,
        Option("depth", 0, "Plies, as told to the engine.", low=1, high=MAX_DEPTH),
        MARGIN,
        START,
        SETTINGS,
    ),
    main="command",
    example="hub:engine,time=2",
    foreign=True,
)
