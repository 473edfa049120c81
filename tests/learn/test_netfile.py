"""Network files: what they say of themselves, and every way to refuse one."""

import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_network import tiny_model, tiny_network

import halma
from halma.errors import HalmaError, NetworkError, OptionError
from halma.learn import onnxfile, safetensors
from halma.learn.architectures import ARCHITECTURES, architecture
from halma.learn.netfile import (
    KEY,
    describe,
    new_network,
    read_info,
    read_model,
    read_weights,
    write_weights,
)
from halma.learn.wire import bytes_field, number_field
from halma.search.evaluators import OnnxEvaluator

GAME = halma.game("rhombus-4x4-3")
ARRAYS = {
    "layer.weight": np.arange(12, dtype=np.float32).reshape(3, 4),
    "layer.count": np.array(7, dtype=np.int64),
}


@pytest.fixture
def model(tmp_path):
    return tiny_network(GAME, tmp_path / "x.onnx", about={"games": 12})


@pytest.fixture
def weights(tmp_path):
    write_weights(tmp_path / "x.safetensors", describe(GAME, "modern:size=s"), ARRAYS)
    return tmp_path / "x.safetensors"


def refusal(read, *given):
    """Return the one sentence with which something is refused."""
    with pytest.raises(NetworkError) as caught:
        read(*given)
    words = str(caught.value)
    assert "\n" not in words and words.isprintable()
    assert words.endswith(".")
    return words


def test_what_is_written_is_read(model, weights):
    info = read_info(model)
    assert info == describe(GAME, "modern:size=s") and info.about == {"games": 12}
    assert info.shape == (3, 4, 4) and info.actions == 161 and info.players == 2
    assert read_model(model)[0] == info
    found, arrays = read_weights(weights)
    assert found == read_info(weights) == describe(GAME, "modern:size=s")
    assert {name: array.dtype for name, array in arrays.items()} == {
        name: array.dtype for name, array in ARRAYS.items()
    }
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)


def test_others_read_our_safetensors(weights):
    library = pytest.importorskip("safetensors.numpy")
    loaded = library.load_file(weights)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(loaded[name], array)


def test_we_read_others_safetensors():
    library = pytest.importorskip("safetensors.numpy")
    metadata, arrays, _ = safetensors.unpack(library.save(ARRAYS, {"who": "else"}))
    assert metadata == {"who": "else"}
    assert set(arrays) == set(ARRAYS)


def test_others_read_our_onnx(model):
    library = pytest.importorskip("onnx")
    library.checker.check_model(str(model), full_check=True)
    properties = {p.key: p.value for p in library.load(str(model)).metadata_props}
    assert json.loads(properties[KEY])["game"] == GAME.name


def test_the_wrong_game_options_and_version_are_refused(tmp_path, model):
    info = read_info(model)
    info.check(GAME, model)
    for other in ("rhombus-5x5-3", "rhombus-4x4-3:hops=mirror", "ewn-3x3-3"):
        assert f"not '{halma.game(other).name}'" in refusal(info.check, halma.game(other), model)
    for key, value, words in (
        ("version", 99, "version 99"),
        ("players", 3, "players"),
        ("shape", (3, 4, 5), "planes, rows and columns"),
        ("actions", 7, "policy indices"),
    ):
        path = tiny_network(GAME, tmp_path / f"{key}.onnx", **{key: value})
        assert words in refusal(read_info(path).check, GAME, path)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("missing", None, "There is no file"),
        ("empty", b"", "not a network file"),
        ("text", b"Hello, I am a network, honestly.", "not a network file"),
        ("pickle", b"\x80\x04\x95\x10\x00cos\nsystem\n", "could run programs"),
        ("torch.pt", b"PK\x03\x04 archive/data.pkl", "could run programs"),
        ("hdf5", b"\x89HDF\r\n\x1a\n" + b"\0" * 100, "not a network file"),
        ("picture.png", b"\x89PNG\r\n\x1a\n", "not a network file"),
        ("one byte", b"\x08", "not a network file"),
        ("no graph", b"\x08\x08\x12\x01x", "cut short or damaged"),
    ],
)
def test_foreign_files_are_refused(tmp_path, name, data, words):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    for read in (read_info, read_weights, read_model):
        assert words in refusal(read, path) or "is for playing" in refusal(read, path)
    assert "cannot be read" in refusal(read_info, tmp_path)


def test_a_file_of_the_other_kind_says_what_it_is(model, weights):
    assert "weights to learn with are in .safetensors files" in refusal(read_weights, model)
    assert "export it to .onnx" in refusal(read_model, weights)


