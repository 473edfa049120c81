"""Calls with numbers, bytes and arrays of all kinds, for as long as the budget says."""

import time

import pytest
from hostile.border_walker import VARIANTS, walk

CALLS = 2000


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_core_refuses_what_it_cannot_work_with(variant, hostile_seconds, hostile_seed, tally):
    until = time.monotonic() + hostile_seconds / len(VARIANTS)
    seed = hostile_seed
    while time.monotonic() < until:
        assert walk(variant, CALLS, seed) == []
        tally("calls of the core", CALLS)
        seed += 1
