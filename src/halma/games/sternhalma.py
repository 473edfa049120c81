"""Chinese Checkers: names, notation and drawings. Rules: `core/games/sternhalma.hpp`.

Holes are named by the column letter and the row number of the board's matrix, `a1`
being its bottom left. A position is `ROWS MOVER`: the matrix' rows from the top joined
by `/`, holes only, each `.` or the player number of its piece; then the number of the
player to move: `....222/.../111.... 1`. With `view=ids` pieces
are letters, `a` to `j` for player 1 and `A` to `J` for player 2. If several places are played
for, or in teams, once a player has finished a third part gives the order of finishing: `-1-`.
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
from halma.games.game import Contact, Game, PositionField
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
#: the points of a star, clockwise from the bottom
_POINTS = ("bottom", "lower left", "upper left", "top", "upper right", "lower right")
#: pieces in a triangle -> its rows
_TRIANGLES = {1: 1, 3: 2, 6: 3, 10: 4}


def _choice(key: str, help: str, *choices: str) -> Option:
    return Option(key, choices[0], help, choices)


OPTIONS = (
    _choice("hops", "over a neighbour, or over one piece with equal gaps", "adjacent", "mirror"),
    _choice("sideways", "whether a piece may step within its row; it may hop", "on", "off"),
    _choice("win", "target full with an own piece, or all own pieces in it", "occupy", "fill"),
    _choice("homes", "whether a piece may stop in another player's point", "free", "closed"),
    _choice("target", "whether a piece may leave its target again", "free", "locked"),
    _choice("places", "play for the first, the first two or all places", "first", "second", "all"),
    _choice("teams", "each for himself, or opposite players as partners", "off", "opposite"),
    _choice("view", "planes and policy by hole, or by piece identity", "board", "ids"),
    _choice(
        "features", "what a linear evaluation has: he2016's three, or four more", "three", "seven"
    ),
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
    "he2016-code": _rules(hops="mirror", features="seven", plies=250),
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
        if options["teams"] == "opposite":
            self.teams = tuple(core.teams)
        points = _SEATS[self.players] if name.startswith("star") else _SEATS[2]
        self.player_seats = tuple(_POINTS[point] for point in points)
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

    @property
    def prefers_search(self) -> bool:
        # On the full star, where a network takes long, only that for three is stronger at equal
        # time: docs/models.
        return self.name.startswith("star-121") and self.players != 3

    @property
    def _keeps_places(self) -> bool:
        """Whether the board alone does not say who has finished."""
        return self.options["places"] != "first" or bool(self.teams)

    def _describe(self, state: bytes) -> tuple[int, list[int], list[int]]:
        """Return the player to move, the place of each player, and the pieces by hole."""
        mover, *fields = self.core.describe(state)
        return mover, fields[: self.players], fields[self.players :]

    def format_position(self, state: bytes) -> str:
        mover, places, board = self._describe(state)
        rows = join_rows("".join(self._glyph(value) for value in board), self._rows)
        text = f"{rows} {mover + 1}"
        if any(places) and self._keeps_places:
            text += f" {''.join(str(place or '-') for place in places)}"
        return text

    def parse_position(self, text: str) -> bytes:
        contents = "rows and the player to move"
        rows, player, *places = split_fields(text, [2, 3], contents, self.start().text)
        glyphs = split_rows(rows, self._rows)
        mover = choice(player, "123456"[: self.players], "player to move")
        finished = self._read_places(places[0]) if places else [0] * self.players
        return self.compose([mover, *finished, *self._read_pieces(glyphs)])

    @property
    def piece_kinds(self) -> tuple[Piece, ...]:
        return tuple(
            Piece(0, f"player {player + 1}", str(player + 1)) for player in range(self.players)
        )

    @property
    def position_fields(self) -> tuple[PositionField, ...]:
        mover = PositionField("player to move", tuple("123456"[: self.players]))
        return (mover, PositionField("places")) if self._keeps_places else (mover,)

    def _read_places(self, text: str) -> list[int]:
        if self._keeps_places and re.fullmatch(f"[-1-6]{{{self.players}}}", text) and "1" in text:
            return [0 if place == "-" else int(place) for place in text]
        example = "'-1" + "-" * (self.players - 2) + "'"
        raise PositionError(f"'{text[:20]}' is not a list of places such as {example}.")

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
        for (*_, y, _), value in zip(self.core.holes, self._describe(state)[2], strict=True):
            if value:
                rows[(value - 1) // 16].append(y)
        if min(rows[0]) > max(rows[1]):
            return "before"
        return "after" if max(rows[0]) < min(rows[1]) else "during"

    def _coloured(self, player: int) -> str:
        return f"{self.player_names[player]} ({self.player_colours[player]})"

    def scene(self, state: bytes, move: int | None = None) -> Scene:
        mover, places, board = self._describe(state)
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
        over = self.core.terminal(state)
        caption = self._end_caption(state) if over else self._caption(mover, places)
        return Scene(
            board="holes",
            cells=self._cells,
            pieces=pieces,
            caption=caption,
            trail=() if move is None else tuple(self.core.path(state, move)),
            labels=self._labels,
        )

    def _caption(self, mover: int, places: list[int]) -> str:
        """Return who is to move, who has finished, and the others with their colours, by sides."""
        parts = [f"{self._coloured(mover)} moves"]
        parts += [
            f"{self._coloured(player)} {_finished(place, bool(self.teams))}"
            for place, player in sorted((place, player) for player, place in enumerate(places))
            if place
        ]
        others: list[str] = []
        for side in self.partners if self.players > 2 else ():
            left = [player for player in side if player != mover and not places[player]]
            named = " + ".join(f"{player + 1} {self.player_colours[player]}" for player in left)
            if left and mover in side:
                parts.insert(1, f"partner {named}")
            elif left:
                others.append(named)
        return ", ".join(parts) + ("; " if others else "") + ", ".join(others)

    def _end_caption(self, state: bytes) -> str:
        """Return who has won."""
        scores = self.core.result(state)
        winners = [player for player, score in enumerate(scores) if score == max(scores)]
        names = " and ".join(self._coloured(player) for player in winners)
        return f"{names} {'has' if len(winners) == 1 else 'have'} won"


def _finished(place: int, team: bool) -> str:
    """Return how a player has finished; in a team the partner's finish counts as well."""
    if team:
        return "has finished"
    return f"came {('first', 'second', 'third', 'fourth', 'fifth', 'sixth')[place - 1]}"


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
        all_places=options["places"] == "all",
        teams=options["teams"] == "opposite",
        ids_view=options["view"] == "ids",
        sideways=options["sideways"] == "on",
        more_features=options["features"] == "seven",
    )
    if options["places"] != "first" and players == 2:
        raise OptionError(f"'{name}' has two players, so there is no second place to play for.")
    if options["teams"] != "off":
        _check_teams(name, players, options)
    if options["view"] == "ids" and players > 2:
        raise OptionError(f"'view=ids' is for two players only, '{name}' has {players}.")
    if options["sideways"] == "off" and players > 2:
        raise OptionError(
            f"'sideways=off' is for two players, who have the same rows; '{name}' has {players}."
        )
    if options["homes"] == "closed" and rhombus:
        raise OptionError(f"'{name}' has only the players' own homes, so none can be closed.")
    build = _rhombus if rhombus else _star
    return SternhalmaGame(name, build(name, rules, *map(int, match.groups())), options)


