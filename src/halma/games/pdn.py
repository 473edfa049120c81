"""Draughts games in Portable Draughts Notation (PDN).

`read` takes a text with any number of games, `PdnGame.write` gives one back with its
comments, variations, glyphs and marks in their places, and `PdnGame.record` replays the
main line. Reading checks the syntax; whether moves are legal is checked by replaying.

Results are White's score first, as in the tag: `1-0` and `2-0` are wins of White,
although Black moves first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from halma.errors import HalmaError, RecordError
from halma.games.game import Game
from halma.games.record import Record
from halma.games.registry import game as find_game

#: how deep variations may nest
MAX_DEPTH = 50

#: Black's score, White's score
_SCORES: dict[str, tuple[float, float] | None] = {
    "1-0": (0.0, 1.0),
    "0-1": (1.0, 0.0),
    "1/2-1/2": (0.5, 0.5),
    "2-0": (0.0, 1.0),
    "0-2": (1.0, 0.0),
    "1-1": (0.5, 0.5),
    "0-0": (0.0, 0.0),  # both have forfeited
    "*": None,
}

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | \{(?P<comment>[^}]*)\}
    | ;(?P<line_comment>[^\n]*)
    | \[\s*(?P<tag>[A-Za-z0-9_]+)\s+"(?P<value>(?:[^"\\\n]|\\["\\])*)"\s*\]
    | \$(?P<nag>[0-9]{1,3})(?![0-9])
    | (?P<result>1/2-1/2|[01]-[01]|2-0|0-2|\*)(?![0-9])
    | (?P<number>[0-9]*\.+)
    | (?P<move>[0-9]{1,2}(?:-[0-9]{1,2}|(?:x[0-9]{1,2})+))(?P<mark>[!?*]*)
    | (?P<loose_mark>[!?]+|\([!?]+\))
    | (?P<open>\()
    | (?P<close>\))""",
    re.VERBOSE,
)
_TAG_NAME = re.compile(r"[A-Za-z0-9_]+")
_LINE_WIDTH = 79


@dataclass
class PdnMove:
    """A move as it was written, with its mark: `!`, `?`, `*`, `(!)` and the like."""

    text: str
    mark: str = ""
    #: its line in the file, for error messages
    line: int = field(default=0, compare=False)


@dataclass
class Comment:
    """A comment between moves."""

    text: str


@dataclass
class Nag:
    """A numeric annotation glyph, `$1` to `$999`: an assessment of a move or position."""

    number: int


@dataclass
class Variation:
    """Moves that could have replaced the move before them."""

    items: list[Item] = field(default_factory=list)


Item = PdnMove | Comment | Nag | Variation


@dataclass
class PdnGame:
    """One game: its tags, and its movetext in order."""

    tags: dict[str, str] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    #: the result after the last move; PDN 3.0 allows `*` whatever the Result tag says
    result: str = "*"

    @property
    def moves(self) -> list[PdnMove]:
        """The main line."""
        return [item for item in self.items if isinstance(item, PdnMove)]

    @property
    def scores(self) -> tuple[float, float] | None:
        """Black's and White's score by the Result tag or else the end of the moves."""
        return _SCORES.get(self.tags.get("Result", "*")) or _SCORES.get(self.result)

    def record(self, game: Game | None = None) -> Record:
        """Replay the main line.

        Without a game, repetition does not end it: in real games it has to be claimed.
        """
        game = game or find_game("draughts-8x8:draw=none")
        kind = self.tags.get("GameType", "21").split(",")[0].strip()
        if kind != "21":
            raise RecordError(f"GameType {kind[:20]} is not English draughts, which is 21.")
        if self.tags.get("SetUp") == "1" and "FEN" not in self.tags:
            raise RecordError("The SetUp tag announces a position, but there is no FEN tag.")
        try:
            start = game.position(self.tags["FEN"]) if "FEN" in self.tags else None
        except HalmaError as error:
            raise RecordError(f"The FEN tag cannot be read: {error}") from None
        record = Record(game, start)
        for move in self.moves:
            try:
                record.play(move.text)
            except HalmaError as error:
                place = f"Line {move.line}: " if move.line else f"Move {record.plies + 1}: "
                raise RecordError(f"{place}{error}") from None
        return record

    def write(self) -> str:
        """Return the game as PDN text, lines ended; a blank line ends the game."""
        lines = [_write_tag(name, value) for name, value in self.tags.items()]
        if lines:
            lines.append("")
        if self.result not in _SCORES:
            raise RecordError(f"'{self.result}' is not a result: write {', '.join(_SCORES)}.")
        first_ply = 1 if self.tags.get("FEN", "B").strip().startswith("W") else 0
        return "\n".join([*lines, _fill([*_words(self.items, first_ply), self.result]), "", ""])


def read(text: str) -> list[PdnGame]:
    """Read all games of a PDN text, or raise a `RecordError` that names the line."""
    reader = _Reader()
    place, line = 0, 1
    text = text.removeprefix("\ufeff")
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise RecordError(f"Line {line}: {_syntax_error(text[place : place + 20])}")
        reader.take(match, line)
        place = match.end()
        line += match.group().count("\n")
    return reader.finish(line)


def write(games: list[PdnGame]) -> str:
    """Return games as one PDN text; the inverse of `read`."""
    return "".join(game.write() for game in games)


