"""Networks as self-play and matches use them, on a CPU or on a GPU."""

from __future__ import annotations

from importlib.util import find_spec

import torch

from halma.errors import HalmaError
from halma.networks.architectures.blocks import Network
from halma.networks.export import to_onnx
from halma.networks.onnx_evaluator import OnnxEvaluator
from halma.networks.torch_evaluator import TorchEvaluator
from halma.search.evaluator import Evaluator

#: groups of games that take turns at a GPU
_GROUPS_ON_GPU = 2


def find_device(wanted: str) -> str:
    """Return `cpu` or `cuda`; `auto` is a GPU where there is one."""
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if wanted not in ("cpu", "cuda"):
        raise HalmaError(f"There is no device '{wanted[:40]}': it is auto, cpu or cuda.")
    if wanted == "cuda" and not torch.cuda.is_available():
        raise HalmaError("There is no GPU that torch can use here.")
    return wanted


class EvaluatorPool:
    """One network for a number of groups that ask at the same time.

    On a CPU each group has one thread and a copy of its own; a GPU serves two groups.
    """

    def __init__(self, network: Network, device: str, threads: int, compiled: bool = False) -> None:
        self._device = device
        self._threads = threads
        self._on_gpu: TorchEvaluator | None = None
        if device == "cuda":
            self._on_gpu = TorchEvaluator(network, device, "bfloat16", compiled)
        self.load(network)

    def load(self, network: Network) -> None:
        """Take over new weights."""
        if self._on_gpu is not None:
            self._on_gpu.load(network)
            self.evaluators: list[Evaluator] = [self._on_gpu] * _GROUPS_ON_GPU
        elif find_spec("onnxruntime") is not None:
            model, info = to_onnx(network), network.info
            self.evaluators = [
                OnnxEvaluator(model, info.shape, info.actions, info.players)
                for _ in range(self._threads)
            ]
        else:
            self.evaluators = [TorchEvaluator(network)] * self._threads

    @property
    def one(self) -> Evaluator:
        """An evaluator for whoever comes alone."""
        return self.evaluators[0]