@pytest.mark.parametrize("kind", ["model", "weights"])
def test_every_truncation_and_addition_is_refused(request, kind):
    path = request.getfixturevalue(kind)
    whole = path.read_bytes()
    for length in {*range(0, 200, 7), *range(200, len(whole), 499), len(whole) - 1}:
        path.write_bytes(whole[:length])
        refusal(read_info, path)
    path.write_bytes(whole + b"\x00")
    refusal(read_info, path)


@pytest.mark.parametrize("kind", ["model", "weights"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_refused_or_harmless(request, kind, data):
    path = request.getfixturevalue(kind)
    whole = bytearray(path.read_bytes())
    where = data.draw(st.integers(0, len(whole) - 1))
    whole[where] ^= data.draw(st.integers(1, 255))
    damaged = path.with_name(f"damaged{path.suffix}")
    damaged.write_bytes(whole)
    try:
        info = read_info(damaged)
        info.check(GAME, damaged)
        # What the checksum does not cover is the description itself.
        if kind == "model":
            OnnxEvaluator(bytes(whole), info.shape, info.actions, info.players)
    except HalmaError as error:
        assert "\n" not in str(error) and str(error).isprintable()


def described(changes, body):
    """Return a description with something in it changed."""
    import hashlib

    told = {
        "format": 1,
        "checksum": hashlib.blake2b(body, digest_size=16).hexdigest(),
        "game": GAME.name,
        "version": 1,
        "players": 2,
        "shape": [3, 4, 4],
        "actions": 161,
        "architecture": "modern:size=s",
        "about": {},
    }
    return {KEY: json.dumps({**told, **changes})}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 2}, "reads format 1"),
        ({"format": "1"}, "reads format 1"),
        ({"checksum": "00"}, "checksum is wrong"),
        ({"game": "x\n\x1b[31mred"}, "description is damaged"),
        ({"game": "x" * 600}, "description is damaged"),
        ({"game": None}, "description is damaged"),
        ({"players": True}, "description is damaged"),
        ({"actions": -1}, "description is damaged"),
        ({"actions": 1e3}, "description is damaged"),
        ({"shape": [3, 4]}, "description is damaged"),
        ({"shape": [3, 4, 10**12]}, "description is damaged"),
        ({"about": []}, "description is damaged"),
        ({"about": {"x": "y" * 100_000}}, "description is damaged"),
    ],
)
def test_odd_descriptions_are_refused(tmp_path, changes, words):
    path = tmp_path / "x.safetensors"
    body = safetensors.data_of(ARRAYS)
    path.write_bytes(safetensors.pack(ARRAYS, described(changes, body)))
    assert words in refusal(read_info, path)
    plain = tiny_model(GAME)
    _, graph = onnxfile.look_through(plain)
    path.write_bytes(onnxfile.with_metadata(plain, described(changes, graph)))
    assert words in refusal(read_info, path)


def header(written, body=b""):
    data = written if isinstance(written, bytes) else json.dumps(written).encode()
    return struct.pack("<Q", len(data)) + data + body


ENTRY = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


@pytest.mark.parametrize(
    "data",
    [
        header({}),
        header({"x": ENTRY}, b"\0" * 4),
        header({"__metadata__": {}}),
        header({"__metadata__": {KEY: 1}}),
        header({"__metadata__": {KEY: "{"}}),
        header({"__metadata__": {KEY: "[" * 5000}}),
        header({"__metadata__": 3}),
        header(b"{" * 100_000),
        header(b'{"a":' * 100_000),
        header(b"{not json"),
        struct.pack("<Q", 1 << 62) + b"{",
        struct.pack("<Q", 100) + b"{}",
        header({"x": {**ENTRY, "dtype": "F64"}}, b"\0" * 4),
        header({"x": {**ENTRY, "dtype": []}}, b"\0" * 4),
        header({"x": {**ENTRY, "shape": [-1]}}, b"\0" * 4),
        header({"x": {**ENTRY, "shape": [1 << 62, 1 << 62]}}, b"\0" * 4),
        header({"x": {**ENTRY, "shape": [1e400]}}, b"\0" * 4),
        header({"x": {**ENTRY, "data_offsets": [0, 1 << 40]}}, b"\0" * 4),
        header({"x": {**ENTRY, "data_offsets": [-4, 0]}}, b"\0" * 4),
        header({"x": {**ENTRY, "data_offsets": [0]}}, b"\0" * 4),
        header({"x": ENTRY, "y": ENTRY}, b"\0" * 4),
        header({"x": "y"}),
        header({"x": ENTRY}, b"\0" * 5),
        header({"x": ENTRY}, b"\0" * 3),
    ],
)
def test_hostile_headers_are_refused(tmp_path, data):
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    refusal(read_info, path)


