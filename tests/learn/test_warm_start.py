"""Warm starts: epochs, their settings, metrics and files, and what follows them."""

import _thread
import json

import numpy as np
import pytest
from small_networks import small, train
from small_runs import contents

from halma.errors import RecipeError, RunError
from halma.games import game
from halma.learn import bundle
from halma.learn.checks import check_recipe
from halma.learn.metrics import EPOCHS, read_epochs, read_metrics
from halma.learn.recipe import load
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.events import Epoch, Finished, Handler, Note, Stopped
from halma.learn.reports.page import write_report
from halma.learn.run import WARM_START, set_iterations
from halma.learn.warm_start import stage_learning
from halma.networks.network_file import read_info, read_weights
from halma.selfplay.records import saved_games
from halma.tensors import open_tensors

WARM = {
    "game": "rhombus-4x4-3",
    "selfplay__max_plies": 30,
    "warm_start__epochs": 3,
    "warm_start__games": 12,
    "warm_start__agent": "greedy",
    "warm_start__targets": "policy",
    "warm_start__random_starts": 0.5,
    "warm_start__random_openings": 0.3,
    "warm_start__draws": "discard",
    "iterations": 2,
}


class Watcher(Handler):
    """Keeps reports, and raises an exception after some epochs."""

    def __init__(self, fail_after=None, error=KeyboardInterrupt):
        self.reports, self.fail_after, self.error = [], fail_after, error

    def handle(self, report):
        self.reports.append(report)
        if isinstance(report, Epoch) and report.metrics["epoch"] == self.fail_after:
            raise self.error


def without_times(lines):
    return [
        {k: v for k, v in line.items() if "second" not in k and "busy" not in k} for line in lines
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    run = tmp_path_factory.mktemp("warm") / "run"
    train(small(**WARM), run)
    return run


def test_every_epoch_has_metrics(whole):
    epochs = read_epochs(whole)
    assert [line["epoch"] for line in epochs] == [1, 2, 3]
    for line in epochs:
        assert 0 < line["games"] <= 12
        assert line["discarded"] == pytest.approx(1 - line["games"] / 12)
        assert line["policy_loss"] > 0
        assert line["learning_rate"] == 0.002
    seconds = [line["seconds"] for line in epochs + read_metrics(whole)]
    assert seconds == sorted(seconds)
    # The network learns what the agent does.
    assert epochs[-1]["policy_loss"] < epochs[0]["policy_loss"]


def test_files_of_a_finished_run(whole):
    assert not (whole / WARM_START).exists()
    games, _ = GameFiles(whole, game("rhombus-4x4-3")).read(0)
    assert read_metrics(whole)[0]["replay_games"] == len(games) + 8
    assert games.numbers.min() >= 24
    saved = list(saved_games(games, game("rhombus-4x4-3")))
    assert any(one.record.start != game("rhombus-4x4-3").start() for one in saved)


@pytest.mark.parametrize("epoch", [1, 2, 3])
def test_resumed_epoch_by_epoch(whole, tmp_path, epoch):
    """An epoch whose metrics are written, but which is not saved, is run again."""
    out, recipe = tmp_path / "run", small(**WARM)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, out, [Watcher(epoch)])
    assert (out / WARM_START).exists() == (epoch > 1)
    assert len(read_epochs(out)) == epoch
    train(recipe, out)
    assert without_times(read_epochs(out)) == without_times(read_epochs(whole))
    assert without_times(read_metrics(out)) == without_times(read_metrics(whole))
    for name, array in read_weights(whole / "best.safetensors")[1].items():
        assert np.array_equal(array, read_weights(out / "best.safetensors")[1][name])


def test_a_damaged_warm_start_begins_again(whole, tmp_path):
    out, recipe, watcher = tmp_path / "run", small(**WARM), Watcher()
    with pytest.raises(KeyboardInterrupt):
        train(recipe, out, [Watcher(3)])
    content = bytearray((out / WARM_START).read_bytes())
    content[-5] ^= 1
    (out / WARM_START).write_bytes(content)
    train(recipe, out, [watcher])
    notes = [report.text for report in watcher.reports if isinstance(report, Note)]
    assert any("The warm start begins again." in note for note in notes)
    assert without_times(read_metrics(out)) == without_times(read_metrics(whole))


