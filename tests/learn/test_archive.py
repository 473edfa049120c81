"""The archive of versions of a run: when it is written, what plays from it, and bundles."""

import random
import shutil

import numpy as np
import pytest
import small_networks
from small_networks import small

from halma import files, load_network
from halma.agents import agent
from halma.arena import make_plan, play_matches
from halma.cli import completion
from halma.errors import NetworkError, RunError
from halma.games import Record
from halma.learn import bundle
from halma.learn.archive import RunNetworks
from halma.learn.run import run_recipe, set_iterations
from halma.networks import list_versions
from halma.networks.network_file import read_info, read_weights
from halma.tensors import open_tensors


def train(recipe, out, handlers=(), **more):
    return small_networks.train(recipe, out, handlers, **more)


def archived(**changes):
    return small(archive__every=2, **changes)


def names(run):
    return sorted(path.name for path in (run / "versions").iterdir())


def pair(*numbers):
    return [f"iteration-{n:06}.{end}" for n in numbers for end in ("onnx", "safetensors")]


def weights(run, number):
    return read_weights(run / "versions" / f"iteration-{number:06}.safetensors")[1]


def same(one, other):
    return all(np.array_equal(array, other[name]) for name, array in one.items())


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A run of three iterations with an archive of every second."""
    out = tmp_path_factory.mktemp("kept") / "run"
    train(archived(), out)
    return out


def test_what_is_kept(kept, tmp_path):
    # The first, every second, and the last.
    assert names(kept) == pair(0, 2, 3)
    assert list_versions(kept) == [0, 2, 3]
    for number in (0, 2, 3):
        for end in ("onnx", "safetensors"):
            about = read_info(kept / "versions" / f"iteration-{number:06}.{end}").about
            assert about == {"recipe": "small", "iteration": number}
    best = read_weights(kept / "best.safetensors")[1]
    assert same(weights(kept, 3), best)
    assert not same(weights(kept, 2), best) and not same(weights(kept, 0), weights(kept, 2))
    # An archive changes nothing else.
    train(small(), tmp_path / "without")
    assert not (tmp_path / "without" / "versions").exists()
    assert same(read_weights(tmp_path / "without" / "best.safetensors")[1], best)


def test_a_version_is_the_network_after_its_iteration(kept, tmp_path):
    train(small(iterations=3), tmp_path / "run")
    two = tmp_path / "run" / "checkpoints" / "iteration-000002.safetensors"
    arrays = open_tensors(two, {}).arrays()
    assert same(weights(kept, 2), {name: arrays[f"network.{name}"] for name in weights(kept, 2)})


def test_it_follows_the_network_in_training_and_not_the_best(tmp_path):
    recipe = archived(gate__games=2, gate__threshold=1.0, iterations=2)
    last = train(recipe, tmp_path / "run")
    assert last["best"] == 0
    best = read_weights(tmp_path / "run" / "best.safetensors")[1]
    assert same(weights(tmp_path / "run", 0), best)
    assert not same(weights(tmp_path / "run", 2), best)


def test_after_the_warm_start(tmp_path):
    recipe = archived(warm_start__games=4, iterations=1)
    train(recipe, tmp_path / "warm")
    train(archived(iterations=1), tmp_path / "cold")
    assert not same(weights(tmp_path / "warm", 0), weights(tmp_path / "cold", 0))


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("what", ["before write", "after write", "before rename", "after rename"])
@pytest.mark.parametrize("end", ["safetensors", "onnx"])
@pytest.mark.parametrize("number", [0, 2])
def test_killed_while_it_is_written(kept, tmp_path, monkeypatch, number, what, end):
    def on_failpoint(place, path):
        if (
            place == what
            and path.name == f"iteration-{number:06}.{end}"
            and "versions" in path.parts
        ):
            raise Killed

    monkeypatch.setattr(files, "on_failpoint", on_failpoint)
    with pytest.raises(Killed):
        train(archived(), tmp_path / "run")
    monkeypatch.setattr(files, "on_failpoint", None)
    for version in list_versions(tmp_path / "run"):
        load_network(tmp_path / "run", version=version)  # those that are there are whole
    train(archived(), tmp_path / "run")
    assert names(tmp_path / "run") == names(kept)
    for version in (0, 2, 3):
        assert same(weights(tmp_path / "run", version), weights(kept, version))


def test_missing_files_are_written_again(kept, tmp_path):
    run = shutil.copytree(kept, tmp_path / "run")
    before = {name: (run / "versions" / name).read_bytes() for name in names(run)}
    (run / "versions" / "iteration-000000.onnx").unlink()
    train(archived(), run)
    assert names(run) == names(kept)
    assert {name: (run / "versions" / name).read_bytes() for name in names(run)} == before
    # What belongs to the checkpoint comes back with the next session.
    for name in pair(3):
        (run / "versions" / name).unlink()
    train(archived(iterations=3), run)
    assert names(run) == pair(0, 2)  # a finished run does nothing
    train(set_iterations(run, 4), run)
    assert names(run) == pair(0, 2, 4)


def test_a_missing_version_of_the_checkpoint_is_written_again(kept, tmp_path):
    run = shutil.copytree(kept, tmp_path / "run")
    (run / "checkpoints" / "iteration-000003.safetensors").unlink()
    for name in pair(2, 3):
        (run / "versions" / name).unlink()
    train(archived(), run)
    assert names(run) == names(kept)
    assert same(weights(run, 2), weights(kept, 2))


def test_it_can_be_switched_on_later(tmp_path):
    train(small(iterations=1), tmp_path / "run")
    longer = set_iterations(tmp_path / "run", 3)
    train(longer.changed({"archive.every": 1}), tmp_path / "run")
    assert names(tmp_path / "run") == pair(1, 2, 3)
    assert run_recipe(tmp_path / "run").settings.archive.every == 1


def test_networks_for_training(kept):
    networks = RunNetworks(kept, archived())
    assert networks.has_version(2) and not networks.has_version(1)
    assert networks.version(2).info.about["iteration"] == 2
    with pytest.raises(NetworkError, match="no file"):
        networks.version(1)


# Playing.


def test_versions_play(kept):
    for version in ("0", "2", "first", "last"):
        player = agent(f"net:{kept},version={version},sims=4")
        assert player.name == f"net:{kept},version={version},sims=4"
        record = Record(archived().game)
        record.play(player.choose(record, random.Random(1)))
    first, best = agent(f"net:{kept},version=first"), agent(f"net:{kept}")
    assert first.file == kept / "versions" / "iteration-000000.onnx"
    assert best.file == kept / "best.onnx"
    plan = make_plan("rhombus-3x3-1", [f"net:{kept},version={n},sims=2" for n in (3, 0)])
    assert play_matches([plan], 4)[0].games == 4
    assert load_network(kept, version=2).info.about["iteration"] == 2


def test_versions_that_are_not_there(kept, tmp_path):
    for name, words in (
        (f"net:{kept},version=1", "has no version '1': it has 0, 2, 3; first and last are"),
        (f"net:{kept},version=newest", "has no version 'newest': it has 0, 2, 3"),
        (f"net:{kept},version=-1", "has no version '-1'"),
        (f"net:{kept},version=\u0663", "has no version"),
        (f"net:{kept / 'best.onnx'},version=2", "for the directory of a training run"),
        ("net:rhombus-7x7-6,version=2", "for the directory of a training run"),
        (f"net:{tmp_path},version=2", r"has no versions: a run keeps them with archive.every=10"),
        (f"net:{tmp_path}", r"has no best\.onnx"),
    ):
        with pytest.raises(NetworkError, match=words):
            agent(name)
    (tmp_path / "versions").mkdir()
    for number in range(40):
        (tmp_path / "versions" / f"iteration-{number:06}.onnx").touch()
    with pytest.raises(NetworkError, match=r"0, 1, 2, 3, 4, 5, \.\.\., 34, 35, 36, 37, 38, 39;"):
        agent(f"net:{tmp_path},version=77")


def test_completion(kept):
    assert completion.agents(f"net:{kept},version=") == [
        f"net:{kept},version={n}" for n in ("0", "2", "3", "first", "last")
    ]
    assert "net:rhombus-7x7-6" in completion.agents("net:")
    assert completion.agents("gree") == ["greedy"]


# Bundles.


def test_a_bundle_takes_the_archive_along(kept, tmp_path):
    game = archived().game
    bundle.pack(kept, tmp_path / "bundle", game)
    assert len(list((tmp_path / "bundle").iterdir())) <= 8
    bundle.unpack(tmp_path / "bundle", tmp_path / "there", game)
    assert names(tmp_path / "there") == [name for name in names(kept) if name.endswith("tensors")]
    with pytest.raises(NetworkError, match="has no versions"):
        agent(f"net:{tmp_path / 'there'},version=2")
    train(archived(), tmp_path / "there")
    assert names(tmp_path / "there") == names(kept)
    assert same(weights(tmp_path / "there", 2), weights(kept, 2))
    agent(f"net:{tmp_path / 'there'},version=2")


def test_a_bundle_takes_what_fits(tmp_path, monkeypatch):
    train(small(archive__every=1, iterations=6), tmp_path / "run")
    size = (tmp_path / "run" / "versions" / "iteration-000000.safetensors").stat().st_size
    monkeypatch.setattr(bundle, "LARGEST_FILE", 10240 + 2 * (size + 1024))
    monkeypatch.setattr(bundle, "_write", lambda path, data: path.write_bytes(data))
    bundle.pack(tmp_path / "run", tmp_path / "bundle", small().game)
    tars = sorted((tmp_path / "bundle").glob("versions-*.tar"))
    assert [path.name for path in tars] == ["versions-1.tar", "versions-2.tar"]
    assert all(path.stat().st_size <= bundle.LARGEST_FILE for path in tars)
    bundle.unpack(tmp_path / "bundle", tmp_path / "there", small().game)
    assert names(tmp_path / "there") == [f"iteration-{n:06}.safetensors" for n in (0, 2, 4, 6)]
    # The rest of a bundle does not belong among versions.
    tars[0].write_bytes((tmp_path / "bundle" / "state.tar").read_bytes())
    with pytest.raises(RunError, match="does not belong there"):
        bundle.unpack(tmp_path / "bundle", tmp_path / "other", small().game)
