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
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from halma.arena.games import PlayedGame
from halma.arena.plan import Plan
from halma.errors import StoreError
from halma.files import failpoints

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
        if read_only and not path.exists():
            raise StoreError(f"There is no file '{path}'.")
        mode = "ro" if read_only else "rwc"
        with self._sqlite_errors():
            self._db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode={mode}",
                uri=True,
                isolation_level=None,
                timeout=30,
            )
        try:
            with self._sqlite_errors():
                self._prepare(read_only)
        except StoreError:
            self._db.close()
            raise

    def __enter__(self) -> GameStore:
        return self

    def __exit__(self, *error: object) -> None:
        with failpoints("close", self.path):
            self._db.close()

    def match_of(self, plan: Plan) -> int | None:
        """Return the id of the match with this plan, or None."""
        with self._sqlite_errors():
            found: int | None = self._one("SELECT max(id) FROM match WHERE plan = ?", plan.identity)
            return found

    def matches(self) -> list[StoredMatch]:
        """Return all matches, the oldest first."""
        with self._sqlite_errors():
            rows = self._db.execute(
                "SELECT id, plan, begun,"
                " (SELECT count(*) FROM game WHERE match = match.id)"
                " FROM match ORDER BY id"
            ).fetchall()
            return [StoredMatch(row[0], json.loads(row[1]), row[2], row[3]) for row in rows]

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
            yield played

    def games(self, match: int) -> Iterator[tuple[int, PlayedGame]]:
        """Yield the games of a match in order, each with its id."""
        with self._sqlite_errors():
            for row in self._db.execute(
                f"SELECT id, {_COLUMNS} FROM game WHERE match = ? ORDER BY number",
                (match,),
            ):
                yield row[0], _played(row[1:])

    def game(self, identifier: int) -> tuple[int, PlayedGame]:
        """Return the match id and the game with this id."""
        with self._sqlite_errors():
            row = self._db.execute(
                f"SELECT match, {_COLUMNS} FROM game WHERE id = ?", (identifier,)
            ).fetchone()
            if row is None:
                last = self._one("SELECT coalesce(max(id), 0) FROM game")
                have = f"games 1 to {last}" if last else "no games"
                raise StoreError(f"There is no game {identifier} in '{self.path}': it has {have}.")
            return row[0], _played(row[1:])

    def add(self, plan: Plan, played: PlayedGame) -> None:
        """Store a game of the match with this plan in a transaction of its own."""
        values = _values(played)
        marks = ", ".join("?" for _ in ("match", *values, "checksum"))
        match = self._matches.get(plan) or self._begin(plan)
        with self._sqlite_errors():
            try:
                with self._transaction():
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
        with self._sqlite_errors(), self._transaction():
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
        application = self._one("PRAGMA application_id")
        version = self._one("PRAGMA user_version")
        empty = not self._one("SELECT count(*) FROM sqlite_master")
        if application == 0 and version == 0 and empty and not read_only:
            # In one transaction, before write-ahead mode: a kill leaves no tables or all of them.
            with self._transaction():
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
        elif (found := self._one("PRAGMA integrity_check(1)")) != "ok":
            raise StoreError(f"'{self.path}' is damaged: {' '.join(str(found).split())}.")
        else:
            self._verify()
        if not read_only:
            with failpoints("write-ahead mode", self.path):
                self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")

    def _one(self, query: str, *values: object) -> Any:
        """Return the only column of the only row that a query finds."""
        return self._db.execute(query, values).fetchone()[0]

    def _verify(self) -> None:
        """Verify the checksums of all rows."""
        for table, columns in (("match", "plan"), ("game", _COLUMNS)):
            rows = self._db.execute(f"SELECT id, checksum, {columns} FROM {table}")
            for identifier, checksum, *values in rows:
                if _checksum(values) != checksum:
                    raise StoreError(
                        f"'{self.path}' is damaged: {table} {identifier} has a bad checksum."
                    )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit what is executed in the block, all of it or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            with failpoints("commit", self.path):
                self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _sqlite_errors(self) -> Iterator[None]:
        """Turn SQLite's errors into a `StoreError`."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"'{self.path}' cannot be used for games: {error}.") from None


def _values(played: PlayedGame) -> list[Any]:
    """Return the columns of a game; tuples are stored as JSON."""
    values = [getattr(played, name) for name in _NAMES]
    return [json.dumps(value) if isinstance(value, tuple) else value for value in values]


def _played(values: Sequence[Any]) -> PlayedGame:
    """Return the game with these columns."""
    columns = dict(zip(_NAMES, values, strict=True))
    columns |= {name: tuple(json.loads(columns[name])) for name in _JSON}
    return PlayedGame(**columns)


def _checksum(values: Sequence[Any]) -> int:
    return zlib.crc32(json.dumps(list(values)).encode())
