"""Connects a game written in Python to the core: numpy states on one side, bytes on the other.

Separate from `scripted`, so that numpy is imported only when such a game is built.
"""

from __future__ import annotations

import operator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from halma import _core
from halma.errors import PositionError

if TYPE_CHECKING:
    from halma.games.scripted import ScriptedGame


#: Most moves of a position in the core.
MAX_MOVES = 512


class StateCodec:
    """Converts states of one dtype to bytes and to lists of integers, and back."""

    def __init__(self, dtype: Any) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        parts = _parts(np.zeros((), self.dtype))
        for part in parts:
            if part.dtype.kind not in "biu":
                raise TypeError(f"A state is made of integers and booleans, not of {part.dtype}.")
        if sum(part.nbytes for part in parts) != self.dtype.itemsize:
            raise TypeError("A state must not have padding: leave out align=True and offsets.")
        self.length = sum(part.size for part in parts)

    def blank(self) -> Any:
        """Return a new state that is zero everywhere."""
        return np.zeros((), self.dtype)[()]

    def unpack(self, data: bytes) -> Any:
        """Return a read-only state over these bytes."""
        return np.ndarray((), self.dtype, buffer=data)[()]

    def pack(self, state: Any, source: str) -> bytes:
        """Return a state's bytes; `source` is the method that made it, for error messages."""
        array, base = np.asarray(state), self.dtype.base
        if array.shape == self.dtype.shape:
            if array.dtype == base:
                return array.tobytes()
            if not base.names and array.dtype.kind in "biu":
                # Sums of small integers have a wider type; accepted if the values fit.
                fitted = array.astype(base)
                if np.array_equal(fitted, array):
                    return fitted.tobytes()
        raise TypeError(
            f"{source} must return a state of dtype {self.dtype}, "
            f"not {array.dtype} of shape {array.shape}."
        )

    def numbers(self, state: Any) -> list[int]:
        """Return all numbers of a state, field by field."""
        return [int(n) for part in _parts(np.asarray(state)) for n in part.ravel().tolist()]

    def from_numbers(self, numbers: list[int]) -> Any:
        """Return the state of these numbers, or raise a `PositionError`."""
        wrong = "This is not a position:"
        if len(numbers) != self.length:
            raise PositionError(f"{wrong} it has {self.length} numbers, not {len(numbers)}.")
        state = np.zeros((), self.dtype)
        rest = iter(numbers)
        for part in _parts(state):
            info = None if part.dtype.kind == "b" else np.iinfo(part.dtype)
            low, high = (0, 1) if info is None else (int(info.min), int(info.max))
            values = list(islice(rest, part.size))
            for value in values:
                if not low <= value <= high:
                    raise PositionError(f"{wrong} {value} is not between {low} and {high}.")
            part[...] = np.array(values, part.dtype).reshape(part.shape)
        return state[()]


def _parts(array: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Return views of the plain arrays of a structured array."""
    if not array.dtype.names:
        return [array]
    return [part for name in array.dtype.names for part in _parts(array[name])]


class Bridge(_core.ScriptedGame):
    """Implements the core's game by calls of a `ScriptedGame`."""

    def __init__(self, game: ScriptedGame, states: StateCodec) -> None:
        super().__init__(
            state_size=states.dtype.itemsize,
            players=len(game.player_names),
            max_score=game.max_score,
            actions=game.actions,
            shape=game.shape,
            history=game.history,
            version=game.version,
            index_size=game.index_size,
        )
        self.game = game
        self._read, self._write = states.unpack, states.pack

    def _initial(self) -> bytes:
        return self._write(self.game.initial(), "initial()")

    def _mover(self, state: bytes) -> int:
        mover = self.game.mover(self._read(state))
        return _integer(mover, "mover()", len(self.game.player_names))

    def _legal(self, state: bytes) -> list[int]:
        moves = self.game.legal(self._read(state))
        found = [_integer(move, "A move of legal()", _core.NO_MOVE) for move in moves]
        if len(found) > MAX_MOVES:
            raise ValueError(f"legal() may return at most {MAX_MOVES} moves, not {len(found)}.")
        return found

    def _play(self, state: bytes, move: int) -> bytes:
        return self._write(self.game.play(self._read(state), move), "play()")

    def _irreversible(self, state: bytes, move: int) -> bool:
        return bool(self.game.irreversible(self._read(state), move))

    def _landing(self, move: int) -> int:
        return _integer(self.game.landing(move), "landing()", 2**31)

    def _at_chance(self, state: bytes) -> bool:
        return bool(self.game.at_chance(self._read(state)))

    def _outcomes(self, state: bytes) -> list[tuple[int, float]]:
        pairs = self.game.outcomes(self._read(state))
        return [(_integer(o, "An outcome of outcomes()", 2**32), float(p)) for o, p in pairs]

    def _resolve(self, state: bytes, outcome: int) -> bytes:
        return self._write(self.game.resolve(self._read(state), outcome), "resolve()")

    def _result(self, state: bytes) -> list[float]:
        scores = [float(score) for score in self.game.result(self._read(state))]
        if len(scores) != len(self.game.player_names):
            raise ValueError(f"result() must return one score per player, not {len(scores)}.")
        return scores

    def _action(self, state: bytes, move: int) -> int:
        action = self.game.action(self._read(state), move)
        return _integer(action, "action()", self.game.actions)

    def _move(self, state: bytes, action: int) -> int:
        move = self.game.move(self._read(state), action)
        return _core.NO_MOVE if move is None else _integer(move, "move()", _core.NO_MOVE)

    def _encode(self, recent: list[bytes], repetitions: int, no_progress: float) -> bytes:
        from halma.games.scripted import EncodingContext

        states = [self._read(state) for state in recent]
        context = EncodingContext(repetitions, no_progress)
        planes = np.asarray(self.game.encode(states, context), "f4")
        shape = tuple(self.game.shape)
        if planes.shape != shape:
            raise ValueError(f"encode() must return an array of shape {shape}, not {planes.shape}.")
        return planes.tobytes()

    def _index(self, state: bytes) -> int:
        index = self.game.index(self._read(state))
        return _integer(index, "index()", self.game.index_size)

    def _unindex(self, index: int) -> bytes:
        return self._write(self.game.unindex(index), "unindex()")


def _integer(value: Any, source: str, below: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{source} must be an integer, not {value!r}.") from None
    if not 0 <= number < below:
        raise ValueError(f"{source} must lie between 0 and {below - 1}; it is {number}.")
    return number
