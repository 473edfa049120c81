"""Scoreboards and kept summaries: pages in the repository are what the kept files give."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from test_run_store import tiny, write_run

from halma.errors import HalmaError
from halma.lab import Workspace, find_paper, paper_names, reproduce
from halma.lab.experiment import Experiment, ExperimentPage, Paper
from halma.lab.jobs import Job
from halma.lab.keeping import keep
from halma.lab.kept import KeptRuns, keep_runs, kept_digests, read_runs, thinned
from halma.lab.packing import packed, unpacked
from halma.lab.plots import no_images
from halma.lab.report import Claim, ReportSection
from halma.lab.run_store import RunStore
from halma.lab.scoreboard import filled, paper_page, scores, summary_page

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"


def write(path, recipe, values):
    lines = [
        {"iteration": i, "wr_p": value, "games": 5, "play_seconds": 0.1 * i, "seconds": 2.0 * i}
        for i, value in enumerate(values, start=1)
    ]
    return write_run(path, recipe, lines)


def test_pages_are_what_the_kept_files_give(tmp_path):
    papers = []
    with no_images():
        for name in paper_names():
            paper = find_paper(name)
            found = scores(paper, tmp_path / name)
            papers.append((paper, found))
            text = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
            assert text.split("\n")[2] == "<!-- begin scoreboard -->"
            assert paper_page(paper, found, text) == text, f"scripts/results.py pages {name}"
            assert all(one.pages or one.reason for one in found)
    text = (RESULTS / "README.md").read_text(encoding="utf-8")
    assert summary_page(papers, text) == text


def test_a_figure_is_drawn_from_kept_runs(tmp_path):
    paper = find_paper("hsueh2023")
    workspace = Workspace(
        tmp_path, lambda text: None, full=True, draw_only=True, kept=paper.kept, workers=1
    )
    report = reproduce("hsueh2023", workspace, "fig22")
    assert (tmp_path / "full" / "fig22.png").read_bytes().startswith(b"\x89PNG")
    assert report.command == "halma reproduce hsueh2023 fig22 --full --kept"
    assert len(report.sections[0].rows) == 4 and not (tmp_path / "runs").exists()


def test_runs_are_thinned_and_read_again(tmp_path):
    values = [None, 0.12345678, 0.2, 0.3]
    recipes = [tiny(iterations=4), tiny(iterations=4, seed=1), tiny(iterations=4, seed=2)]
    store = RunStore(tmp_path / "runs")
    write(store.path(recipes[0]), recipes[0], values)
    write(store.path(recipes[1]), recipes[1], values[:3])
    folder = tmp_path / "kept"
    assert keep_runs(folder, store, recipes, ("wr_p", "games"), "abc") == 2
    assert keep_runs(folder, store, recipes, ("wr_p", "games"), "def") == 0
    kept = KeptRuns(folder)
    entries = kept.metrics(recipes[0])
    assert [entry["iteration"] for entry in entries] == [2, 3, 4]
    assert [entry["wr_p"] for entry in entries] == [0.123457, 0.2, 0.3]
    assert {entry["games"] for entry in entries} == {5}
    assert kept.mean(recipes[0], "play_seconds") == pytest.approx(0.25)
    assert kept.mean(recipes[0], "processor_seconds") is None
    assert kept.revision(recipes[0]) == "abc"
    assert [kept.is_finished(recipe) for recipe in recipes] == [True, False, False]
    assert kept.iterations(recipes[1]) == 3 and kept.metrics(recipes[2]) == []
    assert kept.best(recipes[0]) is None and kept.versions(recipes[0]) == {}
    # A longer run replaces a shorter one.
    (store.path(recipes[1]) / "metrics.jsonl").unlink()
    (store.path(recipes[1]) / "recipe.toml").unlink()
    store.path(recipes[1]).rmdir()
    write(store.path(recipes[1]), recipes[1], values)
    assert keep_runs(folder, store, recipes, ("wr_p", "games"), "def") == 1
    assert KeptRuns(folder).is_finished(recipes[1])


def test_what_identifies_networks_is_kept(tmp_path):
    recipe, store, folder = tiny(iterations=4), RunStore(tmp_path / "runs"), tmp_path / "kept"
    run = write(store.path(recipe), recipe, [0.1] * 4)
    assert keep_runs(folder, store, [recipe], ("wr_p",), "abc") == 1 and not kept_digests(folder)
    # A run of which no networks were known, and one whose networks are others, is kept anew.
    (run / "versions").mkdir()
    for content in (b"one", b"another"):
        (run / "best.onnx").write_bytes(content)
        (run / "versions" / "iteration-000003.onnx").write_bytes(b"version")
        assert keep_runs(folder, store, [recipe], ("wr_p",), "abc") == 1
        assert keep_runs(folder, store, [recipe], ("wr_p",), "abc") == 0
        kept = KeptRuns(folder, train=False)
        assert kept.best(recipe).digest == store.best(recipe).digest
        assert [*kept.versions(recipe)] == [3] and len(kept_digests(folder)) == 2
        assert not kept.best(recipe).file.exists()
    # Networks that were lost since are still known, of a run that has another one left as well.
    kept = kept_digests(folder)
    (run / "best.onnx").write_bytes(b"a third")
    (run / "versions" / "iteration-000003.onnx").unlink()
    assert keep_runs(folder, store, [recipe], ("wr_p",), "abc") == 0
    assert kept_digests(folder) == kept
    (run / "best.onnx").unlink()
    assert keep_runs(folder, store, [recipe], ("wr_p",), "abc") == 0


@pytest.mark.parametrize("line", ["", "{}", "[", '{"run": 3}'])
def test_damaged_kept_runs_are_refused(tmp_path, line):
    (tmp_path / "runs.jsonl").write_text(f"{line}\n")
    with pytest.raises(HalmaError, match="line 1 is not that of a run"):
        read_runs(tmp_path / "runs.jsonl")


def test_thinning_keeps_the_last():
    assert thinned(range(10), 3) == [1, 5, 9]
    assert thinned(range(3), 3) == [0, 1, 2] and thinned([], 3) == []


def test_lists_of_few_values_are_packed():
    games = [[[1.0, 0.0], 12, "by the rules"], [[0.0, 1.0], 11, "by the rules"]] * 20
    short = packed(games)
    assert unpacked(short) == games and len(str(short)) < len(str(games)) / 5
    for value in ([1, 2], [], [{"a": 1}, {"a": 2}], {"a": [1, 1]}, 3.5):
        assert packed(value) == value == unpacked(value)
    # A damaged one is left to the check of the measurement.
    broken = {**short, "places": [0, 7]}
    assert unpacked(broken) == broken


def test_verdict_of_a_claim():
    remarks = ("agrees", "agrees: proven", "differs, but is near", "the shape agrees", "")
    found = [Claim("", "", "", remark).verdict for remark in remarks]
    assert found == ["agrees", "agrees", "differs", "", ""]


def test_marks():
    page = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n"
    new = filled(page, [("x", "new"), ("y", "not there")])
    assert new == "a\n<!-- begin x -->\n\nnew\n\n<!-- end x -->\nb\n"
    assert filled(new, [("x", "new")]) == new
    assert filled(new, [("x", "")]) == "a\n<!-- begin x -->\n\n<!-- end x -->\nb\n"
    for broken in ("<!-- begin x -->", page + page, "<!-- end x --><!-- begin x -->"):
        with pytest.raises(HalmaError, match="<!-- end x -->"):
            filled(broken, [("x", "new")])


@dataclass(frozen=True, kw_only=True)
class Counting(Experiment):
    """Measurements, two of them as a rule, and a claim about them."""

    remark: str = "agrees"
    measured: str = "ab"

    def jobs(self, workspace):
        return [Job(f"{self.name},{part}", len, ()) for part in self.measured]

    def page(self, workspace):
        found = [name for name in workspace.measurements if name.startswith(self.name)]
        claim = Claim("measurements", "2", str(len(found)), self.remark)
        return ExperimentPage([ReportSection(self.title, "", [claim] if found else ())])


def test_statuses_and_verdicts(tmp_path, monkeypatch):
    monkeypatch.setattr(Paper, "kept", property(lambda paper: tmp_path / "kept"))
    given = {
        "one": ("full", {"one,a": 1, "one,b": 2}, "agrees"),
        "two": ("full", {"two,a": 1}, "differs, but is near"),
        "three": ("quick", {"three,a": 1, "three,b": 1}, "agrees"),
        "four": ("quick", {}, "agrees"),
        "five": ("quick", {"five,b": 1}, "agrees"),
    }
    experiments = [
        Counting(name=name, title=f"Figure {name}", libraries=(), remark=remark)
        for name, (_, _, remark) in given.items()
    ]
    for scale in ("full", "quick"):
        workspace = Workspace(tmp_path / "work", lambda text: None, full=scale == "full", seed=7)
        for where, values, _ in given.values():
            for name, value in values.items() if where == scale else ():
                workspace.measurements.seconds[name] = 60.0
                workspace.measurements[name] = value
    paper = Paper("nobody2000", "nobody2000: Counting", experiments, unkept={"four": "Why not."})
    assert keep(paper, tmp_path / "work", "abc123").startswith("0 runs and 6 measurements")
    found = scores(paper, tmp_path / "pages")
    assert [one.status for one in found] == ["full", "partial", "reduced", "missing", "reduced"]
    assert [one.verdict for one in found] == ["agrees", "differs", "open", "open", "open"]
    page = paper_page(
        paper, found, "<!-- begin scoreboard -->\n<!-- end scoreboard -->\n"
        "<!-- begin blocks -->\n<!-- end blocks -->\n"
    )  # fmt: skip
    assert (
        "| [Figure two](#figure-two) | partial: 1 of 2 | differs, 0 of 1 | 7 "
        "| `halma reproduce nobody2000 two --full` |"
    ) in page
    assert "| Figure four. Why not. | missing | open | – |" in page
    assert "| [Figure three](#figure-three) | reduced | open |" in page
    assert "| [Figure five](#figure-five) | reduced: 1 of 2 | open |" in page
    assert "In full: 2 of 2 done; seeds: 7; revision abc123; 2.0 minutes of one worker" in page
    assert "    halma reproduce nobody2000 three --quick\n" in page
    text = summary_page([(paper, found)], "<!-- begin summary -->\n<!-- end summary -->\n")
    assert "| 1 | 1 | 2 | 1 | 1 | 1 | 3 | 1 of 2 |" in text

    # What is measured later is added, and replaces what has its name; another seed begins anew.
    for seed, status in ((7, "full"), (8, "partial")):
        work = tmp_path / f"later{seed}"
        later = Workspace(work, lambda text: None, full=True, seed=seed)
        later.measurements["two,b"] = 5
        keep(paper, work, f"def{seed}")
        assert scores(paper, tmp_path / "pages")[1].status == status
        page = paper_page(paper, scores(paper, tmp_path / "pages"), page)
        assert (f"revision abc123, def{seed};" in page) == (seed == 7)


@pytest.mark.parametrize(
    ("full", "status"),
    [("", "reduced"), ("a", "reduced"), ("ab", "partial: 2 of 9"), ("abcdefghi", "full")],
)
def test_reduced_runs_are_shown_until_an_eighth_is_done_in_full(
    tmp_path, monkeypatch, full, status
):
    monkeypatch.setattr(Paper, "kept", property(lambda paper: tmp_path / "kept"))
    one = Counting(name="one", title="Figure one", libraries=(), measured="abcdefghi")
    paper = Paper("nobody2000", "nobody2000: Counting", [one])
    for scale, done in (("full", full), ("quick", one.measured)):
        workspace = Workspace(tmp_path / scale, lambda text: None, full=scale == "full", seed=7)
        for part in done:
            workspace.measurements[f"one,{part}"] = 1
        keep(paper, tmp_path / scale, "abc123")
    (found,) = scores(paper, tmp_path / "pages")
    page = paper_page(paper, [found], "<!-- begin scoreboard -->\n<!-- end scoreboard -->\n")
    assert f"| Figure one | {status} |" in page


@dataclass(frozen=True, kw_only=True)
class Curve(Experiment):
    """A run, drawn as far as it got, beside which another may be there."""

    def recipes(self, workspace):
        return [tiny(iterations=4)]

    def extra_recipes(self, workspace):
        return [tiny(iterations=4, seed=1)]

    def page(self, workspace):
        (recipe,) = self.recipes(workspace)
        rows = [Claim("wr_p", "", str(one["wr_p"])) for one in workspace.runs.metrics(recipe)]
        return ExperimentPage([ReportSection(self.title, "", rows)])


def test_an_unfinished_run_is_partial_and_says_how_far_it_got(tmp_path, monkeypatch):
    monkeypatch.setattr(Paper, "kept", property(lambda paper: tmp_path / "kept"))
    paper = Paper("nobody2000", "nobody2000: Curves", [Curve(name="one", title="Figure one")])
    store = RunStore(tmp_path / "work" / "runs")
    for recipe, values in ((tiny(iterations=4), [0.1] * 3), (tiny(iterations=4, seed=1), [0.1])):
        write(store.path(recipe), recipe, values)
    assert keep(paper, tmp_path / "work", "abc123").startswith("2 runs and 0 measurements")
    (found,) = scores(paper, tmp_path / "pages")
    assert (found.status, found.parts) == ("partial", {"": "0 of 1"})
    assert sorted(found.pages[0].coverage.runs.values()) == [(1, 4), (3, 4)]
    assert found.row()[1].startswith("partial: 0 of 1; run hsueh2023/ewn-3x3-3,iterations=4")
    assert found.row()[1].count(" iterations") == 2
