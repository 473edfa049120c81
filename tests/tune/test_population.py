"""Population-based training: who copies whom, what is perturbed, and resuming."""

import random

import pytest
from tune.tuning_helpers import interrupt_training, outcome, plan_of, tiny

from halma.errors import OptionError, RunError
from halma.learn import load, read_metrics, train
from halma.learn.fork import fork_run
from halma.learn.run import read_meta
from halma.tensors import list_iterations
from halma.tune import population
from halma.tune.plan import check_plan
from halma.tune.population import exchanges, members
from halma.tune.trial import TrialResult, TrialRunner
from halma.tune.tuning import tune

pytestmark = pytest.mark.usefixtures("inline")


def test_the_worst_quarter_copies_the_best_quarter():
    values = {member: float(member) for member in range(8)}
    for seed in range(20):
        found = exchanges(8, values, True, random.Random(seed))
        assert {member for member, _ in found} == {0, 1}
        assert {donor for _, donor in found} <= {6, 7}
        found = exchanges(8, values, False, random.Random(seed))
        assert {member for member, _ in found} == {6, 7}
        assert {donor for _, donor in found} <= {0, 1}


def test_who_failed_is_replaced_too():
    assert exchanges(4, {0: 1.0, 1: 2.0, 3: 0.5}, True, random.Random(0)) == [(2, 1)]
    found = exchanges(4, {1: 2.0}, True, random.Random(0))
    assert found == [(0, 1), (2, 1), (3, 1)]


class Toy:
    """A run is a number, its weights; it grows with a learning rate near 1, and shrinks else."""

    def __init__(self, patch):
        self.weights, self.copies = {}, []
        patch.setattr(population, "fork_run", self.fork)
        patch.setattr(TrialRunner, "__call__", lambda runner, task, channel: self.train(task))

    def train(self, task):
        iteration, weights = self.weights.get(task.run, (0, 0.0))
        rate = task.recipe.settings.learning.rate
        if iteration < task.until:
            weights += (task.until - iteration) * (1 - abs(rate - 1))
            self.weights[task.run] = task.until, weights
        return TrialResult(weights, False, task.until, 1.0)

    def fork(self, source, run, recipe):
        self.weights[run] = self.weights[source]
        self.copies.append((source, run, recipe.settings.learning.rate))


def test_exploit_and_explore_on_a_toy(tmp_path, monkeypatch):
    toy = Toy(monkeypatch)
    plan = plan_of(
        ["learning.rate=0.1..10"],
        recipe=tiny(iterations=24, learning__rate=5.0),
        sampler="pbt",
        population=8,
        stretch=2,
    )
    result = tune(plan, tmp_path / "t", confirm_seeds=0)
    # After each of 12 stretches but the last, two of eight are replaced.
    assert len(toy.copies) == 11 * 2
    trials = {tmp_path / "t" / "trials" / f"{trial.number:04}": trial for trial in result.trials}
    for source, run, rate in toy.copies:
        donor = result.settings(trials[source])["learning.rate"]
        assert 0.1 <= rate <= 10
        assert trials[run].user_attrs["parent"] == trials[source].number
        assert rate != donor
    steps = [
        rate / result.settings(trials[source])["learning.rate"] for source, _, rate in toy.copies
    ]
    near = [step for step in steps if min(abs(step - 0.8), abs(step - 1.25)) < 0.01]
    assert len(near) > len(steps) / 2
    # Random search over eight rates leaves the best where it began; the population gets close to 1.
    assert abs(result.settings(result.best)["learning.rate"] - 1) < 0.15
    history = {row["member"]: row["history"] for row in result.as_dict()["members"]}
    assert sorted(history) == list(range(8))
    assert sum(len(chain) - 1 for chain in history.values()) == len(toy.copies)
    for chain in history.values():
        assert [part["from_iteration"] for part in chain] == sorted(
            part["from_iteration"] for part in chain
        )


PLAN = dict(sampler="pbt", population=4, stretch=2)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        from tune.tuning_helpers import run_inline

        run_inline(patch)
        path = tmp_path_factory.mktemp("whole") / "t"
        return tune(
            plan_of(metric="err_p", recipe=tiny(iterations=6), **PLAN), path, confirm_seeds=0
        )


def test_a_population_of_tables(whole):
    chains = members(whole.trials)
    assert len(whole.trials) == 4 + 2 and len(chains) == 4
    for trial in whole.trials[4:]:
        run = whole.folder.run(trial.number)
        parent = whole.folder.run(trial.user_attrs["parent"])
        begun = trial.user_attrs["begins"] * 2
        ours, theirs = read_metrics(run), read_metrics(parent)
        assert ours[:begun] == theirs[:begun]
        assert ours[begun:] and ours[begun] != theirs[begun : begun + 1]
        recipe = load(str(run / "recipe.toml"))
        assert recipe.settings.learning.rate == whole.settings(trial)["learning.rate"]
        assert read_meta(run)["forked_from"] == str(parent)
    last = [chain[-1] for chain in chains.values()]
    assert all(len(read_metrics(whole.folder.run(trial.number))) == 6 for trial in last)
    assert all(trial.state.name == "COMPLETE" for trial in last)
    page = (whole.folder.path / "report.html").read_text()
    assert "Population" in page and "copy of trial" in page


@pytest.mark.parametrize("number", [2, 5])
def test_resuming_gives_the_same_population(whole, tmp_path, monkeypatch, number):
    plan = whole.folder.plan
    with monkeypatch.context() as patch:
        interrupt_training(patch, number, 1 if number < 4 else 3)
        with pytest.raises(KeyboardInterrupt):
            tune(plan, tmp_path / "t", confirm_seeds=0)
    assert outcome(tune(plan, tmp_path / "t", confirm_seeds=0)) == outcome(whole)


def test_resuming_in_the_middle_of_an_exchange(whole, tmp_path, monkeypatch):
    plan = whole.folder.plan
    with monkeypatch.context() as patch:

        def interrupted(*_):
            raise KeyboardInterrupt

        patch.setattr(population, "fork_run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tune(plan, tmp_path / "t", confirm_seeds=0)
    assert outcome(tune(plan, tmp_path / "t", confirm_seeds=0)) == outcome(whole)


def test_a_copy_of_a_run_goes_on_with_other_settings(tmp_path):
    recipe = tiny()
    train(recipe, tmp_path / "a", stop_when=lambda metrics: metrics["iteration"] == 2)
    other = recipe.changed({"learning.rate": 3.0})
    fork_run(tmp_path / "a", tmp_path / "b", other)
    assert list_iterations(tmp_path / "b" / "checkpoints")[0][0] == 2
    last = train(other, tmp_path / "b")
    assert last["iteration"] == 4
    assert [line["learning_rate"] for line in read_metrics(tmp_path / "b")] == [1.0, 1.0, 0.1, 0.1]
    assert len(read_metrics(tmp_path / "a")) == 2
    with pytest.raises(RunError, match="not the directory of a run"):
        fork_run(tmp_path / "nothing", tmp_path / "c", other)


def test_plans_that_cannot_be_carried_out():
    with pytest.raises(OptionError, match="not by matches"):
        check_plan(plan_of(metric="strength", **PLAN))
    with pytest.raises(OptionError, match="in place of --minutes"):
        check_plan(plan_of(seconds=60.0, **PLAN))
