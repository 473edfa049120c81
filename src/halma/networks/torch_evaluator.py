"""Networks in torch as evaluators: on the CPU, or fast on a GPU."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Literal, get_args

import torch
from torch import Tensor

from halma.errors import HalmaError
from halma.games import game
from halma.networks.architectures.blocks import Network, for_inference
from halma.networks.callback_buffer import CallbackBuffer
from halma.search.evaluator import InferenceBuffer

if TYPE_CHECKING:
    from halma.search.evaluator import Floats

Precision = Literal["float32", "bfloat16", "float16"]
#: a buffer on a GPU records its work for so many sizes of batches, each half of the one before
_SIZES = 4
_RECORDING = threading.Lock()


class TorchEvaluator:
    """A network in torch.

    `device` is `cpu` or `cuda`. `compiled` lets torch.compile at it, which takes a while for
    every new size of batch. On a GPU a buffer replays its work as a CUDA graph unless `graphs`
    is off.
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
        if device.startswith("cuda") and not torch.cuda.is_available():
            raise HalmaError("There is no GPU that torch can use here.")
        self.device = torch.device(device)
        self.info = network.info
        self.shape, self.actions = network.info.shape, network.info.actions
        self.players = network.info.players
        self.graphs = graphs
        self._dtype: torch.dtype = getattr(torch, precision)
        #: the type of its answers; numpy knows no bfloat16, and float16 has more digits
        half = self.device.type == "cuda" and precision != "float32"
        self.answers = torch.float16 if half else torch.float32
        self._model = for_inference(network).to(self.device, self._dtype)
        self._model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._judge = torch.compile(self.judge, dynamic=False) if compiled else self.judge
        self._own: CudaBuffer | None = None

    def load(self, network: Network) -> None:
        """Take over the weights of a network of the same description, for all buffers."""
        if network.info != self.info:
            raise HalmaError("The new weights are of a network of another description.")
        self._wait()  # buffers have streams of their own, which must not see half of it
        self._model.load_state_dict(for_inference(network).state_dict())
        self._wait()

    def _wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def judge(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Judge planes on the device."""
        x = planes.to(self._dtype, memory_format=torch.channels_last)
        policy, values = self._model(x)
        return policy.to(self.answers), values.to(self.answers)

    def run(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Judge planes on the device, compiled where that was asked for."""
        with torch.no_grad():
            return self._judge(planes)

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """Judge planes; see `Evaluator`."""
        if self.device.type == "cpu":
            policy, values = self.run(torch.from_numpy(planes))
            return policy.numpy(), values.numpy()
        number = len(planes)
        if self._own is None or len(self._own.planes) < number:
            self._own = CudaBuffer(self, 1 << max(number - 1, 0).bit_length())
        self._own.planes[:number] = planes
        self._own.start(number)
        return tuple(array.copy() for array in self._own.finish())  # type: ignore[return-value]

    def buffer(self, capacity: int, narrow: bool = False) -> InferenceBuffer:
        """Return arrays for batches of up to so many positions; pinned ones on a GPU."""
        if self.device.type == "cpu":
            return CallbackBuffer(self.evaluate, (capacity, *self.shape))
        return CudaBuffer(self, capacity, narrow)


class CudaBuffer:
    """Pinned arrays, a stream of their own, and the work between them as CUDA graphs."""

    def __init__(self, evaluator: TorchEvaluator, capacity: int, narrow: bool = False) -> None:
        self._evaluator = evaluator
        self._capacity = capacity
        self._stream: Any = torch.cuda.Stream(evaluator.device)  # type: ignore[no-untyped-call]
        self._done: Any = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
        # Most of what a CPU does for a large GPU is to move memory: bytes do where planes are
        # whole numbers, and answers need no more digits than the network reckons with.
        whole = narrow and game(evaluator.info.game).core.byte_planes
        written = torch.uint8 if whole else torch.float32
        answers = evaluator.answers if narrow else torch.float32
        shape = (capacity, *evaluator.shape)
        self._written = torch.zeros(shape, dtype=written, pin_memory=True)
        self._policy = torch.zeros((capacity, evaluator.actions), dtype=answers, pin_memory=True)
        self._values = torch.zeros((capacity, evaluator.players), dtype=answers, pin_memory=True)
        self._input = torch.zeros(shape, dtype=written, device=evaluator.device)
        self._graphs: dict[int, tuple[Any, tuple[Tensor, Tensor]]] = {}
        self._number = 0
        self.planes: Floats = self._written.numpy()

    def start(self, number: int) -> None:
        """Send off the first so many positions; return at once."""
        self._number = number
        with torch.cuda.stream(self._stream):
            self._input[:number].copy_(self._written[:number], non_blocking=True)
            policy, values = self.forward(number)
            self._policy[:number].copy_(policy[:number], non_blocking=True)
            self._values[:number].copy_(values[:number], non_blocking=True)
            self._done.record(self._stream)

    def finish(self) -> tuple[Floats, Floats]:
        """Wait for the answers."""
        self._done.synchronize()
        return self._policy[: self._number].numpy(), self._values[: self._number].numpy()

    def forward(self, number: int) -> tuple[Tensor, Tensor]:
        """Judge so many positions that are on the device already; the answers stay there."""
        if not self._evaluator.graphs:
            return self._evaluator.run(self._input[:number])
        size = next(
            s for s in (self._capacity >> k for k in reversed(range(_SIZES))) if s >= number
        )
        if size not in self._graphs:
            # Lanes of several threads may get here together, and each waits for the device.
            with _RECORDING:
                self._graphs[size] = self._record(size)
        graph, results = self._graphs[size]
        graph.replay()
        return results

    def _record(self, size: int) -> tuple[Any, tuple[Tensor, Tensor]]:
        """Record a batch's work; the first runs choose algorithms and may compile."""
        for _ in range(3):
            self._evaluator.run(self._input[:size])
        self._stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        # Other threads may go on using the GPU meanwhile, to learn for instance.
        with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
            results = self._evaluator.run(self._input[:size])
        return graph, results
