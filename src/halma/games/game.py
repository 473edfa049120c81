"""A variant and its positions: the Python side of the contract in `core/game.hpp`."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from halma import _core
from halma.errors import (
    AmbiguousMoveError,
    ArgumentError,
    ChanceError,
    GameOverError,
    IllegalMoveError,
    MoveSyntaxError,
    PositionError,
    UnknownAgentError,
)
from halma.names import Value

if TYPE_CHECKING:
    import numpy as np

    from halma.draw.scene import Piece, Scene
    from halma.games.engine_notation import CheckerBoardNotation, HubNotation

#: Whether two armies that must pass each other have yet to meet, are in contact, or have passed.
Contact = Literal["before", "during", "after"]

#: Longest texts that are parsed; positions and moves are far shorter.
MAX_TEXT, MAX_MOVE_TEXT = 20_000, 200

#: What people write between the cells of a move: signs, spaces, or nothing in front of a letter.
_BETWEEN_CELLS = re.compile(
    r"(?<=[0-9])(?:[\s\-\u2010-\u2015\u2212:>\u00d7x]+(?=[a-z0-9])|(?=[a-z]))"
)


@dataclass(frozen=True)
class Move:
    """A move of one position: the core's number for it and its text."""

    value: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Outcome:
    """An outcome of chance: its number, probability and text."""

    value: int
    probability: float
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class PositionField:
    """A part of a position's text beside its board."""

    name: str
    #: its possible texts; none where it may be any
    choices: tuple[str, ...] = ()


