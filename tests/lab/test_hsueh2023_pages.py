"""hsueh2023's pages from end to end, with small runs."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from cli.cli_helpers import start
from test_run_store import write_run

from halma.lab import Workspace, reproduce
from halma.lab import workspace as workspace_module
from halma.lab.hsueh2023 import PAPER, further, settings, tables
from halma.lab.hsueh2023.settings import Planner
from halma.lab.jobs import run_jobs
from halma.lab.run_store import run_name
from halma.learn import load, read_metrics


def graded(iteration, wr_p, **more):
    line = {"iteration": iteration, "wr_p": wr_p, "wr_p_low": None, "wr_p_high": None}
    if wr_p is not None:
        line |= {"wr_p_low": wr_p - 0.01, "wr_p_high": wr_p + 0.01}
    line |= {"err_p": 0.0138, "mae_v": 0.0236, "updated_1": 25467, "updated_4": 16277}
    return {**line, "updated_16": 7917, "seconds": 10.0 * iteration, **more}


@pytest.fixture
def tiny_scale(monkeypatch):
    small = replace(
        settings.quick_scale("ewn-3x3-3"),
        changes={
            "iterations": 4,
            "selfplay.games": 10,
            "search.simulations": 8,
            "truth.every": 2,
            "truth.games": 40,
        },
        axes={"c": (1 / 64, 1.0, 64.0)},
        timed_simulations=(6, 12),
        further_simulations=(2, 4),
        further_seeds=2,
    )
    monkeypatch.setattr(settings, "quick_scale", lambda variant: small)


def make(folder, experiment, **options):
    workspace = Workspace(folder, lambda text: None, **options)
    return reproduce("hsueh2023", workspace, experiment, ["ewn-3x3-3"])


def test_a_figure_from_end_to_end(tmp_path, tiny_scale):
    report = make(tmp_path, "fig8", workers=2)
    runs = sorted((tmp_path / "runs").iterdir())
    assert len(runs) == 3 and all(len(read_metrics(run)) == 4 for run in runs)
    pages = tmp_path / "quick"
    assert (pages / "fig8-ewn-3x3-3.png").read_bytes().startswith(b"\x89PNG")
    page = (pages / "fig8-ewn-3x3-3.html").read_text(encoding="utf-8")
    assert "data:image/png;base64," in page and "http" not in page
    [section] = report.sections
    rows = {row.what: row for row in section.rows}
    last = read_metrics(next(run for run in runs if "c=64" in run.name))[-1]
    assert rows["EWN₃₃₃: c_puct = 64"].ours.startswith(f"{100 * last['wr_p']:.2f}%")
    assert report.data["ewn-3x3-3"]["64.0"] == last
    # The other figures of these runs need no training.
    stamps = {run: (run / "metrics.jsonl").stat().st_mtime_ns for run in runs}
    for name in ("fig7", "fig9", "fig10"):
        make(tmp_path, name)
        assert (pages / f"{name}-ewn-3x3-3.png").exists()
    assert stamps == {run: (run / "metrics.jsonl").stat().st_mtime_ns for run in runs}
    # A run that was stopped goes on, and comes to the same end.
    stopped = runs[0]
    lines = read_metrics(stopped)
    (stopped / "metrics.jsonl").write_text("".join(json.dumps(m) + "\n" for m in lines[:2]))
    drawn = make(tmp_path, "fig8", draw_only=True)
    assert len(read_metrics(stopped)) == 2
    # It is drawn as far as it got, and not compared with the paper.
    compared = {row.what for row in drawn.sections[0].rows}
    assert "EWN₃₃₃: c_puct = 1/64" in rows.keys() - compared
    assert drawn.data["ewn-3x3-3"]["0.015625"]["iteration"] == 2
    assert drawn.about["unfinished"].startswith("1 of 3 runs") and "unfinished" not in report.about
    again = make(tmp_path, "fig8")
    assert again.sections[0].rows == section.rows


def test_only_some_of_the_runs(tmp_path, tiny_scale):
    report = make(tmp_path, "fig8", only=("c=64.0",))
    assert [run.name for run in (tmp_path / "runs").iterdir()] == [
        "ewn-3x3-3,iterations=4,c=64.0,simulations=8,selfplay.games=10,every=2,truth.games=40"
    ]
    assert [row.what for row in report.sections[0].rows][1:] == ["EWN₃₃₃: c_puct = 64"]


def test_runs_at_equal_time_are_counted_before_they_are_known(tmp_path, tiny_scale):
    workspace = Workspace(tmp_path, lambda text: None, draw_only=True)
    [figure] = PAPER.choose("fig16", ["ewn-3x3-3"], full=False)
    assert figure.coverage(workspace).parts["EWN₃₃₃"] == (0, 2)


def test_equal_time_follows_the_default_run(tmp_path, tiny_scale):
    report = make(tmp_path, "fig16", workers=2)
    default = read_metrics(tmp_path / "runs" / run_name(Planner(False, 0).run("ewn-3x3-3")))
    seconds = sum(line["processor_seconds"] for line in default) / len(default)
    timed = [run for run in (tmp_path / "runs").iterdir() if "seconds=" in run.name]
    assert len(timed) == 2
    for run in timed:
        wanted = load(str(run / "recipe.toml")).settings.selfplay.seconds
        assert wanted == pytest.approx(seconds, rel=0.01)
    assert "T_self of EWN₃₃₃" in report.about and "2.143" in report.about["T_self of EWN₃₃₃"]
    assert (tmp_path / "quick" / "fig16-ewn-3x3-3.png").exists()


def test_further_from_end_to_end(tmp_path, tiny_scale):
    report = make(tmp_path, "further", workers=2)
    assert len(list((tmp_path / "runs").iterdir())) == len(further.METHODS) * 2 * 2
    assert report.command == "halma reproduce hsueh2023 further --quick --variant ewn-3x3-3"
    intro, compared = report.sections
    assert [figure.file for figure in intro.figures] == [
        "further-ewn-3x3-3-1.png",
        "further-ewn-3x3-3-2.png",
    ]
    # Two measures, two numbers of simulations; Gumbel is compared twice.
    assert len(compared.rows) == len(further.comparisons()) * 2 * 2
    assert {("Gumbel", "PUCT +0"), ("Gumbel", "PUCT +0.5"), ("symmetry", "PUCT +0")} <= set(
        further.comparisons()
    )
    assert "By last WR_p, Gumbel" in compared.text


def test_table_1_from_end_to_end(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "QUICK", (25, 4))
    drawn = make(tmp_path, "table1", draw_only=True)
    assert not drawn.sections[0].rows
    report = make(tmp_path, "table1", workers=2)
    assert report.sections[0].rows[-1].ours == "367,956"
    assert report.command == "halma reproduce hsueh2023 table1 --quick --variant ewn-3x3-3"
    assert report.about["games"] == "25 a variant" and report.about["simulations"] == "4 a move"
    numbers = report.data["ewn-3x3-3"]
    assert numbers["games"] == 25 and numbers["chance events"] == (3, 0)
    assert 4 < numbers["game length"][0] < 9 and 2 < numbers["actions"][0] < 4
    # Two blocks of games, of which one was lost: only that one is played again, and the same.
    kept = tmp_path / "quick" / "measured.json"
    written = json.loads(kept.read_text())
    lost = json.loads(kept.read_text())
    del lost["measured"]["table1,ewn-3x3-3,sims=4,games=20-24"]
    kept.write_text(json.dumps(lost))
    played = []
    monkeypatch.setattr(
        workspace_module,
        "run_jobs",
        lambda jobs, *rest: played.extend(jobs) or run_jobs(jobs, *rest),
    )
    again = make(tmp_path, "table1", workers=1)
    assert [job.name for job in played] == ["table1,ewn-3x3-3,sims=4,games=20-24"]
    assert again.data == report.data
    assert json.loads(kept.read_text())["measured"] == written["measured"]


def test_the_table_of_default_runs(tmp_path):
    """Runs made elsewhere are shown as far as they got, without being trained."""
    full = load("hsueh2023/ewn-3x3-3", {"seed": 4})
    lines = [graded(i, 0.4) for i in range(1, 100)] + [graded(100, 0.4967, seconds=179.4)]
    write_run(tmp_path / "a" / "b", full, lines)
    unfinished = load("hsueh2023/cdc-2x4-PPPP")
    write_run(tmp_path / "a" / "c", unfinished, [graded(1, 0.25, seconds=21.0), graded(2, None)])
    options = {"full": True, "adopt": [tmp_path / "a"], "draw_only": True}
    workspace = Workspace(tmp_path / "out", lambda text: None, **options)
    report = reproduce("hsueh2023", workspace, "default")
    text = report.markdown().splitlines()
    first = next(i for i, row in enumerate(text) if row.startswith("| cdc-2x4-PPPP"))
    assert text[first].startswith(
        "| cdc-2x4-PPPP | 0 | 1 of 300 | 25.00% (24.00% to 26.00%) | 0.0138"
    )
    assert text[first + 1] == (
        "| ewn-3x3-3 | 4 | 100 | 49.67% (48.67% to 50.67%) | 0.0138 | 0.0236 | 25,467 | 16,277 "
        "| 7,917 | 179 |"
    )
    assert not text[first + 2 :]
    assert "unfinished" in report.about


def command(*arguments):
    return [sys.executable, "-m", "halma.cli", "reproduce", "hsueh2023", *map(str, arguments)]


def has_begun(folder, process):
    for _ in range(600):
        if process.poll() is not None or any(folder.glob("runs/*/metrics.jsonl")):
            return
        time.sleep(0.05)


def processes_of(group_leader):
    """Return the children of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == group_leader:
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_stopped_or_killed_it_goes_on(tmp_path, number):
    given = command("fig22", "--quick", "--workers", 2, "--json", "--out", tmp_path)
    process = start(given)
    has_begun(tmp_path, process)
    children = processes_of(process.pid)
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    if number != signal.SIGKILL:
        assert process.returncode == 128 + number and "Stopped" in err and "Traceback" not in err
    for child in children:
        for _ in range(200):
            if not Path(f"/proc/{child}").exists():
                break
            time.sleep(0.05)
        assert not Path(f"/proc/{child}").exists()
    done = subprocess.run(given, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    rows = {row["what"]: row for section in told["sections"] for row in section["rows"]}
    assert rows["theoretical values of b1-c2, b1-b2, b1-c1"]["remark"] == "agrees"
    for n, fpu in (("6", "+0.5"), ("6", "+0"), ("12", "+0")):
        assert f"N_sim = {n}, initial W/N {fpu}: last policy" in rows
    files = {"fig22.png", "fig22-position.svg", "fig22.html", "fig22.md"}
    assert files <= {path.name for path in (tmp_path / "quick").iterdir()}


def test_bad_requests_are_one_line():
    for arguments, words in (
        (["fig99"], "no experiment 'fig99'"),
        (["fig8", "--variant", "ewn-3x3-5"], "Did you mean 'ewn-3x3-"),
        (["fig8", "--quick", "--full"], "either --quick or --full"),
        (["fig22", "--variant", "ewn-3x3-4"], "Figure 22 is about ewn-3x3-3"),
    ):
        done = subprocess.run(
            command(*arguments), capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 2 and done.stdout == "" and words in done.stderr
        assert done.stderr.count("\n") == 1
