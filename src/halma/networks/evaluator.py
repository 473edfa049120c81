"""Networks as a search sees them: planes in, policy and values out, wherever they run.

An evaluator judges positions in batches. A buffer is one batch in the making: arrays that are
written, judged and read again and again, so that with two buffers one can be filled while the
other is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float32]]
    Array = np.ndarray[Any, np.dtype[Any]]

#: logits beyond this are all alike: certain, or impossible
LARGEST_LOGIT = 80.0


class Evaluator(Protocol):
    """Something that judges positions."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Planes, rows and columns of a position."""

    @property
    def actions(self) -> int:
        """Number of policy indices."""

    @property
    def players(self) -> int:
        """Number of players."""

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """Judge planes (n, planes, rows, columns).

        Returns policy logits (n, actions), of which those of illegal moves mean nothing, and
        values (n, players): what each player is expected to score as a share of the highest
        score, in [0, 1], the mover first and then in turn.
        """

    def buffer(self, capacity: int, narrow: bool = False) -> InferenceBuffer:
        """Return arrays for batches of up to so many positions.

        A narrow buffer may have planes of uint8, where they are whole numbers, and answers of
        float16; others are float32 throughout.
        """


class InferenceBuffer(Protocol):
    """A batch of positions on its way to a judge and back, again and again."""

    @property
    def planes(self) -> Array:
        """Where positions are written before `start`: (capacity, planes, rows, columns)."""

    def start(self, number: int) -> None:
        """Begin to judge the first so many positions; where it can, return at once."""

    def finish(self) -> tuple[Array, Array]:
        """Return what `evaluate` would; the arrays hold until the next `start`."""


class CallbackBuffer:
    """A buffer that calls a function from planes to (policy, values) while it is waited for."""

    def __init__(
        self, judge: Callable[[Any], tuple[Any, Any]], shape: Sequence[int], dtype: str = "float32"
    ) -> None:
        import numpy as np

        self.planes: Array = np.zeros(tuple(shape), dtype)
        self._judge = judge
        self._number = 0

    def start(self, number: int) -> None:
        """Remember how many positions there are."""
        self._number = number

    def finish(self) -> tuple[Array, Array]:
        """Judge them."""
        return self._judge(self.planes[: self._number])


def priors(logits: Floats) -> Floats:
    """Return positive numbers in the proportions of a softmax, over whichever moves are legal.

    They are not made to add up to 1: only the search knows what is legal. Illegal moves may
    have any logits, so their largest does not set the scale.
    """
    import numpy as np

    out: Floats = logits - logits.mean(axis=1, keepdims=True)
    np.clip(out, -LARGEST_LOGIT, LARGEST_LOGIT, out=out)
    return np.exp(out, out=out)
