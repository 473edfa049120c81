"""The file of games in progress: an SQLite database with a row for each game.

Every change is a transaction in write-ahead mode, so a server that is killed goes on with all
games as they were.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from halma import structure
from halma.arena.database import Database, sqlite_errors
from halma.errors import StoreError
from halma.structure import list_of, optional, parse_json, real, text, whole

#: "HLMW", in the header of these files
_APPLICATION_ID = 0x484C4D57
_VERSION = 1
#: Games that are kept; beyond that, those that changed longest ago are removed.
_MOST_GAMES = 20_000
_TABLE = """
CREATE TABLE ongoing (
    id TEXT PRIMARY KEY,
    variant TEXT NOT NULL,
    agents TEXT NOT NULL,       -- JSON: names, seat by seat
    start TEXT NOT NULL,
    moves TEXT NOT NULL,        -- JSON: moves and outcomes
    seed INTEGER NOT NULL,
    version INTEGER NOT NULL,   -- counts changes
    result TEXT NOT NULL,       -- JSON: scores, or null
    end TEXT NOT NULL,
    created TEXT NOT NULL,
    updated TEXT NOT NULL
)"""


@dataclass(frozen=True)
class GameRow:
    """A row of the file."""

    id: str
    variant: str
    agents: tuple[str, ...]
    start: str
    moves: tuple[str, ...]
    seed: int
    version: int
    result: tuple[float, ...] | None
    end: str
    created: str
    updated: str


_NAMES = tuple(field.name for field in fields(GameRow))
_COLUMNS = ", ".join(_NAMES)
_JSON = ("agents", "moves", "result")
_ROW = structure.fields(
    {
        **dict.fromkeys(("id", "variant", "end", "created", "updated"), text()),
        "start": text(20_000),
        "agents": list_of(text()),
        "moves": list_of(text(1000)),
        "seed": whole(),
        "version": whole(),
        "result": optional(list_of(real())),
    }
)


class OngoingGames:
    """An open file of games in progress, for all threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            raise StoreError(f"'{path}' is a folder, not a file of games.")
        self._lock = threading.RLock()
        self._db = Database(path, read_only=False, shared=True)
        try:
            with sqlite_errors(path):
                self._prepare()
        except StoreError:
            self._db.close()
            raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def add(self, row: GameRow) -> None:
        """Insert a new game."""
        marks = ", ".join("?" for _ in _NAMES)
        with self._lock, sqlite_errors(self.path), self._db.transaction():
            self._db.execute(f"INSERT INTO ongoing ({_COLUMNS}) VALUES ({marks})", _values(row))
            self._db.execute(
                "DELETE FROM ongoing WHERE rowid IN (SELECT rowid FROM ongoing"
                " ORDER BY updated DESC, rowid DESC LIMIT -1 OFFSET ?)",
                (_MOST_GAMES,),
            )

    def update(self, row: GameRow) -> None:
        """Replace a game by its new state."""
        changes = ", ".join(f"{name} = ?" for name in _NAMES)
        with self._lock, sqlite_errors(self.path), self._db.transaction():
            self._db.execute(f"UPDATE ongoing SET {changes} WHERE id = ?", (*_values(row), row.id))

    def find(self, identifier: str) -> GameRow | None:
        """Return the game with this id, if there is one."""
        found = self._rows("WHERE id = ?", (identifier,))
        return found[0] if found else None

    def recent(self, most: int, skip: int = 0) -> list[GameRow]:
        """Return the games that changed last, the newest first, without the `skip` newest."""
        return self._rows("ORDER BY updated DESC, rowid DESC LIMIT ? OFFSET ?", (most, skip))

    def _rows(self, which: str, values: tuple[object, ...]) -> list[GameRow]:
        with self._lock, sqlite_errors(self.path):
            rows = self._db.execute(f"SELECT {_COLUMNS} FROM ongoing {which}", values).fetchall()
        return [self._row(row) for row in rows]

    def _row(self, values: Sequence[Any]) -> GameRow:
        columns = dict(zip(_NAMES, values, strict=True))
        try:
            columns |= {name: parse_json(columns[name]) for name in _JSON}
            fault = _ROW(columns)
        except (TypeError, ValueError):
            fault = "has a column that is not JSON"
        if fault:
            raise StoreError(f"'{self.path}' is damaged: a game {fault}.")
        result = columns["result"]
        columns |= {"agents": tuple(columns["agents"]), "moves": tuple(columns["moves"])}
        columns["result"] = None if result is None else tuple(map(float, result))
        return GameRow(**columns)

    def _prepare(self) -> None:
        """Create the table of a new file, or verify an existing one."""
        application = self._db.one("PRAGMA application_id")
        version = self._db.one("PRAGMA user_version")
        if application == 0 and not self._db.one("SELECT count(*) FROM sqlite_master"):
            with self._db.transaction():
                self._db.execute(_TABLE)
                self._db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {_VERSION}")
        elif (application, version) != (_APPLICATION_ID, _VERSION):
            raise StoreError(f"'{self.path}' is not a file of games of halma serve.")
        else:
            self._db.check_tables({"ongoing": _NAMES})
        self._db.write_ahead()


def _values(row: GameRow) -> tuple[object, ...]:
    return tuple(
        json.dumps(value) if name in _JSON else value
        for name, value in zip(_NAMES, astuple(row), strict=True)
    )
