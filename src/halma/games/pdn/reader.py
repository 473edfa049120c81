"""Reading PDN texts, as they are found rather than as the standard has them.

Captures are `16x23`, `16X23`, `16×23` or `16:23`; moves and results may have spaces and any kind
of dash; braces nest where they are balanced; lines that begin with `%` are skipped; a tag that is
given again replaces the earlier one. Files are split into games by their tags, or by their results
where there are none, so that a game that cannot be read costs no other one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from halma.errors import GameReadError
from halma.games.pdn.game import SCORES, Comment, Nag, PdnGame, PdnMove, Variation

#: how deep variations may nest
MAX_DEPTH = 50

_DASH = r"[ \t]*[-‐‑‒–—−][ \t]*"
_CROSS = r"[ \t]*[xX×:][ \t]*"
_SQUARE = "[0-9]{1,2}"
_HALF = "(?:1/2|½)"
_RESULT = rf"{_HALF}{_DASH}{_HALF}|[01]{_DASH}[01]|2{_DASH}0|0{_DASH}2|\*"
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    | (?P<brace>\{{)
    | ;(?P<line_comment>[^\n]*)
    | %(?P<escape>[^\n]*)
    | \[(?P<command>%[^\]\n]*)\]
    | \[\s*(?P<tag>[A-Za-z0-9_]+)\s+"(?P<value>(?:[^"\\\n]|\\.|"(?!\s*\]))*)"\s*\]
    | \$(?P<nag>[0-9]{{1,3}})(?![0-9])
    | (?P<result>{_RESULT})(?![0-9])
    | (?P<number>(?:[0-9]+[ \t]*)?\.+)
    | (?P<move>{_SQUARE}(?:{_DASH}{_SQUARE}|(?:{_CROSS}{_SQUARE})+))(?![0-9])(?P<mark>[!?*]*)
    | (?P<loose_mark>[!?]+|\([!?]+\))
    | (?P<open>\()
    | (?P<close>\))""",
    re.VERBOSE,
)
_TAG_LINE = re.compile(r'^[ \t]*\[[ \t]*[A-Za-z0-9_]+[ \t]+".*$', re.M)
_LAST_RESULT = re.compile(rf"(?<!\S)(?:{_RESULT})[ \t]*$", re.M)
_BRACE = re.compile("[{}]")


def read(text: str, problems: list[GameReadError] | None = None) -> list[PdnGame]:
    """Return the games of a PDN text.

    A game that cannot be read is left out and reported in `problems`; without that list the first
    one raises its `GameReadError`.
    """
    reader = _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    while not reader.is_done:
        try:
            reader.read_token()
        except GameReadError as error:
            if problems is None:
                raise
            problems.append(error)
            reader.skip_game()
    return reader.games


def normal_result(text: str) -> str:
    """Return a result in plain characters, such as `1/2-1/2` for `½ – ½`; other text as it is."""
    plain = re.sub(_DASH, "-", text.strip()).replace("½", "1/2")
    return plain if plain in SCORES else text


