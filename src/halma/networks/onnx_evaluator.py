"""Networks in onnxruntime, on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halma.errors import NetworkError, NetworkOutputError, error_text
from halma.networks.network_file import NetworkInfo
from halma.search.evaluator import Evaluator

if TYPE_CHECKING:
    from halma.search.evaluator import Floats

#: By how much values may lie outside [0, 1]: onnxruntime's sigmoid has results up to 1 + 1.2e-7.
_ROUNDING = 1e-6


class OnnxEvaluator(Evaluator):
    """An ONNX model in onnxruntime; `name` is used in error messages."""

    def __init__(
        self, info: NetworkInfo, model: bytes, threads: int = 1, name: str = "This network"
    ) -> None:
        import numpy as np
        import onnxruntime

        self.info, self.shape = info, info.shape
        self._name = name
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # Waiting threads must not take cores from working ones.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(
                model, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's exceptions have no common base class
            raise self._refusal(error) from None
        policy, values = self.evaluate(np.zeros((2, *self.shape), np.float32))
        outputs = {"policy": (policy, info.actions), "values": (values, info.players)}
        for output, (array, width) in outputs.items():
            if array.shape != (2, width) or array.dtype != np.float32:
                raise NetworkError(f"{name} is not used: its {output} have the wrong shape.")

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        import numpy as np

        try:
            policy, values = self._session.run(None, {"planes": planes})
        except Exception as error:
            raise self._refusal(error) from None
        if not np.isfinite(policy).all():
            raise NetworkOutputError(f"{self._name} is not used: its policy is not finite.")
        # False for NaN as well.
        if not (values.min(initial=0) >= -_ROUNDING and values.max(initial=1) <= 1 + _ROUNDING):
            raise NetworkOutputError(
                f"{self._name} is not used: its values are not all between 0 and 1."
            )
        return policy, np.clip(values, 0, 1, out=values)

    def _refusal(self, error: Exception) -> NetworkError:
        words = " ".join(error_text(error).split())
        return NetworkError(f"{self._name} is not used: onnxruntime says {words[:200]}.")
