"""schulte2021's experiments with networks, whole: a tiny run, its matches and pages."""

import json
import shutil

import pytest

import halma
from halma.lab import Workspace, find_paper, reproduce
from halma.lab.experiment import Paper
from halma.lab.keeping import keep
from halma.lab.run_store import RunStore
from halma.lab.schulte2021 import settings
from halma.lab.schulte2021.networks import final_networks, run_versions
from halma.lab.schulte2021.policies import measure_start
from halma.lab.schulte2021.settings import ALONE, SEARCH
from halma.lab.scoreboard import score, scores
from halma.lab.seat_matches import play_seated
from halma.learn.bundle import pack

TINY = {
    "network": "schulte2021:blocks=0,filters=4,width=16",
    "iterations": 2,
    "warm_start.games": 10,
    "search.simulations": 3,
    "selfplay.games": 4,
    "selfplay.parallel_games": 4,
    "learning.epochs": 0.5,
    "gate.games": 2,
    "gate.threshold": 0.0,
    "learning.batch_size": 64,
    "evaluation.every": 0,
}
SCALE = settings.QUICK._replace(
    seat_games=dict.fromkeys(settings.QUICK.seat_games, 6),
    agent_games=6,
    version_games={SEARCH: 6, ALONE: 6},
    search_games=6,
    strength_games={SEARCH: 6, ALONE: 6},
    illegal_games=3,
    network_seat_games={SEARCH: 2, ALONE: 4},
    loop_games=4,
)
#: Rows that each page has at least, and what the first of them begins with.
EXPECTED = {
    "versions": (2, "points against the version before"),
    "greedy": (6, "single games, 200 simulations: first, version 1 to 3"),
    "search": (3, "version 3, 200 simulations against network alone, points"),
    "strength": (4, "version 3, 200 simulations, 3 single games"),
    "illegal": (4, "version 1"),
    "opening": (3, "version 3: policy at the start"),
    "network-seats": (6, "version 3, network alone, 4 games"),
    "loops": (1, "version 3"),
}


@pytest.fixture(scope="module", autouse=True)
def small():
    """The scale of all tests here."""
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "_REDUCED", TINY)
        patch.setattr(settings, "QUICK", SCALE)
        yield


@pytest.fixture(scope="module")
def folder(small, tmp_path_factory):
    """A workspace in which everything was run."""
    workspace = Workspace(tmp_path_factory.mktemp("lab"), print, workers=1)
    assert "failed" not in reproduce("schulte2021", workspace).about
    return workspace.folder


@pytest.mark.parametrize("name", EXPECTED)
def test_pages_of_networks(folder, name):
    workspace = Workspace(folder, print, draw_only=True)
    report = reproduce("schulte2021", workspace, name)
    assert report.about["versions"] == "1, 2, 3"
    rows, first = EXPECTED[name]
    assert len(report.sections[0].rows) >= rows
    assert report.sections[0].rows[0][0].startswith(first)
    for section in report.sections:
        for figure in section.figures:
            assert (workspace.pages / figure.file).stat().st_size > 1000


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """A folder of kept summaries in place of the package's."""
    monkeypatch.setattr(Paper, "kept", property(lambda paper: tmp_path / "kept"))
    return tmp_path / "kept"


def drawn(name, folder):
    """Return the report on an experiment that is made of kept files alone."""
    paper = find_paper("schulte2021")
    workspace = Workspace(folder, print, draw_only=True, kept=paper.kept)
    return reproduce("schulte2021", workspace, name)


def test_pages_are_the_same_from_what_is_kept(folder, kept, tmp_path):
    paper = find_paper("schulte2021")
    assert keep(paper, folder, "abc1234").startswith("1 runs and ")
    assert "left out" not in keep(paper, folder, "abc1234")
    for name in EXPECTED:
        before = reproduce("schulte2021", Workspace(folder, print, draw_only=True), name)
        again = drawn(name, tmp_path / "drawn")
        assert again.sections == before.sections, name
        for key in ("schulte2021", "versions"):
            assert again.about[key] == before.about[key], name
    found = {one.experiment.name: one for one in scores(paper, tmp_path / "scores")}
    assert {found[name].status for name in EXPECTED} == {"reduced"}
    assert all({*found[name].parts.values()} == {"reduced"} for name in EXPECTED)


def test_measurements_of_another_network_are_not_used(folder, kept, tmp_path):
    keep(find_paper("schulte2021"), folder, "abc1234")
    lines = kept / "runs.jsonl"
    line = json.loads(lines.read_text())
    assert line["promoted"] == [0, 1, 2] and line["best"] == line["versions"]["2"]
    line["versions"]["2"] = "00000000"
    lines.write_text(json.dumps(line | {"points": [[1, 3, 1]]}) + "\n")
    rows = drawn("opening", tmp_path / "drawn").sections[0].rows
    assert not any("version" in row.what for row in rows)
    shares = drawn("illegal", tmp_path / "drawn").data
    assert [label for label in shares if label.startswith("version")] == ["version 1", "version 2"]