def test_stages_have_their_own_settings(whole, tmp_path):
    recipe = small(**WARM, warm_start__rate=0.5, warm_start__weight_decay=0.25)
    learning = stage_learning(recipe.settings)
    assert (learning.rate, learning.weight_decay) == (0.5, 0.25)
    assert learning.batch_size == recipe.settings.learning.batch_size
    # The count of steps, and with it the rate's warm-up, begins anew with the first iteration.
    path = next((whole / "checkpoints").glob("*2.safetensors"))
    steps = open_tensors(path, {}).description["steps"]
    assert steps == sum(line["steps"] for line in read_metrics(whole))


def test_a_share_of_the_positions(whole, tmp_path):
    thinned = small(**WARM, warm_start__position_share=0.25, warm_start__samples_per_new=2.0)
    train(thinned, tmp_path / "run")
    for few, many in zip(read_epochs(tmp_path / "run"), read_epochs(whole), strict=True):
        assert few["games"] == many["games"]
        assert 0 < few["positions"] < many["positions"] / 2
        assert few["steps"] == -(-few["positions"] * 2 // 16)


def test_self_play_without_the_games_of_the_agent(tmp_path):
    last = train(small(**WARM, warm_start__replay=False), tmp_path / "run")
    assert last["replay_games"] == 16
    assert not GameFiles(tmp_path / "run", game("rhombus-4x4-3")).has(0)


def test_the_warm_start_alone(tmp_path, capsys):
    """A run of no iterations is the warm start; it can be made longer."""
    out, recipe = tmp_path / "run", small(**{**WARM, "iterations": 0})
    last = train(recipe, out)
    assert (last["iteration"], last["epoch"]) == (0, 3)
    assert read_info(out / "best.onnx").about["iteration"] == 0
    before = contents(out)
    assert train(recipe, out)["epoch"] == 3
    assert contents(out) == before
    write_report(out)
    assert "Warm start" in (out / "report.html").read_text(encoding="utf-8")
    longer = set_iterations(out, 1)
    assert train(longer, out)["iteration"] == 1
    assert len(read_epochs(out)) == 3


def test_a_warm_start_alone_that_is_stopped(tmp_path):
    """It is not finished, says what is saved, and goes on from there."""

    class StopAfter(Watcher):
        def handle(self, report):
            super().handle(report)
            if isinstance(report, Epoch) and report.metrics["epoch"] == 2:
                _thread.interrupt_main()

    out, recipe, watcher = tmp_path / "run", small(**{**WARM, "iterations": 0}), StopAfter()
    with pytest.raises(KeyboardInterrupt):
        train(recipe, out, [watcher])
    assert not any(isinstance(report, Finished) for report in watcher.reports)
    assert watcher.reports[-1] == Stopped(0, "epoch 2 of the warm start")
    assert train(recipe, out)["epoch"] == 3
    with pytest.raises(RunError, match="too short for a single iteration or epoch"):
        train(recipe, tmp_path / "short", seconds=0.0)


def test_a_warm_start_travels(whole, tmp_path):
    out, recipe = tmp_path / "run", small(**WARM)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, out, [Watcher(1)])
    with pytest.raises(RunError, match="has saved nothing yet"):
        bundle.pack(out, tmp_path / "bundle", recipe.game)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, out, [Watcher(3)])
    bundle.pack(out, tmp_path / "bundle", recipe.game)
    bundle.unpack(tmp_path / "bundle", tmp_path / "copy", recipe.game)
    train(recipe, tmp_path / "copy")
    assert without_times(read_epochs(tmp_path / "copy")) == without_times(read_epochs(whole))
    assert without_times(read_metrics(tmp_path / "copy")) == without_times(read_metrics(whole))


