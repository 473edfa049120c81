"""Networks in torch: building them, keeping their weights, exporting them to play.

Only this package and the learner import torch.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError:
    from halma.learn.extra import needs

    needs("torch")
    raise

from halma.learn.networks.blocks import Network
from halma.learn.networks.build import (
    build,
    export,
    export_file,
    load,
    save,
)
from halma.learn.networks.export import TOLERANCE, check_agreement, for_playing, to_onnx
from halma.learn.networks.runner import Precision, TorchEvaluator

__all__ = [
    "TOLERANCE",
    "Network",
    "Precision",
    "TorchEvaluator",
    "build",
    "check_agreement",
    "export",
    "export_file",
    "for_playing",
    "load",
    "save",
    "to_onnx",
]
