"""Trials suggested by Optuna: resuming, pruning, failures, confirmation."""

import json
import math
import os
import signal

import pytest
from tune.tuning_helpers import interrupt_training, outcome, plan_of, run_inline, tiny

from halma.errors import ClusterError, RunError, StoreError, WorkerError
from halma.executors import InProcess, TaskChannel
from halma.learn import load, read_metrics
from halma.learn.run import META
from halma.processes import ProcessPool
from halma.tune import trial as trials
from halma.tune.confirm import Confirmation
from halma.tune.folder import STARTUP_TRIALS, TuningFolder
from halma.tune.tasks import run_with_retry
from halma.tune.tuning import tune

pytestmark = pytest.mark.usefixtures("inline")


def run(folder, plan, **options):
    return tune(plan, folder, **{"trials": 6, "confirm_seeds": 0, **options})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A tuning that nothing happened to."""
    with pytest.MonkeyPatch.context() as patch:
        run_inline(patch)
        return run(tmp_path_factory.mktemp("whole") / "t", plan_of(pruner="none"))


def test_the_first_trial_is_the_recipe_as_it_is(whole):
    plan, found = whole.folder.plan, whole.as_dict()
    first, *others = found["history"]
    assert first["settings"] == {"learning.rate": 1.0, "search.c": 1.0}
    assert len({json.dumps(row["settings"]) for row in others}) == 5
    for row in found["history"]:
        recipe = load(f"{row['run']}/recipe.toml")
        expected = {**plan.recipe.flat, **row["settings"], "seed": row["trial"]}
        assert recipe.flat == expected
        metrics = read_metrics(whole.folder.run(row["trial"]), "tabular")
        assert row["value"] == metrics[-1]["wr_p"] and len(metrics) == row["iteration"] == 4
    assert found["best"]["value"] == max(row["value"] for row in found["history"])


def test_resuming_after_an_interrupt_gives_the_same_trials(whole, tmp_path, monkeypatch):
    plan = plan_of(pruner="none")
    with monkeypatch.context() as patch:
        interrupt_training(patch, 2, 3)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "t", plan)
    begun = tmp_path / "t" / "trials" / "0002"
    assert len(read_metrics(begun)) == 3
    assert not (tmp_path / "t" / "trials" / "0003").exists()
    first = (begun / META).read_text()
    assert outcome(run(tmp_path / "t", plan)) == outcome(whole)
    assert (begun / META).read_text() == first  # it went on, and did not begin anew


def test_more_trials_later(whole, tmp_path):
    plan = plan_of(pruner="none")
    run(tmp_path / "t", plan, trials=2)
    assert outcome(run(tmp_path / "t", plan)) == outcome(whole)


def test_another_seed_gives_other_trials(whole, tmp_path):
    other = run(tmp_path / "t", plan_of(pruner="none", seed=1), trials=3)
    ours, theirs = (result.as_dict()["history"][1]["settings"] for result in (whole, other))
    assert ours != theirs


def test_hopeless_trials_are_stopped(tmp_path):
    """With few games few positions are reached: such trials end before their last iteration."""
    plan = plan_of(
        ["selfplay.games=2,40,41,42"],
        "updated_1",
        tiny(iterations=6, selfplay__games=40),
        sampler="random",
    )
    rows = run(tmp_path / "t", plan, trials=16).as_dict()["history"]
    hopeless = [row for row in rows if row["settings"]["selfplay.games"] == 2]
    later = [row for row in hopeless if row["trial"] >= STARTUP_TRIALS]
    assert len(later) >= 3
    for row in later:
        assert row["state"] == "pruned"
        lines = len(read_metrics(tmp_path / "t" / "trials" / f"{row['trial']:04}"))
        assert lines == row["iteration"] < 6
    assert sum(row["state"] == "complete" for row in rows) >= 6


def test_trials_of_equal_time_are_compared_at_equal_times():
    plan = plan_of(seconds=100.0)
    asked = []
    channel = TaskChannel(lambda fraction: None, asked.append)
    watcher = trials._Watcher(plan, trials.TrialTask(1, plan.recipe, None, 4), channel)
    for seconds in (5, 31, 32, 250):
        watcher({"iteration": 1, "seconds": seconds, "wr_p": 0.5})
    assert [list(question.steps) for question in asked] == [[1, 2, 3], [*range(4, 11)]]


def test_the_time_of_a_trial_ends_it(tmp_path):
    plan = plan_of(["learning.rate"], recipe=tiny(iterations=100_000), seconds=0.3)
    (row,) = run(tmp_path / "t", plan, trials=1).as_dict()["history"]
    assert 0 < row["iteration"] < 100_000
    assert row["value"] is not None


def test_a_trial_that_fails_is_no_end(tmp_path, monkeypatch):
    real = trials.train

    def failing(recipe, out, handlers, **options):
        if out.name == "0001":
            raise RunError("The disk is on strike.")
        return real(recipe, out, handlers, **options)

    monkeypatch.setattr(trials, "train", failing)
    notes = []
    found = run(tmp_path / "t", plan_of(), trials=3, note=notes.append).as_dict()
    assert [row["state"] for row in found["history"]] == ["complete", "fail", "complete"]
    assert notes == ["Trial 1 failed: The disk is on strike."]
    assert "on strike" in (tmp_path / "t" / "report.html").read_text()
    # The recipe as it is must work.
    monkeypatch.setattr(trials, "train", lambda *_, **__: (_ for _ in ()).throw(RunError("No.")))
    with pytest.raises(RunError, match="No"):
        run(tmp_path / "u", plan_of())


def test_settings_that_do_not_fit_together_are_not_run(tmp_path):
    # One simulation is refused where the root counts as one.
    plan = plan_of(["search.simulations=1..2"], sampler="random")
    rows = run(tmp_path / "t", plan, trials=6).as_dict()["history"]
    refused = [row for row in rows if row["settings"]["search.simulations"] == 1]
    assert refused and all(row["state"] == "fail" for row in refused)
    assert all("count_root" in row["error"] for row in refused)
    assert not any((tmp_path / "t" / "trials" / f"{row['trial']:04}").exists() for row in refused)


def test_confirmation_trains_both_with_other_seeds(tmp_path):
    # More games reach more positions, so the best trial is any but the first.
    plan = plan_of(["selfplay.games=8,64"], "updated_16", recipe=tiny())
    result = run(tmp_path / "t", plan, trials=6, confirm_seeds=3)
    found = result.confirmation
    assert result.best.number and result.settings(result.best) == {"selfplay.games": 64}
    assert len(found.default) == len(found.best) == 3
    assert min(found.best) > max(found.default) and found.is_better(plan)
    seeds = {
        path.name: load(str(path / "recipe.toml")).settings.seed
        for path in (tmp_path / "t" / "confirm").iterdir()
    }
    assert len(seeds) == 6 and set(seeds.values()) == {1_000_001, 1_000_002, 1_000_003}
    assert "They are better." in found.text(plan)
    assert found.text(plan) in (tmp_path / "t" / "best.toml").read_text()


def test_intervals_of_a_confirmation():
    plan = plan_of(metric="err_p")
    assert plan.direction == "minimize"
    clear = Confirmation(3, default=[0.5, 0.52, 0.51], best=[0.3, 0.31, 0.29])
    assert clear.is_better(plan) and math.isclose(clear.gain, -0.21)
    assert not Confirmation(3, default=[0.3, 0.31, 0.29], best=[0.5, 0.52, 0.51]).is_better(plan)
    assert not Confirmation(3, default=[0.1, 0.9], best=[0.05, 0.85]).is_better(plan)
    alone = Confirmation(3, default=[0.5], best=[0.1])
    assert not alone.is_better(plan) and "±" not in alone.text(plan)


def test_a_folder_of_another_tuning_is_refused(whole, tmp_path):
    folder = whole.folder.path
    for plan, clause in (
        (plan_of(metric="err_p", pruner="none"), '\'metric\' is "wr_p" there and "err_p" here'),
        (plan_of(["search.c"], pruner="none"), "'learning.rate' is \"0.05..20 (log)\" there"),
        (plan_of(recipe=tiny(truth__games=22), pruner="none"), "'truth.games' is 20 there"),
        (plan_of(seed=4, pruner="none"), "'seed' is 0 there and 4 here"),
    ):
        with pytest.raises(RunError, match="belongs to another tuning") as caught:
            run(folder, plan)
        assert clause in str(caught.value)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match=r"holds 'notes.txt'"):
        run(tmp_path, plan_of())
    with pytest.raises(RunError, match="is a file"):
        run(tmp_path / "notes.txt", plan_of())


def test_damaged_files_are_refused(tmp_path):
    plan = plan_of()
    run(tmp_path / "t", plan, trials=1)
    database, about = tmp_path / "t" / "study.sqlite3", tmp_path / "t" / "tuning.json"
    whole = about.read_text()
    for text, clause in (("{}", "has no 'format'"), ("[", "is not JSON")):
        about.write_text(text)
        with pytest.raises(RunError, match=clause):
            run(tmp_path / "t", plan)
    about.write_text(whole)
    database.write_bytes(b"SQLite" + database.read_bytes()[6:3000])
    with pytest.raises(StoreError, match="is damaged"):
        run(tmp_path / "t", plan)


def test_one_process_at_a_time(tmp_path):
    plan = plan_of()
    with TuningFolder(tmp_path / "t", plan), pytest.raises(RunError, match="is in use"):
        run(tmp_path / "t", plan)


def test_a_folder_that_nodes_do_not_share(tmp_path):
    class Elsewhere(InProcess):
        def check_shared(self, folder):
            raise ClusterError("Node a does not see it.")

    with pytest.raises(ClusterError, match="Node a"):
        run(tmp_path / "t", plan_of(), workers=Elsewhere())
    assert not (tmp_path / "t" / "trials").exists()


def die_once(number, report):
    """End the process of the first call with 1; `number` and the marker's folder come with it."""
    number, marker = number
    if number == 1 and not marker.exists():
        marker.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return 10 * number


def test_a_task_whose_process_died_is_run_once_more(tmp_path):
    items = [(number, tmp_path / "marker") for number in range(4)]
    with ProcessPool(die_once, 1) as pool:
        ended = list(run_with_retry(pool, iter(items)))
    assert [event.index for event in ended] == [0, 1, 2, 3]
    assert [event.result for event in ended] == [0, 10, None, 30]
    assert isinstance(ended[2].error, WorkerError)