def test_the_page_shows_the_warm_start(whole):
    write_report(whole)
    page = (whole / "report.html").read_text(encoding="utf-8")
    assert "3 of 3 epochs" in page
    assert "Losses of the warm start" in page


def test_wrong_lines_are_refused(tmp_path):
    (tmp_path / EPOCHS).write_text(json.dumps({"epoch": 2}) + "\n", encoding="utf-8")
    with pytest.raises(Exception, match="line 1 is not that of epoch 1"):
        read_epochs(tmp_path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"game": "draughts-8x8", "warm_start__random_starts": 0.5}, "has no random placement"),
        ({"game": "ewn-5x5-6", "selfplay__random_starts": 0.1}, "'selfplay.random_starts' cannot"),
        ({"warm_start__random_starts": 0.5}, "together they cannot be above 1"),
        ({"warm_start__random_plies_min": 9}, "'warm_start.random_plies_max' cannot be less"),
        ({"iterations": 0}, "'iterations' cannot be 0 without a warm start"),
        (
            {
                "warm_start__games": 1,
                "warm_start__targets": "policy",
                "warm_start__agent": "minimax:depth=2",
            },
            "'minimax:depth=2' does not tell the probabilities of its moves",
        ),
    ],
)
def test_recipes_that_are_refused(changes, sentence):
    with pytest.raises(RecipeError, match=sentence):
        check_recipe(small(**changes))


def test_the_quick_recipe_is_as_it_was():
    warm = load("quick").settings.warm_start
    assert (warm.epochs, warm.games, warm.targets, warm.draws) == (1, 600, "played", "keep")
    assert (warm.random_starts, warm.random_openings, warm.random_plies_max) == (0, 1, 4)
    assert warm.replay


def test_self_play_from_random_starts(tmp_path):
    recipe = small(game="rhombus-4x4-3", selfplay__random_starts=0.5, selfplay__games=80)
    train(recipe, tmp_path / "run")
    games, start = GameFiles(tmp_path / "run", recipe.game).read(3)[0], recipe.game.start()
    begun = [games.start(recipe.game, i) for i in range(len(games))]
    assert 0.3 < sum(position == start for position in begun) / len(games) < 0.7
    assert len({position.text for position in begun}) > 20


def test_a_run_starts_from_weights_of_another(tmp_path):
    """From a run's directory or file; once something is saved, the other run is not needed."""
    star = {"game": "star-73-2p", "network": "modern:size=s,seats=6", "selfplay__max_plies": 12}
    star |= {"selfplay__games": 2, "selfplay__parallel_games": 2, "search__simulations": 2}
    two, three = tmp_path / "two", tmp_path / "three"
    train(small(**star, iterations=1, evaluation__every=0), two)
    star |= {"game": "star-73-3p", "iterations": 2, "evaluation__every": 0, "archive__every": 1}
    recipe = small(**star, warm_start__weights=str(two))
    train(recipe, three, handlers=[Watcher()])
    before = read_weights(two / "best.safetensors")
    after = read_weights(three / "versions" / "iteration-000000.safetensors")
    assert after[0].players == 3
    assert all(np.array_equal(array, after[1][name]) for name, array in before[1].items())
    two.rename(tmp_path / "gone")
    set_iterations(three, 3)
    longer = recipe.changed({"iterations": 3})
    assert train(longer, three)["iteration"] == 3


def test_weights_are_checked_before_anything_is_written(tmp_path):
    train(small(game="rhombus-4x4-3", iterations=1), tmp_path / "other")
    for weights, sentence in (
        (tmp_path / "none.safetensors", "There is no file"),
        (tmp_path / "other" / "best.onnx", "is for playing"),
        (tmp_path / "other", "planes, rows and columns: it has"),
    ):
        recipe = small(game="rhombus-5x5-3", warm_start__weights=str(weights))
        with pytest.raises(RecipeError, match=f"'warm_start.weights': .*{sentence}"):
            train(recipe, tmp_path / "run")
        assert not (tmp_path / "run").exists()
