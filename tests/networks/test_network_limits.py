"""What a network file may ask for, what may come out of a network, and forged files."""

import os
import random
import resource
import subprocess
import sys

import numpy as np
import pytest
from hostile.network_checks import check_models, check_weights
from hostile.network_forger import DESCRIPTION, GAME, INFO, signed, small_model
from onnx import helper, load_model_from_string, numpy_helper
from tiny_network import linear_model, make_node, tiny_model

import halma
from halma.agents import agent
from halma.arena.lockstep import play_match_game
from halma.arena.plan import make_plan
from halma.errors import NetworkError, NetworkOutputError, UnknownVariantError
from halma.networks import FunctionEvaluator, load, load_network, onnx_shapes
from halma.networks.network_file import (
    NetworkInfo,
    read_info,
    read_model,
    read_weights,
    write_model,
    write_weights,
)
from halma.search import TreeSearch, search_options
from halma.tensors import write_tensors


def sentence(read, *given, error=NetworkError):
    """Return the one sentence with which something is refused, in less than a second or two."""
    with pytest.raises(error) as caught:
        read(*given)
    words = str(caught.value)
    assert words.isprintable() and words.endswith(".")
    return words


def refusal(tmp_path, model, description=DESCRIPTION):
    path = tmp_path / "x.onnx"
    path.write_bytes(signed(model, description))
    return sentence(read_model, path)


def weight(name, *shape):
    return numpy_helper.from_array(np.full(shape, 0.01, np.float32), name)


def changed(operation, **attributes):
    """Return a sound model in which the first node of an operation has other attributes."""
    model = small_model()
    node = next(node for node in model.graph.node if node.op_type == operation)
    kept = [one for one in node.attribute if one.name not in attributes]
    del node.attribute[:]
    node.attribute.extend(
        [*kept, *(helper.make_attribute(name, value) for name, value in attributes.items())]
    )
    return model


def begun_with(*nodes, weights=()):
    """Return a sound model with more nodes at its beginning."""
    model = small_model()
    rest = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*nodes, *rest])
    model.graph.initializer.extend(weights)
    return model


def test_a_sound_model_is_used(tmp_path):
    path = tmp_path / "x.onnx"
    path.write_bytes(signed(small_model()))
    policy, values = load(path, GAME).evaluate(np.ones((3, *GAME.shape), np.float32))
    assert policy.shape == (3, GAME.actions) and values.shape == (3, 2)


def test_results_that_grow_are_refused(tmp_path):
    """A kilobyte of operations that would take gigabytes."""
    nodes, last = [], "planes"
    for number in range(30):
        nodes.append(make_node("Concat", [last, last], [f"x{number}"], axis=1))
        last = nodes[-1].output[0]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    words = refusal(tmp_path, begun_with(*nodes))
    assert "node 'x" in words and "numbers in memory for a position" in words
    assert f"at most {onnx_shapes.MOST_NUMBERS:,}" in words
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 20_000


@pytest.mark.parametrize("width", [500, 3000, 2**40, 2**62])
def test_wide_padding_is_refused(tmp_path, width):
    words = refusal(tmp_path, changed("Conv", pads=[width] * 4))
    assert "node 'x' (Conv)" in words and "at most" in words


def test_work_is_bounded(tmp_path):
    """Results that are small one by one, and a kernel that takes seconds."""
    planes = GAME.shape[0]
    grown = make_node("Conv", ["planes", "a"], ["b"], pads=[18] * 4)
    work = make_node("Conv", ["b", "k"], ["c"], pads=[19, 19, 19, 19])
    kernel = weight("k", 300, 64, 25, 25)
    model = begun_with(grown, work, weights=[weight("a", 64, planes, 1, 1), kernel])
    words = refusal(tmp_path, model)
    assert "node 'c' (Conv)" in words and "takes" in words


