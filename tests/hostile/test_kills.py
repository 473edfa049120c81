"""Commands killed at failpoints, a thousand times by default."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hostile.kill_commands import COMMANDS

HARNESS = Path(__file__).with_name("kill_harness.py")
#: One process kills the commands that need the same libraries.
GROUPS = {command.modules: [] for command in COMMANDS.values()}
for command in COMMANDS.values():
    GROUPS[command.modules].append(command)


@pytest.mark.parametrize("group", GROUPS.values(), ids=lambda group: group[0].name)
def test_killed_commands_lose_nothing(group, kills, hostile_seed, tally):
    share = sum(one.weight for one in group) / sum(one.weight for one in COMMANDS.values())
    words = ["--kills", str(math.ceil(kills * share)), "--seed", str(hostile_seed)]
    process = subprocess.run(
        [sys.executable, HARNESS, *words, "--commands", *(one.name for one in group)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout, process.stderr
    found = json.loads(process.stdout)
    tally("kills", sum(found["kills"].values()))
    tally("kinds of places", len(found["places"]))
    assert not found["faults"], "\n".join(found["faults"])