class Game(ABC):
    """One variant: rules, notation and drawings. Immutable.

    Families derive from it and add notation and drawings; the rules are in `core`, where
    states are bytes and moves integers.
    """

    #: name of the family, e.g. "Chinese Checkers"
    title: str
    #: names of the players, in order
    player_names: tuple[str, ...]
    #: colours of their pieces in drawings, where the names do not tell them
    player_colours: tuple[str, ...] = ()
    #: where they sit in drawings, where more than two do
    player_seats: tuple[str, ...] = ()
    #: the team of each player, where partners share their scores; empty where there are none
    teams: tuple[int, ...] = ()
    #: regular expression of a move's text, legal or not
    move_pattern: str
    #: notations of other people's engines, where they play this game
    hub: HubNotation | None = None
    checkerboard: CheckerBoardNotation | None = None
    #: number of policy indices
    actions: int
    #: planes, rows and columns of a network's input
    shape: tuple[int, int, int]

    def __init__(
        self,
        name: str,
        core: _core.AnyGame,
        limits: _core.Limits | None = None,
        options: Mapping[str, Value] | None = None,
    ) -> None:
        #: `halma.game` finds it by this name
        self.name = name
        self._identity = ""
        self.core = core
        #: number of players
        self.players = core.players
        self.actions, self.shape = core.actions, core.shape
        self.limits = limits if limits is not None else _core.Limits()
        self.options: Mapping[str, Value] = dict(options or {})

    @property
    def identity(self) -> str:
        """The name in tables, networks and checkpoints: that of a game in a file has no path."""
        return self._identity or self.name

    def rename(self, name: str, identity: str = "") -> None:
        """Set the name that the game was found by, before anybody else sees the game."""
        self.name, self._identity = name, identity or self._identity

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled by name, because the core's object cannot be.
        from halma.games.registry import game

        return game, (self.name,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @property
    def strongest(self) -> str:
        """The strongest player of this variant: the agent's name, with what it searches a second.

        Its `nodes` or `sims` are those of the highest level of `best`. Empty: chosen by what
        the game offers.
        """
        return ""

    @property
    def prefers_search(self) -> bool:
        """Whether `strongest` is no weaker than the network with halma at equal time on a CPU."""
        return False

    @property
    def sides(self) -> int:
        """What is placed in a game: the number of teams, or of players where there are none."""
        return len(set(self.teams)) or self.players

    @property
    def partners(self) -> tuple[tuple[int, ...], ...]:
        """The players of each team; of a game without teams, every player alone."""
        teams = self.teams or range(self.players)
        return tuple(
            tuple(player for player, team in enumerate(teams) if team == side)
            for side in range(self.sides)
        )

    @property
    def seat_names(self) -> tuple[str, ...]:
        """The players as people are told of them: `player 1, red`."""
        if len(self.player_colours) != len(self.player_names):
            return self.player_names
        pairs = zip(self.player_names, self.player_colours, strict=True)
        return tuple(f"{name}, {colour}" for name, colour in pairs)

    def colours_of(self, state: bytes) -> tuple[str, ...]:
        """Return the colours of the players' pieces; none where names tell them, or not yet.

        Families override it in which play decides who has which colour.
        """
        return self.player_colours

    def start(self) -> Position:
        """Return the position before the first move; it may be at chance."""
        return Position(self, self.core.initial())

    def position(self, text: str) -> Position:
        """Read a position; the inverse of `Position.text`."""
        if len(text) > MAX_TEXT:
            raise PositionError("This text is too long to be a position.")
        return Position(self, self.parse_position(text.strip()))

    # Notation and drawings, written by each family.

    @abstractmethod
    def format_position(self, state: bytes) -> str:
        """Return the text of a state."""

    @abstractmethod
    def parse_position(self, text: str) -> bytes:
        """Return the state a text describes, or raise a `PositionError`."""

    @abstractmethod
    def format_move(self, state: bytes, move: int) -> str:
        """Return the text of a legal move."""

    def is_move_text(self, text: str) -> bool:
        """Return whether a text has the form of a move, legal or not."""
        return re.fullmatch(self.move_pattern, text) is not None

    def match_moves(self, moves: list[Move], text: str) -> list[Move]:
        """Return the legal moves that a loosely typed text may stand for.

        Families may accept short forms as well.
        """
        given = normalise_move(text)
        return [move for move in moves if normalise_move(move.text) == given]

    def format_outcome(self, state: bytes, outcome: int) -> str:
        """Return the text of an outcome of chance."""
        return str(outcome)

    @abstractmethod
    def scene(self, state: bytes, move: int | None = None) -> Scene:
        """Return the drawing of a state; `move` is a legal move to show in it."""

    # Positions in parts, for editors. Most texts are rows of glyphs, one a cell, then fields.

    @property
    def piece_kinds(self) -> tuple[Piece, ...]:
        """The pieces that an editor can place, with the glyphs of the notation.

        None where positions can be edited as text only.
        """
        return ()

    @property
    def position_fields(self) -> tuple[PositionField, ...]:
        """The parts of a position's text beside its board; the last ones may be missing."""
        return ()

    def split_position(self, text: str) -> tuple[list[str], list[str]]:
        """Return a position's text as the glyph of each cell and its fields."""
        rows, *fields = text.split()
        return list(rows.replace("/", "")), fields

    def join_position(self, glyphs: Sequence[str], fields: Sequence[str]) -> str:
        """Return the text of a position by the glyph of each cell and its fields."""
        rows = [len(row) for row in self.start().text.split()[0].split("/")]
        if len(glyphs) != sum(rows) or any(len(glyph.strip()) != 1 for glyph in glyphs):
            raise PositionError(f"The board has {sum(rows)} cells, each with one character.")
        board = iter(glyphs)
        written = ("".join(next(board) for _ in range(row)) for row in rows)
        return " ".join(["/".join(written), *(field for field in fields if field.strip())])

    # Hooks of simple agents.

    @property
    def has_advance(self) -> bool:
        """Whether `advance` is a measure of this game."""
        return _core.races(self.core)

    def advance(self, state: bytes, move: int) -> float:
        """Return how far a legal move brings its piece forward; negative is backward.

        Computed by the core where pieces race; games written in Python override it.
        """
        if not self.has_advance:
            raise UnknownAgentError(
                f"'{self.name}' has no measure of how far moves advance, which greedy agents need."
            )
        return _core.advance(self.core, state, move)

    def trailing(self, state: bytes, move: int) -> float:
        """Return how far back the piece of a legal move is; the rearmost piece has the most."""
        return _core.trailing(self.core, state, move) if _core.races(self.core) else 0.0

    def contact(self, state: bytes) -> Contact:
        """Return the phase of a race; families in which armies pass each other override it."""
        raise UnknownAgentError(
            f"In '{self.name}' armies do not pass each other, so it has no phases of contact."
        )

    def compose(self, fields: list[int]) -> bytes:
        """Return the state of the core's fields, or raise a `PositionError`."""
        try:
            return self.core.compose(fields)
        except ArgumentError as error:
            raise PositionError(str(error)) from None


@dataclass(frozen=True, eq=True)
class Position:
    """A state of a game: an immutable value that can be written, read, drawn and hashed."""

    game: Game
    state: bytes

    def __post_init__(self) -> None:
        if len(self.state) != self.game.core.state_size:
            raise PositionError(f"These bytes are not a state of '{self.game.name}'.")

    # Text and drawings.

    @property
    def text(self) -> str:
        """The position as text; `game.position(text)` gives it back."""
        return self.game.format_position(self.state)

    def __repr__(self) -> str:
        return f"<{self.game.name} {self.text!r}>"

    def __str__(self) -> str:
        from halma.draw.text import draw_text

        return draw_text(self.game.scene(self.state))

    def svg(
        self,
        move: Move | str | None = None,
        size: int = 400,
        policy: Mapping[str, float] | None = None,
    ) -> str:
        """Draw the position as SVG; a legal `move` is shown as a trail.

        With a `policy`, probabilities by move text, cells are coloured by the probability
        that a move starts or ends there.
        """
        from halma.draw.svg import draw_svg

        shown = None if move is None else self.find(move).value
        scene = self.game.scene(self.state, shown)
        if policy is not None:
            scene = replace(scene, heat=self.heat(policy))
        return draw_svg(scene, size=size)

    def heat(self, policy: Mapping[str, float]) -> tuple[float, ...]:
        """Return for each cell of the drawing the probability that a move starts or ends there."""
        heat = [0.0] * len(self.game.scene(self.state).cells)
        for move in self.legal_moves:
            path = self.path(move)
            for cell in {*path[:1], *path[-1:]}:
                heat[cell] += policy.get(move.text, 0.0)
        return tuple(heat)

    def path(self, move: Move) -> tuple[int, ...]:
        """Return the cells of a legal move in the drawing, first to last.

        A move on one cell, such as turning a piece up, has that one; a pass has none.
        """
        scene = self.game.scene(self.state, move.value)
        if scene.trail:
            return scene.trail
        marked = self.game.scene(self.state).marks
        return tuple(cell for cell in scene.marks if cell not in marked)

    def _repr_svg_(self) -> str:
        return self.svg()

    # Player to move and result.

    @property
    def mover(self) -> int:
        """The player to move; at chance, the player to move after the outcome."""
        return self.game.core.mover(self.state)

    @property
    def is_chance(self) -> bool:
        """Whether the next event is an outcome of chance."""
        return self.game.core.at_chance(self.state)

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over by its own rules."""
        return not self.is_chance and self.game.core.terminal(self.state)

    @property
    def result(self) -> tuple[float, ...]:
        """Scores, one per player; before the end, those of a game that a limit ends here."""
        return tuple(self.game.core.result(self.state))

    # Moves.

    @property
    def legal_moves(self) -> list[Move]:
        """All legal moves in a fixed order; none at chance or at the end."""
        if self.is_chance:
            return []
        format_move = self.game.format_move
        return [Move(m, format_move(self.state, m)) for m in self.game.core.legal(self.state)]

    def find(self, move: Move | str) -> Move:
        """Return the legal move of a text, or raise the `MoveError` that says why there is none.

        Texts are read loosely: `A4-B4`, `a4 b4` and `a4b4` are `a4-b4`.
        """
        text = str(move).strip()
        if self.is_chance:
            raise ChanceError(f"'{text[:40]}' cannot be played: an outcome of chance is next.")
        if len(text) > MAX_MOVE_TEXT:
            raise MoveSyntaxError(f"'{text[:40]}...' is too long to be a move.")
        legal = self.legal_moves
        if isinstance(move, Move):
            found = [m for m in legal if m == move]
        else:
            found = [m for m in legal if m.text == text] or self.game.match_moves(legal, text)
        if len(found) == 1:
            return found[0]
        if found:
            choices = ", ".join(m.text for m in found[:6])
            raise AmbiguousMoveError(f"'{text}' may mean {choices}; write the move in full.")
        if not any(map(self.game.is_move_text, (text, normalise_move(text)))):
            raise MoveSyntaxError(f"'{text[:40]}' is not a move in this game's notation.")
        if not legal:
            raise GameOverError(f"'{text}' cannot be played: the game is over.")
        raise IllegalMoveError(f"'{text}' is not legal here. Legal: {_list(legal, 4)}.")

    def play(self, move: Move | str) -> Position:
        """Return the position after a legal move."""
        return Position(self.game, self.game.core.play(self.state, self.find(move).value))

    # Chance.

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of chance with their probabilities; none when a player is to move."""
        if not self.is_chance:
            return []
        game = self.game
        return [
            Outcome(value, probability, game.format_outcome(self.state, value))
            for value, probability in game.core.outcomes(self.state)
        ]

    def find_outcome(self, outcome: Outcome | str) -> Outcome:
        """Return the possible outcome of a text, or raise a `ChanceError`."""
        text, possible = str(outcome), self.outcomes
        if not possible:
            raise ChanceError("This position is not at chance.")
        for candidate in possible:
            if candidate == outcome or candidate.text == text.strip():
                return candidate
        raise ChanceError(f"'{text[:40]}' cannot happen here. Possible: {_list(possible, 8)}.")

    def resolve(self, outcome: Outcome | str) -> Position:
        """Return the position after an outcome of chance."""
        return Position(
            self.game, self.game.core.resolve(self.state, self.find_outcome(outcome).value)
        )

    # For learning and solvers.

    def encode(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the planes of this position alone: float32 (planes, rows, columns)."""
        return self.game.core.encode([self.state])

    def action(self, move: Move | str) -> int:
        """Return the policy index of a legal move, as seen by the mover."""
        return self.game.core.action(self.state, self.find(move).value)

    def move_of(self, action: int) -> Move | None:
        """Return the legal move of a policy index, if there is one."""
        if not 0 <= action < self.game.actions or self.is_chance:
            return None
        value = self.game.core.move(self.state, action)
        if value == _core.NO_MOVE or value not in self.game.core.legal(self.state):
            return None
        return Move(value, self.game.format_move(self.state, value))

    @property
    def key(self) -> int:
        """A 64-bit hash, equal for equal positions."""
        return self.game.core.key(self.state)

    @property
    def index(self) -> int | None:
        """The dense index of a decision position, if the variant can be enumerated."""
        if self.game.core.index_size == 0 or self.is_chance or self.is_terminal:
            return None
        return self.game.core.index(self.state)

    def perft(self, depth: int) -> int:
        """Count the leaves of the game tree `depth` moves below, 0 to 64."""
        return self.game.core.perft(self.state, depth)


def normalise_move(text: str) -> str:
    """Return a move as people type it in one form: lower case, `-` between its cells."""
    return _BETWEEN_CELLS.sub("-", text.strip().lower())


def _list(choices: Sequence[Move | Outcome], most: int) -> str:
    more = f" and {len(choices) - most} more" if len(choices) > most else ""
    return ", ".join(choice.text for choice in choices[:most]) + more
