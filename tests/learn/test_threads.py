"""What of a run depends on the number of threads."""

import numpy as np
import pytest
from small_networks import small

from halma.learn import train
from halma.learn.metrics import read_metrics
from halma.tensors import list_iterations, open_tensors


def arrays_of(folder):
    """Return the arrays of every iteration's file in a folder, oldest first."""
    return [open_tensors(path, {}).arrays() for _, path in reversed(list_iterations(folder))]


def assert_equal(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name], name)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return a function that trains on a number of threads, and returns the run directory."""

    def run(threads, **changes):
        out = tmp_path_factory.mktemp("run") / "run"
        train(small(**changes), out, (), threads=threads, device="cpu")
        return out

    return run


@pytest.mark.parametrize("threads", [2, 8])
def test_self_play_of_one_network_does_not_depend_on_threads(trained, threads):
    more = {"game": "rhombus-4x4-3", "network": "modern:size=s", "search__simulations": 16}
    one, several = (trained(n, **more, iterations=1) for n in (1, threads))
    for ours, theirs in zip(arrays_of(one / "games"), arrays_of(several / "games"), strict=True):
        assert_equal(ours, theirs)


@pytest.mark.parametrize("threads", [2, 8])
def test_a_deterministic_run_does_not_depend_on_threads(trained, threads):
    one, several = (trained(n, learning__deterministic=True) for n in (1, threads))
    for folder in ("games", "checkpoints"):
        ours, theirs = arrays_of(one / folder), arrays_of(several / folder)
        assert len(ours) == len(theirs) > 1
        for mine, other in zip(ours, theirs, strict=True):
            assert_equal(mine, other)
    for key in ("policy_loss", "value_loss", "evaluations", "mean_plies"):
        assert [line[key] for line in read_metrics(one)] == [
            line[key] for line in read_metrics(several)
        ]
