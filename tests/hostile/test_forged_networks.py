"""Forged network files are refused in one sentence, or run within bounds."""

import random

import pytest
from hostile.network_checks import check_models, check_weights


def test_forged_models(tmp_path, hostile_seconds, hostile_seed, tally):
    rng = random.Random(hostile_seed)
    tally("forged files", check_models(tmp_path, rng, seconds=hostile_seconds))


def test_forged_weights(tmp_path, hostile_seconds, hostile_seed, tally):
    pytest.importorskip("torch")
    rng = random.Random(hostile_seed)
    tally("forged files", check_weights(tmp_path, rng, seconds=hostile_seconds / 2))
