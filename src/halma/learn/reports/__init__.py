"""Those who listen to a training run."""

from halma.learn.reports.console import Console
from halma.learn.reports.html import HtmlReport
from halma.learn.reports.metrics_file import MetricsFile
from halma.learn.reports.tensorboard import TensorBoard

__all__ = ["Console", "HtmlReport", "MetricsFile", "TensorBoard"]
