"""Network files: what they say of themselves, and every way to refuse one."""

import hashlib
import json
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper
from safetensors.numpy import load_file, save
from tiny_network import make_model, make_node, tiny_model, tiny_network

import halma
from halma.errors import HalmaError, NetworkError, OptionError
from halma.networks import network_file
from halma.networks.architectures import ARCHITECTURES, architecture
from halma.networks.finding import check_variant
from halma.networks.network_file import (
    NetworkInfo,
    read_info,
    read_model,
    read_weights,
    write_weights,
)
from halma.networks.onnx_evaluator import OnnxEvaluator
from halma.tensors import KEY, write_tensors

GAME = halma.game("rhombus-4x4-3")
INFO = NetworkInfo.for_game(GAME, "modern:size=s")
ARRAYS = {
    "layer.weight": np.arange(12, dtype=np.float32).reshape(3, 4),
    "layer.count": np.array(7, dtype=np.int64),
}


@pytest.fixture
def model(tmp_path):
    return tiny_network(GAME, tmp_path / "x.onnx", about={"games": 12})


@pytest.fixture
def weights(tmp_path):
    write_weights(tmp_path / "x.safetensors", INFO, ARRAYS)
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
    assert info == INFO and info.about == {"games": 12}
    assert info.shape == (3, 4, 4) and info.actions == 161 and info.players == 2
    assert read_model(model)[0] == info
    found, arrays = read_weights(weights)
    assert found == read_info(weights) == INFO
    assert {name: array.dtype for name, array in arrays.items()} == {
        name: array.dtype for name, array in ARRAYS.items()
    }
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)


def test_weights_are_plain_safetensors(weights):
    loaded = load_file(weights)
    assert set(loaded) == set(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(loaded[name], array)


def test_how_arrays_lie_in_memory_does_not_matter(tmp_path, weights):
    turned = {name: np.asarray(array, order="F") for name, array in reversed(ARRAYS.items())}
    assert not turned["layer.weight"].flags.c_contiguous
    write_weights(tmp_path / "y.safetensors", INFO, turned)
    assert (tmp_path / "y.safetensors").read_bytes() == weights.read_bytes()


@pytest.mark.parametrize("dtype", ["<f8", ">f4", ">f2", "<i4"])
def test_only_types_that_are_read_are_written(tmp_path, dtype):
    path = tmp_path / "x.safetensors"
    arrays = {**ARRAYS, "more": np.zeros(3, dtype)}
    assert "not written" in refusal(write_weights, path, INFO, arrays)
    assert not path.exists()


def test_weights_of_any_length_are_told_from_other_files(tmp_path):
    """The first bytes are a length, which may look like the start of ONNX or of a pickle."""
    path, firsts = tmp_path / "x.safetensors", set()
    for length in range(0, 512, 8):
        write_weights(path, replace(INFO, about={"x": "y" * length}), ARRAYS)
        firsts.add(path.read_bytes()[0])
        assert len(read_info(path).about["x"]) == length
        read_weights(path)
    assert {0x08, 0x80} <= firsts


def test_models_are_plain_onnx(model):
    onnx.checker.check_model(str(model), full_check=True)
    properties = {p.key: p.value for p in onnx.load(str(model)).metadata_props}
    assert json.loads(properties[KEY])["game"] == GAME.name


def test_the_wrong_game_options_and_version_are_refused(tmp_path, model):
    info = read_info(model)
    check_variant(info, GAME, model)
    for other in ("rhombus-5x5-3", "rhombus-4x4-3:hops=mirror", "rhombus-4x4-3:sideways=off"):
        assert f"not '{halma.game(other).name}'" in refusal(
            check_variant, info, halma.game(other), model
        )
    for key, value, words in (
        ("version", 99, "encoding version: it has 99"),
        ("players", 3, "players"),
        ("shape", (3, 4, 5), "planes, rows and columns"),
        ("actions", 7, "policy indices"),
    ):
        path = tiny_network(GAME, tmp_path / f"{key}.onnx", **{key: value})
        assert words in refusal(check_variant, read_info(path), GAME, path)


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
        ("no graph", b"\x08\x08\x12\x01x", "truncated or damaged"),
    ],
)
def test_foreign_files_are_refused(tmp_path, name, data, words):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    for read in (read_info, read_weights, read_model):
        assert words in refusal(read, path) or "is for playing" in refusal(read, path)
    assert "cannot be read" in refusal(read_info, tmp_path)


def test_large_files_are_refused(model, weights, monkeypatch):
    monkeypatch.setattr(network_file, "LARGEST_FILE", weights.stat().st_size)
    read_weights(weights)
    monkeypatch.setattr(network_file, "LARGEST_FILE", weights.stat().st_size - 1)
    for path in (model, weights):
        assert "too large" in refusal(read_info, path)


