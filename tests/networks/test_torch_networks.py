"""Networks in torch: shapes, sizes, files, export, evaluators. Skipped without torch."""

import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dataclasses import replace  # noqa: E402
from functools import partial  # noqa: E402

import onnx  # noqa: E402

import halma  # noqa: E402
from halma.errors import HalmaError, NetworkError  # noqa: E402
from halma.networks import onnx_file  # noqa: E402
from halma.networks.architectures.blocks import for_inference  # noqa: E402
from halma.networks.architectures.build import build  # noqa: E402
from halma.networks.export import (  # noqa: E402
    TOLERANCE,
    check_agreement,
    export,
    export_file,
    to_onnx,
)
from halma.networks.finding import check_variant  # noqa: E402
from halma.networks.network_file import (  # noqa: E402
    NetworkInfo,
    read_info,
    read_model,
    write_weights,
)
from halma.networks.onnx_evaluator import OnnxEvaluator  # noqa: E402
from halma.networks.onnx_torch import load_in_torch  # noqa: E402
from halma.networks.torch_evaluator import TorchEvaluator  # noqa: E402
from halma.networks.weights import load_weights, save_weights, start_from  # noqa: E402

LIU = "rhombus-7x7-6:rules=liu2019"


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def network_for(variant, architecture, seed=1):
    return build(NetworkInfo.for_game(halma.game(variant), architecture), seed)


def parameter_count(network):
    return sum(parameter.numel() for parameter in network.parameters())


def shaken(variant, architecture):
    """Return a network in which every number matters, as after some training."""
    network = network_for(variant, architecture)
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.2 * (torch.rand(parameter.shape, generator=generator) - 0.5)
        for module in network.modules():
            if isinstance(module, torch.nn.BatchNorm2d | torch.nn.BatchNorm1d):
                module.momentum = 1.0  # one look at some positions settles the norms
        network.train()(some_planes(network, 64))
    return network.eval()


def some_planes(network, number=16):
    generator = torch.Generator().manual_seed(3)
    return torch.randint(0, 3, (number, *network.info.shape), generator=generator).float()


@pytest.mark.parametrize("variant", [*halma.variant_names(), LIU])
def test_the_default_fits_every_game(variant):
    game = halma.game(variant)
    network = shaken(variant, "modern:s")
    policy, values = network(some_planes(network, 3))
    assert policy.shape == (3, game.actions)
    assert values.shape == (3, game.players)
    assert torch.isfinite(policy).all()
    assert values.min() >= 0 and values.max() <= 1
    if game.players == 2:
        assert torch.allclose(values.sum(1), torch.ones(3))


def test_a_new_network_finds_everything_equal():
    network = network_for("star-37-3p", "modern:s").eval()
    policy, values = network(some_planes(network))
    assert torch.allclose(values, torch.full_like(values, 0.5), atol=0.1)
    assert policy.softmax(1).max() < 2 / network.info.actions


def test_parameter_counts():
    counts = {
        name: parameter_count(network_for("rhombus-7x7-6", f"modern:{name}")) for name in "sml"
    }
    assert counts == {"s": 449_417, "m": 865_321, "l": 1_855_177}
    # A matrix from 8 channels of 17x17 cells to 4,448 moves would have ten million weights.
    assert parameter_count(network_for("star-121-6p", "modern:m")) == 1_376_246


def test_weights_fit_other_numbers_of_players(tmp_path):
    """With values for six seats, weights of one variant of the star are those of any other."""
    path = tmp_path / "six.safetensors"
    six = shaken("star-121-6p", "modern:size=s,seats=6").eval()
    save_weights(six, path)
    planes = some_planes(six)
    policy, values = six(planes)
    for players in (2, 3, 4):
        network = network_for(f"star-121-{players}p", "modern:size=s,seats=6").eval()
        start_from(network, path)
        same, own = network(planes)
        assert torch.equal(policy, same)
        assert own.shape == (len(planes), players)
        first = own[:, :1] if players == 2 else own  # two players' values add up
        assert torch.allclose(first, values[:, : first.shape[1]])
        for found, theirs in zip(for_inference(network)(planes), (same, own), strict=True):
            assert torch.allclose(found, theirs, atol=1e-4)
        assert check_agreement(network, to_onnx(network)) <= TOLERANCE