class _Reader:
    """Assembles the tokens of a text into games."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.games: list[PdnGame] = []
        self.is_done = False
        self._place, self._line = 0, 1
        self._number = 0
        # Where tags stand at the beginning of a line, and where blocks of such lines begin.
        lines = [(match.start(), match.end()) for match in _TAG_LINE.finditer(text)]
        self._tag_lines = [start for start, _ in lines]
        ends = {end + 1 for _, end in lines}
        self._headers = [start for start in self._tag_lines if start not in ends]
        #: up to here, braces do not nest
        self._flat = 0
        self._open_game()

    def _open_game(self) -> None:
        self._number += 1
        self.game = PdnGame(number=self._number, line=self._line)
        self._begin = -1
        #: whether a blank line followed the last tag
        self._gap = False
        # Open lists: the main line, then nested variations.
        self._lists = [self.game.items]

    def _fail(self, message: str) -> GameReadError:
        return GameReadError(self._number, self._line, message)

    def read_token(self) -> None:
        """Read one token, or finish at the end of the text."""
        if self._place >= len(self.text):
            self.is_done = True
            self._finish()
            return
        match = _TOKEN.match(self.text, self._place)
        if self._begin < 0 and not (match and match["space"]):
            self._begin, self.game.line = self._place, self._line
        if match is None:
            raise self._fail(_syntax_error(self.text[self._place : self._place + 20]))
        if match["brace"]:
            end = self._take_comment()
        else:
            self._take(match)
            end = match.end()
        self._line += self.text.count("\n", self._place, end)
        self._place = end

    def skip_game(self) -> None:
        """Leave out the game that is being read, and go to where the next one begins."""
        place = self._place
        after = bisect_left(self._headers, max(place, self._begin + 1))
        header = self._headers[after] if after < len(self._headers) else len(self.text)
        if self.game.tags or self.text.startswith("[", place):
            target = header
        else:
            result = _LAST_RESULT.search(self.text, place, header)
            target = result.end() if result else header
        self._line += self.text.count("\n", place, target)
        self._place = target
        self._open_game()

    def _close_game(self, result: str | None) -> None:
        if len(self._lists) > 1:
            raise self._fail("the game ends inside a variation: ')' is missing.")
        by_tag = self.game.tags.get("Result", "*")
        self.game.result = result or (by_tag if by_tag in SCORES else "*")
        found, tagged = SCORES[self.game.result], SCORES.get(by_tag)
        if found and tagged and found != tagged:
            self._warn(f"the moves end with {self.game.result}, but the Result tag is {by_tag}.")
        self.games.append(self.game)
        self._open_game()

    def _finish(self) -> None:
        """Close the last game."""
        begun = self.game.tags or any(not isinstance(item, Comment) for item in self.game.items)
        if self.games and not begun:
            # Comments after the last result belong to the last game.
            self.games[-1].items += self.game.items
        elif self.game.tags or self.game.items:
            self._close_game(None)

    def _warn(self, message: str) -> None:
        self.game.warnings.append(str(self._fail(message)))

    def _take(self, match: re.Match[str]) -> None:
        """Take one token, of which one group is set."""
        kind, items = match.lastgroup, self._lists[-1]
        if kind == "space":
            self._gap |= match.group().count("\n") > 1
        elif kind == "value":
            self._take_tag(match["tag"], re.sub(r'\\(["\\])', r"\1", match["value"]))
        elif kind == "line_comment":
            items.append(Comment(match[kind].strip()))
        elif kind == "command":
            items.append(Comment(match.group()))
        elif kind == "nag":
            items.append(Nag(int(match["nag"])))
        elif kind == "mark":
            squares = [str(int(square)) for square in re.findall("[0-9]+", match["move"])]
            joint = "-" if re.search(_DASH, match["move"]) else "x"
            if (text := joint.join(squares)) in SCORES:  # written as 01-00
                raise self._fail(_syntax_error(match["move"]))
            items.append(PdnMove(text, match["mark"], self._line))
        elif kind == "loose_mark":
            move = items[-1] if items else None
            if not isinstance(move, PdnMove):
                raise self._fail(f"'{match.group()[:20]}' follows no move.")
            move.mark += match.group()
        elif kind == "result":
            self._close_game(normal_result(match["result"]))
        elif kind == "open":
            if not any(isinstance(item, PdnMove) for item in items):
                raise self._fail("a variation must follow the move it replaces.")
            if len(self._lists) > MAX_DEPTH:
                raise self._fail(f"variations are nested deeper than {MAX_DEPTH}.")
            variation = Variation()
            items.append(variation)
            self._lists.append(variation.items)
        elif kind == "close":
            if len(self._lists) == 1:
                raise self._fail("')' closes a variation that was never opened.")
            self._lists.pop()
        # Move numbers and lines that begin with % are ignored.

    def _take_tag(self, name: str, value: str) -> None:
        repeated = name in self.game.tags
        if self.game.moves or (repeated and self._gap):  # the game before has no result at its end
            self._close_game(None)
            self._begin, self.game.line = self._place, self._line
        elif repeated:
            self._warn(f"the tag {name[:40]} is given twice, and the second one counts.")
        self._gap = False
        self.game.tags[name] = normal_result(value) if name == "Result" else value

    def _take_comment(self) -> int:
        """Take a comment in braces; return where it ends."""
        first, after = self._place, bisect_right(self._tag_lines, self._place)
        # A tag on a line of its own shows that the brace was never closed.
        limit = self._tag_lines[after] if after < len(self._tag_lines) else len(self.text)
        depth = 0
        for brace in _BRACE.finditer(self.text, first, limit) if first >= self._flat else ():
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                self._lists[-1].append(Comment(self.text[first + 1 : brace.start()].strip()))
                return brace.end()
        # Not balanced: as in the standard, the comment ends at the first closing brace.
        self._flat = limit
        last = self.text.find("}", first, limit)
        if last < 0:
            raise self._fail("a comment opened by '{' is never closed.")
        self._lists[-1].append(Comment(" ".join(self.text[first + 1 : last].split())))
        return last + 1


def _syntax_error(rest: str) -> str:
    if rest[0] == "[":
        return 'a tag must look like [Name "value"].'
    return f"'{rest.split()[0]}' is neither a move nor another PDN token."
