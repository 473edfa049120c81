"""Tunings on a cluster of two nodes: the same studies as on one machine, whatever is lost."""

import pytest

pytest.importorskip("ray")
pytest.importorskip("optuna")

from cli.cli_helpers import answer, refused
from tune.tuning_helpers import outcome, plan_of, tiny, tiny_words

from halma.arena import Sprt
from halma.cluster.connection import Cluster
from halma.cluster.ray_executor import RayExecutor
from halma.executors import InProcess
from halma.learn import read_metrics
from halma.tune.tuning import tune


@pytest.fixture
def executor(cluster):
    with Cluster(cluster.address) as connection:
        yield RayExecutor(connection)


def test_trials_are_those_of_one_machine(executor, tmp_path):
    """Where nothing depends on which trial ends first, the place does not matter."""
    plan = plan_of(pruner="none", sampler="random")
    here = tune(plan, tmp_path / "here", trials=4, confirm_seeds=1, workers=InProcess())
    tune(plan, tmp_path / "there", trials=2, confirm_seeds=0, workers=executor)
    there = tune(plan, tmp_path / "there", trials=4, confirm_seeds=1, workers=executor)
    assert outcome(here) == outcome(there)
    assert vars(here.confirmation) == vars(there.confirmation)


def test_a_population_is_that_of_one_machine(executor, tmp_path):
    plan = plan_of(
        metric="err_p", recipe=tiny(iterations=4), sampler="pbt", population=4, stretch=2
    )
    here, there = (
        tune(plan, tmp_path / name, confirm_seeds=0, workers=workers)
        for name, workers in (("here", InProcess()), ("there", executor))
    )
    assert len(here.trials) == 5 and outcome(here) == outcome(there)


def test_strength_on_a_cluster(executor, tmp_path):
    plan = plan_of(["learning.rate"], "strength", games=20, sprt=Sprt(0, 50))
    result = tune(plan, tmp_path / "t", trials=3, confirm_seeds=0, workers=executor)
    for trial in result.trials[1:]:
        match = trial.user_attrs["match"]
        assert 0 < match["games"] <= 20
        games = f"{trial.number:04}-{match['opponent']:04}.db"
        assert (tmp_path / "t" / "matches" / games).exists()


def test_the_command_prunes_on_a_cluster(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = answer(
        *("tune", "hsueh2023/ewn-3x3-3", "--metric", "updated_1", "--maximize", "--out", "t"),
        *("--key", "selfplay.games=2,40,41,42", "--sampler", "random", "--iterations", 6),
        *("--trials", 14, "--confirm", 0, "--cluster", cluster.address),
        *tiny_words(**{"selfplay.games": 40}),
    )["history"]
    assert {row["state"] for row in rows} == {"complete", "pruned"}
    pruned = [row for row in rows if row["state"] == "pruned"]
    assert any(row["settings"]["selfplay.games"] == 2 for row in pruned)
    for row in pruned:
        assert len(read_metrics(tmp_path / row["run"])) == row["iteration"] < 6


def test_what_cannot_be_tuned_on_a_cluster(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "tune", "hsueh2023/ewn-3x3-3", "--metric", "wr_p", "--cluster"
    assert "No Ray cluster answers at '127.0.0.1:1'" in refused(*words, "127.0.0.1:1")
    assert "either --workers or --cluster" in refused(*words, "auto", "--workers", 2)
    said = refused(*words, cluster.address, "--threads", 2)
    assert "No node of the cluster has what a task takes: 2 cores." in said
    assert not list(tmp_path.iterdir())