def test_a_file_of_the_other_kind_says_what_it_is(model, weights):
    assert "weights for training are in .safetensors files" in refusal(read_weights, model)
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
        check_variant(info, GAME, damaged)
        # What the checksum does not cover is the description itself.
        if kind == "model":
            OnnxEvaluator(info, bytes(whole))
    except HalmaError as error:
        assert "\n" not in str(error) and str(error).isprintable()


def checksum_of(*parts):
    return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()


DESCRIPTION = {
    "format": 1,
    "game": GAME.name,
    "version": 1,
    "players": 2,
    "shape": [3, 4, 4],
    "actions": 161,
    "architecture": "modern:size=s",
    "about": {},
}


def weights_with(changes, arrays=ARRAYS):
    """Return a file of weights with a description in which something is changed."""
    description = {**DESCRIPTION, **changes}
    checksum = checksum_of(
        json.dumps(description, sort_keys=True).encode(),
        b'["layer.count", "int64", []]',
        struct.pack("<q", 7),
        b'["layer.weight", "float32", [3, 4]]',
        struct.pack("<12f", *range(12)),
    )
    return save(arrays, {KEY: json.dumps({"checksum": checksum, **description})})


def model_with(changes):
    """Return a model with a description in which something is changed."""
    model = onnx.load_model_from_string(tiny_model(GAME))
    checksum = checksum_of(model.graph.SerializeToString())
    helper.set_model_props(
        model, {KEY: json.dumps({"checksum": checksum, **DESCRIPTION, **changes})}
    )
    return model.SerializeToString()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 2}, "format is not 1"),
        ({"format": "1"}, "format is not 1"),
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
    for data in (weights_with(changes), model_with(changes)):
        path = tmp_path / "x"
        path.write_bytes(data)
        assert words in refusal(read_info, path)


def test_plain_descriptions_are_not_refused(tmp_path):
    """What is refused above is refused for what was changed."""
    path = tmp_path / "x"
    for data in (weights_with({}), model_with({})):
        path.write_bytes(data)
        assert read_info(path) == INFO


@pytest.mark.parametrize(
    "changed",
    [
        {"layer.weight": ARRAYS["layer.weight"].reshape(4, 3)},
        {"layer.weight": ARRAYS["layer.weight"][::-1].copy()},
        {"layer.weight": ARRAYS["layer.weight"].view(np.int64)},
        {"layer.count": np.array(8)},
        {"layer.more": np.array(8)},
    ],
)
def test_weights_that_were_not_described_are_refused(tmp_path, changed):
    path = tmp_path / "x.safetensors"
    path.write_bytes(weights_with({}, {**ARRAYS, **changed}))
    assert "checksum is wrong" in refusal(read_weights, path)
    renamed = {name.replace("layer", "player"): array for name, array in ARRAYS.items()}
    path.write_bytes(weights_with({}, renamed))
    assert "checksum is wrong" in refusal(read_weights, path)


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
        header({"x": {**ENTRY, "shape": [0, 1 << 62], "data_offsets": [0, 0]}}),
        header({"x": {**ENTRY, "shape": [0, (1 << 64) - 1], "data_offsets": [0, 0]}}),
        header({"x": {**ENTRY, "shape": [1] * 100}}, b"\0" * 4),
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


def test_weights_of_other_types_are_refused(tmp_path):
    path = tmp_path / "x.safetensors"
    write_tensors(path, {"x": np.zeros(1, np.uint8)}, DESCRIPTION)
    assert "neither float32 nor float16 nor int64" in refusal(read_info, path)
    for dtype, size in (("F64", 8), ("BF16", 2), ("F8_E4M3", 1), ("BOOL", 1)):
        entry = {"dtype": dtype, "shape": [1], "data_offsets": [0, size]}
        metadata = {"__metadata__": {KEY: json.dumps(DESCRIPTION)}}
        path.write_bytes(header({**metadata, "x": entry}, b"\0" * size))
        refusal(read_info, path)


def written(nodes=None, tensors=(), **more):
    return make_model(GAME, nodes or [relu()], tensors, **more).SerializeToString()


def relu(**attributes):
    return make_node("Relu", ["planes"], ["policy"], **attributes)


def more_of_a_model(**fields):
    """Return what adds fields to a model when it is appended: so protocol buffers merge."""
    return onnx.ModelProto(**fields).SerializeToString()


WEIGHT = numpy_helper.from_array(np.zeros(1, np.float32), "w")
SPARSE = helper.make_sparse_tensor(WEIGHT, numpy_helper.from_array(np.zeros(1, int), "i"), [1])
BRANCH = helper.make_graph([relu()], "branch", [], [])


