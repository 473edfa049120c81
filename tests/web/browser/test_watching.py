"""The page of a training run: curves, sample games, heat maps, references, live."""

import re
import shutil

import pytest
from playwright.sync_api import expect
from web_visitor import WebServer

from halma.files import replace_file
from halma.learn import train
from halma.learn.metrics import NAME as METRICS
from halma.learn.recipe import checked

#: an evaluation at every second iteration, so that curves have gaps
RECIPE = {
    "method": "alphazero",
    "game": "rhombus-4x4-3",
    "network": "hsueh2023:filters=4",
    "iterations": 4,
    "search.simulations": 4,
    "search.max_considered_actions": 4,
    "selfplay.games": 4,
    "selfplay.parallel_games": 4,
    "selfplay.max_plies": 12,
    "learning.replay_buffer": 100,
    "learning.batch_size": 16,
    "learning.warmup_steps": 0,
    "evaluation.every": 2,
    "evaluation.games": 2,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The directory of a short run."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("trained") / "small"
    train(checked("small", RECIPE), folder, device="cpu")
    return folder


def test_a_training_run_is_watched_live(visit, run, tmp_path):
    """The run appears after the server has started, and goes on while it is watched."""
    with WebServer(tmp_path) as server:
        visitor = visit("/watch", at=server)
        page = visitor.page
        expect(page.get_by_text("halma train quick")).to_be_visible()
        show_iterations(run, tmp_path / "runs" / "small", 2)
        page.get_by_role("link", name="small").click()
        state = page.get_by_text("of 4 iterations")
        expect(state).to_contain_text("2 of 4")
        # A curve of every panel, the matches against references among them.
        expect(page.get_by_role("img", name="Value loss by iteration")).to_be_visible()
        points = page.get_by_role("img", name=re.compile("Points against .* by iteration")).first
        expect(points).to_be_visible()
        assert points_of(points) == 1
        # A game of self-play is played on the board, with the network's policy as heat.
        expect(page.get_by_role("combobox", name="Iteration")).to_have_value("2")
        expect(page.locator(".heat").first).to_be_visible()
        expect(page.locator(".last-ring").first).to_be_visible()
        page.get_by_role("button", name="Game 2").click()
        expect(page.get_by_text(re.compile(r"Game 2, \d+ moves"))).to_be_visible()
        # The next iteration is shown by itself; whoever looks at an earlier one stays there.
        chooser = page.get_by_role("combobox", name="Iteration")
        show_iterations(run, tmp_path / "runs" / "small", 3)
        expect(chooser).to_have_value("3")
        chooser.select_option("1")
        show_iterations(run, tmp_path / "runs" / "small", 4)
        expect(state).to_contain_text("4 of 4")
        expect(chooser.locator("option")).to_have_count(4)
        expect(chooser).to_have_value("1")
        assert points_of(points) == 2
        page.get_by_role("link", name="Analyse it").click()
        expect(page.locator(".moves li").first).to_be_visible()
        page.close()  # before its server ends


def show_iterations(run, folder, number):
    """Let a folder have the first iterations of a run; whole files, and the metrics last."""
    if not folder.exists():
        shutil.copytree(run, folder, ignore=shutil.ignore_patterns("iteration-*", METRICS))
    for iteration in range(1, number + 1):
        name = f"games/iteration-{iteration:06}.safetensors"
        replace_file(folder / name, (run / name).read_bytes())
    lines = (run / METRICS).read_text(encoding="utf-8").splitlines(keepends=True)
    replace_file(folder / METRICS, "".join(lines[:number]))


def points_of(chart):
    """Return how many different points the curve of a chart has."""
    path = chart.locator(".series").get_attribute("d")
    return len(set(re.findall(r"[\d.]+ [\d.]+", path)))


def test_a_run_without_an_iteration_is_waited_for(visit, run, tmp_path):
    folder = tmp_path / "runs" / "small"
    shutil.copytree(run, folder)
    lines = (folder / METRICS).read_text(encoding="utf-8")
    (folder / METRICS).write_text("", encoding="utf-8")
    with WebServer(tmp_path) as server:
        visitor = visit("/watch/run?name=small", at=server)
        visitor.expect("400")
        expect(visitor.page.get_by_text("has not finished an iteration")).to_be_visible()
        (folder / METRICS).write_text(lines, encoding="utf-8")
        expect(visitor.page.get_by_text("4 of 4 iterations")).to_be_visible()
        assert visitor.serious_findings() == []
        visitor.page.close()
