"""A run of each test module's own method, made once."""

import shutil

import pytest


@pytest.fixture(scope="module")
def whole(request, tmp_path_factory):
    """A small run that nothing happened to, by the module's `train` and `small`."""
    out = tmp_path_factory.mktemp("whole") / "run"
    request.module.train(request.module.small(), out)
    return out


@pytest.fixture
def run(whole, tmp_path):
    """A copy of it."""
    return shutil.copytree(whole, tmp_path / "run")