@pytest.mark.parametrize(
    ("operation", "attributes", "words"),
    [
        ("Conv", {"strides": [2, 2]}, "an attribute 'strides'"),
        ("Conv", {"strides": [0, 0]}, "an attribute 'strides'"),
        ("Conv", {"dilations": [2**31, 1]}, "an attribute 'dilations'"),
        ("Conv", {"group": 0}, "an attribute 'group'"),
        ("Conv", {"group": 2**31}, "an attribute 'group'"),
        ("Conv", {"auto_pad": "SAME_UPPER"}, "an attribute 'auto_pad'"),
        ("Conv", {"pads": [-1, 0, 0, 0]}, "shapes do not fit"),
        ("Conv", {"pads": [1, 1]}, "shapes do not fit"),
        ("Conv", {"pads": 1}, "an attribute 'pads'"),
        ("Conv", {"kernel_shape": [1, 1]}, "shapes do not fit"),
        ("Conv", {"kernel_shape": [2**40] * 100}, "truncated or damaged"),
        ("Gemm", {"transA": 1}, "an attribute 'transA'"),
        ("Gemm", {"transB": 0}, "shapes do not fit"),
        ("Gemm", {"alpha": 1e30}, "an attribute 'alpha'"),
        ("Concat", {"axis": 0}, "an attribute 'axis'"),
        ("Flatten", {"axis": 0}, "an attribute 'axis'"),
        ("BatchNormalization", {"training_mode": 1}, "an attribute 'training_mode'"),
        ("BatchNormalization", {"epsilon": float("nan")}, "an attribute 'epsilon'"),
        ("Relu", {"alpha": 1.0}, "an attribute 'alpha'"),
    ],
)
def test_odd_attributes_are_refused(tmp_path, operation, attributes, words):
    assert words in refusal(tmp_path, changed(operation, **attributes))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dims": [0]}, "size of their shape"),
        ({"dims": [-4]}, "size of their shape"),
        ({"dims": [2**62, 2**62]}, "size of their shape"),
        ({"dims": [2, 2, 2]}, "size of their shape"),
        ({"data_type": 11}, "neither float32 nor float16"),
        ({"raw_data": b""}, "size of their shape"),
        ({"raw_data": np.array([0, np.nan, 0, 0], "<f4").tobytes()}, "finite"),
        ({"raw_data": np.array([0, 0, -np.inf, 0], "<f4").tobytes()}, "finite"),
        ({"float_data": [1.0] * 4}, "more than a plain network"),
        ({"name": "planes"}, "two things of the same name"),
        ({"name": "stem"}, "two things of the same name"),
        ({"name": "y"}, "wrong inputs"),
        ({"name": "x\n\x1b[31m"}, "wrong inputs"),
    ],
)
def test_odd_weights_are_refused(tmp_path, change, words):
    model = small_model()
    bias = next(tensor for tensor in model.graph.initializer if tensor.name == "bias")
    for field, value in change.items():
        if isinstance(value, list):
            del getattr(bias, field)[:]
            getattr(bias, field).extend(value)
        else:
            setattr(bias, field, value)
    assert words in refusal(tmp_path, model)


def test_names_are_unambiguous(tmp_path):
    assert "two things" in refusal(tmp_path, begun_with(weights=[weight("y", 1)]))
    assert "two things" in refusal(tmp_path, begun_with(make_node("Relu", ["planes"], ["y"])))
    assert "two things" in refusal(tmp_path, begun_with(make_node("Relu", ["planes"], ["planes"])))


def test_inputs_and_outputs_are_those_described(tmp_path):
    def declared(number, dims):
        model = small_model()
        value = (*model.graph.input, *model.graph.output)[number]
        value.CopyFrom(helper.make_tensor_value_info(value.name, 1, dims))
        return model

    shape = list(GAME.shape)
    assert "batches of float32" in refusal(tmp_path, declared(0, [2, *shape]))
    assert "its input does not" in refusal(tmp_path, declared(0, ["n", 7, *shape[1:]]))
    assert "its outputs do not" in refusal(tmp_path, declared(1, ["n", 7]))
    assert "its outputs do not" in refusal(tmp_path, declared(2, ["n"]))
    for key, value, words in (
        ("shape", [1, 1, 1], "its input does not"),
        ("shape", [1, 2**30, 2**30], "its description is damaged"),
        ("actions", 3, "its outputs do not"),
        ("players", 2**30, "its description is damaged"),
    ):
        assert words in refusal(tmp_path, small_model(), {**DESCRIPTION, key: value})