@pytest.mark.parametrize("larger", ["extra_blocks=3", "values=each", "extra_blocks=2,values=each"])
@pytest.mark.parametrize("variant", ["rhombus-4x4-3", "star-121-2p"])
def test_a_larger_network_starts_as_the_smaller_one(tmp_path, variant, larger):
    """More blocks change no output, nor does a value for each player; the way back is refused."""
    seats = ",seats=6" if variant.startswith("star") else ""
    small_file, large_file = tmp_path / "small.safetensors", tmp_path / "large.safetensors"
    small = shaken(variant, f"modern:size=s{seats}")
    save_weights(small, small_file)
    large = network_for(variant, f"modern:size=s,{larger}{seats}").eval()
    planes = some_planes(small)
    assert not torch.allclose(large(planes)[0], small(planes)[0], atol=0.01)
    start_from(large, small_file)
    for found, wanted in zip(large(planes), small(planes), strict=True):
        assert torch.allclose(found, wanted, atol=1e-5)
    save_weights(large, large_file)
    with pytest.raises(NetworkError, match="architecture: it has modern:size=s,"):
        start_from(small, large_file)


@pytest.mark.parametrize(
    ("variant", "architecture", "sentence"),
    [
        ("star-121-3p", "modern:size=s", "architecture: it has modern:size=s,seats=6"),
        ("star-121-3p", "modern:size=m,seats=6", "it has modern:size=s,seats=6"),
        ("star-37-3p", "modern:size=s,seats=6", "encoding version: it has 2"),
        ("star-121-2p:homes=closed", "modern:size=s,seats=6", "policy indices: it has 4448"),
    ],
)
def test_weights_that_do_not_fit(tmp_path, variant, architecture, sentence):
    path = tmp_path / "six.safetensors"
    save_weights(network_for("star-121-6p", "modern:size=s,seats=6"), path)
    with pytest.raises(NetworkError, match=sentence):
        start_from(network_for(variant, architecture), path)


def test_without_seats_the_number_of_players_must_agree(tmp_path):
    path = tmp_path / "two.safetensors"
    save_weights(network_for("star-121-2p", "modern:size=s"), path)
    with pytest.raises(NetworkError, match="number of players: it has 2, and 'star-121-3p' needs"):
        start_from(network_for("star-121-3p", "modern:size=s"), path)
    with pytest.raises(HalmaError, match="values for 4 seats, and 'star-121-6p' has 6 players"):
        network_for("star-121-6p", "modern:seats=4")


def test_liu2019_s_parameters():
    """The paper's figure is that of the same network with a bias in every convolution."""
    assert parameter_count(network_for(LIU, "liu2019:bias=on")) == 247_386
    network = network_for(LIU, "liu2019")
    convolutions = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d)]
    assert parameter_count(network) == 247_386 - sum(m.out_channels for m in convolutions)
    assert parameter_count(network) == 246_153
    assert len(convolutions) == 1 + 9 * 3 + 2
    assert [m.out_channels for m in convolutions[1:4]] == [32, 32, 64]
    assert [m.kernel_size for m in convolutions[1:4]] == [(1, 1), (3, 3), (1, 1)]
    assert network.info.shape == (7, 7, 7) and network.info.actions == 294