def model_of(nodes, tensors=(), more=b""):
    shape = {"planes": GAME.shape}
    return onnxfile.write_model(nodes, tensors, shape, {"policy": (161,), "values": (2,)}) + more


RELU = onnxfile.write_node("Relu", ["planes"], "policy", {})
WEIGHT = onnxfile.write_tensor("w", np.zeros(1))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (model_of([onnxfile.write_node("Loop", ["x"], "y", {})]), "operations that no network"),
        (model_of([onnxfile.write_node("PyOp", ["x"], "y", {})]), "operations that no network"),
        (model_of([RELU + bytes_field(7, "com.evil")]), "operations that no network"),
        (model_of([RELU + bytes_field(5, bytes_field(6, b""))]), "more than a plain network"),
        (model_of([RELU + bytes_field(5, bytes_field(11, b""))]), "more than a plain network"),
        (model_of([RELU + bytes_field(5, bytes_field(5, b""))]), "more than a plain network"),
        (model_of([RELU], [WEIGHT + number_field(14, 1)]), "refers to other files"),
        (model_of([RELU], [WEIGHT + bytes_field(13, b"")]), "refers to other files"),
        (model_of([RELU], more=bytes_field(25, b"")), "more than a plain network"),
        (model_of([RELU], more=bytes_field(20, b"")), "more than a plain network"),
        (model_of([RELU], more=bytes_field(7, b"")), "more than a plain network"),
        (model_of([RELU], more=b"\x0b"), "cut short or damaged"),
        (model_of([RELU], more=b"\xff" * 20), "cut short or damaged"),
        (model_of([bytes_field(4, b"\xff\xfe")]), "cut short or damaged"),
        (model_of([number_field(4, 3)]), "cut short or damaged"),
        (model_of([RELU] * 5000), "too many operations"),
        (model_of([RELU]), "does not say which game"),
    ],
)
def test_hostile_models_are_refused(tmp_path, data, words):
    path = tmp_path / "x.onnx"
    path.write_bytes(data)
    assert words in refusal(read_model, path)


def test_a_model_that_is_not_what_it_says_is_refused():
    plain = tiny_model(GAME)
    assert "wrong shape" in refusal(OnnxEvaluator, plain, GAME.shape, 160, 2)
    assert "wrong shape" in refusal(OnnxEvaluator, plain, GAME.shape, 161, 3)
    assert "onnxruntime says" in refusal(OnnxEvaluator, plain, (3, 4, 5), 161, 2)
    assert "onnxruntime says" in refusal(OnnxEvaluator, b"\x08\x08", GAME.shape, 161, 2)
    endless = tiny_model(GAME, scale=float("nan"))
    assert "no numbers" in refusal(OnnxEvaluator, endless, GAME.shape, 161, 2)


def test_architectures_by_name():
    assert architecture("modern").name == "modern"
    assert architecture("modern:s").name == architecture("modern:size=s").name == "modern:size=s"
    assert architecture("hsueh2023:32").name == "hsueh2023:filters=32"
    for name, words in (
        ("moden", "Did you mean 'modern'"),
        ("modern:xl", "one of s, m, l"),
        ("liu2019:bias=maybe", "one of off, on"),
        ("hsueh2023:100000", "from 1 to 512"),
        ("modern:depth=3", "has no option 'depth'"),
    ):
        with pytest.raises(OptionError, match=words):
            architecture(name)
    assert new_network(GAME, "modern:s").architecture == "modern:size=s"
    with pytest.raises(OptionError, match="for 2 players"):
        new_network(halma.game("star-37-3p"), "liu2019")
    with pytest.raises(OptionError, match="at least 3 rows"):
        new_network(halma.game("cdc-2x4-PPPP"), "liu2019")


def test_architectures_are_documented():
    text = (Path(__file__).parents[2] / "docs" / "networks.md").read_text(encoding="utf-8")
    for kind in ARCHITECTURES.values():
        assert f"`{kind.name}`" in text
        assert all(f"`{option.key}`" in text for option in kind.options)


def test_reading_needs_neither_torch_nor_onnxruntime(model, weights):
    code = (
        "import sys, halma, halma.agents\n"
        "assert not {'torch', 'onnxruntime', 'numpy'} & set(sys.modules)\n"
        "from halma.learn.netfile import read_info\n"
        f"print(read_info({str(model)!r}).game, read_info({str(weights)!r}).game)\n"
        "assert not {'torch', 'onnxruntime'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == f"{GAME.name} {GAME.name}\n", done.stderr


def test_learning_without_torch_is_a_sentence():
    code = "import sys; sys.modules['torch'] = None; import halma.learn.networks"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'pip install "halma[train]"' in done.stderr.splitlines()[-1]
