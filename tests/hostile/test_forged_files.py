"""Forged files of every format: readers refuse them with a sentence, or read something right."""

import tempfile
from pathlib import Path

import pytest
from hostile.forged_formats import all_formats
from hostile.forged_reading import check_files

#: Formats are read in as many tests, which run side by side.
PARTS = 4


@pytest.fixture(scope="module")
def formats():
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield all_formats(Path(folder))


@pytest.mark.parametrize("part", range(PARTS))
def test_forged_files(formats, part, hostile_seconds, hostile_seed, tally):
    chosen = dict(list(formats.items())[part::PARTS])
    findings = check_files(chosen, hostile_seed, seconds=hostile_seconds)
    tally("forged files", findings.files)
    assert not findings.failures, "\n".join(findings.failures.values())
    assert findings.refused > findings.files / 3