def elsewhere(**fields):
    """Return a tensor that says that its numbers are in another file."""
    return onnx.TensorProto(name="w", dims=[1], data_type=onnx.TensorProto.FLOAT, **fields)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (written([make_node("Loop", ["x"], ["y"])]), "operations that no network"),
        (written([make_node("If", ["x"], ["y"], then_branch=BRANCH)]), "operations that no"),
        (written([make_node("PyOp", ["x"], ["y"])]), "operations that no network"),
        (written([relu(domain="com.evil")]), "operations that no network"),
        (written([relu(body=BRANCH)]), "more than a plain network"),
        (written([relu(bodies=[BRANCH])]), "more than a plain network"),
        (written([relu(value=WEIGHT)]), "more than a plain network"),
        (written([relu(values=[WEIGHT])]), "more than a plain network"),
        (written([relu(value=SPARSE)]), "more than a plain network"),
        (written([relu(values=[SPARSE])]), "more than a plain network"),
        (written(sparse_initializer=[SPARSE]), "more than a plain network"),
        (written(tensors=[elsewhere(data_location=1)]), "refers to other files"),
        (
            written(tensors=[elsewhere(external_data=[{"key": "location", "value": "/etc/x"}])]),
            "refers to other files",
        ),
        (written() + more_of_a_model(functions=[{"name": "f"}]), "more than a plain network"),
        (written() + more_of_a_model(training_info=[{}]), "more than a plain network"),
        (written() + more_of_a_model(graph=BRANCH), "more than a plain network"),
        (written() + b"\x0b", "truncated or damaged"),
        (written() + b"\xff" * 20, "truncated or damaged"),
        # The name of an operation is no text, then it is a number.
        (written().replace(b"Relu", b"\xff\xfe\xff\xfe"), "truncated or damaged"),
        (written().replace(b"\x22\x04Relu", b"\x20\x84\x80\x80\x80\0"), "truncated or damaged"),
        (written([relu()] * 5000), "too many operations"),
        (written(), "halma did not write it"),
    ],
)
def test_hostile_models_are_refused(tmp_path, data, words):
    path = tmp_path / "x.onnx"
    path.write_bytes(data)
    assert words in refusal(read_model, path)


def test_a_model_that_is_not_what_it_says_is_refused():
    plain = tiny_model(GAME)
    assert "wrong shape" in refusal(OnnxEvaluator, replace(INFO, actions=160), plain)
    assert "wrong shape" in refusal(OnnxEvaluator, replace(INFO, players=3), plain)
    assert "onnxruntime says" in refusal(OnnxEvaluator, replace(INFO, shape=(3, 4, 5)), plain)
    assert "onnxruntime says" in refusal(OnnxEvaluator, INFO, b"\x08\x08")
    endless = tiny_model(GAME, scale=float("nan"))
    assert "not finite" in refusal(OnnxEvaluator, INFO, endless)


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
    assert NetworkInfo.for_game(GAME, "modern:s").architecture == "modern:size=s"
    with pytest.raises(OptionError, match="for 2 players"):
        NetworkInfo.for_game(halma.game("star-37-3p"), "liu2019")
    with pytest.raises(OptionError, match="at least 3 rows"):
        NetworkInfo.for_game(halma.game("cdc-2x4-PPPP"), "liu2019")


def test_architectures_are_documented():
    text = (Path(__file__).parents[2] / "docs" / "networks.md").read_text(encoding="utf-8")
    for kind in ARCHITECTURES.values():
        assert f"`{kind.name}`" in text
        assert all(f"`{option.key}`" in text for option in kind.options)


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_reading_needs_neither_torch_nor_onnxruntime(model, weights):
    done = run(
        "import sys, halma, halma.agents\n"
        "assert not {'torch', 'onnxruntime', 'numpy'} & set(sys.modules)\n"
        "from halma.networks.network_file import read_info\n"
        f"print(read_info({str(model)!r}).game)\n"
        "assert not {'safetensors', 'onnx', 'numpy'} & set(sys.modules)\n"
        f"print(read_info({str(weights)!r}).game)\n"
        "assert not {'torch', 'onnxruntime', 'onnx'} & set(sys.modules)\n"
    )
    assert done.stdout == f"{GAME.name}\n" * 2, done.stderr


def test_playing_needs_nothing_of_the_extra(model):
    done = run(
        "import sys\n"
        "for name in ('torch', 'onnx'): sys.modules[name] = None\n"
        "import halma\n"
        "from halma.agents import agent\n"
        f"network = agent('net:{model},sims=4')\n"
        f"print(network.evaluator(halma.game({GAME.name!r})).info.actions)\n"
    )
    assert done.stdout == "161\n", done.stderr


def test_a_missing_library_is_a_sentence(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(HalmaError, match=r'not installed: pip install "halma\[train\]"\.$'):
        network_file.write_model(model, INFO, b"")


def test_training_without_torch_is_a_sentence(tmp_path):
    out = str(tmp_path / "run")
    done = run(
        "import sys; sys.modules['torch'] = None\n"
        f"sys.argv = ['halma', 'train', 'quick', '--out', {out!r}]\n"
        "from halma.cli import main\n"
        "main()"
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert 'pip install "halma[train]"' in done.stderr
