"""The scripts that train on a machine on which nothing is installed."""

import subprocess
import sys
from pathlib import Path

import pytest
from small_networks import recipe_file

from halma.learn import read_metrics

SCRIPTS = Path(__file__).parents[2] / "scripts"


def script(name, *options):
    """Return what a script prints; `--help` needs no torch."""
    command = [sys.executable, str(SCRIPTS / name), *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", ["gpu_train.py", "gpu_side_by_side.py"])
def test_the_scripts_explain_themselves(name):
    said = script(name, "--help")
    for option in ("--minutes", "--from", "--to", "--device", "--compile"):
        assert option in said


@pytest.mark.slow
def test_runs_side_by_side_are_known_elsewhere(tmp_path):
    path = recipe_file(tmp_path, iterations=2)
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f"""
[one]
recipe = "{path}"
threads = 1
set = ["iterations=1"]

[two]
recipe = "{path}"
threads = 1
set = ["seed=5"]
"""
    )
    here, there, out = (tmp_path / name for name in ("here", "there", "out"))
    common = ["--built", "--device", "cpu", "--minutes", "1"]
    said = script("gpu_side_by_side.py", plan, "--runs", here, "--to", out, *common)
    assert "one: " in said and "two: " in said and "failed" not in said
    assert [len(read_metrics(here / name)) for name in ("one", "two")] == [1, 2]
    assert all(part.stat().st_size <= 15 << 20 for part in out.iterdir())
    script("gpu_side_by_side.py", plan, "--runs", there, "--from", out, "--to", out, *common)
    for name in ("one", "two"):
        assert read_metrics(there / name) == read_metrics(here / name)
    plan.write_text(plan.read_text().replace("iterations=1", "iterations=2"))
    script("gpu_side_by_side.py", plan, "--runs", there, "--to", out, *common)
    assert len(read_metrics(there / "one")) == 2
