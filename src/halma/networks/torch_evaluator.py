"""Networks in torch, on a CPU or a GPU, and evaluators of one network for several threads."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Literal, get_args

import torch
from torch import Tensor

from halma.errors import HalmaError
from halma.games import game
from halma.machine import is_installed
from halma.networks.architectures.blocks import Network, for_inference
from halma.networks.export import to_onnx
from halma.networks.onnx_evaluator import OnnxEvaluator
from halma.search.evaluator import Evaluator, InferenceBuffer

if TYPE_CHECKING:
    from halma.search.evaluator import Array, Floats

Precision = Literal["float32", "bfloat16", "float16"]
#: a buffer on a GPU has CUDA graphs for this many batch sizes, each half of the one before
_GRAPH_SIZES = 4
#: groups of games that share a GPU: one's trees run while the leaves of the others are evaluated
GROUPS_ON_GPU = 4
#: held while a CUDA graph is captured, which synchronizes the device, and by what must not be
#: queued meanwhile
CAPTURING = threading.RLock()


def find_device(wanted: str) -> str:
    """Return `cpu` or `cuda`; `auto` is a GPU where there is one."""
    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if wanted not in ("cpu", "cuda"):
        raise HalmaError(f"There is no device '{wanted[:40]}': it is auto, cpu or cuda.")
    if wanted == "cuda" and not torch.cuda.is_available():
        raise HalmaError("There is no GPU that torch can use here.")
    return wanted


class TorchEvaluator(Evaluator):
    """A network in torch.

    `device` is `cpu` or `cuda`. `compiled`: on a GPU, run the network through torch.compile for
    narrow buffers, which keep their batch size; it takes a while for every new one. `graphs`: on
    a GPU, replay the work of a buffer as a CUDA graph.
    """

    def __init__(
        self,
        network: Network,
        device: str = "cpu",
        precision: Precision = "float32",
        compiled: bool = False,
        graphs: bool = True,
    ) -> None:
        known = get_args(Precision)
        if precision not in known:
            raise HalmaError(
                f"There is no precision '{precision}': it is one of {', '.join(known)}."
            )
        self.device = torch.device(find_device(device))
        self.info, self.shape = network.info, network.info.shape
        self.graphs = graphs
        self._dtype: torch.dtype = getattr(torch, precision)
        #: type of narrow values: numpy has no bfloat16, and float16 has more digits
        half = self.device.type == "cuda" and precision != "float32"
        self.output_dtype = torch.float16 if half else torch.float32
        self._model = for_inference(network).to(self.device, self._dtype)
        self._model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._of_legal = (
            torch.compile(self._forward_legal, dynamic=False) if compiled else self._forward_legal
        )
        self._own_buffer: CudaBuffer | None = None
        #: held while weights are replaced, and while a batch is queued
        self.loading = threading.Lock()

    def load(self, network: Network) -> None:
        """Take over the weights of a network of the same description, for all buffers."""
        if network.info != self.info:
            raise HalmaError("The new weights are of a network of another description.")
        weights = for_inference(network).state_dict()
        with self.loading:  # no batch may see half of the weights
            self._synchronize()
            self._model.load_state_dict(weights)
            self._synchronize()

    def _synchronize(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def _forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        x = planes.to(self._dtype, memory_format=torch.channels_last)
        policy, values = self._model(x)
        return policy.float(), values

    def _forward_legal(self, planes: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Return probabilities of legal moves (n, width) and values; `legal` is (n, 1 + width)."""
        logits, values = self._forward(planes)
        actions = legal[:, 1:].int() & 0xFFFF  # torch has few operations on uint16
        none = torch.arange(actions.shape[1], device=legal.device) >= legal[:, :1]
        policy = logits.gather(1, actions.long()).masked_fill(none, -torch.inf).softmax(1)
        return policy, values.to(self.output_dtype)

    def run(self, planes: Tensor, legal: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Evaluate positions that are on the device; the outputs stay there."""
        with torch.no_grad():
            if legal is not None:
                return self._of_legal(planes, legal)
            policy, values = self._forward(planes)
            return policy, values.float()

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        if self.device.type == "cpu":
            policy, values = self.run(torch.from_numpy(planes))
            return policy.numpy(), values.numpy()
        number = len(planes)
        if self._own_buffer is None or len(self._own_buffer.planes) < number:
            self._own_buffer = CudaBuffer(self, 1 << max(number - 1, 0).bit_length())
        self._own_buffer.planes[:number] = planes
        self._own_buffer.start(number)
        logits, values_ = self._own_buffer.finish()
        return logits.copy(), values_.copy()

    def buffer(self, capacity: int, narrow: bool = False) -> InferenceBuffer:
        """Return a buffer for batches of up to `capacity` positions, pinned on a GPU."""
        if self.device.type == "cpu":
            return super().buffer(capacity, narrow)
        return CudaBuffer(self, capacity, narrow)


class CudaBuffer:
    """Pinned memory, a stream of its own, and CUDA graphs of the work between.

    A narrow buffer gathers the policy of legal moves on the GPU: a row of logits of all actions
    takes longer to copy, and most of it is not read.
    """

    def __init__(self, evaluator: TorchEvaluator, capacity: int, narrow: bool = False) -> None:
        self._evaluator = evaluator
        self._capacity = capacity
        # Matches come before self-play, whose large batches they would have to wait for.
        priority = 0 if narrow else -1
        self._stream: Any = torch.cuda.Stream(evaluator.device, priority)  # type: ignore[no-untyped-call]
        self._done: Any = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
        info = evaluator.info
        rules = game(info.game).core
        # uint8 is enough where planes are integers, and values need no more digits than the
        # network computes with.
        planes = torch.uint8 if narrow and rules.byte_planes else torch.float32
        inputs: list[tuple[tuple[int, ...], torch.dtype]] = [((capacity, *info.shape), planes)]
        if narrow:
            inputs.append(((capacity, 1 + rules.max_moves), torch.int16))
        outputs = [
            ((capacity, rules.max_moves if narrow else info.actions), torch.float32),
            ((capacity, info.players), evaluator.output_dtype if narrow else torch.float32),
        ]
        self._pinned = [_pinned_zeros(*kind) for kind in inputs]
        self._results = [_pinned_zeros(*kind) for kind in outputs]
        self._inputs = [torch.zeros_like(x, device=evaluator.device) for x in self._pinned]
        self._graphs: dict[tuple[int, bool], Any] = {}
        self._number = 0
        self.planes: Array = self._pinned[0].numpy()
        self.legal: Array | None = self._pinned[1].numpy().view("uint16") if narrow else None
        # Compile and capture the largest batch now, before other buffers are at work.
        self.start(capacity)
        self.finish()

    def start(self, number: int) -> None:
        """Queue the evaluation of the first `number` positions; return at once."""
        self._number = number
        with self._evaluator.loading, torch.cuda.stream(self._stream):
            self.forward(number, copies=True)
            self._done.record(self._stream)

    def finish(self) -> tuple[Array, Array]:
        self._done.synchronize()
        policy, values = (result[: self._number].numpy() for result in self._results)
        return policy, values

    def forward(self, number: int, copies: bool = False) -> None:
        """Evaluate positions, with or without copying them to the device and the outputs back."""
        if not self._evaluator.graphs:
            self._work(number, copies)
            return
        sizes = (self._capacity >> k for k in reversed(range(_GRAPH_SIZES)))
        size = next(size for size in sizes if size >= number)
        if (size, copies) not in self._graphs:
            with CAPTURING:
                self._graphs[size, copies] = self._capture(size, copies)
        self._graphs[size, copies].replay()

    def _work(self, size: int, copies: bool) -> None:
        if copies:
            for pinned, given in zip(self._pinned, self._inputs, strict=True):
                given[:size].copy_(pinned[:size], non_blocking=True)
        outputs = self._evaluator.run(*(given[:size] for given in self._inputs))
        if copies:
            for result, output in zip(self._results, outputs, strict=True):
                result[:size].copy_(output, non_blocking=True)

    def _capture(self, size: int, copies: bool) -> Any:
        """Capture a batch's work; the runs before choose algorithms and may compile."""
        for _ in range(3):
            self._work(size, copies)
        self._stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        # Other threads may use the GPU meanwhile, for training for instance.
        with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
            self._work(size, copies)
        return graph


def _pinned_zeros(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    return torch.zeros(shape, dtype=dtype, pin_memory=True)


class EvaluatorPool:
    """One network for several groups that use it at the same time.

    On a CPU each group has one thread and a copy of its own; a GPU serves four groups.
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
            self.evaluators = [self._on_gpu] * GROUPS_ON_GPU
        elif is_installed("onnxruntime"):
            model = to_onnx(network)
            self.evaluators = [OnnxEvaluator(network.info, model) for _ in range(self._threads)]
        else:
            self.evaluators = [TorchEvaluator(network)] * self._threads
