"""Games as files hold them, and JSON lines: a game a line, as `halma play --json` prints it.

Every reader of games replays them, so a `SavedGame` has moves that can be played.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halma.errors import GameReadError, HalmaError, RecordError
from halma.games.game import Game
from halma.games.record import Record
from halma.games.registry import variant as find_variant
from halma.plugins import is_file_reference
from halma.structure import list_of, optional, parse_json, real, text

#: keys that are written for readers; a record has them already
_DERIVED = ("plies", "ply", "position")


@dataclass
class SavedGame:
    """A game of a file: its record, and what the record does not tell."""

    record: Record
    #: names, seat by seat, or none
    agents: tuple[str, ...] = ()
    #: scores, seat by seat; None where the file does not give them and the game is not over
    result: tuple[float, ...] | None = None
    #: why the game ended, as a clause
    end: str = ""
    #: further keys of the JSON object, such as `tags`
    facts: dict[str, Any] = field(default_factory=dict)
    #: its number in the file
    number: int = field(default=0, compare=False)
    #: what was read although it is doubtful, as sentences
    warnings: list[str] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        self.end = self.end or self.record.end
        if not self.record.is_over:
            return
        by_moves = self.record.result
        if self.result is not None and self.result != by_moves:
            self.warnings.append(
                f"the moves end in {_written(by_moves)}, but the result is {_written(self.result)}."
            )
        self.result = self.result or by_moves

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON object of the game."""
        record = self.record
        return {
            "variant": record.game.name,
            "agents": list(self.agents),
            "start": record.start.text,
            "moves": record.texts,
            "plies": record.plies,
            "result": None if self.result is None else list(self.result),
            "end": self.end,
            **self.facts,
        }

    def json_line(self) -> str:
        """Return the game as a line of JSON, ended."""
        return json.dumps(self.as_dict()) + "\n"


def replay(game: Game, start: str | None, moves: Sequence[str]) -> Record:
    """Play moves and outcomes of chance, or raise a `RecordError` that says which one is wrong."""
    record = Record(game, None if start is None else game.position(start))
    for number, move in enumerate(moves, 1):
        try:
            (record.resolve if record.position.is_chance else record.play)(move)
        except HalmaError as error:
            raise RecordError(f"entry {number} of its moves: {error}") from None
    return record


def read_json_lines(text: str, game: Game | None = None) -> Iterator[SavedGame | GameReadError]:
    """Yield the games of a text, an error in the place of each that cannot be read.

    Without a game, each is of the variant it names; with one, games of other variants are
    left out. Variants are found by name: a file cannot make halma run Python code.
    """
    number = 0
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        number += 1
        try:
            saved = _read(parse_json(content), game)
        except HalmaError as error:
            yield GameReadError(number, line, str(error))
        except ValueError:
            yield GameReadError(number, line, "the line is not a JSON object.")
        else:
            if saved is not None:
                saved.number = number
                saved.warnings = [str(GameReadError(number, line, w)) for w in saved.warnings]
                yield saved


def _read(entry: Any, game: Game | None) -> SavedGame | None:
    """Return the game of a JSON object, or None for one of another variant than `game`."""
    if not isinstance(entry, dict):
        raise RecordError("the line is not a JSON object.")
    variant, start = entry.pop("variant", None), entry.pop("start", None)
    if not isinstance(variant, str):
        raise RecordError("the object has no 'variant', the name of a game.")
    # A game of the user is known by its file and class; the folder may be another one.
    if game is None or Path(variant).name != Path(game.name).name:
        if game is None and is_file_reference(variant):
            raise RecordError(f"its game is Python code: name it, with --game {variant}.")
        found = find_variant(variant)
        if game is not None and found != game:
            return None
        game = found
    if not (start is None or isinstance(start, str)):
        raise RecordError("'start' must be the text of a position.")
    record = replay(game, start, _texts(entry, "moves"))
    agents, result = _texts(entry, "agents"), entry.pop("result", None)
    if agents and len(agents) != game.players:
        raise RecordError(f"'agents' must have {game.players} names, not {len(agents)}.")
    if optional(list_of(real(), game.players))(result):
        raise RecordError(f"'result' must be null or {game.players} scores.")
    end = entry.pop("end", None)
    if fault := optional(text())(end):
        raise RecordError(f"'end' {fault}.")
    for key in _DERIVED:
        entry.pop(key, None)
    scores = None if result is None else tuple(map(float, result))
    return SavedGame(record, tuple(agents), scores, end or "", entry)


def _texts(entry: dict[str, Any], key: str) -> list[str]:
    texts: list[str] = entry.pop(key, [])
    if list_of(text())(texts):
        raise RecordError(f"'{key}' must be a list of texts.")
    return texts


def _written(scores: Sequence[float]) -> str:
    return " ".join(f"{score:g}" for score in scores)
