"""Runs with a network that take a second or two, for tests."""

import small_runs

from halma.learn.recipe import Recipe, checked

SMALL = {
    "game": "rhombus-3x3-1",
    "network": "hsueh2023:filters=4",
    "iterations": 3,
    "search.simulations": 4,
    "search.max_considered_actions": 4,
    "selfplay.games": 8,
    "selfplay.parallel_games": 4,
    "selfplay.max_plies": 12,
    "learning.replay_buffer": 20,
    "learning.batch_size": 16,
    "learning.warmup_steps": 0,
    "evaluation.every": 0,
    # Every iteration is saved.
    "checkpoints.seconds": 0.0,
}


def small(**changes) -> Recipe:
    """Return a small recipe; `search__c=2` changes `search.c`."""
    given = {key.replace("__", "."): value for key, value in changes.items()}
    return checked("small", {"method": "alphazero", **SMALL, **given})


def recipe_file(folder, **changes):
    """Write a small recipe and return its file."""
    return small_runs.write_recipe(folder, small(**changes))


def start(recipe, out, *more):
    """Start `halma train` on the processor."""
    return small_runs.start(recipe, out, "--device", "cpu", *more)


def train(recipe, out, handlers=(), **more):
    """Train on one thread."""
    from halma.learn import train as run

    return run(recipe, out, handlers, threads=1, device="cpu", **more)


def train_file(path, out):
    """Train as a file says, in a process that may be killed."""
    from halma.learn.recipe import load

    train(load(str(path)), out)
