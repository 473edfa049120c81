"""Networks in onnxruntime, on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halma.errors import NetworkError, error_text
from halma.networks.callback_buffer import CallbackBuffer
from halma.search.evaluator import InferenceBuffer

if TYPE_CHECKING:
    from halma.search.evaluator import Floats


class OnnxEvaluator:
    """A network in onnxruntime, on the CPU."""

    def __init__(
        self,
        model: bytes,
        shape: tuple[int, int, int],
        actions: int,
        players: int,
        threads: int = 1,
        name: str = "This network",
    ) -> None:
        import onnxruntime

        self.shape, self.actions, self.players = shape, actions, players
        self._name = name
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # Threads that wait must not keep others from working.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(
                model, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime has a dozen kinds and no base of its own
            raise self._refusal(error) from None
        self._check()

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """Judge planes; see `Evaluator`."""
        import numpy as np

        try:
            policy, values = self._session.run(None, {"planes": planes})
        except Exception as error:
            raise self._refusal(error) from None
        if not np.isfinite(values).all():
            raise NetworkError(f"{self._name} is not used: it gives values that are no numbers.")
        return policy, values

    def buffer(self, capacity: int, narrow: bool = False) -> InferenceBuffer:
        """Return arrays for batches of up to so many positions."""
        return CallbackBuffer(self.evaluate, (capacity, *self.shape))

    def _check(self) -> None:
        """Make sure that it takes and gives what it should."""
        import numpy as np

        policy, values = self.evaluate(np.zeros((2, *self.shape), np.float32))
        right = {"policy": (policy, self.actions), "values": (values, self.players)}
        for what, (array, width) in right.items():
            if array.shape != (2, width) or array.dtype != np.float32:
                raise NetworkError(f"{self._name} is not used: its {what} have the wrong shape.")

    def _refusal(self, error: Exception) -> NetworkError:
        words = " ".join(error_text(error).split())
        return NetworkError(f"{self._name} is not used: onnxruntime says {words[:200]}.")