def test_liu2019_s_planes():
    """Last three states, own pieces before the other's by identity; the last tells who moves."""
    record = halma.Record(halma.game(LIU))
    first = record.encode()
    assert first.shape == (7, 7, 7)
    assert sorted(first[0][first[0] > 0]) == sorted(first[1][first[1] > 0]) == [1, 2, 3, 4, 5, 6]
    assert not first[2:].any()
    record.play(record.position.legal_moves[0])
    second = record.encode()
    assert second[6].all() and not second[4:6].any()
    # The other player sees the board turned by half.
    np.testing.assert_array_equal(second[3], np.flip(first[0]))
    np.testing.assert_array_equal(second[2], np.flip(first[1]))
    np.testing.assert_array_equal(second[0], second[2])
    record.play(record.position.legal_moves[0])
    third = record.encode()
    assert third[4:6].any(axis=(1, 2)).all() and not third[6].any()
    np.testing.assert_array_equal(third[4], first[0])


def test_hsueh2023_s_network():
    network = network_for("cdc-2x4-PPPP", "hsueh2023")
    assert network.info.shape == (33, 2, 4) and network.info.actions == 40
    policy, values = network.eval()(some_planes(network, 2))
    assert policy.shape == (2, 40) and values.shape == (2, 2)
    convolutions = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d)]
    assert len(convolutions) == 1 + 5 * 2 + 2
    assert parameter_count(network) == 390_640


def test_schulte2021_s_network():
    """A 9x9 input, eight blocks, two layers of 512, 320 actions and three values."""
    network = network_for("star-37-3p", "schulte2021")
    assert network.info.shape[1:] == (9, 9) and network.info.actions == 320
    convolutions = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d)]
    assert len(convolutions) == 1 + 8 * 2 and {m.out_channels for m in convolutions} == {128}
    dense = [m for m in network.modules() if isinstance(m, torch.nn.Linear)]
    assert [m.out_features for m in dense] == [512, 512, 320, 3]
    weights = sum(m.weight.numel() for m in (*convolutions, *dense))
    norms = 2 * (17 * 128 + 2 * 512)
    assert parameter_count(network) == weights + norms + 320 + 3 == 8_110_019
    policy, values = network.eval()(some_planes(network, 2))
    assert policy.shape == (2, 320) and values.shape == (2, 3)


def test_dropout_is_off_when_a_network_plays():
    network = shaken("star-37-3p", "schulte2021:blocks=1,filters=8,width=64")
    planes = some_planes(network)
    for one in (network, for_inference(network.train())):
        for ours, theirs in zip(one.eval()(planes), one(planes), strict=True):
            assert torch.equal(ours, theirs)
    torch.manual_seed(1)
    first, second = (network.train()(planes)[0] for _ in range(2))
    assert not torch.equal(first, second)
    without = shaken("star-37-3p", "schulte2021:blocks=1,filters=8,width=64,dropout=0").train()
    first, second = (without(planes)[0] for _ in range(2))
    assert torch.equal(first, second)


def test_relu_values_have_a_gradient_above_the_highest_score():
    """In play they end at 1, as scores do; in training the error above it counts."""
    network = network_for("star-37-3p", "schulte2021:blocks=0,filters=4,width=8")
    with torch.no_grad():
        network.value.bias.copy_(torch.tensor([-5.0, 0.5, 5.0]))
    planes = some_planes(network)
    _, played = network.eval()(planes)
    _, trained = network.train()(planes)
    assert (played[:, 0] == 0).all() and (played[:, 2] == 1).all()
    assert (trained[:, 0] == 0).all() and (trained[:, 2] > 4).all()
    trained[:, 2].sum().backward()
    assert network.value.bias.grad.tolist() == [0, 0, len(planes)]


def test_the_same_seed_gives_the_same_weights():
    one, same, other = (network_for("ewn-3x3-3", "modern:s", seed) for seed in (1, 1, 2))
    assert torch.equal(one.stem.weight, same.stem.weight)
    assert not torch.equal(one.stem.weight, other.stem.weight)
    before = torch.random.get_rng_state()
    network_for("ewn-3x3-3", "modern:s", 1)
    assert torch.equal(before, torch.random.get_rng_state())


