"""Opening an SQLite file that may be anything: damaged, forged, in use, on a read-only disk."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from halma.errors import StoreError
from halma.files import copy_file, failpoints, open_file

#: Longest text of a database that is read, in bytes.
_LONGEST = 1 << 27


class Database:
    """A connection to an SQLite file.

    A reader leaves nothing beside the file. What a killed process left in the write-ahead log is
    read as well: from a copy, where the log cannot be used as it is.
    """

    def __init__(self, path: Path, read_only: bool, shared: bool = False) -> None:
        """Open a file; a `shared` connection may be used by any thread, by one at a time."""
        self.path = path
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        log, index = (path.with_name(f"{path.name}-{suffix}") for suffix in ("wal", "shm"))
        for file in (path, log, index):
            if file.exists() or (read_only and file == path):
                open_file(file, StoreError).close()
        with sqlite_errors(path):
            if not read_only:
                self._connection = _connect(path, "mode=rwc", shared)
            elif not log.exists() or not log.stat().st_size:
                # Without a log the file is all there is, and no lock or log is made for it.
                self._connection = _connect(path, "mode=ro&immutable=1")
            else:
                self._connection = self._with_log(path, log, index)

    def _with_log(self, path: Path, log: Path, index: Path) -> sqlite3.Connection:
        if index.exists():
            connection = _connect(path, "mode=ro")
            try:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
                return connection
            except sqlite3.OperationalError:  # a read-only disk, mostly
                connection.close()
        self._copy = tempfile.TemporaryDirectory(prefix="halma-")
        for file in (path, log):
            copy_file(file, Path(self._copy.name) / file.name)
        return _connect(Path(self._copy.name) / path.name, "mode=rw")

    def close(self) -> None:
        """Close the connection."""
        with failpoints("close", self.path):
            self._connection.close()
        if self._copy is not None:
            self._copy.cleanup()

    def execute(self, query: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        """Run a statement."""
        return self._connection.execute(query, values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what is executed in the block, all of it or nothing."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            with failpoints("commit", self.path):
                self.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self.execute("ROLLBACK")
            raise

    def write_ahead(self) -> None:
        """Write to a log from now on, so that a commit is one write, and readers do not wait."""
        with failpoints("write-ahead mode", self.path):
            self.execute("PRAGMA journal_mode = WAL")
        self.execute("PRAGMA synchronous = NORMAL")

    def one(self, query: str, *values: object) -> Any:
        """Return the only column of the only row that a query finds."""
        return self.execute(query, values).fetchone()[0]

    def check_tables(self, wanted: Mapping[str, tuple[str, ...]]) -> None:
        """Raise a `StoreError` unless the file has these tables with these columns and no code.

        Views, triggers, virtual tables and computed columns would run when rows are read.
        """
        listed = self.execute("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master")
        found = set()
        for kind, name, table, page, definition in listed.fetchall():
            ours = kind == "table" and name in wanted and isinstance(page, int) and page > 0
            internal = str(name).startswith("sqlite_") and (kind == "table" or definition is None)
            if not ours and not internal:
                raise self._other(f"has a {kind} '{str(name)[:60]}'")
            if ours:
                found.add(table)
        for table, columns in wanted.items():
            if table not in found:
                raise self._other(f"has no table '{table}'")
            rows = self.execute(f"PRAGMA table_xinfo({table})").fetchall()
            if {row[1] for row in rows} != set(columns) or any(row[6] for row in rows):
                raise self._other(f"has other columns in its table '{table}'")

    def _other(self, fault: str) -> StoreError:
        return StoreError(f"'{self.path}' is not a file of games of this version: it {fault}.")


def _connect(path: Path, options: str, shared: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{options}",
        uri=True,
        isolation_level=None,
        timeout=30,
        check_same_thread=not shared,
    )
    # Text that is not UTF-8 is found by the checks of values, not by an error of the library.
    connection.text_factory = lambda data: data.decode(errors="surrogateescape")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a `StoreError`."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        reason = " ".join(str(error).split())[:200]  # it may quote the definition of a table
        raise StoreError(f"'{path}' cannot be used for games: {reason}.") from None
    except UnicodeDecodeError:  # in SQLite's own message, about names in a damaged file
        raise StoreError(f"'{path}' cannot be used for games: it is damaged.") from None