def _check_teams(name: str, players: int, options: Mapping[str, Value]) -> None:
    """Refuse teams where nobody has a partner, or where places are not those of teams."""
    stars = "'teams=opposite' is for the stars with 4 or 6 players"
    if players == 2:
        raise OptionError(f"In '{name}' the player opposite is the only opponent: {stars}.")
    if players == 3:
        raise OptionError(
            f"In '{name}' nobody sits opposite a player, so nobody has a partner: {stars}."
        )
    if options["places"] == "second":
        allowed = "first" if players == 4 else "first or all"
        raise OptionError(
            f"'places=second' is for single players; in teams, places can be {allowed}."
        )
    if options["places"] == "all" and players == 4:
        raise OptionError(f"'{name}' has two teams, so there is no second place to play for.")


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
    point_rows, home_rows = _STARS[holes]
    overlap = home_rows > point_rows
    if players not in _SEATS or (overlap and players > 3):
        reason = ", since homes of neighbouring points overlap" if overlap else ""
        raise UnknownVariantError(
            f"There is no '{name}': a star with {holes} holes seats "
            f"{'2 or 3' if overlap else '2, 3, 4 or 6'} players{reason}."
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
    page="sternhalma",
    options=OPTIONS,
    presets=PRESETS,
    defaults=_defaults,
)
