"""Those who listen to a training run."""

from halma.learn.handlers.console import Console
from halma.learn.handlers.html import HtmlReport
from halma.learn.handlers.jsonl import MetricsFile
from halma.learn.handlers.tensorboard import TensorBoard

__all__ = ["Console", "HtmlReport", "MetricsFile", "TensorBoard"]
