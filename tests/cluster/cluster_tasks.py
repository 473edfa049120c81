"""Tasks for workers on nodes, which import them from here."""

import os
import signal
import time
from pathlib import Path

from halma.errors import HalmaError


def double(item):
    """Double a number; some items refuse, fail, or kill the worker."""
    if item == "refuse":
        raise HalmaError("Refused.")
    if item == "die":
        os._exit(3)
    return 2 * item


def double_with_progress(item, report):
    """Double a number, and say when half of it is done."""
    report(0.5)
    time.sleep(0.2)
    return double(item)


def save_when_interrupted(path, report):
    """Write a file when interrupted."""
    try:
        report(0.0)
        time.sleep(60)
    except KeyboardInterrupt:
        Path(path).write_text("saved")
        raise


def ask_and_save(item, channel):
    """Ask a question; with a file, again and again until interrupted, and then write it.

    Like a training run, it notices an interrupt between two questions.
    """
    question, file = item
    interrupted = []
    if file is not None:
        signal.signal(signal.SIGINT, lambda *_: interrupted.append(True))
    answer = channel.ask(question)
    while file is not None and not interrupted:
        channel.ask(question)
    if interrupted:
        Path(file).write_text("saved")
    return answer


def where(item):
    """Return the node that runs this, after a moment."""
    import ray

    time.sleep(0.1)
    return ray.get_runtime_context().get_node_id()


def slow_on_a_node(item):
    """Take a minute on the node whose id is in the file, and no time on others."""
    import ray

    file, number = item
    if ray.get_runtime_context().get_node_id() == Path(file).read_text():
        time.sleep(60)
    return number
