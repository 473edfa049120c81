"""What is refused before a run begins, and settings that a run may go on with."""

import io

import numpy as np
import pytest
import small_networks
import small_runs
from small_runs import Listener, contents

import halma
from halma.agents import agent, check_agent, quick_agents
from halma.errors import HalmaError, RecipeError, RunError
from halma.learn import checks, load, read_metrics, train
from halma.learn.recipe import names
from halma.learn.reports import console
from halma.learn.reports.console import Console
from halma.learn.reports.events import Note, Progress
from halma.learn.run import trained_agent
from halma.tensors import list_iterations, open_tensors

GAMES = ["rhombus-3x3-1", "star-37-3p", "star-121-6p", "draughts-8x8", "ewn-5x5-6", "cdc-4x8"]


@pytest.mark.parametrize("variant", GAMES)
def test_the_default_opponents_play_the_game(variant):
    recipe = small_networks.small(game=variant, evaluation__every=1, warm_start__games=5)
    checks.check_recipe(recipe)
    first, second = recipe.settings.opponents
    assert (first, second) == ("random", quick_agents(halma.game(variant))[0])
    assert agent(recipe.settings.warm_start_agent)


def test_greedy_is_the_default_where_it_plays():
    settings = load("quick").settings
    assert settings.opponents == ["random", "greedy"]
    assert settings.warm_start_agent == "greedy:stochastic"
    draughts = load("quick", {"game": "draughts-8x8", "selfplay.adjudication": "rules"}).settings
    assert draughts.opponents == ["random", "minimax:depth=2"]
    assert draughts.warm_start_agent == "minimax:depth=2"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"game": "draughts-8x8", "evaluation.opponents": "random greedy"},
            "'evaluation.opponents' cannot have 'greedy': 'draughts-8x8' has no measure of how far "
            "moves advance, which greedy agents need. Agents that play 'draughts-8x8': "
            "random, minimax:depth=2, mcts:sims=50.",
        ),
        (
            {"game": "draughts-8x8", "warm_start.agent": "initialize", "warm_start.games": 1},
            "'warm_start.agent' cannot have 'initialize'",
        ),
        (
            {"game": "star-37-3p", "evaluation.opponents": "alphabeta:depth=2"},
            "for two players, and 'star-37-3p' has 3",
        ),
        ({"evaluation.opponents": "net:nowhere.onnx"}, "There is no file 'nowhere.onnx'"),
        ({"evaluation.opponents": "tabular:nowhere"}, "There is no run with a checkpoint"),
        ({"evaluation.opponents": "table:nowhere"}, "'nowhere': No such file or directory."),
        ({"evaluation.opponents": "human"}, "nobody is asked during training"),
        ({"evaluation.opponents": "random gready"}, "Did you mean 'greedy'?"),
        ({"warm_start.agent": "gready", "warm_start.games": 1}, "Did you mean 'greedy'?"),
        (
            {"game": "draughts-8x8", "truth.every": 2},
            "'truth.every' cannot be 2: 'draughts-8x8' cannot be solved, as it has no index.",
        ),
        (
            {"game": "star-37-3p", "truth.every": 2},
            "'star-37-3p' cannot be solved, as it has 3 players",
        ),
    ],
)
def test_refused_before_anything_runs(tmp_path, changes, words):
    recipe = small_networks.small().changed({"evaluation.every": 1, **changes})
    with pytest.raises(RecipeError) as caught:
        train(recipe, tmp_path / "run")
    assert words in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_agents_that_are_not_used_are_not_checked(tmp_path):
    recipe = small_networks.small(evaluation__opponents="gready", warm_start__agent="gready")
    checks.check_recipe(recipe)


def test_a_table_that_does_not_fit(tmp_path):
    recipe = small_runs.small(game="ewn-5x5-6")
    with pytest.raises(RecipeError) as caught:
        train(recipe, tmp_path / "run")
    assert "'game' cannot be 'ewn-5x5-6': training needs about 2.5 EiB of memory" in str(
        caught.value
    )
    assert not (tmp_path / "run").exists()