CASES = [
    ("rhombus-5x5-3", "modern:s"),
    ("star-37-3p", "modern:m"),
    (LIU, "liu2019"),
    (LIU, "liu2019:bias=on"),
    ("cdc-2x4-PPPP", "hsueh2023:16"),
    ("draughts-8x8", "modern:s"),
    ("star-37-3p", "schulte2021:blocks=1,filters=8,width=16"),
]


@pytest.mark.parametrize(("variant", "architecture"), CASES)
def test_weights_survive_a_file(tmp_path, variant, architecture):
    network = shaken(variant, architecture)
    first, second = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    save_weights(network, first, {"games": 3})
    loaded = load_weights(first).eval()
    assert loaded.info == network.info and loaded.info.about == {"games": 3}
    planes = some_planes(network)
    for ours, theirs in zip(network(planes), loaded(planes), strict=True):
        assert torch.equal(ours, theirs)
    save_weights(loaded, second)
    assert first.read_bytes() == second.read_bytes()


def test_weights_laid_out_for_a_gpu_survive_a_file(tmp_path):
    network = shaken("rhombus-5x5-3", "modern:s")
    save_weights(network, tmp_path / "a.safetensors")
    turned = network.to(memory_format=torch.channels_last)
    assert not turned.stem.weight.is_contiguous()
    save_weights(turned, tmp_path / "b.safetensors")
    plain, same = ((tmp_path / f"{name}.safetensors").read_bytes() for name in "ab")
    assert plain == same


@pytest.mark.parametrize(("variant", "architecture"), CASES)
def test_onnx_says_what_torch_says(tmp_path, variant, architecture):
    network = shaken(variant, architecture)
    path = tmp_path / "x.onnx"
    assert export(network, path) <= TOLERANCE
    info, model = read_model(path)
    assert info == network.info
    check_variant(info, halma.game(variant), path)
    planes = some_planes(network, 37)
    expected = network(planes)
    evaluator = OnnxEvaluator(info, model)
    torch_evaluator = TorchEvaluator(network)
    for number in (1, 2, 37):
        for each in (evaluator, torch_evaluator):
            found = each.evaluate(planes[:number].numpy())
            for ours, theirs in zip(found, expected, strict=True):
                np.testing.assert_allclose(
                    ours, theirs[:number].detach().numpy(), rtol=1e-3, atol=1e-3
                )
    # It was not all the same.
    assert expected[0].std(0).max() > 0.01 and expected[1].std(0).max() > 0.001


