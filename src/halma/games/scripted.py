"""The base class of games written in Python.

Such a game is slow, but every search, solver and learner works with it.
`docs/adding-a-game.md` builds one step by step; `frogs` is another.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from halma import _core
from halma.draw.scene import Cell, Piece, Scene
from halma.errors import PositionError
from halma.games.game import Game
from halma.names import Value

#: A state: a numpy value of the game's dtype. Those passed to a game are read-only.
State = Any


class EncodingContext(NamedTuple):
    """History that a network's input may show beside the last few states."""

    #: earlier occurrences of this position
    repetitions: int
    #: fraction of the no-progress limit already used, 0 to 1
    no_progress: float


class ScriptedGame(Game):
    """A game whose rules are Python methods on small numpy states.

    Declare `player_names`, `dtype` and `actions`, and write `initial`, `legal`, `play`
    and `result`; everything else has a default. What differs between variants may be set
    on `self` before calling `super().__init__(name)`. Moves and outcomes are integers of
    your choice. States are immutable: `play` and `resolve` change a `state.copy()`.
    """

    #: numpy dtype of a state, or an argument of `numpy.dtype`: integers and booleans, at
    #: most 256 bytes, for example `[("cells", "i1", (9,)), ("mover", "i1")]`
    dtype: Any = None
    #: number of policy indices
    actions: int = 0
    #: planes, rows and columns of what `encode` returns; (0, 0, 0) with the default `encode`
    shape: tuple[int, int, int] = (0, 0, 0)
    #: scores lie between 0 and this
    max_score: float = 1.0
    #: number of states `encode` uses, the current one included
    history: int = 1
    #: increase it whenever `encode`, `action` or `index` change their meaning
    version: int = 1
    #: number of indices of `index`; 0 if positions are not enumerated
    index_size: int = 0
    #: limits that end a game before its rules do
    limits: _core.Limits = _core.Limits()
    move_pattern = "[0-9]+"

    def __init__(self, name: str | None = None, options: Mapping[str, Value] | None = None) -> None:
        from halma.games.bridge import Bridge, StateCodec

        kind = type(self).__name__
        for needed in ("player_names", "dtype", "actions"):
            if not getattr(self, needed, None):
                raise TypeError(f"{kind} must declare '{needed}'.")
        if not getattr(self, "title", ""):
            self.title = kind
        self._states = StateCodec(self.dtype)
        if not any(self.shape):
            self.shape = (self._states.length, 1, 1)
        super().__init__(name or kind.lower(), Bridge(self, self._states), self.limits, options)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._identity:
            return super().__reduce__()  # found by a reference, which works in any process
        # Pickled by its class and attributes; what connects it to the core is made anew.
        attributes = {k: v for k, v in vars(self).items() if k not in ("core", "_states")}
        return _rebuild, (type(self), attributes)

    def blank(self) -> State:
        """Return a new state that is zero everywhere, to be filled in."""
        return self._states.blank()

    # Rules. The contract in core/game.hpp has the requirements on each.

    @abstractmethod
    def initial(self) -> State:
        """Return the state before the first move."""

    @abstractmethod
    def legal(self, state: State) -> Iterable[int]:
        """Return the legal moves in a fixed order; none exactly when the game is over."""

    @abstractmethod
    def play(self, state: State, move: int) -> State:
        """Return the state after a legal move."""

    @abstractmethod
    def result(self, state: State) -> Sequence[float]:
        """Return each player's score; before the end, that of a game a limit ends here."""

    def mover(self, state: State) -> int:
        """Return the player to move; at chance, the player to move after the outcome."""
        return int(state["mover"])

    def irreversible(self, state: State, move: int) -> bool:
        """Return whether no earlier position can recur after this move."""
        return False

    def landing(self, move: int) -> int:
        """Return the cell a move ends on; the cycle limit counts these cells."""
        return move

    # Chance.

    def at_chance(self, state: State) -> bool:
        """Return whether the next event is an outcome of chance."""
        return False

    def outcomes(self, state: State) -> Iterable[tuple[int, float]]:
        """Return the outcomes of chance, each with its probability."""
        raise NotImplementedError("A game with chance must write outcomes().")

    def resolve(self, state: State, outcome: int) -> State:
        """Return the state after an outcome of chance."""
        raise NotImplementedError("A game with chance must write resolve().")

    # For learning and solvers.

    def action(self, state: State, move: int) -> int:
        """Return a legal move's policy index; by default a move is its own index."""
        return move

    def move(self, state: State, action: int) -> int | None:
        """Return the move of a policy index, or None if no move has it."""
        return action

    def encode(self, recent: Sequence[State], context: EncodingContext) -> Any:
        """Return a network's input: an array of the declared shape (planes, rows, columns).

        `recent` holds the current state first, then up to `history - 1` earlier ones.
        A good encoding shows the board from the mover's side. The default is a plane of
        one cell for each number of the state.
        """
        return [[[number]] for number in self._states.numbers(recent[0])]

    def index(self, state: State) -> int:
        """Return the index of a decision state, below `index_size`."""
        raise NotImplementedError("A game with an index_size must write index().")

    def unindex(self, index: int) -> State:
        """Return a state of this index."""
        raise NotImplementedError("A game with an index_size must write unindex().")

    # For simple agents.

    def move_advance(self, state: State, move: int) -> float:
        """Return how far a legal move brings its piece forward; negative is backward.

        `greedy` plays the move that advances most. A game without it has no greedy player.
        """
        raise NotImplementedError

    # Notation and drawings.

    def format_state(self, state: State) -> str:
        """Return a state as text; the default lists its numbers."""
        return " ".join(str(number) for number in self._states.numbers(state))

    def parse_state(self, text: str) -> State:
        """Return the state of a text, or raise a `PositionError` that says what is wrong."""
        words = text.split()
        if not all(re.fullmatch(r"-?\d{1,20}", word, re.ASCII) for word in words):
            raise PositionError(f"A position is {self._states.length} integers.")
        return self._states.from_numbers([int(word) for word in words])

    def validate(self, state: State) -> None:
        """Raise a `PositionError` if a state that was read from text is impossible."""
        if not 0 <= self.mover(state) < len(self.player_names):
            raise PositionError(f"There is no player {self.mover(state)}.")

    def move_text(self, state: State, move: int) -> str:
        """Return the text of a legal move; it must match `move_pattern`."""
        return str(move)

    def outcome_text(self, state: State, outcome: int) -> str:
        """Return the text of an outcome of chance."""
        return str(outcome)

    def state_scene(self, state: State, move: int | None = None) -> Scene:
        """Return a state's drawing; the default puts its numbers in a row."""
        numbers = self._states.numbers(state)
        return Scene(
            board="squares",
            cells=tuple(Cell(x, 0, str(x)) for x in range(len(numbers))),
            pieces=tuple(
                Piece(x, "red", str(number) if 0 < number < 10 else "#", str(number))
                for x, number in enumerate(numbers)
                if number
            ),
            caption=self.caption(state),
        )

    def caption(self, state: State) -> str:
        """Return the line under a drawing: the player to move, or the result."""
        if not self.at_chance(state) and not list(self.legal(state)):
            scores = list(self.result(state))
            best = [n for n, s in zip(self.player_names, scores, strict=True) if s == max(scores)]
            return f"{best[0]} won" if len(best) == 1 else "drawn"
        return f"{self.player_names[self.mover(state)]} to move"

    # The interface of `Game`, where states are bytes, in terms of the methods above.

    def format_position(self, state: bytes) -> str:
        return self.format_state(self._states.unpack(state))

    def parse_position(self, text: str) -> bytes:
        state = self.parse_state(text)
        self.validate(state)
        return self._states.pack(state, "parse_state()")

    def format_move(self, state: bytes, move: int) -> str:
        return self.move_text(self._states.unpack(state), move)

    def format_outcome(self, state: bytes, outcome: int) -> str:
        return self.outcome_text(self._states.unpack(state), outcome)

    @property
    def has_advance(self) -> bool:
        return type(self).move_advance is not ScriptedGame.move_advance

    def advance(self, state: bytes, move: int) -> float:
        if not self.has_advance:
            return super().advance(state, move)  # which says that there is none
        return float(self.move_advance(self._states.unpack(state), move))

    def scene(self, state: bytes, move: int | None = None) -> Scene:
        return self.state_scene(self._states.unpack(state), move)


def _rebuild(kind: type[ScriptedGame], attributes: Mapping[str, Any]) -> ScriptedGame:
    """Return a game of this class with these attributes, for pickles."""
    game = kind.__new__(kind)
    vars(game).update(attributes)
    ScriptedGame.__init__(game, game.name, game.options)
    return game