def test_memory_is_counted_where_it_decides(monkeypatch):
    recipe = small_runs.small(game="ewn-3x3-3")
    game, settings = recipe.game, recipe.settings
    rows, size = game.core.reachable()[0], game.core.index_size
    exact = sum(checks.tabular_memory(game, settings, rows).values())
    assert exact < sum(checks.tabular_memory(game, settings, size).values())
    for free, fits in ((exact, True), (exact - 1, False)):
        monkeypatch.setattr(checks, "free_memory", lambda free=free: free)
        if fits:
            checks.check_recipe(recipe)
        else:
            with pytest.raises(RecipeError, match="for the lookup table"):
                checks.check_recipe(recipe)


def test_the_lookup_table_is_as_large_as_estimated(tmp_path):
    recipe = small_runs.small(iterations=1)
    train(recipe, tmp_path / "run")
    ((_, path),) = list_iterations(tmp_path / "run" / "checkpoints")
    file = open_tensors(path, {})
    rows = file.shape("indices")[0]
    estimate = checks.tabular_memory(recipe.game, recipe.settings, rows)
    arrays = file.arrays()
    written = arrays["table"].nbytes + arrays["updates"].nbytes
    assert estimate["lookup table"] - recipe.game.core.index_size == written
    # One of two iterations; random games are longer than those of a search.
    assert 0.5 < estimate["replay buffer"] / 2 / arrays["recent"].nbytes < 4


