"""What a search asks of a network: planes in, policy logits and values out, in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float32]]
    Array = np.ndarray[Any, np.dtype[Any]]


class Evaluator(Protocol):
    """A network that evaluates positions, wherever it runs."""

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
        """Evaluate planes (n, planes, rows, columns).

        Returns policy logits (n, actions), where those of illegal moves have no meaning, and
        values (n, players): each player's expected score as a share of the highest score, in
        [0, 1], the mover first and then in turn.
        """

    def buffer(self, capacity: int, narrow: bool = False) -> InferenceBuffer:
        """Return a buffer for batches of up to `capacity` positions.

        A narrow buffer may have planes of uint8, for games with byte planes, and outputs of
        float16; others are float32 throughout.
        """


class InferenceBuffer(Protocol):
    """One batch of inference requests at a time, in arrays that are used again and again."""

    @property
    def planes(self) -> Array:
        """Where positions are written before `start`: (capacity, planes, rows, columns)."""

    def start(self, number: int) -> None:
        """Begin to evaluate the first `number` positions; returns at once where it can."""

    def finish(self) -> tuple[Array, Array]:
        """Return what `evaluate` would; the arrays are valid until the next `start`."""
