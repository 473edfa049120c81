"""Tunings that take a second or two, for tests."""

import itertools
import os
import signal

from learn.small_runs import small

from halma.executors import InProcess
from halma.learn import train
from halma.learn.metric_names import better_direction
from halma.learn.reports.events import Handler, Iteration
from halma.tune.plan import TuningPlan
from halma.tune.space import tuned_keys

KEYS = ("learning.rate", "search.c")
#: As an option of the command line.
TINY = {
    "game": "ewn-3x3-2",
    "search.simulations": 4,
    "selfplay.games": 8,
    "truth.games": 20,
    "checkpoints.seconds": 0.0,
}


def tiny(**changes):
    """Return a recipe whose run takes a tenth of a second."""
    given = {key.replace("__", "."): value for key, value in changes.items()}
    return small().changed({**TINY, "iterations": 4, **given})


def plan_of(keys=KEYS, metric="wr_p", recipe=None, **changes):
    """Return a plan of a tiny tuning."""
    recipe = recipe or tiny()
    found = tuned_keys(recipe, keys, while_running=changes.get("sampler") == "pbt")
    return TuningPlan(recipe, found, metric, better_direction(metric) or "maximize", **changes)


def tiny_words(**changes):
    """Return the options that make trials of hsueh2023/ewn-3x3-3 tiny."""
    return [
        word for key, value in {**TINY, **changes}.items() for word in ("--set", f"{key}={value}")
    ]


def run_inline(patch):
    """Let trials run in this process."""
    patch.setattr("halma.tune.tuning.Processes", lambda workers: InProcess())


def interrupt_training(monkeypatch, number, iteration):
    """Send SIGINT to this process after an iteration of the training number `number`."""
    calls = itertools.count()

    class Interrupting(Handler):
        def handle(self, report):
            if isinstance(report, Iteration) and report.metrics["iteration"] == iteration:
                os.kill(os.getpid(), signal.SIGINT)

    def interrupted(recipe, out, handlers, **options):
        more = [Interrupting()] if next(calls) == number else []
        return train(recipe, out, [*handlers, *more], **options)

    monkeypatch.setattr("halma.tune.trial.train", interrupted)


def outcome(result):
    """Return what must not depend on interruptions: settings and values of all trials."""
    return [
        (row["trial"], row["state"], row["settings"], row["value"], row["iteration"])
        for row in result.as_dict()["history"]
    ]
