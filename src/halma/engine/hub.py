"""The Hub protocol (version 2): halma's players in draughts programs such as Hub."""

from __future__ import annotations

import math
import random
import threading

import halma
from halma import _core
from halma.agents import Agent
from halma.agents.hub_lines import format_line, parse_line
from halma.engine.lines import read_lines, write_line
from halma.engine.players import AgentCache, SearchLimits, analyst, check_trusted, decide, endless
from halma.errors import HalmaError, UnknownVariantError, error_text
from halma.games import Game, Position, Record
from halma.search.analysis import Analysis
from halma.search.minimax import MAX_DEPTH, default_scale

#: moves that a game is expected to last where the clock does not tell, and the part of the clock
#: that one move may take
_MOVES_LEFT, _LARGEST_SHARE = 30, 0.5
_SHORTEST, _LONGEST = 0.001, 86_400.0
#: chances below are shown as this one
_LEAST_CHANCE = 1e-6
#: seconds that a search has to end after it was told to
_PATIENCE = 5.0


class HubServer:
    """Answers the commands of a Hub program with the moves of an agent."""

    def __init__(self, game: Game, agent: str, seed: int) -> None:
        if game.hub is None:
            raise UnknownVariantError(f"'{game.name}' has no Hub notation.")
        self._game, self._notation, self._agent, self._seed = game, game.hub, agent, seed
        self._players = AgentCache()
        self._record = Record(game)
        self._limits: SearchLimits | None = SearchLimits()
        #: the thread of the last search, and whether it is still searching
        self._search: threading.Thread | None = None
        self._searching = threading.Event()
        #: of the last search: what stops it, and its clock after `ponder-hit`
        self._stop = _core.StopFlag()
        self._timer: threading.Timer | None = None
        # An agent that cannot play is an error of the command line.
        self._players.player(agent, self._record, SearchLimits())

    def run(self) -> None:
        """Answer lines until `quit` or the end of the input."""
        try:
            for line in read_lines():
                if line is None:
                    _error("The line is too long.")
                    continue
                try:
                    command, given = parse_line(line)
                    if command == "quit":
                        break
                    self._answer(command, given)
                except HalmaError as error:
                    _error(str(error))
                except ValueError as error:
                    _error(f"The line cannot be read: {error}.")
        finally:
            self.stop()

    def stop(self) -> None:
        """End the search that is running, if there is one; it still answers."""
        self._stop.set()
        if self._timer is not None:
            self._timer.cancel()
        if self._search is not None:
            self._search.join(_PATIENCE)

    def _answer(self, command: str, given: dict[str, str]) -> None:
        if command == "ping":
            write_line("pong")
        elif command == "stop":
            self.stop()
        elif command == "ponder-hit":
            self._start_clock()
        elif command not in ("hub", "set-param", "init", "new-game", "pos", "level", "go"):
            return  # as the protocol asks: commands that are not known are ignored
        elif self._searching.is_set():
            _error(f"'{command}' has to wait until the search has ended: send stop before.")
        elif command == "hub":
            self._introduce()
        elif command == "set-param":
            self._set(given.get("name", ""), given.get("value", ""))
        elif command == "init":
            write_line("ready")
        elif command == "new-game":
            self._record = Record(self._game)
        elif command == "pos":
            self._record = self._read_position(given.get("pos", ""), given.get("moves", ""))
        elif command == "level":
            self._limits = read_level(given)
        else:
            self._go("ponder" in given, "analyze" in given)

    def _introduce(self) -> None:
        author = "the authors of halma"
        about = {"name": "halma", "version": halma.__version__, "author": author}
        write_line(format_line("id", about))
        variant = self._notation.variant
        kind = {"value": variant, "type": "enum", "values": variant}
        write_line(format_line("param", {"name": "variant", **kind}))
        write_line(format_line("param", {"name": "agent", "value": self._agent, "type": "string"}))
        write_line("wait")

    def _set(self, name: str, value: str) -> None:
        if name == "agent":
            check_trusted(value)
            self._players.player(value, Record(self._game), SearchLimits())
            self._agent = value
        elif name == "variant" and value != self._notation.variant:
            raise UnknownVariantError(f"The variant is {self._notation.variant}, not '{value}'.")

    def _read_position(self, text: str, moves: str) -> Record:
        start: Position = self._notation.parse_position(text)
        record = Record(self._game, start)
        for move in moves.split():
            record.play(self._notation.find(record.position, move))
        return record

    def _go(self, ponders: bool, analyses: bool) -> None:
        record = self._record
        if record.position.is_terminal:
            raise HalmaError("There is nothing to search: the game is over.")
        player = self._players.player(self._agent, record, SearchLimits())
        limits = endless(player) if ponders or self._limits is None else self._limits
        player = self._players.player(self._agent, record, limits)
        self._stop = _core.StopFlag()
        self._search = threading.Thread(
            target=self._think, args=(player, record, analyses, self._stop), daemon=True
        )
        self._searching.set()
        self._search.start()

    def _start_clock(self) -> None:
        """Let a search on the opponent's time end after the time of a move."""
        if not self._searching.is_set() or self._limits is None or not self._limits.time:
            return
        self._timer = threading.Timer(self._limits.time, self._stop.set)
        self._timer.daemon = True
        self._timer.start()

    def _think(self, player: Agent, record: Record, analyses: bool, stop: _core.StopFlag) -> None:
        """Search, and write what was found."""
        try:
            with stop:
                lines = self._found(player, record, analyses)
        except HalmaError as error:
            lines = [_error_line(str(error))]
        except Exception as error:
            lines = [_error_line(f"The search failed: {error_text(error)}.")]
        # A program may send the next command as soon as it has read the last line.
        self._searching.clear()
        for line in lines:
            write_line(line)

    def _found(self, player: Agent, record: Record, analyses: bool) -> list[str]:
        """Search, and return the lines that tell the result."""
        rng = random.Random(f"{self._seed}/ply {record.plies}")
        found: Analysis | None
        if analyses:
            found = analyst(player).analyse(record, rng)
            move = found.best
        else:
            move, found = decide(player, record, rng)
        line, lines = self._line(record.position, found), []
        if found is not None:
            info = {**_info(found), "score": self._score(found), "pv": " ".join(line)}
            lines.append(format_line("info", info))
        done = {"move": self._notation.format_move(record.position, move)}
        return [*lines, format_line("done", done | ({"ponder": line[1]} if line[1:] else {}))]

    def _score(self, found: Analysis) -> str:
        """Return the value in units of the game's evaluation: men in draughts."""
        value = 0.5 if found.value is None else found.value
        chance = max(_LEAST_CHANCE, min(1 - _LEAST_CHANCE, value))
        return f"{math.log(chance / (1 - chance)) / (default_scale(self._game) or 1.0):.2f}"

    def _line(self, position: Position, found: Analysis | None) -> list[str]:
        """Return the best line in Hub's notation."""
        texts = []
        for text in found.moves[0].line if found is not None else ():
            move = position.find(text)
            texts.append(self._notation.format_move(position, move))
            position = position.play(move)
        return texts


