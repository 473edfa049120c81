"""Commands killed at each kind of place in their writes; `make hostile` does it more often."""

import json
import subprocess
import sys
from pathlib import Path

HARNESS = Path(__file__).parent / "hostile" / "kill_harness.py"


def test_killed_once_at_every_place():
    words = ["--commands", "show", "solve", "match"]
    done = subprocess.run([sys.executable, HARNESS, *words], capture_output=True, text=True)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    assert not found["faults"]
    assert sum(found["kills"].values()) >= 30
    assert set(found["kills"]) == {"show", "solve", "match"}