def test_other_versions_of_operations_are_refused(tmp_path):
    for version in (-1, 1, 9, 99):
        model = small_model()
        model.opset_import[0].version = version
        assert "other versions" in refusal(tmp_path, model)


def test_a_file_of_many_small_parts_is_refused(tmp_path):
    """Parsing is bounded as well."""
    path = tmp_path / "x.onnx"
    path.write_bytes(b"\x08\x08" + b"\x28\x01" * (1 << 20))
    assert "too many parts" in sentence(read_info, path)


def test_a_model_that_would_be_refused_is_not_written(tmp_path):
    path = tmp_path / "x.onnx"
    model = changed("Conv", pads=[3000] * 4).SerializeToString()
    assert "is not written: up to its node" in sentence(write_model, path, INFO, model)
    assert not path.exists()


@pytest.mark.parametrize(
    "name", ["modern:size=s", pytest.param("hsueh2023:filters=512", marks=pytest.mark.slow)]
)
def test_our_networks_are_within_the_bounds(name):
    from halma.networks.architectures.build import build
    from halma.networks.export import to_onnx
    from halma.networks.onnx_file import parse

    game = halma.game("star-121-6p")
    graph = parse(to_onnx(build(NetworkInfo.for_game(game, name), seed=0)))
    onnx_shapes.check_cost(graph, game.shape, (game.actions, game.players))


# What comes out of a network.


def bad_network(path, policy=0.0, values=0.0, game=GAME):
    """Write a network that is sound where all planes are zero, and nowhere else."""
    size = int(np.prod(game.shape))
    outputs = ((game.actions, policy), (game.players, values))
    matrices = [np.full((rows, size), number) for rows, number in outputs]
    info = NetworkInfo.for_game(game, "modern:size=s")
    write_model(path, info, linear_model(game, *matrices, last="Relu"))
    return path


BAD = [({"policy": 1e38}, "its policy is not finite"), ({"values": 1e30}, "between 0 and 1")]


@pytest.mark.parametrize(("outputs", "words"), BAD)
def test_bad_outputs_are_not_played(tmp_path, outputs, words):
    game = halma.game("rhombus-4x4-3")
    path = bad_network(tmp_path / "x.onnx", **outputs, game=game)
    network = load_network(path)
    assert words in sentence(network.evaluate, game.start(), error=NetworkOutputError)
    record = halma.Record(game)
    player = agent(f"net:{path},sims=4")
    assert words in sentence(player.choose, record, random.Random(0), error=NetworkOutputError)
    # In a match its player loses the game.
    plan = make_plan(game.name, [player.name, "random"])
    for number in range(2):
        played = play_match_game(plan, number)
        assert words in played.end and played.end.startswith("by an error")
        assert played.result[played.agents.index(player.name)] == 0


def test_values_are_within_their_bounds_despite_rounding(tmp_path):
    """The sigmoid of onnxruntime is 1 + 1.2e-7 near 17.844, which ended a training run."""
    game = halma.game("rhombus-4x4-3")
    matrices = [np.zeros((rows, int(np.prod(game.shape)))) for rows in (game.actions, game.players)]
    matrices[1][:, 0] = 1
    info = NetworkInfo.for_game(game, "modern:size=s")
    write_model(tmp_path / "x.onnx", info, linear_model(game, *matrices))
    planes = np.zeros((10_000, *game.shape), np.float32)
    planes[:, 0, 0, 0] = np.linspace(17.8, 17.9, len(planes))
    _, values = load_network(tmp_path / "x.onnx").evaluator.evaluate(planes)
    assert values.min() >= 0 and values.max() == 1