def read_level(given: dict[str, str]) -> SearchLimits | None:
    """Return the limits of a `level` command; None for a search until it is stopped."""
    if "infinite" in given:
        return None
    depth = int(_number(given, "depth", 1, MAX_DEPTH)) if "depth" in given else None
    seconds = None
    if "move-time" in given:
        seconds = _number(given, "move-time", _SHORTEST, _LONGEST)
    elif "time" in given:
        left = _number(given, "time", 0, _LONGEST)
        moves = _number(given, "moves", 1, 1000) if "moves" in given else _MOVES_LEFT
        more = _number(given, "inc", 0, _LONGEST) if "inc" in given else 0.0
        seconds = max(_SHORTEST, min(left / moves + more, left * _LARGEST_SHARE + more))
    return SearchLimits(time=seconds, depth=depth)


def _number(given: dict[str, str], key: str, low: float, high: float) -> float:
    try:
        number = float(given[key])
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise HalmaError(f"'{key}' is a number from {low:g} to {high:g}, not '{given[key][:40]}'.")
    return number


def _info(found: Analysis) -> dict[str, object]:
    """Return how much was searched, as arguments of an `info` line."""
    parts = {
        "depth": found.depth,
        "nodes": found.nodes if found.nodes is not None else found.simulations,
        "time": None if found.seconds is None else f"{found.seconds:.3f}",
    }
    return {key: value for key, value in parts.items() if value is not None}


def _error(message: str) -> None:
    write_line(_error_line(message))


def _error_line(message: str) -> str:
    return format_line("error", {"message": message})
