"""Joins a game written in Python to the core: numpy states on its side, bytes on the other.

Kept apart from `scripted` so that numpy is loaded when the first such game is built
and not before.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from halma import _core

if TYPE_CHECKING:
    from halma.games.scripted import ScriptedGame


class States:
    """Turns states of one dtype into bytes, into plain numbers, and back."""

    def __init__(self, dtype: Any) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self._base: np.dtype[Any]
        self._shape: tuple[int, ...]
        self._base, self._shape = self.dtype.subdtype or (self.dtype, ())
        blank = np.zeros((), self.dtype)
        parts = _parts(blank)
        for part in parts:
            if part.dtype.kind not in "biu":
                raise TypeError(
                    f"A state is made of whole numbers and truth values, not of {part.dtype}."
                )
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
        """Return a state's bytes; `source` is who made it, for the complaint."""
        array = np.asarray(state)
        if array.shape == self._shape:
            if array.dtype == self._base:
                return array.tobytes()
            if not self._base.names and array.dtype.kind in "biu":
                # Sums of small numbers come out wider; they may as long as they fit.
                fitted = array.astype(self._base)
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
        """Return the state of these numbers, or raise a `ValueError` that says why not."""
        if len(numbers) != self.length:
            raise ValueError(f"a state has {self.length} numbers, not {len(numbers)}")
        state = np.zeros((), self.dtype)
        rest = iter(numbers)
        for part in _parts(state):
            low, high = (0, 1) if part.dtype.kind == "b" else _range(part.dtype)
            values = [next(rest) for _ in range(part.size)]
            for value in values:
                if not low <= value <= high:
                    raise ValueError(f"{value} does not lie between {low} and {high}")
            part[...] = np.array(values, part.dtype).reshape(part.shape)
        return state[()]


def _parts(array: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Return views of the plain arrays a structured one is made of."""
    if not array.dtype.names:
        return [array]
    return [part for name in array.dtype.names for part in _parts(array[name])]


def _range(dtype: np.dtype[Any]) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


class Bridge(_core.ScriptedGame):
    """Answers the core's questions by asking a `ScriptedGame`."""

    def __init__(self, game: ScriptedGame, states: States) -> None:
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
        self._game = game
        self._states = states

    def _initial(self) -> bytes:
        return self._states.pack(self._game.initial(), "initial()")

    def _mover(self, state: bytes) -> int:
        return _whole(
            self._game.mover(self._states.unpack(state)), "mover()", len(self._game.player_names)
        )

    def _legal(self, state: bytes) -> list[int]:
        moves = self._game.legal(self._states.unpack(state))
        return [_whole(move, "A move of legal()", _core.NO_MOVE) for move in moves]

    def _play(self, state: bytes, move: int) -> bytes:
        return self._states.pack(self._game.play(self._states.unpack(state), move), "play()")

    def _irreversible(self, state: bytes, move: int) -> bool:
        return bool(self._game.irreversible(self._states.unpack(state), move))

    def _landing(self, move: int) -> int:
        return _whole(self._game.landing(move), "landing()", 2**31)

    def _at_chance(self, state: bytes) -> bool:
        return bool(self._game.at_chance(self._states.unpack(state)))

    def _outcomes(self, state: bytes) -> list[tuple[int, float]]:
        pairs = self._game.outcomes(self._states.unpack(state))
        return [(_whole(o, "An outcome of outcomes()", 2**32), float(p)) for o, p in pairs]

    def _resolve(self, state: bytes, outcome: int) -> bytes:
        return self._states.pack(
            self._game.resolve(self._states.unpack(state), outcome), "resolve()"
        )

    def _result(self, state: bytes) -> list[float]:
        return [float(score) for score in self._game.result(self._states.unpack(state))]

    def _action(self, state: bytes, move: int) -> int:
        action = self._game.action(self._states.unpack(state), move)
        return _whole(action, "action()", self._game.actions)

    def _move(self, state: bytes, action: int) -> int:
        move = self._game.move(self._states.unpack(state), action)
        return _core.NO_MOVE if move is None else _whole(move, "move()", _core.NO_MOVE)

    def _encode(self, recent: list[bytes], repetitions: int, no_progress: float) -> bytes:
        from halma.games.scripted import Context

        states = [self._states.unpack(state) for state in recent]
        planes = np.asarray(self._game.encode(states, Context(repetitions, no_progress)), "f4")
        if planes.shape != tuple(self._game.shape):
            raise ValueError(
                f"encode() must return an array of shape {tuple(self._game.shape)}, "
                f"not {planes.shape}."
            )
        return planes.tobytes()

    def _index(self, state: bytes) -> int:
        index = self._game.index(self._states.unpack(state))
        return _whole(index, "index()", self._game.index_size)

    def _unindex(self, index: int) -> bytes:
        return self._states.pack(self._game.unindex(index), "unindex()")


def _whole(value: Any, source: str, below: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{source} must be a whole number, not {value!r}.") from None
    if not 0 <= number < below:
        raise ValueError(f"{source} must lie between 0 and {below - 1}; it is {number}.")
    return number
