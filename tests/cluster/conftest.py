"""Tests of clusters: several nodes on this machine. `make hostile` runs the long ones."""

from pathlib import Path

import pytest
from ray_clusters import ray_cluster


@pytest.fixture(scope="session")
def cluster():
    """A head and a node of one core each."""
    with ray_cluster(1) as cluster:
        yield cluster


def pytest_collection_modifyitems(items):
    """Try a test once more: on a busy machine Ray's own time limits end what is only slow."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.flaky(reruns=1))
