"""The inference buffer of evaluators that are plain functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from halma.search.evaluator import Array


class CallbackBuffer:
    """An inference buffer that calls a function from planes to (logits, values) in `finish`."""

    def __init__(
        self,
        evaluate: Callable[[Any], tuple[Any, Any]],
        shape: Sequence[int],
        dtype: str = "float32",
    ) -> None:
        import numpy as np

        self.planes: Array = np.zeros(tuple(shape), dtype)
        self._evaluate = evaluate
        self._number = 0

    def start(self, number: int) -> None:
        """Note the number of positions."""
        self._number = number

    def finish(self) -> tuple[Array, Array]:
        """Evaluate them."""
        return self._evaluate(self.planes[: self._number])