def test_a_replay_buffer_that_does_not_fit(monkeypatch):
    recipe = load("quick")
    needed = checks.alphazero_replay_bytes(recipe.game, recipe.settings)
    monkeypatch.setattr(checks, "free_memory", lambda: needed)
    checks.check_recipe(recipe)
    monkeypatch.setattr(checks, "free_memory", lambda: needed // 2)
    with pytest.raises(
        RecipeError, match=r"'learning.replay_buffer' cannot be 20,000: these games"
    ):
        checks.check_recipe(recipe)


def test_every_recipe_of_the_package_passes(monkeypatch):
    monkeypatch.setattr(checks, "free_memory", lambda: 1 << 40)
    for name in names():
        checks.check_recipe(load(name))


# Agents and games.


class Broken:
    name = "broken"

    def choose(self, record, rng):
        return {}["move"]


def test_an_agent_that_fails_at_its_first_move():
    with pytest.raises(HalmaError, match="Its first move fails with KeyError: 'move'"):
        check_agent(Broken(), halma.game("ewn-3x3-3"))


def test_a_search_is_checked_without_searching():
    check_agent(agent("mcts:sims=1000000000"), halma.game("ewn-5x5-6"))
    check_agent(agent("expectimax:depth=100"), halma.game("ewn-5x5-6"))
    with pytest.raises(HalmaError, match="no phases of contact"):
        check_agent(agent("minimax:phases=on"), halma.game("draughts-8x8"))


# Going on with other settings.


@pytest.fixture
def run(tmp_path):
    out = tmp_path / "run"
    small_networks.train(small_networks.small(iterations=1), out)
    return out


def weights(out):
    _, path = list_iterations(out / "checkpoints")[0]
    return open_tensors(path, {}).arrays()


def test_evaluations_may_change_and_learning_does_not(tmp_path):
    changed = {"evaluation__every": 1, "evaluation__opponents": "random", "evaluation__games": 2}
    plain, other = tmp_path / "plain", tmp_path / "other"
    small_networks.train(small_networks.small(iterations=2), plain)
    listener = Listener()
    small_networks.train(small_networks.small(iterations=2, **changed), other, [listener])
    assert all(np.array_equal(a, weights(other)[key]) for key, a in weights(plain).items())
    assert {p.stage for p in listener.all(Progress)} >= {"evaluation"}


def test_a_run_goes_on_with_other_evaluations(run, tmp_path):
    changed = {"evaluation.every": 1, "evaluation.opponents": "random", "checkpoints.keep": 3}
    with pytest.raises(RunError, match=r"'search\.c' is 1\.0 there and 2\.0 here"):
        small_networks.train(small_networks.small(iterations=1, search__c=2.0), run)
    before = contents(run)
    listener = Listener()
    recipe = load(str(run / "recipe.toml")).changed(changed)
    small_networks.train(recipe, run, [listener])
    assert [note.text for note in listener.all(Note)] == [
        "'evaluation.every' is 1 from now on.",
        "'evaluation.opponents' is \"random\" from now on.",
        "'checkpoints.keep' is 3 from now on.",
        "The run is finished: new settings hold once it is made longer.",
    ]
    after = contents(run)
    assert {path for path in after if after[path] != before[path]} == {str(run / "recipe.toml")}
    assert load(str(run / "recipe.toml")).settings == recipe.settings


def test_a_run_that_died_at_its_evaluation_is_rescued(tmp_path, monkeypatch):
    """The agent went away after the check; the command names another one."""
    out, command = tmp_path / "run", ("--set", "evaluation.opponents=random")
    recipe = small_networks.small(
        iterations=2, evaluation__every=1, evaluation__games=2, evaluation__opponents="tabular:gone"
    )
    monkeypatch.setattr("halma.learn.session.check_recipe", lambda recipe, is_new: None)
    with pytest.raises(HalmaError, match="no run with a checkpoint"):
        small_networks.train(recipe, out)
    status, _, said = small_runs.finish(small_networks.start(out, out))
    assert status == 2 and "'evaluation.opponents' cannot have 'tabular:gone'" in said
    status, answer, said = small_runs.finish(small_networks.start(out, out, *command))
    assert status == 0, said
    assert "'evaluation.opponents' is \"random\" from now on." in said
    assert answer["vs_random"] is not None
    assert len(read_metrics(out)) == 2
    longer = (*command[:1], "evaluation.games=4", "--iterations", "3")
    status, answer, said = small_runs.finish(small_networks.start(out, out, *longer))
    assert (status, answer["iteration"]) == (0, 3), said
    assert answer["settings"]["evaluation.games"] == 4
    assert answer["settings"]["evaluation.opponents"] == "random"


# Six players, progress.


def test_six_players_play_the_games_that_were_wanted(tmp_path):
    listener = Listener()
    recipe = small_networks.small(
        game="star-121-6p",
        network="hsueh2023:filters=2",
        iterations=1,
        selfplay__games=2,
        selfplay__max_plies=12,
        search__simulations=2,
        evaluation__every=1,
        evaluation__games=4,
        evaluation__opponents="random",
        gate__games=2,
    )
    last = small_networks.train(recipe, tmp_path / "run", [listener])
    totals = {report.stage: report.total for report in listener.all(Progress)}
    assert (totals["gate"], totals["evaluation"]) == (2, 4)
    assert last["vs_random_low"] is not None


def test_an_odd_number_of_games_is_rounded_up_and_said(tmp_path):
    listener = Listener()
    recipe = small_networks.small(
        iterations=1, evaluation__every=1, evaluation__games=3, evaluation__opponents="random"
    )
    small_networks.train(recipe, tmp_path / "run", [listener])
    assert [note.text for note in listener.all(Note)] == [
        "'evaluation.games' is 3; games come in pairs, so 4 are played."
    ]
    assert {p.total for p in listener.all(Progress) if p.stage == "evaluation"} == {4}


def test_the_next_steps_name_an_agent_that_plays(tmp_path):
    for variant, opponent in (("draughts-8x8", "minimax:depth=2"), ("rhombus-3x3-1", "greedy")):
        assert trained_agent(tmp_path, small_networks.small(game=variant))[1] == opponent


def test_one_pair_of_games_has_no_interval(tmp_path):
    recipe = small_networks.small(
        iterations=1, evaluation__every=1, evaluation__games=2, evaluation__opponents="random"
    )
    last = small_networks.train(recipe, tmp_path / "run")
    assert last["vs_random"] is not None and last["vs_random_elo"] is not None
    assert last["vs_random_low"] is last["vs_random_elo_high"] is None


def test_stages_are_printed_where_there_is_no_terminal(tmp_path, monkeypatch):
    monkeypatch.setattr(console, "_STAGE_SECONDS", 0.0)
    stream = io.StringIO()
    recipe = small_networks.small(
        iterations=1, evaluation__every=1, evaluation__games=2, evaluation__opponents="random"
    )
    small_networks.train(recipe, tmp_path / "run", [Console(stream)])
    assert "iteration 1/1: evaluation 0/2" in stream.getvalue()
