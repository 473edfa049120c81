"""The interface between searches and networks: planes in, policy logits and values out.

An evaluator evaluates positions in batches. An inference buffer holds one batch: planes are
written into it, the evaluation is started, and the outputs are read; then it is used again.
With two buffers, one can be filled while the other is evaluated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float32]]
    Array = np.ndarray[Any, np.dtype[Any]]


class InferenceBuffer(Protocol):
    """Memory for one batch of positions and its evaluation, used again and again."""

    @property
    def planes(self) -> Array:
        """Planes to be written before `start`: (capacity, planes, rows, columns)."""

    @property
    def legal(self) -> Array | None:
        """The number of legal moves and their actions, to be written before `start` as well.

        uint16 (capacity, 1 + the game's `max_moves`); None: the policy is wanted for all actions.
        """

    def start(self, number: int) -> None:
        """Start the evaluation of the first `number` positions; on a GPU, return at once."""

    def finish(self) -> tuple[Array, Array]:
        """Wait, and return what `evaluate` would; the arrays are valid until the next `start`.

        With `legal`, the first array has probabilities of legal moves: (number, `max_moves`).
        """


class Evaluator(ABC):
    """Evaluates positions."""

    #: planes, rows and columns of a position
    shape: tuple[int, int, int]
    #: type of the planes
    dtype = "float32"

    @abstractmethod
    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """Evaluate positions given as planes (n, planes, rows, columns).

        Returns policy logits (n, actions), where those of illegal moves have no meaning, and
        values (n, players): each player's expected score as a share of the highest score, in
        [0, 1], the mover first and then in turn.
        """

    def buffer(self, capacity: int, narrow: bool = False) -> InferenceBuffer:
        """Return a buffer for batches of up to `capacity` positions.

        A narrow buffer may have uint8 planes, where a game's planes are integers, float16 values,
        and `legal`; others are float32 throughout and give the logits of all actions.
        """
        return CallbackBuffer(self.evaluate, (capacity, *self.shape), self.dtype)


class CallbackBuffer:
    """A buffer that calls a function from planes to (logits, values) in `finish`."""

    legal = None

    def __init__(
        self,
        function: Callable[[Any], tuple[Any, Any]],
        shape: Sequence[int],
        dtype: str = "float32",
    ) -> None:
        import numpy as np

        self.planes: Array = np.zeros(tuple(shape), dtype)
        self._function = function
        self._number = 0

    def start(self, number: int) -> None:
        self._number = number

    def finish(self) -> tuple[Array, Array]:
        return self._function(self.planes[: self._number])


class FunctionEvaluator(Evaluator):
    """A function from planes to (logits, values) as an evaluator; `dtype` is that of planes."""

    def __init__(
        self,
        shape: tuple[int, int, int],
        function: Callable[[Any], tuple[Any, Any]],
        dtype: str = "float32",
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self._function = function

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        return self._function(planes)
