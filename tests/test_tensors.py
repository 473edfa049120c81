"""Files of arrays: what comes back, and what is refused."""

import os
import resource
import subprocess
import sys

import numpy as np
import pytest

from halma import tensors
from halma.errors import TensorFileError
from halma.tensors import open_tensors, write_tensors

ARRAYS = {
    "table": np.arange(24, dtype=np.float32).reshape(6, 4),
    "counts": np.arange(5, dtype=np.uint16),
    "large": np.array([2**63], np.uint64),
    "empty": np.zeros((0, 7), np.uint8),
    "step": np.array(3.0, np.float32),
}


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "x.safetensors"
    write_tensors(found, ARRAYS, {"kind": "test", "iteration": 3})
    return found


@pytest.mark.parametrize("portion", [1 << 24, 16, 1])
def test_round_trip(path, portion, monkeypatch):
    monkeypatch.setattr(tensors, "_PORTION", portion)
    file = open_tensors(path, {"kind": "test"})
    assert file.description == {"kind": "test", "iteration": 3}
    assert file.names == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        assert file[name].dtype == array.dtype
        assert np.array_equal(file[name], array) and file.shape(name) == array.shape
    assert np.array_equal(file.rows("table", 2, 4), ARRAYS["table"][2:4])
    target = np.zeros((6, 4), np.float32)
    file.copy_to("table", target)
    assert np.array_equal(target, ARRAYS["table"])


def test_other_programs_read_it(path):
    from safetensors.numpy import load_file

    found = load_file(path)
    assert all(np.array_equal(found[name], array) for name, array in ARRAYS.items())


def test_every_kind_of_damage_is_found(path):
    data = path.read_bytes()
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        with pytest.raises(TensorFileError):
            open_tensors(path, {})
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 1
        path.write_bytes(flipped)
        with pytest.raises(TensorFileError, match="is not used"):
            open_tensors(path, {})


def test_what_is_not_expected(path, tmp_path):
    with pytest.raises(TensorFileError, match="its kind is 'test', but 'other' is wanted"):
        open_tensors(path, {"kind": "other"})
    with pytest.raises(TensorFileError, match="There is no file"):
        open_tensors(tmp_path / "none.safetensors", {})
    from safetensors.numpy import save_file

    save_file(ARRAYS, tmp_path / "foreign.safetensors")
    with pytest.raises(TensorFileError, match="halma did not write it"):
        open_tensors(tmp_path / "foreign.safetensors", {})


def test_a_file_that_cannot_be_written_is_an_os_error(path):
    """The old file stays, and the error is the operating system's."""
    before = path.read_bytes()
    script = (
        "import sys, pathlib, numpy\n"
        "from halma.tensors import write_tensors\n"
        "try:\n"
        "    write_tensors(pathlib.Path(sys.argv[1]), {'x': numpy.zeros(9999)}, {})\n"
        "except OSError as error:\n"
        "    print(error.strerror)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    assert said.stdout.strip() == "File too large"
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]