@pytest.mark.parametrize(("variant", "architecture"), CASES)
def test_an_onnx_file_runs_in_torch(tmp_path, variant, architecture):
    """As it does on a GPU; torch sums in another order than onnxruntime."""
    network = shaken(variant, architecture)
    path = tmp_path / "x.onnx"
    export(network, path)
    evaluator = load_in_torch(path, halma.game(variant), "cpu")
    planes = some_planes(network, 9).numpy()
    wanted = OnnxEvaluator(*read_model(path)).evaluate(planes)
    for ours, theirs in zip(evaluator.evaluate(planes), wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
    with pytest.raises(NetworkError, match="not 'frogs-3-2'"):
        load_in_torch(path, halma.game("frogs-3-2"), "cpu")


def test_exports_are_valid(tmp_path):
    for variant, architecture in CASES:
        path = tmp_path / "x.onnx"
        export(network_for(variant, architecture), path)
        onnx.checker.check_model(str(path), full_check=True)


def test_exporting_without_onnx_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(HalmaError, match=r'needs onnx.*pip install "halma\[train\]"'):
        to_onnx(network_for("ewn-3x3-3", "modern:s"))


def test_an_export_that_disagrees_is_refused():
    network, other = shaken("ewn-3x3-3", "modern:s"), network_for("ewn-3x3-3", "modern:s")
    model = to_onnx(other)
    with pytest.raises(NetworkError, match="differs from the original by"):
        check_agreement(network, model)


def test_rounding_of_large_outputs_is_no_disagreement():
    """A small logit among large ones has their rounding errors."""
    network = shaken("rhombus-7x7-6:liu2019", "liu2019")
    with torch.no_grad():
        network.policy.weight.mul_(1e5)
    assert check_agreement(network, to_onnx(network)) < 1e-4


def test_exports_are_small_and_plain(tmp_path):
    path = tmp_path / "x.onnx"
    export(network_for("rhombus-7x7-6", "modern"), path)
    assert path.stat().st_size < 4_000_000
    export(network_for("star-121-6p", "modern:s"), path)
    assert path.stat().st_size < 5_000_000
    assert read_info(path).game == "star-121-6p"


def test_weights_of_another_architecture_are_refused(tmp_path):
    path = tmp_path / "x.safetensors"
    network = network_for("ewn-3x3-3", "modern:s")
    arrays = {name: t.numpy() for name, t in network.state_dict().items()}
    for architecture, words in (
        ("modern:size=m", "not those of 'modern:size=m'"),
        ("transformer", "no architecture 'transformer'"),
    ):
        write_weights(path, replace(network.info, architecture=architecture), arrays)
        with pytest.raises(NetworkError, match=words) as caught:
            load_weights(path)
        assert "\n" not in str(caught.value)


def test_export_file(tmp_path):
    network = shaken("cdc-2x4-PPPP", "hsueh2023:16")
    save_weights(network, tmp_path / "x.safetensors", {"by": "a test"})
    assert export_file(tmp_path / "x.safetensors", tmp_path / "x.onnx") <= 1e-3
    assert read_info(tmp_path / "x.onnx").about == {"by": "a test"}


def test_folding_changes_nothing_and_leaves_the_original():
    network = shaken(LIU, "liu2019")
    names = set(network.state_dict())
    ready = for_inference(network)
    assert not any(isinstance(m, torch.nn.BatchNorm2d) for m in ready.modules())
    assert set(network.state_dict()) == names
    planes = some_planes(network)
    for ours, theirs in zip(ready(planes), network(planes), strict=True):
        assert torch.allclose(ours, theirs, rtol=1e-3, atol=1e-4)


def test_a_torch_evaluator_takes_new_weights():
    network, other = shaken("ewn-5x5-6", "modern:s"), network_for("ewn-5x5-6", "modern:s")
    planes = some_planes(network).numpy()
    evaluator = TorchEvaluator(other)
    network.info = replace(network.info, about={"games": 100})
    evaluator.load(network)
    expected = TorchEvaluator(network).evaluate(planes)
    for ours, theirs in zip(evaluator.evaluate(planes), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    with pytest.raises(HalmaError, match="another description"):
        evaluator.load(network_for("ewn-3x3-3", "modern:s"))
    buffer = evaluator.buffer(20)
    buffer.planes[:16] = planes
    buffer.start(16)
    np.testing.assert_allclose(buffer.finish()[1], expected[1], rtol=1e-5)


def test_half_precision_is_close():
    network = shaken("ewn-5x5-6", "modern:s")
    planes = some_planes(network).numpy()
    _, exact = TorchEvaluator(network).evaluate(planes)
    _, rough = TorchEvaluator(network, precision="bfloat16").evaluate(planes)
    assert rough.dtype == np.float32
    assert np.abs(exact - rough).max() < 0.05
    with pytest.raises(HalmaError, match="no precision 'float8'"):
        TorchEvaluator(network, precision="float8")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_no_gpu_is_a_sentence():
    with pytest.raises(HalmaError, match="no GPU"):
        TorchEvaluator(network_for("ewn-3x3-3", "modern:s"), "cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize(("precision", "slack"), [("float32", 0.01), ("bfloat16", 0.15)])
@pytest.mark.parametrize("narrow", [True, False])
@pytest.mark.parametrize("graphs", [True, False])
def test_a_gpu_says_what_the_cpu_says(graphs, narrow, precision, slack):
    """Roundings add up in a network this deep, so it is their mean that must be small."""
    network = shaken(LIU, "liu2019")
    planes = some_planes(network, 64).numpy()
    expected = TorchEvaluator(network).evaluate(planes)
    evaluator = TorchEvaluator(network, "cuda", precision, graphs=graphs)
    buffers = [evaluator.buffer(64, narrow) for _ in range(2)]
    assert all((buffer.planes.dtype == np.uint8) == narrow for buffer in buffers)
    actions = np.random.default_rng(2).permuted(np.tile(np.arange(294), (64, 1)), axis=1)
    numbers = np.arange(64) + 2  # legal moves of each position
    policy, values = expected
    if narrow:
        chosen = np.take_along_axis(policy, actions, axis=1)[:, : halma.game(LIU).core.max_moves]
        powers = np.exp(chosen) * (np.arange(chosen.shape[1]) < numbers[:, None])
        policy = powers / powers.sum(1, keepdims=True)
    for _ in range(3):
        for number in (64, 40, 7, 1):
            for buffer in buffers:
                buffer.planes[:number] = planes[:number]
                if narrow:
                    buffer.legal[:, 0] = numbers
                    buffer.legal[:, 1:] = actions[:, : buffer.legal.shape[1] - 1]
                buffer.start(number)
            for buffer in buffers:
                ours = buffer.finish()
                assert (ours[1].dtype == np.float16) == (narrow and precision != "float32")
                for one, other in zip(ours, (policy, values), strict=True):
                    assert np.abs(one - other[:number]).mean() < slack * other.std()


def test_only_plain_operations_are_written():
    for variant, architecture in CASES:
        onnx_file.parse(to_onnx(network_for(variant, architecture)))


@pytest.mark.parametrize(
    "architecture", ["modern:s", "liu2019", "hsueh2023:16", "schulte2021:blocks=2,filters=16"]
)
def test_everything_learns(architecture):
    """A few steps on some positions bring the loss down and move every parameter."""
    network = network_for("ewn-3x3-3", architecture).train()
    before = [parameter.detach().clone() for parameter in network.parameters()]
    generator = torch.Generator().manual_seed(4)
    planes = some_planes(network, 64)
    moves = torch.randint(0, network.info.actions, (64,), generator=generator)
    wins = torch.randint(0, 2, (64,), generator=generator).float()
    scores = torch.stack((wins, 1 - wins), 1)
    optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
    losses = []
    for _ in range(30):
        policy, values = network(planes)
        loss = torch.nn.functional.cross_entropy(policy, moves) + ((values - scores) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]
    for old, new in zip(before, network.parameters(), strict=True):
        assert not torch.equal(old, new)


@pytest.mark.slow
def test_compiled_gradients_in_bfloat16_are_finite():
    """Compiled code computes values again with other rounding; no gradient may rest on equality."""
    info = NetworkInfo.for_game(halma.game("rhombus-7x7-6"), "modern:size=s")
    planes = torch.randint(0, 2, (8, *info.shape), generator=torch.Generator().manual_seed(0))
    gradients = []
    for wrap in (lambda network: network, partial(torch.compile, dynamic=False)):
        network = build(info, seed=0).to(memory_format=torch.channels_last).train()
        with torch.autocast("cpu", torch.bfloat16):
            policy, values = wrap(network)(planes.float())
        (policy.float().square().sum() + values.float().square().sum()).backward()
        gradients.append(torch.cat([one.grad.flatten() for one in network.parameters()]))
    eager, compiled = gradients
    assert torch.isfinite(compiled).all()
    assert torch.dot(eager, compiled) / eager.norm() / compiled.norm() > 0.99
