"""A game in PDN: what it consists of, how it is written, and how it is replayed.

Results are White's score first, as in the tag: `1-0` and `2-0` are wins of White,
although Black moves first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from halma.errors import GameReadError, HalmaError, RecordError
from halma.games.draughts import DraughtsGame
from halma.games.game import Game
from halma.games.record import Record
from halma.games.registry import game as find_game

#: Black's score, White's score
SCORES: dict[str, tuple[float, float] | None] = {
    "1-0": (0.0, 1.0),
    "0-1": (1.0, 0.0),
    "1/2-1/2": (0.5, 0.5),
    "2-0": (0.0, 1.0),
    "0-2": (1.0, 0.0),
    "1-1": (0.5, 0.5),
    "0-0": (0.0, 0.0),  # both have forfeited
    "*": None,
}

#: the variant of PDN games: repetition does not end a game unless it is claimed
DEFAULT_RULES = "draughts-8x8:draw=none"

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
    #: its number in the file and its first line, for error messages
    number: int = field(default=0, compare=False)
    line: int = field(default=0, compare=False)
    #: what was read although it is doubtful, as sentences
    warnings: list[str] = field(default_factory=list, compare=False)

    @property
    def moves(self) -> list[PdnMove]:
        """The main line."""
        return [item for item in self.items if isinstance(item, PdnMove)]

    @property
    def scores(self) -> tuple[float, float] | None:
        """Black's and White's score by the Result tag or else the end of the moves."""
        return SCORES.get(self.tags.get("Result", "*")) or SCORES.get(self.result)

    def record(self, game: Game | None = None) -> Record:
        """Replay the main line.

        Without a game, repetition does not end it: in real games it has to be claimed.
        """
        game = game or find_game(DEFAULT_RULES)
        refuse_other_rules(game)
        kind = self.tags.get("GameType", "21").split(",")[0].strip()
        if kind != "21":
            raise self._error(f"GameType {kind[:20]} is not English draughts, which is 21.")
        if self.tags.get("SetUp") == "1" and "FEN" not in self.tags:
            raise self._error("the SetUp tag announces a position, but there is no FEN tag.")
        try:
            start = game.position(self.tags["FEN"]) if "FEN" in self.tags else None
        except HalmaError as error:
            raise self._error(f"the FEN tag cannot be read: {error}") from None
        record = Record(game, start)
        for move in self.moves:
            try:
                record.play(move.text)
            except HalmaError as error:
                raise self._error(str(error), move.line, record.plies + 1) from None
        return record

    def _error(self, message: str, line: int = 0, move: int = 0) -> RecordError:
        if self.number:
            return GameReadError(self.number, line or self.line, message)
        return RecordError(f"Move {move}: {message}" if move else message[:1].upper() + message[1:])

    def write(self) -> str:
        """Return the game as PDN text, lines ended; a blank line ends the game."""
        lines = [_write_tag(name, value) for name, value in self.tags.items()]
        if lines:
            lines.append("")
        if self.result not in SCORES:
            raise RecordError(f"'{self.result}' is not a result: write {', '.join(SCORES)}.")
        first_ply = 1 if self.tags.get("FEN", "B").strip().upper().startswith("W") else 0
        return "\n".join([*lines, _fill([*_words(self.items, first_ply), self.result]), "", ""])


def refuse_other_rules(game: Game) -> None:
    """Raise a `RecordError` unless the game is draughts."""
    if not isinstance(game, DraughtsGame):
        raise RecordError(
            f"PDN is for draughts, so it has no games of '{game.name}': choose JSON lines."
        )


def write(games: list[PdnGame]) -> str:
    """Return games as one PDN text; the inverse of `read`."""
    return "".join(game.write() for game in games)


def from_record(
    record: Record,
    tags: Mapping[str, str] | None = None,
    result: Sequence[float] | None = None,
) -> PdnGame:
    """Return a played game with the usual tags; `tags` replaces or adds some.

    `result` is Black's and White's score where the moves do not tell it.
    """
    refuse_other_rules(record.game)
    scores = tuple(record.result) if record.is_over else None
    scores = scores if result is None else (result[0], result[1])
    written = next((text for text, each in SCORES.items() if each == scores), "*")
    all_tags = {name: "?" for name in ("Event", "Site", "Date", "Round", "Black", "White")}
    all_tags |= {"Result": written, "GameType": "21"}
    if record.start != record.game.start():
        all_tags |= {"SetUp": "1", "FEN": record.start.text}
    all_tags |= tags or {}
    return PdnGame(all_tags, [PdnMove(text) for text in record.texts], written)


def _write_tag(name: str, value: str) -> str:
    if not _TAG_NAME.fullmatch(name) or "\n" in value or "\r" in value:
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
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # A line of a comment that looks like a tag would begin the next game.
    text = re.sub(rf"\n(?=[ \t]*\[[ \t]*{_TAG_NAME.pattern}[ \t]+\")", " ", text)
    if _is_balanced(text):
        return f"{{{text}}}"
    one_line = text.replace("\n", " ")
    return f"; {one_line}\n"


def _is_balanced(text: str) -> bool:
    """Whether every brace of a comment has its partner, so that the comment can stand in braces."""
    depths = list(accumulate((c == "{") - (c == "}") for c in text))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


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
