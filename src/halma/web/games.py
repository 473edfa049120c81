"""Games in progress: played, taken back, resigned, and kept in a file after every change."""

from __future__ import annotations

import copy
import random
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from halma.agents.play import roll
from halma.errors import HalmaError, RecordError
from halma.games import Record
from halma.games.registry import short_name
from halma.games.registry import variant as find_variant
from halma.games.saved import SavedGame, replay
from halma.web.boards import RESIGNED, board, outcome, steps
from halma.web.game_store import GameRow, OngoingGames
from halma.web.library import HUMAN

#: Games whose records are in memory; others are read from the file and replayed.
_MOST_LOADED = 300
#: Seeds that are drawn are below this: short enough to be typed.
_SEEDS = 1_000_000
#: Moves and outcomes after which a game goes no further.
_LONGEST = 4000
#: Games that a list looks at for one answer.
_MOST_LISTED = 200


class ConflictError(HalmaError):
    """A game has changed since a client saw it."""


class NotFoundError(HalmaError):
    """There is no such thing."""


@dataclass
class OngoingGame:
    """A game of people and agents; used by one thread at a time, under its lock."""

    id: str
    record: Record
    #: names, seat by seat
    agents: tuple[str, ...]
    seed: int
    created: str
    updated: str
    #: counts the changes
    version: int = 0
    #: scores and reason of a game that ended otherwise than by its rules
    result: tuple[float, ...] | None = None
    end: str = ""
    #: whether a change could not be written: the file has the game as it was before
    stale: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _steps: list[dict[str, Any]] = field(default_factory=list, repr=False)

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be played."""
        return self.result is not None or self.record.is_over

    @property
    def turn(self) -> str:
        """Who is to do something: a person, an agent, or nobody."""
        if self.is_over:
            return "over"
        return "human" if self.agents[self.record.position.mover] == HUMAN else "agent"

    def check(self, version: int | None) -> None:
        """Raise a `ConflictError` unless the game is in this version."""
        if self.stale or (version is not None and version != self.version):
            raise ConflictError("The game has moved on: load it again.")

    def play(self, move: str) -> None:
        """Play a move, and draw the outcomes of chance that follow."""
        if self.is_over:
            raise RecordError(f"The game is over {self.end or self.record.end}.")
        if len(self.record) >= _LONGEST:
            raise RecordError(f"A game here has at most {_LONGEST:,} moves.")
        self.record.play(move)
        self.roll()

    def roll(self) -> None:
        """Draw outcomes of chance until a player is to move."""
        while not self.record.is_over and self.record.position.is_chance:
            roll(self.record, self.seed)

    def take_back(self) -> None:
        """Go back to the last decision of a person, or of anybody where only agents play."""
        before = self.record.positions[:-1]
        people = HUMAN in self.agents
        mine = [
            index
            for index, position in enumerate(before)
            if not position.is_chance and (not people or self.agents[position.mover] == HUMAN)
        ]
        if not mine:
            raise RecordError("There is no move to take back.")
        self.result, self.end = None, ""
        while len(self.record) > mine[-1]:
            self.record.undo()

    def resign(self, player: int) -> None:
        """End the game with a loss of a player."""
        if self.is_over:
            raise RecordError("The game is over already.")
        if player >= self.record.game.players:
            raise RecordError(f"The game has {self.record.game.players} players.")
        self.result, self.end = self.record.forfeited_by(player), RESIGNED

    def seat(self, agents: Sequence[str]) -> None:
        """Give the seats to other agents."""
        if len(agents) != self.record.game.players:
            raise RecordError(f"The game has {self.record.game.players} players.")
        self.agents = tuple(agents)

    def copy(self) -> Record:
        """Return a copy of the record, for a search while the game may change."""
        return copy.copy(self.record)

    def as_json(self) -> dict[str, Any]:
        """Return the game with its current position."""
        length = len(self.record)
        self._steps = self._steps[:length]
        self._steps += steps(self.record, len(self._steps))
        return {
            "id": self.id,
            "agents": list(self.agents),
            "seed": self.seed,
            "version": self.version,
            "created": self.created,
            "updated": self.updated,
            "board": board(self.record),
            "events": self._steps,
            "turn": self.turn,
            **self.ending(),
        }

    def ending(self) -> dict[str, Any]:
        """Return the scores, the reason of the end and a sentence about both, if it is over."""
        if not self.is_over:
            return {"result": None, "end": "", "outcome": ""}
        result, end = self.result or self.record.result, self.end or self.record.end
        return {
            "result": list(result),
            "end": end,
            "outcome": outcome(self.record.game, result, end),
        }

    def saved(self) -> SavedGame:
        """Return the game as files hold it."""
        facts = {"seed": self.seed, "tags": {"Date": self.created[:10].replace("-", ".")}}
        return SavedGame(self.record, self.agents, self.result, self.end, facts)

    def row(self) -> GameRow:
        """Return the game as the file of games holds it."""
        return GameRow(
            id=self.id,
            variant=self.record.game.name,
            agents=self.agents,
            start=self.record.start.text,
            moves=tuple(self.record.texts),
            seed=self.seed,
            version=self.version,
            result=self.result,
            end=self.end,
            created=self.created,
            updated=self.updated,
        )


class GameTable:
    """All games of a server: the recent ones in memory, every one of them in its file."""

    def __init__(self, path: Path) -> None:
        self._file = OngoingGames(path)
        self._loaded: OrderedDict[str, OngoingGame] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def create(self, record: Record, agents: Sequence[str], seed: int | None) -> OngoingGame:
        """Begin a game."""
        if len(agents) != record.game.players:
            raise RecordError(
                f"'{record.game.name}' is for {record.game.players} players, not {len(agents)}."
            )
        drawn = random.SystemRandom().randrange(_SEEDS) if seed is None else seed
        now = _now()
        game = OngoingGame(secrets.token_urlsafe(12), record, tuple(agents), drawn, now, now)
        game.roll()
        self._file.add(game.row())
        self._keep(game)
        return game

    def find(self, identifier: str) -> OngoingGame:
        """Return a game, from the file if need be, or raise a `NotFoundError`."""
        with self._lock:
            game = self._loaded.get(identifier)
            if game is not None:
                self._loaded.move_to_end(identifier)
                return game
        row = self._file.find(identifier)
        if row is None:
            raise NotFoundError("There is no such game on this server.")
        return self._keep(_game_of(row))

    def changed(self, game: OngoingGame) -> None:
        """Write a game that has changed; its lock is held."""
        game.version += 1
        game.updated = _now()
        try:
            self._file.update(game.row())
        except BaseException:
            # A full disk, say: the game goes on from what the file has.
            game.stale = True
            with self._lock:
                self._loaded.pop(game.id, None)
            raise

    def recent(self, most: int, skip: int = 0, finished: bool = False) -> dict[str, Any]:
        """Return what a list shows of the games that changed last, and where it goes on.

        With `finished`, only of games that are over and in which somebody moved.
        """
        games: list[dict[str, Any]] = []
        rows = self._file.recent(_MOST_LISTED, skip)
        for at, row in enumerate(rows, start=skip):
            if len(games) == most:
                return {"games": games, "next": at}
            about = _summary(row)
            if about is None or (finished and not (about["moves"] and about["outcome"])):
                continue
            games.append(about)
        whole = len(rows) < _MOST_LISTED
        return {"games": games, "next": None if whole else skip + len(rows)}

    def _keep(self, game: OngoingGame) -> OngoingGame:
        with self._lock:
            # Another thread may have loaded it meanwhile: there is one object for each game.
            game = self._loaded.setdefault(game.id, game)
            self._loaded.move_to_end(game.id)
            idle = [key for key, one in self._loaded.items() if not one.lock.locked()]
            for key in idle[: max(0, len(self._loaded) - _MOST_LOADED)]:
                if key != game.id:
                    del self._loaded[key]
            return game


def _game_of(row: GameRow) -> OngoingGame:
    """Return the game of a row of the file."""
    record = replay(find_variant(row.variant), row.start, row.moves)
    return OngoingGame(
        row.id,
        record,
        row.agents,
        row.seed,
        row.created,
        row.updated,
        row.version,
        row.result,
        row.end,
    )


@lru_cache(maxsize=1000)
def _summary(row: GameRow) -> dict[str, Any] | None:
    """Return what a list shows of a game; None if its variant is no longer there."""
    try:
        game = _game_of(row)
    except HalmaError:
        return None
    position = game.record.position
    return {
        "id": row.id,
        "variant": row.variant,
        "short": short_name(row.variant),
        "agents": list(row.agents),
        "moves": game.record.plies,
        "turn": game.turn,
        "mover": position.game.player_names[position.mover],
        "updated": row.updated,
        **game.ending(),
    }


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