def from_record(record: Record, tags: Mapping[str, str] | None = None) -> PdnGame:
    """Return a played game with the usual tags; `tags` replaces or adds some."""
    result = "*"
    if record.is_over:
        black, white = record.result
        result = "1-0" if white > black else "0-1" if black > white else "1/2-1/2"
    all_tags = {name: "?" for name in ("Event", "Site", "Date", "Round", "Black", "White")}
    all_tags |= {"Result": result, "GameType": "21"}
    if record.start != record.game.start():
        all_tags |= {"SetUp": "1", "FEN": record.start.text}
    all_tags |= tags or {}
    return PdnGame(all_tags, [PdnMove(text) for text in record.texts], result)


class _Reader:
    """Assembles tokens into games."""

    def __init__(self) -> None:
        self.games: list[PdnGame] = []
        self._open_game()

    def _open_game(self) -> None:
        self.game = PdnGame()
        # Open lists: the main line, then nested variations.
        self.lists = [self.game.items]

    def _close_game(self, result: str | None, line: int) -> None:
        if len(self.lists) > 1:
            raise RecordError(f"Line {line}: the game ends inside a variation: ')' is missing.")
        by_tag = self.game.tags.get("Result", "*")
        self.game.result = result or (by_tag if by_tag in _SCORES else "*")
        self.games.append(self.game)
        self._open_game()

    def finish(self, line: int) -> list[PdnGame]:
        """Close the last game and return all."""
        begun = self.game.tags or any(not isinstance(item, Comment) for item in self.game.items)
        if self.games and not begun:
            # Comments after the last result belong to the last game.
            self.games[-1].items += self.game.items
        elif self.game.tags or self.game.items:
            self._close_game(None, line)
        return self.games

    def take(self, match: re.Match[str], line: int) -> None:
        """Take one token, of which one group is set."""
        kind, items = match.lastgroup, self.lists[-1]
        if kind == "value":
            self._take_tag(match["tag"], re.sub(r"\\(.)", r"\1", match["value"]), line)
        elif kind in ("comment", "line_comment"):
            items.append(Comment(match[kind].strip()))
        elif kind == "nag":
            items.append(Nag(int(match["nag"])))
        elif kind == "mark":
            items.append(PdnMove(match["move"], match["mark"], line))
        elif kind == "loose_mark":
            move = items[-1] if items else None
            if not isinstance(move, PdnMove):
                raise RecordError(f"Line {line}: '{match.group()[:20]}' follows no move.")
            move.mark += match.group()
        elif kind == "result":
            self._close_game(match["result"], line)
        elif kind == "open":
            if not any(isinstance(item, PdnMove) for item in items):
                raise RecordError(f"Line {line}: a variation must follow the move it replaces.")
            if len(self.lists) > MAX_DEPTH:
                raise RecordError(f"Line {line}: variations are nested deeper than {MAX_DEPTH}.")
            variation = Variation()
            items.append(variation)
            self.lists.append(variation.items)
        elif kind == "close":
            if len(self.lists) == 1:
                raise RecordError(f"Line {line}: ')' closes a variation that was never opened.")
            self.lists.pop()
        # Spaces and move numbers are ignored.

    def _take_tag(self, name: str, value: str, line: int) -> None:
        if self.game.moves:  # a game without a result at its end
            self._close_game(None, line)
        if name in self.game.tags:
            raise RecordError(f"Line {line}: the tag {name[:40]} is given twice.")
        self.game.tags[name] = value


def _syntax_error(rest: str) -> str:
    if rest[0] == "{":
        return "a comment opened by '{' is never closed."
    if rest[0] == "[":
        return 'a tag must look like [Name "value"].'
    word = rest.split()[0]
    return f"'{word}' is neither a move nor another PDN token."


def _write_tag(name: str, value: str) -> str:
    if not _TAG_NAME.fullmatch(name) or "\n" in value:
        raise RecordError(f"The tag {name[:40]!r} cannot be written: its value must be one line.")
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def _words(items: list[Item], ply: int) -> Iterator[str]:
    """Yield the words of the movetext; `ply` counts from Black's first move."""
    numbered = False
    for item in items:
        if isinstance(item, PdnMove):
            if ply % 2 == 0:
                yield f"{ply // 2 + 1}."
            elif not numbered:
                yield f"{ply // 2 + 1}..."
            yield item.text + item.mark
            ply += 1
            numbered = True
        elif isinstance(item, Nag):
            yield f"${item.number}"
        elif isinstance(item, Variation):
            yield "("
            yield from _words(item.items, ply - 1)
            yield ")"
            numbered = False
        else:
            yield _write_comment(item.text)
            numbered = False


def _write_comment(text: str) -> str:
    if "}" not in text:
        return f"{{{text}}}"
    if "\n" in text:
        raise RecordError("A comment with both '}' and a line break cannot be written.")
    return f"; {text}\n"


def _fill(words: list[str]) -> str:
    """Join words by spaces and break long lines; no spaces inside brackets."""
    lines = [""]
    for word in words:
        line = lines[-1]
        glue = "" if not line or line.endswith("(") or word == ")" else " "
        if line and len(line) + len(glue) + len(word.rstrip("\n")) > _LINE_WIDTH:
            lines.append(word)
        else:
            lines[-1] = line + glue + word
        if word.endswith("\n"):  # a comment that runs to the end of its line
            lines[-1] = lines[-1].removesuffix("\n")
            lines.append("")
    return "\n".join(lines)
