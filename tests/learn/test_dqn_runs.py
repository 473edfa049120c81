"""Runs of deep Q-learning: what they learn, what they leave, and what they survive."""

import random

import numpy as np
import pytest
import small_networks
from small_networks import train
from small_runs import FILES_OF_A_NETWORK, Listener, without_times

import halma
from halma.agents import agent
from halma.errors import HalmaError, NetworkError, RecipeError, RunError
from halma.interrupt import Interrupted
from halma.learn import q_trainer, read_metrics
from halma.learn.checkpoint import identity
from halma.learn.dqn import DeepQLearning
from halma.learn.q_trainer import QTrainer, td_targets
from halma.learn.recipe import checked
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.events import Note
from halma.learn.reports.page import write_report
from halma.learn.run import BAD_BATCH, MODEL, WEIGHTS, set_iterations
from halma.networks import load_network, read_info
from halma.tensors import list_iterations, open_tensors

SMALL = {
    "method": "dqn",
    "game": "rhombus-3x3-1",
    "network": "hsueh2023:filters=4",
    "iterations": 3,
    "play.games": 10,
    "play.parallel_games": 4,
    "play.move_limit": 6,
    "learning.replay_buffer": 60,
    "learning.prefill": 10,
    "learning.steps_per_move": 0.25,
    "learning.batch_size": 8,
    "learning.target_period": 5,
    "evaluation.every": 2,
    "evaluation.games": 2,
    "checkpoints.seconds": 0.0,
}
CLOCK = ("play_seconds", "train_seconds", "match_seconds", "seconds")


def small(**changes):
    given = {key.replace("__", "."): value for key, value in changes.items()}
    return checked("small", {**SMALL, **given})


def timeless(metrics):
    return {key: value for key, value in without_times(metrics).items() if key not in CLOCK}


def checkpoint(out):
    _, path = list_iterations(out / "checkpoints")[0]
    return open_tensors(path, identity(small().game, DeepQLearning.kind)).arrays()


def assert_same(out, whole):
    ours, theirs = ([timeless(line) for line in read_metrics(run)] for run in (out, whole))
    assert ours == theirs
    ours, theirs = checkpoint(out), checkpoint(whole)
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert np.array_equal(ours[name], theirs[name]), name


def test_it_learns_to_win(tmp_path):
    """On nine holes with one piece each, against random moves; random play wins about half."""
    recipe = small(
        iterations=4,
        play__games=50,
        play__parallel_games=25,
        play__opponent="random",
        play__move_limit=12,
        reward__win=1.0,
        reward__advance=0.1,
        learning__replay_buffer=3000,
        learning__prefill=100,
        learning__steps_per_move=0.3,
        learning__batch_size=32,
        learning__target_period=20,
        learning__discount=0.9,
        learning__rate=0.01,
        evaluation__every=0,
        evaluation__test_games=40,
        exploration__share=0.6,
    )
    last = train(recipe, tmp_path / "run")
    first = read_metrics(tmp_path / "run")[0]
    assert first["won"] < 0.7 and last["test_won"] >= 0.85
    # A win is worth 1, and the four rows between the corners 0.4.
    assert last["test_reward"] > 1.1


def test_what_a_run_leaves(whole):
    names = sorted(path.name for path in whole.iterdir())
    assert names == FILES_OF_A_NETWORK
    metrics = read_metrics(whole, "dqn")
    assert [line["games"] for line in metrics] == [10, 10, 10]
    assert [line["epsilon"] for line in metrics] == pytest.approx([0.46, 0.1, 0.1])
    transitions = [line["transitions"] for line in metrics]
    assert metrics[-1]["replay_transitions"] == min(60, sum(transitions))
    assert [line["vs_greedy"] is None for line in metrics] == [True, False, False]
    for line in metrics:
        assert 0 <= line["won"] + line["lost"] <= 1
    # Games on disk are those that fill the replay buffer, and no more.
    kept = GameFiles(whole, small().game).iterations()
    assert sum(transitions[i - 1] for i in kept) >= 60 or len(kept) == 3


def test_interrupted_runs_end_as_if_nothing_had_happened(whole, tmp_path, monkeypatch):
    """Stopped in games and in learning, once in each iteration."""
    recipe, out, real = small(), tmp_path / "run", QTrainer.learn
    calls = [0]

    def learn(self, *args):
        calls[0] += 1
        if calls[0] in (2, 5):
            raise Interrupted
        return real(self, *args)

    monkeypatch.setattr(QTrainer, "learn", learn)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            train(recipe, out)
    train(recipe, out)
    assert_same(out, whole)