@pytest.mark.parametrize(
    ("logit", "value", "words"),
    [
        (0.0, 1.5, "between 0 and 1"),
        (0.0, -0.1, "between 0 and 1"),
        (0.0, np.nan, "between 0 and 1"),
        (np.nan, 0.5, "not finite"),
        (np.inf, 0.5, "not finite"),
    ],
)
def test_searches_check_every_evaluator(logit, value, words):
    game = halma.game("rhombus-4x4-3")
    output = np.full((1, game.actions), logit, np.float32), np.full((1, 2), value, np.float32)
    evaluator = FunctionEvaluator(game.shape, lambda planes: output)
    tree = TreeSearch(game, search_options(game, rule="puct"), evaluator=evaluator)
    assert words in sentence(tree.search, game.start(), 4, error=NetworkOutputError)


def test_weights_that_are_not_finite_are_refused(tmp_path):
    model = load_model_from_string(tiny_model(GAME, scale=float("nan")))
    assert "'p' are not all finite" in refusal(tmp_path, model)
    arrays = {"layer.weight": np.array([1, np.nan], np.float32)}
    write_weights(tmp_path / "x.safetensors", INFO, arrays)
    words = sentence(read_weights, tmp_path / "x.safetensors")
    assert "its weights 'layer.weight' are not finite" in words


def test_a_network_is_not_built_before_its_weights_are_compared(tmp_path):
    """A description of a network of 100 GB, with hardly any weights."""
    from halma.networks.weights import load_weights

    path = tmp_path / "x.safetensors"
    described = {**DESCRIPTION, "shape": [64, 128, 128], "actions": 1 << 20}
    write_tensors(path, {"x": np.zeros(1, np.float32)}, described)
    assert "its weights are not those of" in sentence(load_weights, path)


def test_a_file_does_not_name_code_to_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("raise SystemExit('run')")
    path = tmp_path / "x.onnx"
    path.write_bytes(signed(small_model(), {**DESCRIPTION, "game": "evil.py:Game"}))
    assert "no variant" in sentence(load_network, path, error=UnknownVariantError)
    path.write_bytes(signed(small_model(), {**DESCRIPTION, "game": "ewn-5x5-6"}))
    assert "planes, rows and columns" in sentence(load_network, path)


# Files that are none.


def test_only_regular_files_are_opened(tmp_path):
    """In another process, since whoever opens a FIFO waits for ever."""
    fifo = tmp_path / "x.onnx"
    os.mkfifo(fifo)
    code = (
        "from pathlib import Path\n"
        "from halma.errors import HalmaError\n"
        "from halma.networks.network_file import read_info, read_model, read_weights\n"
        "from halma.tensors import open_tensors\n"
        "readers = read_info, read_model, read_weights, lambda path: open_tensors(path, {})\n"
        f"for path in ({str(fifo)!r}, '/dev/zero', '/dev/null', {str(tmp_path)!r}):\n"
        "    for read in readers:\n"
        "        try: read(Path(path))\n"
        "        except HalmaError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
    assert done.stdout.count("\n") == 16 and not done.stderr


def test_a_fifo_is_a_sentence_on_the_command_line(tmp_path):
    os.mkfifo(tmp_path / "x.onnx")
    command = [sys.executable, "-m", "halma.cli", "analyse", "rhombus-4x4-3", "start"]
    done = subprocess.run(
        [*command, "--agent", "net:x.onnx"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode == 2 and "cannot be read: it is not a file" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_huge_file_is_not_read(tmp_path):
    path = tmp_path / "x.onnx"
    with open(path, "wb") as file:
        file.truncate(1 << 40)
    assert "too large" in sentence(read_info, path)


# Forged files, a few of those that `make hostile` makes.


def test_forged_models(tmp_path):
    assert check_models(tmp_path, random.Random(15), number=300) == 300


def test_forged_weights(tmp_path):
    assert check_weights(tmp_path, random.Random(15), number=60) == 60


def test_forged_files_are_deterministic(tmp_path):
    from hostile.network_forger import forge_model, models

    forged = [forge_model(random.Random(3), models()) for _ in range(2)]
    assert forged[0] == forged[1]
