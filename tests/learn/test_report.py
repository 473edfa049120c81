"""The page of a run: what it says is true, and it is there when it should be."""

import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from small_runs import small
from typer.testing import CliRunner

from halma.cli.app import app
from halma.errors import RunError
from halma.games import Position
from halma.learn import read_metrics, train
from halma.learn.checkpoint import identity
from halma.learn.reports import page, table_errors
from halma.learn.reports.events import Iteration, Stopped
from halma.learn.reports.page import HtmlReport, write_report
from halma.learn.reports.table_errors import find_errors
from halma.networks.lookup_table import KIND, open_lookup_table
from halma.solve import solution_for
from halma.tensors import list_iterations, open_tensors


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run in which some positions were updated often, and some never."""
    out = tmp_path_factory.mktemp("report") / "run"
    train(small(), out, [HtmlReport(out)])
    return out


def naive(run):
    """Return, for every row: exact and learned value, updates, and the loss of its move."""
    game = small().game
    solution = solution_for(game)
    arrays = open_tensors(list_iterations(run / "checkpoints")[0][1], identity(game, KIND)).arrays()
    entries = np.asarray(arrays["table"]).reshape(-1, game.actions + 1)
    found = []
    for index, entry, updates in zip(arrays["indices"], entries, arrays["updates"], strict=True):
        position = Position(game, game.core.unindex(int(index)))
        value = solution.value(position)
        moves = position.legal_moves
        logits = [entry[1 + position.action(move)] for move in moves]
        chosen = position.play(moves[int(np.argmax(logits))])
        worth = solution.value(chosen)
        worth = worth if chosen.mover == position.mover else 1 - worth
        found.append(
            {
                "position": position.text,
                "true": value,
                "learned": 1 / (1 + math.exp(-float(entry[0]))),
                "updates": int(updates),
                "loss": value - worth,
            }
        )
    return game, solution, found


def test_counts_and_errors(run):
    game, solution, rows = naive(run)
    errors = find_errors(open_lookup_table(run, game), solution)
    last = read_metrics(run)[-1]
    assert errors.positions == len(rows)
    assert errors.iteration == last["iteration"]
    for cloud in errors.clouds:
        chosen = [row for row in rows if row["updates"] >= cloud.at_least]
        assert cloud.positions == len(chosen) == last[f"updated_{cloud.at_least}"]
        assert cloud.counts.sum() == len(chosen)
        differences = [abs(row["true"] - row["learned"]) for row in chosen]
        assert cloud.mean_error == pytest.approx(np.mean(differences), rel=1e-5)
        counts = np.zeros_like(cloud.counts)
        for row in chosen:
            steps = [
                min(table_errors.BINS - 1, int(row[k] * table_errors.BINS))
                for k in ("true", "learned")
            ]
            counts[tuple(steps)] += 1
        # A value on the very edge of a step may be counted on either side of it.
        assert np.abs(counts - cloud.counts).sum() <= 0.02 * len(chosen)
        points = [(row["true"], row["learned"]) for row in chosen]
        assert np.array(cloud.points) == pytest.approx(np.array(points), rel=1e-5)


def test_the_worst_are_the_worst(run):
    game, solution, rows = naive(run)
    errors = find_errors(open_lookup_table(run, game), solution)
    assert errors.level == 16
    often = [row for row in rows if row["updates"] >= 16]
    often.sort(key=lambda row: -abs(row["true"] - row["learned"]))
    by_text = {row["position"]: row for row in rows}
    assert len(errors.worst_values) == 6
    for found, wanted in zip(errors.worst_values, often, strict=False):
        assert found.error == pytest.approx(abs(wanted["true"] - wanted["learned"]), rel=1e-5)
    for found in (*errors.worst_values, *errors.worst_moves):
        row = by_text[found.position.text]
        assert found.exact == pytest.approx(row["true"])
        assert found.learned == pytest.approx(row["learned"], rel=1e-5)
        assert found.updates == row["updates"]
        assert found.loss == pytest.approx(row["loss"])
        assert sum(move.probability for move in found.moves) == pytest.approx(1)
        best = {move.move.text for move in found.moves if move.is_best}
        assert {move.text for move in solution.best_moves(found.position)} <= best
        for move in found.moves:
            assert (move.value == pytest.approx(row["true"])) == move.is_best


def test_the_worst_moves_cost_most(run, monkeypatch):
    game, solution, rows = naive(run)
    updated = [row for row in rows if row["updates"]]
    for sample in (50, 10**6):
        monkeypatch.setattr(table_errors, "SAMPLE", sample)
        errors = find_errors(open_lookup_table(run, game), solution)
        # The first of equals are those with the lower rows, as here.
        looked_at = sorted(updated, key=lambda row: -row["updates"])[:sample]
        losses = sorted((row["loss"] for row in looked_at if row["loss"] > 1e-9), reverse=True)
        assert errors.sample == len(looked_at)
        assert errors.wrong == len(losses)
        assert [p.loss for p in errors.worst_moves] == pytest.approx(losses[:6])


def test_portions_change_nothing(run, monkeypatch):
    game, solution, _ = naive(run)
    table = open_lookup_table(run, game)
    whole = find_errors(table, solution)
    monkeypatch.setattr(table_errors, "_PORTION", 37)
    monkeypatch.setattr(table_errors, "FEW", 100)
    parts = find_errors(table, solution)
    for one, other in zip(whole.clouds, parts.clouds, strict=True):
        assert (one.counts == other.counts).all()
        assert one.mean_error == pytest.approx(other.mean_error)
        assert (other.points is None) == (other.positions > 100)
    assert parts.worst_values == whole.worst_values
    assert parts.worst_moves == whole.worst_moves


class Tags(HTMLParser):
    """Checks that tags are closed in order, and collects what a page would load."""

    VOID = ("meta", "br", "img")

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.loads = [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        self.loads += [v for k, v in attributes if k in ("src", "href", "srcset")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(run):
    text = (run / "report.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert "script" not in tags.seen and "link" not in tags.seen
    assert tags.loads == []
    assert set(re.findall(r"https?://[^\"]*", text)) == {"http://www.w3.org/2000/svg"}
    assert "url(http" not in text and "@import" not in text
    view = write_report(run)
    positions = view.facts["worst_values"] + view.facts["worst_moves"]
    # Curves, clouds and boards.
    assert tags.seen.count("svg") == 6 + 3 + len(positions)
    for position in positions:
        assert f"<code>{position['position']}</code>" in text
        assert f"learned {position['learned']:.3f}, exact {position['exact']:.3f}" in text
    last = read_metrics(run)[-1]
    for shown in (f"{last['wr_p']:.1%}", f"{last['err_p']:.4f}", f"{last['mae_v']:.4f}"):
        assert f"<b>{shown}</b>" in text
    for key in small().flat:
        assert f"<td>{key}</td>" in text
    for key, value in json.loads((run / "meta.json").read_text()).items():
        assert f"<td>{key.replace('_', ' ')}</td><td>{value}</td>" in text


def test_it_is_written_at_checkpoints_but_not_too_often(tmp_path, monkeypatch):
    written = []

    def write(path, solution):
        written.append(len(read_metrics(path)))
        return write_report(path, solution)

    monkeypatch.setattr(page, "write_report", write)
    train(small(), tmp_path / "slow", [HtmlReport(tmp_path / "slow")])
    assert written == [6]
    written.clear()
    monkeypatch.setattr(page, "_SECONDS", 0.0)
    monkeypatch.setattr(page, "_SHARE", 1e9)
    train(small(), tmp_path / "keen", [HtmlReport(tmp_path / "keen")])
    assert written == [1, 2, 3, 4, 5, 6]
    written.clear()
    monkeypatch.setattr(page, "_SHARE", 1e-9)
    train(small(), tmp_path / "dear", [HtmlReport(tmp_path / "dear")])
    assert written == [1, 6]


def test_a_finished_run_keeps_its_page(tmp_path):
    out = tmp_path / "run"
    train(small(), out, [HtmlReport(out)])
    page = out / "report.html"
    before = page.stat().st_mtime_ns
    train(small(), out, [HtmlReport(out)])
    assert page.stat().st_mtime_ns == before
    page.unlink()
    train(small(), out, [HtmlReport(out)])
    assert page.exists()


def test_a_stopped_run_has_a_page(tmp_path):
    out = tmp_path / "run"
    train(small(iterations=1), out)
    handler = HtmlReport(out)
    handler.handle(Stopped(0))  # nothing was done in this session
    assert not (out / "report.html").exists()
    handler.handle(Iteration({"iteration": 1}))
    handler.handle(Stopped(1))
    assert (out / "report.html").exists()


def test_a_page_that_cannot_be_written_stops_nothing(tmp_path):
    out, said = tmp_path / "run", []

    class Breaks:
        def handle(self, report):
            (out / "report.html").mkdir(exist_ok=True)
            (out / "report.html" / "something").touch()

        def close(self):
            pass

    last = train(small(iterations=1), out, [Breaks(), HtmlReport(out, said.append)])
    assert last["iteration"] == 1
    assert said[-1].startswith("The report was not written: ")


def test_another_game(tmp_path):
    out = tmp_path / "run"
    train(small(game="cdc-2x4-PPPP", iterations=2), out, [HtmlReport(out)])
    tags = Tags()
    tags.feed((out / "report.html").read_text(encoding="utf-8"))
    assert tags.open == [] and tags.seen.count("svg") >= 6 + 3 + 6


def test_grades_that_are_missing(tmp_path):
    out = tmp_path / "run"
    train(small(iterations=5, truth__every=3), out, [HtmlReport(out)])
    assert "MAE_v" in (out / "report.html").read_text(encoding="utf-8")


def command(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), prog_name="halma")


def test_the_command(run, tmp_path):
    result = command("report", run, "--out", tmp_path / "page.html", "--json")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["report"] == str(tmp_path / "page.html")
    assert answer["iteration"] == 6
    assert answer["values"][0]["positions"] == read_metrics(run)[-1]["updated_1"]
    assert (tmp_path / "page.html").read_text() == (run / "report.html").read_text()
    assert "open it in a browser" in command("report", run).stderr


def test_what_is_no_run_is_refused(tmp_path):
    result = command("report", tmp_path)
    assert result.exit_code == 2
    assert "is not the directory of a run" in result.stderr
    out = tmp_path / "run"
    train(small(iterations=1), out)
    (out / "metrics.jsonl").write_text("")
    with pytest.raises(RunError, match="has not finished an iteration"):
        write_report(out)
