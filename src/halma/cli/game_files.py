"""Files of games of all formats, read and written for `halma convert`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from halma.errors import HalmaError
from halma.files import open_file, read_file

if TYPE_CHECKING:
    from halma.games import Game
    from halma.games.saved import SavedGame

#: formats that are written, by the suffix of a file
FORMATS = {".pdn": "pdn", ".jsonl": "jsonl", ".ndjson": "jsonl", ".npz": "npz"}
_SQLITE = b"SQLite format 3\0"
#: Largest file of text that is read.
_MOST_BYTES = 1 << 30


def read_games(
    path: Path, game: Game | None, match: int | None
) -> Iterator[SavedGame | HalmaError]:
    """Yield the games of a file or run directory, an error in the place of what cannot be read."""
    try:
        if is_database(path):
            yield from _stored_games(path, game, match)
        elif match is not None:
            raise HalmaError(f"--match selects from a match database, which '{path}' is not.")
        elif path.is_dir():
            yield from _run_games(path, game)
        else:
            yield from _text_games(path, read_file(path, _MOST_BYTES), game)
    except HalmaError as error:
        yield error


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, such as `halma match` writes."""
    if path.is_dir():
        return False
    with open_file(path) as file:
        return file.read(len(_SQLITE)) == _SQLITE


def find_game(path: Path, game: Game | None, number: int) -> SavedGame:
    """Return a game of a file by its place among them, from 1, or raise why it cannot be read."""
    last = 0
    for last, found in enumerate(read_games(path, game, None), 1):
        if last == number:
            if isinstance(found, HalmaError):
                raise found
            found.number = number
            return found
    have = f"games 1 to {last}" if last else "no games"
    raise HalmaError(f"There is no game {number} in '{path}': it has {have}.")


def _text_games(path: Path, data: bytes, game: Game | None) -> Iterator[SavedGame | HalmaError]:
    from halma.games import pdn
    from halma.games.saved import read_json_lines

    if b"\0" in data[:1000] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise HalmaError(
            f"'{path}' is not a file of games: PDN, JSON lines, match databases and run "
            "directories are read."
        )
    text = decode(data)
    if path.suffix in (".jsonl", ".ndjson", ".json") or (
        path.suffix != ".pdn" and text.lstrip().startswith('{"')
    ):
        return read_json_lines(text, game)
    return pdn.saved_games(text, game)


def decode(data: bytes) -> str:
    """Return the text of a file in UTF-8, in UTF-16 with a mark, or else in Windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _stored_games(
    path: Path, game: Game | None, match: int | None
) -> Iterator[SavedGame | HalmaError]:
    from halma.arena import GameStore
    from halma.arena.saved import saved_games

    with GameStore(path, read_only=True) as store:
        yield from saved_games(store, match, game)


def _run_games(run: Path, game: Game | None) -> Iterator[SavedGame | HalmaError]:
    from halma.learn.saved import RunGames
    from halma.selfplay.records import saved_games

    found = RunGames(run)
    for iteration, games in found if game in (None, found.game) else ():
        if isinstance(games, HalmaError):
            yield games
        else:
            yield from saved_games(games, found.game, iteration=iteration)


def write_text(file: BinaryIO, saved: SavedGame, form: str) -> None:
    """Append a game to a file of PDN or JSON lines."""
    from halma.games import pdn

    text = saved.json_line() if form == "jsonl" else pdn.from_saved(saved).write()
    file.write(text.encode(errors="replace"))


def write_arrays(path: Path, sources: list[Path], games: list[SavedGame], planes: bool) -> None:
    """Write games of one variant to an npz file; of a single training run, with all it stores."""
    import numpy as np

    from halma.selfplay import FinishedGames
    from halma.selfplay.records import from_saved, write_npz

    names = sorted({saved.record.game.name for saved in games})
    if len(names) > 1:
        raise HalmaError(
            f"An npz file has games of one variant, and these are of {', '.join(names)}: "
            "choose one with --game."
        )
    game, more = games[0].record.game, dict[str, Any]()
    if len(sources) == 1 and sources[0].is_dir():
        from halma.learn.saved import RunGames

        parts = [(i, part) for i, part in RunGames(sources[0]) if isinstance(part, FinishedGames)]
        arrays = FinishedGames.join([part for _, part in parts])
        more["iterations"] = np.repeat([i for i, _ in parts], [len(part) for _, part in parts])
    else:
        arrays = from_saved(games)
    write_npz(path, arrays, game, planes, **more)
