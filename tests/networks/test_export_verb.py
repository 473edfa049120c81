"""`halma export`, and files whose weights are float16."""

import numpy as np
import onnx
import pytest
import torch
from cli.cli_helpers import answer, refused, run
from networks.tiny_network import tiny_model

import halma
from halma.errors import NetworkError
from halma.networks import NetworkInfo, load
from halma.networks.architectures.build import build
from halma.networks.export import export, to_onnx
from halma.networks.network_file import read_model, write_model
from halma.networks.onnx_torch import load_in_torch
from halma.networks.weights import load_weights, save_weights
from halma.tensors import iteration_file

GAME = halma.game("rhombus-4x4-3")


@pytest.fixture(scope="module")
def network():
    return build(NetworkInfo.for_game(GAME, "modern:size=s"), seed=3)


def planes(number=16):
    return np.random.default_rng(0).integers(0, 2, (number, *GAME.shape)).astype(np.float32)


def test_half(network, tmp_path):
    assert export(network, tmp_path / "whole.onnx") < 1e-4
    assert export(network, tmp_path / "half.onnx", half=True) < 1e-4
    sizes = [(tmp_path / name).stat().st_size for name in ("whole.onnx", "half.onnx")]
    assert sizes[1] < 0.55 * sizes[0]
    onnx.checker.check_model(str(tmp_path / "half.onnx"), full_check=True)
    whole, half = (load(tmp_path / name, GAME) for name in ("whole.onnx", "half.onnx"))
    ours, theirs = half.evaluate(planes()), whole.evaluate(planes())
    for one, other in zip(ours, theirs, strict=True):
        assert np.abs(one - other).max() < 0.01
    assert any(not np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))
    # The same file in torch.
    torch_outputs = load_in_torch(tmp_path / "half.onnx", GAME, "cpu").evaluate(planes())
    for one, other in zip(ours, torch_outputs, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_casts_that_are_refused(network, tmp_path):
    model = onnx.load_model_from_string(to_onnx(network, half=True))
    info = NetworkInfo.for_game(GAME, "modern:size=s")

    def said(change):
        changed = onnx.ModelProto()
        changed.CopyFrom(model)
        casts = [node for node in changed.graph.node if node.op_type == "Cast"]
        change(changed.graph, casts)
        with pytest.raises(NetworkError) as error:
            write_model(tmp_path / "x.onnx", info, changed.SerializeToString())
        return str(error.value)

    def to_double(graph, casts):
        casts[0].attribute[0].i = 11

    def of_planes(graph, casts):
        casts[0].input[0] = "planes"

    def twice(graph, casts):
        casts[1].output[0] = casts[0].output[0]

    def uncast(graph, casts):
        graph.node.remove(casts[0])

    def infinite(graph, casts):
        raw = bytearray(graph.initializer[0].raw_data)
        raw[1] = 0x7C
        graph.initializer[0].raw_data = bytes(raw)

    assert "an attribute 'to'" in said(to_double)
    assert "has the wrong inputs" in said(of_planes)
    assert "same name" in said(twice) or "twice" in said(twice)
    assert "has the wrong inputs" in said(uncast)
    assert "are not all finite" in said(infinite)


def test_the_verb(network, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_weights(network, "run/best.safetensors", about={"iteration": 7})
    save_weights(network, iteration_file(tmp_path / "run" / "versions", 4), about={"iteration": 4})
    export(network, iteration_file(tmp_path / "run" / "versions", 4, ".onnx"))
    found = answer("export", "run", "--out", "a.onnx")
    assert (found["game"], found["architecture"]) == (GAME.name, "modern:size=s")
    assert found["about"] == {"iteration": 7} and found["difference"] < 1e-4
    assert "exists already" in refused("export", "run", "--out", "a.onnx")
    half = answer("export", "run", "--version", 4, "--half", "--force", "--out", "a.onnx")
    assert half["about"] == {"iteration": 4} and half["bytes"] < 0.55 * found["bytes"]
    shown = run("export", "run/best.safetensors", "--out", "b.onnx")
    assert shown.stdout.startswith("b.onnx: modern:size=s for rhombus-4x4-3, ")
    assert "play human net:b.onnx --game rhombus-4x4-3" in shown.stderr
    assert "ends in .onnx" in refused("export", "run", "--out", "b.txt")
    assert "has no version '5'" in refused("export", "run", "--version", 5, "--out", "c.onnx")
    assert "no best.safetensors" in refused("export", tmp_path, "--out", "c.onnx")
    assert "There is no file" in refused("export", "nowhere", "--out", "c.onnx")
    assert "is for playing" in refused("export", "a.onnx", "--out", "c.onnx")
    assert not (tmp_path / "c.onnx").exists()


def test_weights_as_float16(network, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_weights(network, "whole.safetensors", about={"iteration": 7})
    found = answer("export", "whole.safetensors", "--half", "--out", "half.safetensors")
    assert found["difference"] is None and found["about"] == {"iteration": 7}
    whole = (tmp_path / "whole.safetensors").stat().st_size
    assert found["bytes"] == (tmp_path / "half.safetensors").stat().st_size < 0.55 * whole
    ours, theirs = load_weights("half.safetensors").state_dict(), network.state_dict()
    for name, tensor in theirs.items():
        rounded = tensor.half().float() if tensor.is_floating_point() else tensor
        assert ours[name].dtype == tensor.dtype and torch.equal(ours[name], rounded), name


def test_what_was_written_before_is_read(tmp_path):
    """Files without casts are as they were."""
    info = NetworkInfo.for_game(GAME, "modern:size=s")
    write_model(tmp_path / "x.onnx", info, tiny_model(GAME))
    assert read_model(tmp_path / "x.onnx")[0] == info