def test_from_every_checkpoint(whole, tmp_path):
    """One iteration a session, by making the run longer."""
    out = tmp_path / "run"
    recipe = small(iterations=3, checkpoints__keep=5)
    train(recipe, out)
    for number, path in list_iterations(out / "checkpoints"):
        if number > 1:
            path.unlink()
    train(recipe, out)
    assert_same(out, whole)


def test_a_damaged_file_of_games_costs_its_transitions(run):
    recipe = small()
    newest = list_iterations(run / "games")[0][1]
    newest.write_bytes(newest.read_bytes()[:-5])
    listener = Listener()
    longer = set_iterations(run, 4)
    last = train(longer, run, [listener])
    assert any("Going on without the games in it" in note.text for note in listener.all(Note))
    assert last["replay_transitions"] < min(60, recipe.settings.learning.replay_buffer) + 1


def test_the_agent_of_a_run(whole, tmp_path):
    game = small().game
    record = halma.Record(game)
    player = agent(f"q:{whole}")
    values = player.q_values(record)
    assert player.choose(record, random.Random(0)) == max(values, key=lambda pair: pair[1])[0]
    assert read_info(whole / MODEL).head == read_info(whole / WEIGHTS).head == "q"
    with pytest.raises(NetworkError, match=r"it is a Q network.*play it with q:"):
        agent(f"net:{whole},sims=4").check(game)
    with pytest.raises(NetworkError, match="it is a Q network"):
        load_network(whole)
    other = tmp_path / "other"
    train(small_networks.small(iterations=1), other)
    with pytest.raises(NetworkError, match=r"not Q-values; play it with net:"):
        agent(f"q:{other}").check(game)
    with pytest.raises(NetworkError, match=r"play it with net:rhombus-7x7-6\.$"):
        agent("q:rhombus-7x7-6").check(halma.game("rhombus-7x7-6"))
    with pytest.raises(NetworkError, match=r"it plays .*halma train liu2019/dqn"):
        player.check(halma.game("rhombus-4x4-3"))
    with pytest.raises(HalmaError, match="write q:RUNDIR or q:FILE"):
        agent("q")


def test_versions_of_a_run(tmp_path):
    out = tmp_path / "run"
    train(small(archive__every=2, iterations=2), out)
    record = halma.Record(small().game)
    first, last = (agent(f"q:{out},version={n}").q_values(record) for n in (0, 2))
    assert first != last == agent(f"q:{out}").q_values(record)


def test_the_page_of_a_run(whole):
    view = write_report(whole, out=whole.parent / "report.html")
    text = (whole.parent / "report.html").read_text(encoding="utf-8")
    assert list(view.sections) == ["A game against the opponent", "Q-values of the first move"]
    for title in ("Epsilon", "Mean absolute TD error", "Accumulated reward of test games"):
        assert title in text
    assert "halma match q:" in text


def test_without_checkpoints(tmp_path):
    out = tmp_path / "run"
    train(small(checkpoints__keep=0), out)
    assert not list_iterations(out / "checkpoints")
    before = (out / MODEL).read_bytes()
    train(small(checkpoints__keep=0), out)
    assert (out / MODEL).read_bytes() == before


def test_a_loss_that_is_not_a_number(tmp_path, monkeypatch):
    calls = [0]

    def targets(rewards, ended, best, discount):
        calls[0] += 1
        return td_targets(rewards, ended, best, discount) * (np.nan if calls[0] == 4 else 1)

    monkeypatch.setattr(q_trainer, "td_targets", targets)
    with pytest.raises(RunError, match="The loss became not a number in iteration 1, at step 4"):
        train(small(), tmp_path / "run")
    kept = open_tensors(tmp_path / "run" / BAD_BATCH, {}).arrays()
    assert kept["planes"].shape == (16, *small().game.shape)


def test_what_would_fail_later_is_refused_first(tmp_path):
    for changes, words in (
        ({"play__opponent": "gredy"}, "'play.opponent' cannot have 'gredy'"),
        ({"play__opponent": "human"}, "nobody is asked during training"),
    ):
        with pytest.raises(RecipeError, match=words):
            train(small(**changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_papers_recipe():
    recipe = halma.learn.load("liu2019/dqn")
    settings = recipe.settings
    assert settings.iterations * settings.play.games == 10_000_000
    assert settings.learning.replay_buffer == 1_000_000
    assert settings.epsilon(0) == 1 and settings.epsilon(9_999_999) == pytest.approx(0.1)
