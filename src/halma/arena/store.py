"""Finished games in an SQLite file, and their replay.

A match is identified by its plan, so a match with the same plan continues where it stopped.
Each game is one transaction in write-ahead mode: a process killed at any time leaves a file
with all finished games. Every row has a checksum that is verified when a file is opened,
because SQLite does not detect overwritten text in a page.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from halma import structure
from halma.arena.database import Database, sqlite_errors
from halma.arena.games import PlayedGame
from halma.arena.plan import Plan
from halma.errors import StoreError
from halma.structure import LARGEST, list_of, parse_json, real, text, whole

#: "HLMA", in the header of our SQLite files
APPLICATION_ID = 0x484C4D41
#: version of the tables below
VERSION = 2

_TABLES = """
CREATE TABLE match (
    id INTEGER PRIMARY KEY,
    plan TEXT NOT NULL UNIQUE,      -- JSON of Plan.identity
    begun TEXT NOT NULL DEFAULT (datetime('now')),
    checksum INTEGER NOT NULL       -- CRC-32 of the plan
);
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES match (id),
    number INTEGER NOT NULL,        -- index in the match
    agents TEXT NOT NULL,           -- JSON: names, seat by seat
    start TEXT NOT NULL,            -- the position before the first move
    opening INTEGER NOT NULL,       -- number of moves that belong to the opening
    moves TEXT NOT NULL,            -- JSON: moves and chance outcomes
    plies INTEGER NOT NULL,         -- number of moves, without chance outcomes
    result TEXT NOT NULL,           -- JSON: scores, seat by seat
    end TEXT NOT NULL,              -- why the game ended
    seed TEXT NOT NULL,
    seconds REAL NOT NULL,
    checksum INTEGER NOT NULL,      -- CRC-32 of the columns above but id and match
    UNIQUE (match, number)
)"""
_NAMES = tuple(field.name for field in fields(PlayedGame))
_COLUMNS = ", ".join(_NAMES)
_JSON = ("agents", "moves", "result")
_TABLE_COLUMNS = {
    "match": ("id", "plan", "begun", "checksum"),
    "game": ("id", "match", *_NAMES, "checksum"),
}

_COUNT = whole(0, 2**31)
#: A row of the table of games, its JSON read.
_GAME = structure.fields(
    {
        "number": _COUNT,
        "agents": list_of(text()),
        "start": text(),
        "opening": _COUNT,
        "moves": list_of(text(1000)),
        "plies": _COUNT,
        "result": list_of(real(0, 1e6)),
        "end": text(),
        "seed": text(),
        "seconds": real(0, 1e15),
    }
)
_PLAN = structure.fields(
    {
        "game": text(),
        "agents": list_of(text()),
        "players": whole(1, 6),
        "seed": whole(-LARGEST),
    }
)


@dataclass(frozen=True)
class StoredMatch:
    """A match in a store."""

    id: int
    plan: dict[str, Any]
    begun: str
    games: int


class GameStore:
    """An open file of games; a context manager that closes it."""

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self.path = path
        self._matches: dict[Plan, int] = {}
        if path.is_dir():
            raise StoreError(f"'{path}' is a folder, not a file of games.")
        self._db = Database(path, read_only)
        try:
            with self._sqlite_errors():
                self._prepare(read_only)
        except StoreError:
            self._db.close()
            raise

    def __enter__(self) -> GameStore:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()

    def match_of(self, plan: Plan) -> int | None:
        """Return the id of the match with this plan, or None."""
        with self._sqlite_errors():
            query = "SELECT max(id) FROM match WHERE plan = ?"
            found: int | None = self._db.one(query, plan.identity)
            return found

    def matches(self) -> list[StoredMatch]:
        """Return all matches, the oldest first."""
        with self._sqlite_errors():
            rows = self._db.execute(
                "SELECT id, plan, begun,"
                " (SELECT count(*) FROM game WHERE match = match.id)"
                " FROM match ORDER BY id"
            ).fetchall()
            return [self._match(*row) for row in rows]

    def games_of(self, plan: Plan, most: int) -> Iterator[PlayedGame]:
        """Yield the first `most` games of the match with this plan, in order."""
        match = self.match_of(plan)
        if match is None:
            return
        for expected, (_, played) in enumerate(self.games(match)):
            if expected >= most:
                return
            if played.number != expected:
                raise StoreError(f"'{self.path}' is damaged: a game of match {match} is missing.")
            if not len(played.agents) == len(played.result) == plan.players:
                raise StoreError(
                    f"'{self.path}' is damaged: game {expected} of match {match} does not have "
                    f"{plan.players} players."
                )
            yield played

    def games(self, match: int) -> Iterator[tuple[int, PlayedGame]]:
        """Yield the games of a match in order, each with its id."""
        with self._sqlite_errors():
            for row in self._db.execute(
                f"SELECT id, {_COLUMNS} FROM game WHERE match = ? ORDER BY number",
                (match,),
            ):
                yield row[0], self._played(row[0], row[1:])

    def game(self, identifier: int) -> tuple[int, PlayedGame]:
        """Return the match id and the game with this id."""
        with self._sqlite_errors():
            row = self._db.execute(
                f"SELECT match, {_COLUMNS} FROM game WHERE id = ?", (identifier,)
            ).fetchone()
            if row is None:
                last = self._db.one("SELECT coalesce(max(id), 0) FROM game")
                have = f"games 1 to {last}" if last else "no games"
                raise StoreError(f"There is no game {identifier} in '{self.path}': it has {have}.")
            return row[0], self._played(identifier, row[1:])

    def add(self, plan: Plan, played: PlayedGame) -> None:
        """Store a game of the match with this plan in a transaction of its own."""
        values = _values(played)
        marks = ", ".join("?" for _ in ("match", *values, "checksum"))
        match = self._matches.get(plan) or self._begin(plan)
        with self._sqlite_errors():
            try:
                with self._db.transaction():
                    self._db.execute(
                        f"INSERT INTO game (match, {_COLUMNS}, checksum) VALUES ({marks})",
                        (match, *values, _checksum(values)),
                    )
            except sqlite3.IntegrityError:
                raise StoreError(
                    f"Game {played.number} of match {match} is in '{self.path}' already: "
                    "another process is playing this match."
                ) from None

    def _begin(self, plan: Plan) -> int:
        """Return the id of the match with this plan; insert the match if it is new."""
        text = plan.identity
        with self._sqlite_errors(), self._db.transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO match (plan, checksum) VALUES (?, ?)",
                (text, _checksum([text])),
            )
        match = self.match_of(plan)
        assert match is not None
        self._matches[plan] = match
        return match

    def _prepare(self, read_only: bool) -> None:
        """Create the tables of a new file, or verify an existing one."""
        application = self._db.one("PRAGMA application_id")
        version = self._db.one("PRAGMA user_version")
        empty = not self._db.one("SELECT count(*) FROM sqlite_master")
        if application == 0 and version == 0 and empty and not read_only:
            # In one transaction, before write-ahead mode: a kill leaves no tables or all of them.
            with self._db.transaction():
                for statement in _TABLES.split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {VERSION}")
        elif application != APPLICATION_ID:
            raise StoreError(f"'{self.path}' is not a file of games, but some other database.")
        elif version != VERSION:
            raise StoreError(
                f"'{self.path}' has format {version} of another version of halma; "
                f"this one reads format {VERSION}."
            )
        else:
            self._verify()
        if not read_only:
            self._db.write_ahead()

    def _verify(self) -> None:
        """Verify tables, pages, and the checksums of all rows."""
        self._db.check_tables(_TABLE_COLUMNS)
        if (found := self._db.one("PRAGMA integrity_check(1)")) != "ok":
            raise StoreError(f"'{self.path}' is damaged: {' '.join(str(found).split())}.")
        for table, columns in (("match", "plan"), ("game", _COLUMNS)):
            rows = self._db.execute(f"SELECT id, checksum, {columns} FROM {table}")
            for identifier, checksum, *values in rows:
                if checksum is None or _checksum(values) != checksum:
                    raise StoreError(
                        f"'{self.path}' is damaged: {table} {identifier} has a bad checksum."
                    )

    def _sqlite_errors(self) -> AbstractContextManager[None]:
        return sqlite_errors(self.path)

    def _played(self, identifier: Any, values: Sequence[Any]) -> PlayedGame:
        """Return the game with these columns."""
        columns = dict(zip(_NAMES, values, strict=True))
        columns |= {name: _read_json(columns[name]) for name in _JSON}
        if fault := _GAME(columns):
            raise StoreError(f"'{self.path}' is damaged: game {identifier} {fault}.")
        columns |= {name: tuple(columns[name]) for name in _JSON}
        return PlayedGame(**columns)

    def _match(self, identifier: Any, plan: Any, begun: Any, games: int) -> StoredMatch:
        """Return the match with these columns."""
        found = _read_json(plan)
        if fault := whole(1)(identifier) or text()(begun) or _PLAN(found):
            raise StoreError(f"'{self.path}' is damaged: match {identifier} {fault}.")
        return StoredMatch(identifier, found, begun, games)


def _values(played: PlayedGame) -> list[Any]:
    """Return the columns of a game; tuples are stored as JSON."""
    # The end of a game may quote a path whose bytes are not text.
    text_end = played.end.encode(errors="replace").decode()
    values = [getattr(replace(played, end=text_end), name) for name in _NAMES]
    return [json.dumps(value) if isinstance(value, tuple) else value for value in values]


def _read_json(column: Any) -> Any:
    """Return the value of a column of JSON; None where it has none."""
    try:
        return parse_json(column) if isinstance(column, str) else None
    except ValueError:
        return None


def _checksum(values: Sequence[Any]) -> int | None:
    """Return the checksum of a row; None if it holds bytes, which none of ours does."""
    if any(isinstance(value, bytes) for value in values):
        return None
    return zlib.crc32(json.dumps(list(values)).encode())
