"""Small runs on a cluster, and what must hold of every one of them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "learn"))

from small_networks import small

from halma.cluster.connection import Cluster
from halma.learn import read_metrics, train
from halma.learn.replay_buffer import GameFiles

#: All games stay in the run directory.
KEPT = {"learning__replay_buffer": 1_000_000}


def distributed(recipe, out, cluster, handlers=(), **more):
    """Train on a cluster."""
    with Cluster(cluster.address, ("torch", "onnx")) as connection:
        return train(recipe, out, handlers, device="cpu", cluster=connection, **more)


def small_run(**changes):
    """Return a recipe whose games take a moment."""
    return small(**{"selfplay__games": 40, "learning__batch_size": 256, **KEPT, **changes})


def check_games(recipe, out):
    """Every game of every iteration is there once, and nothing is left of parts."""
    files, number = GameFiles(out, recipe.game), recipe.settings.selfplay.games
    metrics = read_metrics(out)
    assert [line["iteration"] for line in metrics] == list(range(1, recipe.settings.iterations + 1))
    assert {line["games"] for line in metrics} == {number}
    for line in metrics:
        iteration = line["iteration"]
        games, _ = files.read(iteration)
        assert games.numbers.tolist() == list(range((iteration - 1) * number, iteration * number))
    assert not list((out / "games").glob("*.part-*"))


def games_by_number(games):
    """Return the moves and policies of games by their numbers."""
    return {
        int(number): (
            games.events(place),
            games.part(place, place + 1).policy_weights.tobytes(),
        )
        for place, number in enumerate(games.numbers)
    }
