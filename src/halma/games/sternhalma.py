"""Chinese Checkers: names, notation and drawings. Rules: `core/games/sternhalma.hpp`.

Holes are named by the column letter and the row number of the board's matrix, `a1`
being its bottom left. A position is `ROWS MOVER`: the matrix' rows from the top joined
by `/`, holes only, each `.` or the player number of its piece; then the number of the
player to move: `....222/.../111.... 1`. With `view=ids` pieces
are letters, `a` to `j` for player 1 and `A` to `J` for player 2. With `places=second`,
once a player has finished, a third part gives the places: `-1-`.
A move is `a3-c3`, whatever its hops; a pass is `pass`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from halma import _core
from halma.draw.palette import PLAYERS
from halma.draw.scene import Cell, Piece, Scene
from halma.errors import OptionError, PositionError, UnknownVariantError
from halma.games.family import SIZE, Family, choice, join_rows, split_fields, split_rows
from halma.games.game import Contact, Game
from halma.names import Option, Value

_RHOMBUS = re.compile(f"rhombus-{SIZE}x{SIZE}-{SIZE}")
_STAR = re.compile(f"star-{SIZE}-{SIZE}p")
_PASS = 0xFFFF
_Core = _core.SmallSternhalma | _core.LargeSternhalma
_Rules = _core.SternhalmaOptions

#: holes of a star -> rows of a point, rows of a home
_STARS = {37: (2, 3), 73: (3, 3), 121: (4, 4)}
#: players -> the points they start from, clockwise from the bottom
_SEATS = {2: [0, 3], 3: [0, 2, 4], 4: [0, 1, 3, 4], 6: [0, 1, 2, 3, 4, 5]}
#: pieces in a triangle -> its rows
_TRIANGLES = {1: 1, 3: 2, 6: 3, 10: 4}


def _choice(key: str, help: str, *choices: str) -> Option:
    return Option(key, choices[0], help, choices)


OPTIONS = (
    _choice("hops", "over a neighbour, or over one piece with equal gaps", "adjacent", "mirror"),
    _choice("win", "target full with an own piece, or all own pieces in it", "occupy", "fill"),
    _choice("homes", "whether a piece may stop in another player's point", "free", "closed"),
    _choice("target", "whether a piece may leave its target again", "free", "locked"),
    _choice("places", "play for the first place only, or on for the second", "first", "second"),
    _choice("view", "planes and policy by hole, or by piece identity", "board", "ids"),
    Option("plies", 1000, "moves of all players after which the game ends; 0: none", high=10**6),
    _choice("cycle", "stop if the last 16 moves end on fewer than 6 holes", "off", "on"),
)


def _rules(**changes: Value) -> Mapping[str, Value]:
    """Return the standard rules with some options changed."""
    return {option.key: option.default for option in OPTIONS} | changes


PRESETS = {
    "standard": _rules(),
    "liu2019": _rules(hops="mirror", win="fill", view="ids", plies=100, cycle="on"),
    "he2016": _rules(win="fill"),
    "schulte2021": _rules(win="fill", homes="closed", target="locked", places="second", plies=120),
}


class SternhalmaGame(Game):
    """Chinese Checkers on a rhombus or a star."""

    title = "Chinese Checkers"
    move_pattern = "[a-q][0-9]{1,2}-[a-q][0-9]{1,2}|pass"
    core: _Core

    def __init__(self, name: str, core: _Core, options: Mapping[str, Value]) -> None:
        cycle = options["cycle"] == "on"
        limits = _core.Limits(
            plies=int(options["plies"]),
            cycle_window=16 if cycle else 0,
            cycle_landings=6 if cycle else 0,
        )
        super().__init__(name, core, limits, options)
        self.player_names = tuple(f"player {n + 1}" for n in range(self.players))
        self.player_colours = PLAYERS[: self.players]
        holes = core.holes
        rows = max(row for row, *_ in holes) + 1
        self._names = [f"{'abcdefghijklmnopq'[column]}{rows - row}" for row, column, *_ in holes]
        # Row lengths, for reading and writing the matrix.
        self._rows = [sum(1 for row, *_ in holes if row == r) for r in range(rows)]

    @property
    def strongest(self) -> str:
        if self.players == 2:
            return "alphabeta:nodes=1000000"
        return "paranoid:nodes=2000000"

    def format_position(self, state: bytes) -> str:
        mover, first, second, *board = self.core.describe(state)
        rows = join_rows("".join(self._glyph(value) for value in board), self._rows)
        text = f"{rows} {mover + 1}"
        if first and self.options["places"] == "second":
            places = ["2" if second >> player & 1 else "-" for player in range(self.players)]
            places[first - 1] = "1"
            text += f" {''.join(places)}"
        return text

    def parse_position(self, text: str) -> bytes:
        contents = "rows and the player to move"
        rows, player, *places = split_fields(text, [2, 3], contents, self.start().text)
        glyphs = split_rows(rows, self._rows)
        mover = choice(player, "123456"[: self.players], "player to move")
        first, second = self._read_places(places[0]) if places else (0, 0)
        return self.compose([mover, first, second, *self._read_pieces(glyphs)])

    def _read_places(self, text: str) -> tuple[int, int]:
        well_formed = len(text) == self.players and set(text) <= set("-12")
        if self.options["places"] != "second" or not well_formed or text.count("1") != 1:
            raise PositionError(f"'{text[:20]}' is not a list of places such as '-1-'.")
        second = sum(1 << player for player, place in enumerate(text) if place == "2")
        return text.index("1") + 1, second

    def _read_pieces(self, glyphs: str) -> list[int]:
        """Return the core's piece numbers; those without identity by reading order."""
        board = [0] * len(glyphs)
        anonymous: dict[int, list[int]] = {}
        for hole, glyph in enumerate(glyphs):
            if glyph == ".":
                continue
            if glyph in "123456":
                anonymous.setdefault(int(glyph) - 1, []).append(hole)
            elif self.options["view"] == "ids" and glyph in "abcdefghijABCDEFGHIJ":
                player = 1 if glyph.isupper() else 0
                board[hole] = 1 + 16 * player + "abcdefghij".index(glyph.lower())
            else:
                raise PositionError(f"'{glyph}' is neither a piece nor an empty hole (.).")
        for player, holes in anonymous.items():
            if len(holes) > 16:
                raise PositionError(f"Player {player + 1} has {len(holes)} pieces.")
            # Ids are given as at the start: in the order the player reads its own view.
            if player < self.players:
                holes.sort(key=self.core.views[player].__getitem__)
            for number, hole in enumerate(holes):
                board[hole] = 1 + 16 * player + number
        return board

    def _glyph(self, value: int) -> str:
        if value == 0:
            return "."
        player, number = divmod(value - 1, 16)
        if self.options["view"] == "ids":
            return ("abcdefghij", "ABCDEFGHIJ")[player][number]
        return str(player + 1)

    def format_move(self, state: bytes, move: int) -> str:
        if move == _PASS:
            return "pass"
        return f"{self._names[move & 0xFF]}-{self._names[move >> 8]}"

    @cached_property
    def _cells(self) -> tuple[Cell, ...]:
        tints = {hole: f"home {p + 1}" for p, home in enumerate(self.core.homes) for hole in home}
        return tuple(
            Cell(x2 / 2, y, name, tints.get(hole, "plain"))
            for hole, (name, (_, _, x2, y, _)) in enumerate(
                zip(self._names, self.core.holes, strict=True)
            )
        )

    @cached_property
    def _labels(self) -> tuple[tuple[float, float, str], ...]:
        """Letters below the columns, one step further; numbers left of the rows."""
        low: dict[str, Cell] = {}
        begin: dict[str, Cell] = {}
        for cell in sorted(self._cells, key=lambda c: (c.y, c.x)):
            low[cell.name[0]] = cell  # a column runs down to the right
        for cell in self._cells:
            begin.setdefault(cell.name[1:], cell)
        letters = [(cell.x + 0.5, cell.y + 1, letter) for letter, cell in sorted(low.items())]
        if self.name.startswith("rhombus"):
            numbers = [(cell.x - 0.5, cell.y + 1, number) for number, cell in begin.items()]
        else:
            # In a star's notches letters are close to the rows: keep away from them.
            left = min(cell.x for cell in self._cells) - 1
            numbers = [(left, cell.y, number) for number, cell in begin.items()]
        return (*letters, *numbers)

    def contact(self, state: bytes) -> Contact:
        """Compare drawn rows: player 1 moves up, player 2 down."""
        if self.players != 2:
            return super().contact(state)
        rows: tuple[list[int], list[int]] = ([], [])
        for (*_, y, _), value in zip(self.core.holes, self.core.describe(state)[3:], strict=True):
            if value:
                rows[(value - 1) // 16].append(y)
        if min(rows[0]) > max(rows[1]):
            return "before"
        return "after" if max(rows[0]) < min(rows[1]) else "during"

    def _coloured(self, player: int) -> str:
        return f"{self.player_names[player]} ({self.player_colours[player]})"

    def scene(self, state: bytes, move: int | None = None) -> Scene:
        mover, first, _, *board = self.core.describe(state)
        pieces = tuple(
            Piece(
                hole,
                f"player {(value - 1) // 16 + 1}",
                self._glyph(value),
                str((value - 1) % 16 + 1) if self.options["view"] == "ids" else "",
            )
            for hole, value in enumerate(board)
            if value
        )
        caption = f"{self._coloured(mover)} moves"
        if first:
            caption += f", {self._coloured(first - 1)} came first"
        if self.core.terminal(state):
            caption = f"{self._coloured(first - 1)} has won"
        elif self.players > 2:
            others = [player for player in range(self.players) if player not in (mover, first - 1)]
            caption += "; " + ", ".join(f"{p + 1} {self.player_colours[p]}" for p in others)
        return Scene(
            board="holes",
            cells=self._cells,
            pieces=pieces,
            caption=caption,
            trail=() if move is None else tuple(self.core.path(state, move)),
            labels=self._labels,
        )


def _build(name: str, options: Mapping[str, Value]) -> Game | None:
    rhombus, star = _RHOMBUS.fullmatch(name), _STAR.fullmatch(name)
    if not (match := rhombus or star):
        return None
    players = int(star[2]) if star else 2
    rules = _Rules(
        mirror_hops=options["hops"] == "mirror",
        occupy=options["win"] == "occupy",
        closed_points=options["homes"] == "closed",
        locked_target=options["target"] == "locked",
        second_place=options["places"] == "second",
        ids_view=options["view"] == "ids",
    )
    if options["places"] == "second" and players == 2:
        raise OptionError(f"'{name}' has two players, so there is no second place.")
    if options["view"] == "ids" and players > 2:
        raise OptionError(f"'view=ids' is for two players only, '{name}' has {players}.")
    if options["homes"] == "closed" and rhombus:
        raise OptionError(f"'{name}' has only the players' own homes, so none can be closed.")
    build = _rhombus if rhombus else _star
    return SternhalmaGame(name, build(name, rules, *map(int, match.groups())), options)


def _rhombus(name: str, rules: _Rules, side: int, other: int, pieces: int) -> _Core:
    if side != other:
        raise UnknownVariantError(f"There is no '{name}': a rhombus has equal sides.")
    if pieces not in _TRIANGLES:
        raise UnknownVariantError(f"There is no '{name}': a home holds 1, 3, 6 or 10 pieces.")
    try:
        return _core.sternhalma_rhombus(side, _TRIANGLES[pieces], rules)
    except ValueError:
        raise UnknownVariantError(
            f"There is no '{name}': sides go from 2 to 15, and homes of {pieces} need "
            f"at least {_TRIANGLES[pieces] + 1}."
        ) from None


def _star(name: str, rules: _Rules, holes: int, players: int) -> _Core:
    if holes not in _STARS:
        raise UnknownVariantError(f"There is no '{name}': stars have 37, 73 or 121 holes.")
    if players not in _SEATS:
        raise UnknownVariantError(f"There is no '{name}': a star seats 2, 3, 4 or 6 players.")
    point_rows, home_rows = _STARS[holes]
    if home_rows > point_rows and players > 3:
        raise UnknownVariantError(
            f"There is no '{name}': homes of neighbouring players overlap; it seats 2 or 3."
        )
    return _core.sternhalma_star(point_rows, home_rows, _SEATS[players], rules)


def _defaults(name: str) -> Mapping[str, Value]:
    """Return schulte2021's rules for its board."""
    return PRESETS["schulte2021"] if name == "star-37-3p" else {}


FAMILY = Family(
    title=SternhalmaGame.title,
    pattern="rhombus-SxS-P (side, pieces a side), star-HOLES-Np (37, 73 or 121 holes)",
    variants={
        "rhombus-4x4-3": "small enough to solve at once",
        "rhombus-5x5-3": "a short game",
        "rhombus-6x6-6": "he2016's board",
        "rhombus-7x7-3": "280 million positions",
        "rhombus-7x7-6": "liu2019's board",
        "star-37-3p": "schulte2021's board and rules",
        "star-73-2p": "a small star for two",
        "star-121-2p": "the real board for two",
        "star-121-3p": "the real board for three",
        "star-121-4p": "the real board for four",
        "star-121-6p": "the real board for six",
    },
    build=_build,
    options=OPTIONS,
    presets=PRESETS,
    defaults=_defaults,
)
