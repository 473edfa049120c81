"""Runs with a network: what they leave, and what they survive."""

import multiprocessing
import os
import random
import signal
import time
from types import SimpleNamespace

import numpy as np
import pytest
import small_networks
import torch
from small_networks import recipe_file, small, start
from small_runs import (
    FILES_OF_A_NETWORK,
    Listener,
    contents,
    fill_disk,
    finish,
    lines_of,
    without_times,
)

from halma.agents import agent
from halma.errors import HalmaError, RunError
from halma.games import Record
from halma.learn import read_metrics, training_step
from halma.learn.alphazero import AlphaZero
from halma.learn.checkpoint import identity
from halma.learn.replay_buffer import GameFiles, ReplayBuffer
from halma.learn.reports.alphazero_page import position_at
from halma.learn.reports.events import (
    Checkpoint,
    Finished,
    Iteration,
    Note,
    Progress,
    Started,
    Stopped,
)
from halma.learn.reports.page import write_report
from halma.learn.run import BAD_BATCH, MODEL, WEIGHTS, RunDirectory
from halma.learn.trainer import Trainer
from halma.networks.network_file import read_info
from halma.networks.torch_evaluator import EvaluatorPool
from halma.networks.weights import load_weights
from halma.tensors import list_iterations, open_tensors

#: metrics that depend on the clock
CLOCK = (
    "train_seconds",
    "match_seconds",
    "games_per_second",
    "evaluations_per_second",
    "trainer_busy",
    "pool_bytes",
)


def train(recipe, out, handlers=(), **more):
    return small_networks.train(recipe, out, handlers, **more)


def timeless(metrics):
    return {key: value for key, value in without_times(metrics).items() if key not in CLOCK}


def checkpoint(out, which=0):
    _, path = list_iterations(out / "checkpoints")[which]
    return open_tensors(path, identity(small().game, AlphaZero.kind))


def assert_same(out, whole):
    """Two runs have learnt the same, in the same steps."""
    assert [timeless(line) for line in read_metrics(out)] == [
        timeless(line) for line in read_metrics(whole)
    ]
    ours, theirs = checkpoint(out).arrays(), checkpoint(whole).arrays()
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert np.array_equal(ours[name], theirs[name]), name
    assert not list(out.rglob("*.tmp"))


def assert_plays(out, recipe):
    """The best network that a run has left plays."""
    player = agent(f"net:{out / MODEL},sims=4")
    record = Record(recipe.game)
    rng = random.Random(1)
    record.roll(rng)
    record.play(player.choose(record, rng))
    load_weights(out / WEIGHTS)


