"""Trials in the process of the tests."""

import pytest
from tune.tuning_helpers import run_inline


@pytest.fixture
def inline(monkeypatch):
    run_inline(monkeypatch)
