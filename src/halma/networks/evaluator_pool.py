"""Evaluators of one network for several groups of games, on a CPU or on a GPU."""

from __future__ import annotations

from importlib.util import find_spec

from halma.networks.architectures.blocks import Network
from halma.networks.export import to_onnx
from halma.networks.onnx_evaluator import OnnxEvaluator
from halma.networks.torch_evaluator import TorchEvaluator
from halma.search.evaluator import Evaluator

#: groups of games that share a GPU: one's trees run while the other's leaves are evaluated
_GROUPS_ON_GPU = 2


class EvaluatorPool:
    """One network for several groups that use it at the same time.

    On a CPU each group has one thread and a copy of its own; a GPU serves two groups.
    """

    def __init__(self, network: Network, device: str, threads: int, compiled: bool = False) -> None:
        self._threads = threads
        self._on_gpu: TorchEvaluator | None = None
        if device == "cuda":
            self._on_gpu = TorchEvaluator(network, device, "bfloat16", compiled)
        self.load(network)

    def load(self, network: Network) -> None:
        """Take over the weights of a network."""
        #: one for each group
        self.evaluators: list[Evaluator]
        if self._on_gpu is not None:
            self._on_gpu.load(network)
            self.evaluators = [self._on_gpu] * _GROUPS_ON_GPU
        elif find_spec("onnxruntime") is not None:
            model = to_onnx(network)
            self.evaluators = [OnnxEvaluator(network.info, model) for _ in range(self._threads)]
        else:
            self.evaluators = [TorchEvaluator(network)] * self._threads
