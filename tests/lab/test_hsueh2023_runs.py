"""hsueh2023's runs in small: the store, figures from end to end, tables."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from halma.errors import HalmaError
from halma.lab import reproduce
from halma.lab.hsueh2023 import plan as hsueh2023_plan
from halma.lab.hsueh2023 import table1 as table1
from halma.lab.hsueh2023.plan import Planner, quick_amount
from halma.lab.jobs import run_jobs
from halma.lab.request import Request
from halma.lab.run_table import markdown, run_rows
from halma.lab.runs import Store, learnt_settings, run_name
from halma.learn import load, read_metrics

TINY = {"iterations": 3, "selfplay.games": 5, "search.simulations": 4, "grading.games": 20}


def tiny(**changes):
    given = {key.replace("__", "."): value for key, value in changes.items()}
    return load("hsueh2023/ewn-3x3-3", {**TINY, "checkpoints.keep": 0, **given})


def write_run(path, recipe, lines):
    """Make a run directory by hand."""
    path.mkdir(parents=True)
    (path / "recipe.toml").write_text(recipe.toml(), encoding="utf-8")
    (path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def graded(iteration, wr_p, **more):
    line = {"iteration": iteration, "wr_p": wr_p, "wr_p_low": None, "wr_p_high": None}
    if wr_p is not None:
        line |= {"wr_p_low": wr_p - 0.01, "wr_p_high": wr_p + 0.01}
    line |= {"err_p": 0.0138, "mae_v": 0.0236, "updated_1": 25467, "updated_4": 16277}
    return {**line, "updated_16": 7917, "seconds": 10.0 * iteration, **more}


# Names and the store.


def test_names_say_what_differs():
    assert run_name(load("hsueh2023/ewn-3x3-3")) == "ewn-3x3-3"
    assert run_name(load("hsueh2023/ewn-3x3-3", {"checkpoints.keep": 0})) == "ewn-3x3-3"
    changed = load("hsueh2023/cdc-2x4-PPPP", {"search.c": 0.5, "seed": 3, "search.untried": "win"})
    assert run_name(changed) == "cdc-2x4-PPPP,seed=3,c=0.5,untried=win"
    games = load("hsueh2023/ewn-3x3-3", {"selfplay.games": 7, "grading.games": 8})
    assert run_name(games) == "ewn-3x3-3,selfplay.games=7,grading.games=8"
    watching = load("hsueh2023/ewn-3x3-3", {"grading.watch": ("12./3.a/.cb r 2",)})
    assert "/" not in run_name(watching) and "watch=" in run_name(watching)


def test_finished_runs_elsewhere_are_adopted(tmp_path):
    recipe = tiny()
    lines = [graded(1, None), graded(2, 0.2), graded(3, 0.3)]
    kept = load("hsueh2023/ewn-3x3-3", TINY)  # with checkpoints, which makes no difference
    assert learnt_settings(kept) == learnt_settings(recipe) and kept != recipe
    elsewhere = write_run(tmp_path / "elsewhere" / "any-name", kept, lines)
    other = write_run(tmp_path / "elsewhere" / "other", tiny(seed=1), lines[:2])
    store = Store(tmp_path / "store", [tmp_path / "elsewhere"])
    assert store.is_finished(recipe) and store.path(recipe) == elsewhere
    assert [line["wr_p"] for line in store.metrics(recipe)] == [None, 0.2, 0.3]
    # An unfinished one is shown, but does not count as done.
    assert store.path(tiny(seed=1)) == other and not store.is_finished(tiny(seed=1))
    assert not store.is_finished(tiny(seed=2))
    assert Store(elsewhere, [elsewhere]).is_finished(recipe)
    with pytest.raises(HalmaError, match="no run in"):
        Store(tmp_path / "store", [tmp_path])


def test_a_failed_run_is_told_and_the_others_are_not_lost(tmp_path, capsys):
    store = Store(tmp_path)
    good, bad = tiny(), tiny(seed=1)
    (tmp_path / run_name(bad)).mkdir()
    (tmp_path / run_name(bad) / "letter.txt").write_text("not a run")
    faults = store.train_all([good, bad, good], workers=2, cost=lambda recipe: 1.0)
    assert list(faults) == [run_name(bad)] and "not the directory of a run" in faults[run_name(bad)]
    assert "letter.txt" in capsys.readouterr().err.replace("\n", " ")
    assert store.is_finished(good) and not store.is_finished(bad)
    # Nothing but metrics is kept of a finished run.
    assert not list((tmp_path / run_name(good) / "checkpoints").iterdir())
    before = (tmp_path / run_name(good) / "metrics.jsonl").stat().st_mtime_ns
    assert store.train_all([good], workers=1, cost=lambda recipe: 1.0) == {}
    assert (tmp_path / run_name(good) / "metrics.jsonl").stat().st_mtime_ns == before


# From end to end.


@pytest.fixture
def tiny_amounts(monkeypatch):
    small = replace(
        quick_amount("ewn-3x3-3"),
        iterations=4,
        games=10,
        simulations=8,
        grade_games=40,
        cs=(1 / 64, 1.0, 64.0),
        timed_axis=(6, 12),
        further_simulations=(2, 4),
        further_seeds=2,
    )
    monkeypatch.setattr(hsueh2023_plan, "quick_amount", lambda variant: small)


def asked(folder, experiment, **more):
    return Request(
        folder, lambda text: None, experiment=experiment, variants=("ewn-3x3-3",), **more
    )


def test_a_figure_from_end_to_end(tmp_path, tiny_amounts):
    report = reproduce("hsueh2023", asked(tmp_path, "fig8", workers=2))
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
        reproduce("hsueh2023", asked(tmp_path, name))
        assert (pages / f"{name}-ewn-3x3-3.png").exists()
    assert stamps == {run: (run / "metrics.jsonl").stat().st_mtime_ns for run in runs}
    # A run that was stopped goes on, and comes to the same end.
    stopped = runs[0]
    lines = read_metrics(stopped)
    (stopped / "metrics.jsonl").write_text("".join(json.dumps(m) + "\n" for m in lines[:2]))
    drawn = reproduce("hsueh2023", asked(tmp_path, "fig8", draw_only=True))
    assert len(read_metrics(stopped)) == 2
    # It is shown as far as it got, and nothing is concluded from it.
    judged = {row.what for row in drawn.sections[0].rows}
    assert "EWN₃₃₃: c_puct = 1/64" in rows.keys() - judged
    assert drawn.data["ewn-3x3-3"]["0.015625"]["iteration"] == 2
    assert drawn.about["unfinished"].startswith("1 of 3 runs") and "unfinished" not in report.about
    again = reproduce("hsueh2023", asked(tmp_path, "fig8"))
    assert again.sections[0].rows == section.rows


def test_only_some_of_the_runs(tmp_path, tiny_amounts):
    report = reproduce("hsueh2023", asked(tmp_path, "fig8", only=("c=64.0",)))
    assert [run.name for run in (tmp_path / "runs").iterdir()] == [
        "ewn-3x3-3,iterations=4,simulations=8,c=64.0,selfplay.games=10,every=2,grading.games=40"
    ]
    assert [row.what for row in report.sections[0].rows][1:] == ["EWN₃₃₃: c_puct = 64"]


def test_equal_time_follows_the_default_run(tmp_path, tiny_amounts):
    report = reproduce("hsueh2023", asked(tmp_path, "fig16", workers=2))
    default = read_metrics(tmp_path / "runs" / run_name(Planner(False, 0).run("ewn-3x3-3")))
    seconds = sum(line["play_seconds"] for line in default) / len(default)
    timed = [run for run in (tmp_path / "runs").iterdir() if "seconds=" in run.name]
    assert len(timed) == 2
    for run in timed:
        wanted = load(str(run / "recipe.toml")).settings.selfplay.seconds
        assert wanted == pytest.approx(seconds, rel=0.01)
    assert "T_self of EWN₃₃₃" in report.about and "2.143" in report.about["T_self of EWN₃₃₃"]
    assert (tmp_path / "quick" / "fig16-ewn-3x3-3.png").exists()


def test_further_from_end_to_end(tmp_path, tiny_amounts):
    report = reproduce("hsueh2023", asked(tmp_path, "further", workers=2))
    assert len(list((tmp_path / "runs").iterdir())) == 5 * 2 * 2
    assert report.command == "halma reproduce hsueh2023 further --quick --variant ewn-3x3-3"
    intro, compared = report.sections
    assert [figure.file for figure in intro.figures] == [
        "further-ewn-3x3-3-1.png",
        "further-ewn-3x3-3-2.png",
    ]
    # Two measures, two numbers of simulations; Gumbel is compared twice.
    assert len(compared.rows) == 5 * 2 * 2
    assert "By last WR_p, Gumbel" in compared.text


def test_table_1_from_end_to_end(tmp_path, monkeypatch):
    monkeypatch.setattr(table1, "QUICK", (25, 4))
    drawn = reproduce("hsueh2023", asked(tmp_path, "table1", draw_only=True))
    assert [row.ours for row in drawn.sections[0].rows] == ["367,956"]
    report = reproduce("hsueh2023", asked(tmp_path, "table1", workers=2))
    assert report.command == "halma reproduce hsueh2023 table1 --quick --variant ewn-3x3-3"
    assert report.about["games"] == "25 a variant" and report.about["simulations"] == "4 a move"
    numbers = report.data["ewn-3x3-3"]
    assert numbers["games"] == 25 and numbers["chance events"] == [3, 0]
    assert 4 < numbers["game length"][0] < 9 and 2 < numbers["actions"][0] < 4
    # Two blocks of games, of which one was lost: only that one is played again, and the same.
    kept = tmp_path / "quick" / "table1.json"
    written = json.loads(kept.read_text())
    lost = json.loads(kept.read_text())
    del lost["measured"]["ewn-3x3-3 20"]
    kept.write_text(json.dumps(lost))
    played = []
    monkeypatch.setattr(
        table1, "run_jobs", lambda jobs, *rest: played.extend(jobs) or run_jobs(jobs, *rest)
    )
    again = reproduce("hsueh2023", asked(tmp_path, "table1", workers=1))
    assert [task.name for task in played] == ["ewn-3x3-3 20"]
    assert again.data == report.data and json.loads(kept.read_text()) == written


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_stopped_or_killed_it_goes_on(tmp_path, number):
    given = command("fig22", "--quick", "--workers", 2, "--json", "--out", tmp_path)
    process = subprocess.Popen(
        given,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    has_begun(tmp_path, process)
    children = processes_of(process.pid)
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    if number == signal.SIGINT:
        assert process.returncode == 130 and "Stopped" in err and "Traceback" not in err
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
    for n, untried in (("6", "+0.5"), ("6", "+0"), ("12", "+0")):
        assert f"N_sim = {n}, initial W/N {untried}: last policy" in rows
    files = {"fig22.png", "fig22-position.svg", "fig22.html", "fig22.md"}
    assert files <= {path.name for path in (tmp_path / "quick").iterdir()}


def test_bad_requests_are_one_line():
    for arguments, words in (
        (["fig99"], "no experiment 'fig99'"),
        (["fig8", "--variant", "ewn-3x3-5"], "Did you mean 'ewn-3x3-"),
        (["fig8", "--quick", "--full"], "either --quick or --full"),
        (["default"], "--runs DIR"),
        (["fig22", "--variant", "ewn-3x3-4"], "Figure 22 is about ewn-3x3-3"),
    ):
        done = subprocess.run(
            command(*arguments), capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 2 and done.stdout == "" and words in done.stderr
        assert done.stderr.count("\n") == 1


# Tables.


def test_the_table_of_runs(tmp_path, capsys):
    full = load("hsueh2023/ewn-3x3-3", {"iterations": 2, "seed": 4})
    write_run(tmp_path / "b", full, [graded(1, 0.4), graded(2, 0.4967, seconds=179.4)])
    unfinished = load("hsueh2023/cdc-2x4-PPPP")
    write_run(tmp_path / "a", unfinished, [graded(1, 0.25, seconds=21.0), graded(2, None)])
    write_run(tmp_path / "empty", unfinished, [])
    rows = run_rows([tmp_path])
    assert [(row["variant"], row["seed"], row["iteration"]) for row in rows] == [
        ("cdc-2x4-PPPP", 0, 1),
        ("ewn-3x3-3", 4, 2),
    ]
    text = markdown(rows).splitlines()
    assert text[2].startswith("| cdc-2x4-PPPP | 0 | 1 of 300 | 25.00% (24.00% to 26.00%) | 0.0138")
    assert text[3] == (
        "| ewn-3x3-3 | 4 | 2 | 49.67% (48.67% to 50.67%) | 0.0138 | 0.0236 | 25,467 | 16,277 "
        "| 7,917 | 179 |"
    )
    with pytest.raises(HalmaError, match="no run in"):
        run_rows([tmp_path / "a" / "nothing"])
