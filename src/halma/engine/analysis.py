"""Analysis over lines of JSON, in the manner of KataGo's: a query a line, answers as they come.

docs/engines.md has the fields. Several queries are analysed at the same time, each by a thread of
its own; those with a higher priority begin first.
"""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import dataclass, field
from itertools import count
from queue import Empty, PriorityQueue
from typing import Any

from halma import _core
from halma.agents import agent as find_agent
from halma.engine.lines import LONGEST_LINE, read_lines, write_line
from halma.engine.players import AgentCache, SearchLimits, analyst, check_trusted, version
from halma.errors import (
    ChanceError,
    GameOverError,
    HalmaError,
    OptionError,
    UnknownVariantError,
    error_text,
)
from halma.games import Game, Position, Record
from halma.games.saved import replay, rules_of
from halma.plugins import explain
from halma.search.analysis import Analysis
from halma.search.outcomes import analyse_outcomes
from halma.structure import Check, fields, list_of, one_of, parse_json, real, text, whole

#: queries that may wait
_MOST_WAITING = 10_000
#: seconds that searches have to end after they were told to
_PATIENCE = 5.0
#: moves of an answer, unless a query says
_CANDIDATES = 10
_ACTIONS = ("terminate", "terminate_all", "query_version")


def _unknown(value: Any) -> str:
    return "is not a field of this protocol"


_LIMITS = fields(
    {},
    {
        "time": real(0.001, 86_400),
        "simulations": whole(1, 10**9),
        "nodes": whole(1, 10**12),
        "depth": whole(1, 100),
    },
    others=_unknown,
)
_QUERY: Check = fields(
    {"id": text(1000)},
    {
        "game": text(),
        "position": text(20_000),
        "moves": list_of(text(200)),
        "turns": list_of(whole(0, 100_000)),
        "agent": text(4000),
        "limits": _LIMITS,
        "seed": whole(0, 2**63 - 1),
        "candidates": whole(1, 100_000),
        "priority": whole(-(10**9), 10**9),
    },
    others=_unknown,
)
_ACTION: Check = fields(
    {"id": text(1000), "action": one_of(*_ACTIONS)}, {"terminate_id": text(1000)}, others=_unknown
)


@dataclass(order=True)
class _Query:
    """A position to analyse; the first to begin is the smallest."""

    order: tuple[int, int]
    id: str = field(compare=False)
    #: moves of the query before the position
    turn: int = field(compare=False)
    record: Record = field(compare=False)
    agent: str = field(compare=False)
    limits: SearchLimits = field(compare=False)
    seed: int = field(compare=False)
    candidates: int = field(compare=False)
    stop: _core.StopFlag = field(default_factory=_core.StopFlag, compare=False)


