"""Every long command ends soon after SIGINT, at whatever instant it comes."""

import random

import pytest
from hostile.interrupting import COMMANDS, interrupt

#: Instants for each command; half of them lie within its imports.
INSTANTS = 12


@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c(name, tmp_path, tally, hostile_seed):
    rng = random.Random(f"{hostile_seed} {name}")
    slowest, faults = 0.0, []
    for number in range(INSTANTS):
        folder = tmp_path / str(number)
        folder.mkdir()
        after = rng.uniform(0, 1 if number % 2 else 6)
        ending = interrupt(COMMANDS[name], after, folder)
        if ending is None:
            continue
        tally("interrupts")
        slowest = max(slowest, ending.seconds)
        if fault := ending.fault(saves=name.startswith(("train", "tune"))):
            faults.append(f"after {after:.2f} s: {fault}")
    print(f"{name}: at most {slowest:.2f} s")
    assert not faults