def test_what_a_run_leaves(whole):
    names = sorted(path.name for path in whole.iterdir())
    assert names == FILES_OF_A_NETWORK
    metrics = read_metrics(whole)
    assert [line["iteration"] for line in metrics] == [1, 2, 3]
    assert [line["games"] for line in metrics] == [8, 8, 8]
    # A replay buffer of 20 games takes whole iterations.
    assert [line["replay_games"] for line in metrics] == [8, 16, 24]
    assert [line["best"] for line in metrics] == [1, 2, 3]
    for line in metrics:
        assert line["evaluations"] > line["new_positions"]
        assert 0 <= line["duplicates"] < 1
        assert 0 < line["trainer_busy"] <= 1
        assert line["steps"] == -(-line["new_positions"] * 4 // 16)
    assert_plays(whole, small())


def test_the_page_of_a_run(whole):
    view = write_report(whole, out=whole.parent / "report.html")
    text = (whole.parent / "report.html").read_text(encoding="utf-8")
    assert list(view.sections) == ["A game of self-play", "The network's policy"]
    assert text.count("<svg") >= 9
    assert text.count('class="heat"') > 9
    assert "halma play human net:" in text


def test_the_order_of_reports(tmp_path):
    listener = Listener()
    train(small(iterations=2), tmp_path / "run", [listener])
    kinds = [type(report) for report in listener.reports if type(report) is not Progress]
    assert kinds == [Started, Iteration, Checkpoint, Iteration, Checkpoint, Finished]
    stages = {report.stage for report in listener.all(Progress)}
    assert stages == {"self-play", "training"}
    best = listener.all(Progress)
    assert all(report.done <= report.total for report in best)


def test_a_checkpoint_is_told_of_once_its_network_is_there(tmp_path):
    found = []

    class Reader(Listener):
        def handle(self, report):
            if isinstance(report, Checkpoint):
                about = read_info(tmp_path / "run" / WEIGHTS).about
                found.append((report.iteration, about["iteration"]))

    train(small(), tmp_path / "run", [Reader()])
    assert found == [(1, 1), (2, 2), (3, 3)]


def test_the_same_seed_gives_the_same_run(whole, tmp_path):
    train(small(), tmp_path / "run")
    assert_same(tmp_path / "run", whole)
    train(small(seed=1), tmp_path / "other")
    assert read_metrics(tmp_path / "other")[-1]["policy_loss"] != pytest.approx(
        read_metrics(whole)[-1]["policy_loss"]
    )


def test_a_finished_run_only_answers(run):
    before = contents(run)
    assert train(small(), run) == read_metrics(run)[-1]
    assert contents(run) == before


@pytest.mark.parametrize("variant", ["star-37-3p", "ewn-3x3-2", "cdc-2x4-PPPP", "draughts-8x8"])
def test_any_game(variant, tmp_path):
    recipe = small(
        game=variant,
        iterations=1,
        selfplay__games=4,
        evaluation__every=1,
        evaluation__games=4,
        evaluation__opponents="random",
        gate__games=2,
        network="hsueh2023:filters=2",
    )
    last = train(recipe, tmp_path / "run")
    assert last["games"] == 4
    assert 0 <= last["vs_random"] <= 1
    if variant == "star-37-3p":  # nobody scores in games so short
        assert last["vs_random_low"] is last["vs_random_elo_low"] is None
    else:
        assert last["vs_random_low"] <= last["vs_random"] <= last["vs_random_high"]
        assert last["vs_random_elo_low"] <= last["vs_random_elo"] <= last["vs_random_elo_high"]
    assert_plays(tmp_path / "run", recipe)


def test_games_of_a_heuristic_first(tmp_path):
    recipe = small(warm_start__games=6, iterations=1, warm_start__agent="greedy")
    last = train(recipe, tmp_path / "run")
    games, _ = GameFiles(tmp_path / "run", recipe.game).read(0)
    assert len(games) == 6
    assert last["replay_games"] == 6 + 8
    core = recipe.game.core
    for row in range(len(games.moves)):
        policy = slice(*games.policy_offsets[[row, row + 1]])
        if games.choices[row] == 0:
            state = games.states[row].tobytes()
            assert games.policy_actions[policy] == [core.action(state, games.moves[row])]
            assert games.policy_weights[policy] == [1]
        else:
            assert policy.start == policy.stop
    # The greedy player wins from the front.
    assert games.scores.sum() == pytest.approx(6)


def test_a_gate_keeps_the_best(tmp_path):
    out = tmp_path / "run"
    shut = small(gate__games=2, gate__threshold=1.0, iterations=2)
    train(shut, out)
    for line in read_metrics(out):
        assert line["best"] == (line["iteration"] if line["gate"] == 1 else line["best"])
    best = read_metrics(out)[-1]["best"]
    assert checkpoint(out).description["best"] == best
    arrays = checkpoint(out).arrays()
    ours = load_weights(out / WEIGHTS).state_dict()
    for name, tensor in ours.items():
        assert np.array_equal(arrays[f"best.{name}"], tensor.numpy())


def test_games_that_go_on(tmp_path):
    recipe = small(selfplay__carry_over=True)
    train(recipe, tmp_path / "run")
    assert [line["games"] for line in read_metrics(tmp_path / "run")] == [8, 8, 8]


def test_stopped_games_are_adjudicated(tmp_path):
    recipe = small(selfplay__adjudication="features", selfplay__max_plies=5, iterations=1)
    train(recipe, tmp_path / "run")
    games, _ = GameFiles(tmp_path / "run", recipe.game).read(1)
    assert (games.ends == 2).any()
    assert set(games.scores.sum(axis=1)) == {1.0}
    first = games.row_offsets[:-1]
    assert np.array_equal(games.outcomes[first], games.scores)


def test_mirrored_and_thinned(tmp_path):
    recipe = small(learning__position_share=0.25, iterations=1)
    thinned = train(recipe, tmp_path / "run")
    whole_size = train(small(iterations=1), tmp_path / "whole")
    assert 0 < thinned["new_positions"] < whole_size["new_positions"] / 2


# Faults.


def test_killed_again_and_again(whole, tmp_path):
    """SIGKILL at 20 random instants; what is resumed ends as if nothing had happened."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["small_networks", "halma.learn.alphazero"])
    rng = random.Random(7)
    recipe = recipe_file(tmp_path)
    out, kills, runs, done = None, 0, 0, 0
    while kills < 20 or out is not None:
        if out is None:
            runs += 1
            out = tmp_path / f"run {runs}"
        process = context.Process(target=small_networks.train_file, args=(recipe, out))
        process.start()
        if kills < 20:
            # A step further each time, or nothing would ever get done.
            process.join(rng.uniform(0.0, 0.9))
            process.kill()
        process.join()
        kills += process.exitcode == -signal.SIGKILL
        if process.exitcode == 0:
            assert_same(out, whole)
            assert_plays(out, small())
            done += 1
            out = None
    assert kills >= 20
    assert done >= 1


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1000], lambda data: b"", lambda data: data[:50]]
)
def test_a_truncated_checkpoint_gives_way_to_the_one_before(run, whole, damage):
    newest, before = list_iterations(run / "checkpoints")
    newest[1].write_bytes(damage(newest[1].read_bytes()))
    listener = Listener()
    train(small(), run, [listener])
    (note,) = listener.all(Note)
    assert str(newest[1]) in note.text
    assert note.text.endswith(f"Going back to iteration {before[0]}.")
    assert_same(run, whole)


def test_damaged_games_are_played_again(run, whole):
    newest, _ = list_iterations(run / "checkpoints")
    newest[1].unlink()
    path = GameFiles(run, small().game).path(3)
    path.write_bytes(path.read_bytes()[:-100])
    listener = Listener()
    train(small(), run, [listener])
    assert [note.text.endswith("Its games are played again.") for note in listener.all(Note)] == [
        True
    ]
    assert_same(run, whole)


def test_a_full_disk(whole, tmp_path, monkeypatch):
    out = tmp_path / "run"
    fill_disk(monkeypatch, after=18)
    with pytest.raises(RunError, match=r"No space left on device.*iteration \d is safe"):
        train(small(), out)
    monkeypatch.undo()
    assert checkpoint(out).description["iteration"] >= 1
    train(small(), out)
    assert_same(out, whole)


def test_a_loss_that_is_no_number(whole, tmp_path, monkeypatch):
    out = tmp_path / "run"
    real, calls = training_step.policy_cross_entropy, [0]
    steps = read_metrics(whole)[0]["steps"]

    def poisoned(*given):
        calls[0] += 1
        return real(*given) * (float("nan") if calls[0] == steps + 2 else 1.0)

    monkeypatch.setattr(training_step, "policy_cross_entropy", poisoned)
    with pytest.raises(RunError, match=r"not a number in iteration 2.*iteration 1 is safe"):
        train(small(), out)
    monkeypatch.undo()
    batch = open_tensors(out / BAD_BATCH, {})
    assert batch.description == {"iteration": 2, "step": steps + 2}
    assert batch.shape("rows") == (16,)
    assert batch.shape("planes") == (16, *small().game.shape)
    assert checkpoint(out).description["iteration"] == 1
    train(small(), out)
    assert_same(out, whole)


def test_ctrl_c(tmp_path):
    recipe, out = recipe_file(tmp_path, iterations=3000), tmp_path / "run"
    process = start(recipe, out)
    give_up = time.monotonic() + 60
    while lines_of(out) < 2:
        assert time.monotonic() < give_up and process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    status, answer, said = finish(process)
    assert (status, answer) == (130, None), said
    assert f"To go on: halma train {recipe} --out {out}" in said
    done = list_iterations(out / "checkpoints")[0][0]
    assert f"Stopped after iteration {done}, which is saved." in said
    assert lines_of(out) == done
    assert not list(out.rglob("*.tmp"))


def test_stopped_while_it_learns(whole, tmp_path):
    """What is saved is the last whole iteration, though the learner has gone on."""

    class Impatient(Listener):
        def handle(self, report):
            super().handle(report)
            begun = [
                each for each in self.all(Progress) if (each.stage, each.done) == ("training", 0)
            ]
            if isinstance(report, Progress) and len(begun) == 3:
                os.kill(os.getpid(), signal.SIGINT)

    out = tmp_path / "run"
    rare = small(checkpoints__seconds=1000.0, checkpoints__share=0.001)
    with pytest.raises(KeyboardInterrupt):
        train(rare, out, [Impatient()])
    assert [number for number, _ in list_iterations(out / "checkpoints")] == [2, 1]
    train(rare, out)
    assert_same(out, whole)


def test_out_of_time(tmp_path, monkeypatch):
    listener = Listener()
    # Every iteration takes a thousand seconds.
    clock = SimpleNamespace(perf_counter=lambda: 1000.0 * len(listener.all(Iteration)))
    monkeypatch.setattr("halma.learn.session.time", clock)
    last = train(small(iterations=100_000), tmp_path / "run", [listener], seconds=2500)
    assert last["iteration"] == 2
    assert listener.all(Stopped)[0].iteration == last["iteration"]
    assert checkpoint(tmp_path / "run").description["iteration"] == last["iteration"]


def test_a_second_process_is_refused(run):
    with RunDirectory(run, small()):
        before = contents(run)
        with pytest.raises(RunError, match="is in use: process"):
            train(small(), run)
        assert contents(run) == before


def test_weights_that_are_no_numbers(tmp_path, monkeypatch):
    def spoilt(self, network):
        with torch.no_grad():
            next(network.parameters()).fill_(float("nan"))
        return real(self, network)

    real = EvaluatorPool.load
    monkeypatch.setattr(EvaluatorPool, "load", spoilt)
    with pytest.raises(HalmaError, match="not finite"):
        train(small(), tmp_path / "run")


def test_a_run_whose_games_are_all_drawn_and_discarded_says_so(tmp_path):
    recipe = small(selfplay__max_plies=2, learning__draws="discard")
    with pytest.raises(RunError, match=r"all games were drawn, and 'learning.draws' discards"):
        train(recipe, tmp_path / "run")


def test_validation_losses_are_of_games_not_trained_on_yet(tmp_path):
    """Those of the last iteration are of its games and of the network after the one before."""
    recipe = small(checkpoints__keep=5)
    train(recipe, tmp_path / "run")
    last = read_metrics(tmp_path / "run")[-1]
    iteration = last["iteration"]
    trainer = Trainer(recipe.game, recipe.settings, "cpu")
    for number, path in list_iterations(tmp_path / "run" / "checkpoints"):
        if number == iteration - 1:
            file = open_tensors(path, {})
            trainer.restore(file.arrays(), file.description["steps"])
    games, _ = GameFiles(tmp_path / "run", recipe.game).read(iteration)
    buffer = ReplayBuffer(recipe.game, len(games), 1.0, recipe.settings.seed)
    buffer.add(iteration, games)
    buffer.gather()
    assert len(buffer.samples) == last["new_positions"]
    values = []
    trainer.network.eval()
    with torch.no_grad():
        for row in buffer.samples:
            record = position_at(recipe.game, games, row)
            value = trainer.network(torch.from_numpy(record.encode())[None])[1]
            values.append(value[0].numpy())
    outcomes = np.clip(games.outcomes[buffer.samples], 0, 1)
    likely = np.clip(np.array(values), 1e-6, 1 - 1e-6)
    expected = -(outcomes * np.log(likely) + (1 - outcomes) * np.log(1 - likely)).mean()
    assert last["validation_value_loss"] == pytest.approx(expected, abs=1e-5)
    measured = trainer.measure(buffer, buffer.samples)
    assert last["validation_policy_loss"] == pytest.approx(measured.policy_loss, abs=1e-5)


def test_weights_and_optimiser_survive(whole):
    recipe = small()
    file = checkpoint(whole)
    again = Trainer(recipe.game, recipe.settings, "cpu")
    again.restore(file.arrays(), file.description["steps"])
    state = again.state()
    assert sorted(state) == file.names
    for name, array in state.items():
        assert np.array_equal(array, file[name]), name