class AnalysisServer:
    """Analyses the positions of queries, several at a time."""

    def __init__(self, game: Game | None, agent: str, seed: int, workers: int) -> None:
        self._game, self._agent, self._seed = game, find_agent(agent).name, seed
        analyst(find_agent(agent))
        if game is not None:
            AgentCache().player(agent, Record(game), SearchLimits())
        self._numbers = count()
        self._waiting: PriorityQueue[_Query] = PriorityQueue()
        #: queries that wait or are analysed, by the number of their arrival
        self._open: dict[int, _Query] = {}
        self._lock = threading.Lock()
        #: no more queries come
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]

    def run(self) -> None:
        """Answer queries until the end of the input, and those that are open then."""
        for thread in self._threads:
            thread.start()
        try:
            for line in read_lines():
                self._receive(line)
            self._ended.set()
            for thread in self._threads:
                thread.join()
        finally:
            self._ended.set()
            self._terminate(None)
            for thread in self._threads:
                thread.join(_PATIENCE)

    def _receive(self, line: str | None) -> None:
        """Put the queries of a line among those that wait, or carry out its action."""
        query: Any = None
        try:
            if line is None:
                raise HalmaError(f"The line is longer than {LONGEST_LINE:,} bytes.")
            query = parse_json(line)
            is_action = isinstance(query, dict) and "action" in query
            if fault := (_ACTION if is_action else _QUERY)(query):
                raise HalmaError(f"The query {fault}.")
            (self._act if is_action else self._accept)(query)
        except HalmaError as error:
            _write({"id": _id_of(query), "error": str(error)})
        except ValueError as error:
            _write({"id": None, "error": f"The line is not JSON: {error}."})

    def _act(self, query: dict[str, Any]) -> None:
        action = query["action"]
        if action == "query_version":
            query |= version()
        elif action == "terminate_all":
            self._terminate(None)
        elif "terminate_id" not in query:
            raise OptionError("'terminate' needs a 'terminate_id', the id of a query.")
        else:
            self._terminate(query["terminate_id"])
        _write(query)

    def _terminate(self, identifier: str | None) -> None:
        """Stop the queries of an id, or all."""
        with self._lock:
            for query in self._open.values():
                if identifier in (None, query.id):
                    query.stop.set()

    def _accept(self, query: dict[str, Any]) -> None:
        game = self._game_of(query.get("game"))
        name = query.get("agent", self._agent)
        if name != self._agent:
            check_trusted(name)
        moves = query.get("moves", [])
        turns = query.get("turns", [len(moves)])
        if not turns or any(turn > len(moves) for turn in turns):
            raise OptionError(f"'turns' are numbers from 0 to {len(moves)}, the number of moves.")
        if len(self._open) + len(turns) > _MOST_WAITING:
            raise OptionError(f"More than {_MOST_WAITING:,} queries wait: send fewer at a time.")
        for turn in turns:
            number = next(self._numbers)
            accepted = _Query(
                (-query.get("priority", 0), number),
                query["id"],
                turn,
                replay(game, query.get("position"), moves[:turn]),
                name,
                SearchLimits(**query.get("limits", {})),
                query.get("seed", self._seed),
                query.get("candidates", _CANDIDATES),
            )
            with self._lock:
                self._open[number] = accepted
            self._waiting.put(accepted)

    def _game_of(self, name: str | None) -> Game:
        """Return the game of a query; one of the user's is named on the command line alone."""
        if name is None:
            if self._game is None:
                raise UnknownVariantError("The query has no 'game', and --game does not name one.")
            return self._game
        if self._game is not None and name == self._game.name:
            return self._game
        found = rules_of(name, None)
        assert found is not None  # only another game would be left out
        return found

    def _work(self) -> None:
        """Analyse one query after the other."""
        players = AgentCache()
        while True:
            try:
                query = self._waiting.get(timeout=0.05)
            except Empty:
                if self._ended.is_set():
                    return
                continue
            try:
                answer = self._analyse(query, players)
            except HalmaError as error:
                answer = {"error": str(error)}
            except MemoryError:
                answer = {"error": "There is not enough memory for this."}
            except Exception as error:
                answer = {"error": f"{explain(error) or error_text(error)}."}
            with self._lock:
                del self._open[query.order[1]]
            _write({"id": query.id, "turn": query.turn, **answer})

    def _analyse(self, query: _Query, players: AgentCache) -> dict[str, Any]:
        if query.stop.is_set:
            return {"terminated": True, "no_results": True}
        record, began = query.record, time.perf_counter()
        if record.is_over:
            raise GameOverError(f"The game is over {record.end}, so there is nothing to analyse.")
        player = analyst(players.player(query.agent, record, query.limits))

        def look(at: Record) -> Analysis:
            return player.analyse(at, random.Random(query.seed))

        with query.stop:
            if record.position.is_chance:
                found = analyse_outcomes(record.position, lambda at: look(_after(record, at)))
                answer = found.as_dict(query.candidates)
            else:
                answer = look(record).as_dict()
                answer["moves"] = answer["moves"][: query.candidates]
        return {
            "game": record.game.name,
            "agent": query.agent,
            "terminated": query.stop.is_set,
            "seconds": round(time.perf_counter() - began, 6),
            **answer,
        }


def _after(record: Record, position: Position) -> Record:
    """Return the record of a position after an outcome of chance."""
    if position.is_chance:
        raise ChanceError("Several outcomes of chance are next: give the first ones in 'moves'.")
    return Record(record.game, position)


def _id_of(query: Any) -> str | None:
    """Return the id of a query, right or wrong; None where it has none."""
    found = query.get("id") if isinstance(query, dict) else None
    return found if isinstance(found, str) else None


def _write(answer: dict[str, Any]) -> None:
    write_line(json.dumps(answer))