def test_a_run_that_was_made_elsewhere_is_taken_as_far_as_it_got(folder, kept, tmp_path):
    (run,) = (folder / "runs").iterdir()
    # As if the second of its two iterations had not been reached.
    metrics = run / "metrics.jsonl"
    lines = metrics.read_text().splitlines(keepends=True)
    metrics.write_text(lines[0])
    try:
        elsewhere = Workspace(tmp_path, print, workers=1, adopt=[folder / "runs"])
        report = reproduce("schulte2021", elsewhere, "opening")
        assert report.about["schulte2021"].endswith("1 of 2 iterations are done")
        assert report.about["versions"] == "1, 2" and not (tmp_path / "runs").exists()
        assert list(run_versions(elsewhere)) == [1, 2]
        assert final_networks(elsewhere)[0].label == "version 2"
        # It is kept as far as it got, and so shown.
        paper = find_paper("schulte2021")
        keep(paper, tmp_path, "abc1234", adopt=[folder / "runs"])
        again = drawn("opening", tmp_path / "drawn")
        assert again.sections == report.sections
        assert again.about["schulte2021"] == report.about["schulte2021"]
        opening = next(one for one in paper.experiments if one.name == "opening")
        found = score(paper, opening, tmp_path / "scores")
        assert found.parts == {"": "reduced, 2 of 3"}
        assert [*found.pages[0].coverage.runs.values()] == [(1, 2)]
        status = found.row()[1]
        assert status.startswith("reduced: 2 of 3; run schulte2021,")
        assert status.endswith(": 1 of 2 iterations")
        # Without training, a run of the folder itself is taken so as well.
        own = Workspace(folder, print, workers=1, train=False)
        assert reproduce("schulte2021", own, "opening").about["versions"] == "1, 2"
        assert len(metrics.read_text().splitlines()) == 1
    finally:
        metrics.write_text("".join(lines))


def test_a_bundle_is_adopted_with_its_versions(folder, kept, tmp_path):
    (run,) = (folder / "runs").iterdir()
    pack(run, tmp_path / "bundle", halma.game("star-37-3p"))
    elsewhere = Workspace(tmp_path / "lab", print, workers=1, adopt=[tmp_path / "bundle"])
    versions = run_versions(elsewhere)
    assert list(versions) == [1, 2, 3]
    files = {number: one.network.file for number, one in versions.items()}
    assert files[3].is_relative_to(tmp_path / "lab" / "adopted")
    # It is unpacked once, and its models are written again where they are lost.
    before = files[1].stat()
    files[3].unlink()
    again = Workspace(tmp_path / "lab", print, workers=1, adopt=[tmp_path / "bundle"])
    assert run_versions(again) == versions and files[1].stat() == before
    assert (files[1].parents[1] / "best.onnx").exists()
    report = reproduce("schulte2021", again, "opening")
    assert report.about["versions"] == "1, 2, 3"
    # What was measured with it is kept, and drawn without it.
    paper = find_paper("schulte2021")
    said = keep(paper, tmp_path / "lab", "abc1234")
    assert said == (
        "0 runs and 1 measurements are new in kept. 1 were left out: no kept run has the networks "
        "that they were made with."
    )
    said = keep(paper, tmp_path / "lab", "abc1234", adopt=[tmp_path / "bundle"])
    assert said == "1 runs and 2 measurements are new in kept."
    shutil.rmtree(tmp_path / "lab")
    assert drawn("opening", tmp_path / "drawn").sections == report.sections


def test_a_run_of_the_smaller_network_stands_in_for_the_thesis(tmp_path, monkeypatch):
    there = {"schulte2021/small"}
    monkeypatch.setattr(RunStore, "metrics", lambda self, recipe: [{}] * (recipe.name in there))
    workspace = Workspace(tmp_path, print, full=True)
    assert settings.main_run(workspace).name == "schulte2021/small"
    there.add("schulte2021")
    assert settings.main_run(workspace).name == "schulte2021"
    there.clear()
    assert settings.main_run(workspace).name == "schulte2021"


def test_networks_on_another_device_say_the_same(folder):
    """A GPU where there is one, or else torch on the CPU."""
    network = run_versions(Workspace(folder, print))[3]
    starts = [measure_start(network.network.file, device, ignore) for device in ("cpu", "auto")]
    assert starts[1]["scores"] == pytest.approx(starts[0]["scores"], abs=1e-3)
    assert starts[1]["policy"] == pytest.approx(starts[0]["policy"], abs=1e-3)
    games = [
        play_seated("star-37-3p", [network.player(1)], 6, device, range(4), 0, ignore)
        for device in ("cpu", "auto")
    ]
    assert games[0] == games[1]


def ignore(fraction):
    assert 0 <= fraction <= 1
