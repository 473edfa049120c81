"""Runs in which the next games are played beside training."""

import signal
import threading
import time

import pytest
from small_networks import recipe_file, small, start, train
from small_runs import Listener, finish, lines_of

from halma.errors import RunError
from halma.learn import read_metrics
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.events import Note
from halma.learn.selfplay import SelfPlay
from halma.learn.trainer import Trainer
from halma.tensors import list_iterations

SIDE_BY_SIDE = {"stages__side_by_side": True}


def losses(out):
    return [(line["policy_loss"], line["value_loss"]) for line in read_metrics(out)]


def test_games_are_played_while_the_network_is_trained(tmp_path, monkeypatch):
    playing = {iteration: threading.Event() for iteration in range(1, 5)}
    play, make_steps = SelfPlay.play, Trainer.train
    trained = []

    def watched_play(self, iteration, *more):
        playing[iteration].set()
        return play(self, iteration, *more)

    def watched_steps(self, *given):
        # Training goes on only once the games of the next iteration have begun.
        if len(trained) < 3:
            assert playing[len(trained) + 2].wait(30)
        trained.append(len(trained) + 1)
        return make_steps(self, *given)

    monkeypatch.setattr(SelfPlay, "play", watched_play)
    monkeypatch.setattr(Trainer, "train", watched_steps)
    train(small(iterations=4, **SIDE_BY_SIDE), tmp_path / "run")
    assert trained == [1, 2, 3, 4]
    assert [line["games"] for line in read_metrics(tmp_path / "run")] == [8] * 4


def test_the_lag_is_one_iteration(tmp_path):
    """Games of iteration i + 1 are those of the network after iteration i - 1."""
    train(small(iterations=3, **SIDE_BY_SIDE), tmp_path / "ahead")
    train(small(iterations=3), tmp_path / "in-turn")
    files = [GameFiles(tmp_path / name, small().game) for name in ("ahead", "in-turn")]
    first, second = ([one.read(number)[0].values for one in files] for number in (1, 2))
    assert first[0].tobytes() == first[1].tobytes()
    assert second[0].tobytes() != second[1].tobytes()
    # The first two iterations are both played by the untrained network.
    train(small(iterations=3, **SIDE_BY_SIDE), tmp_path / "again")
    assert losses(tmp_path / "again") == losses(tmp_path / "ahead")


def test_interrupted_and_continued_in_the_other_mode(tmp_path):
    out, listener = tmp_path / "run", Listener()
    many = {"iterations": 400, "selfplay__games": 16}
    process = start(recipe_file(tmp_path, **many, **SIDE_BY_SIDE), out)
    give_up = time.monotonic() + 60
    while lines_of(out) < 2 and process.poll() is None and time.monotonic() < give_up:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    status, _, err = finish(process)
    assert status == 130, err
    assert "Traceback" not in err
    done = list_iterations(out / "checkpoints")[0][0]
    assert done == lines_of(out) >= 2
    train(small(**many), out, [listener], seconds=0.5)
    notes = [note.text for note in listener.all(Note)]
    assert "'stages.side_by_side' is false from now on." in notes
    assert "side_by_side = false" in (out / "recipe.toml").read_text(encoding="utf-8")


def test_a_fault_beside_training_ends_the_run(tmp_path, monkeypatch):
    play = SelfPlay.play

    def fails_later(self, iteration, *more):
        if iteration == 3:
            raise RunError("Self-play has stopped: a logit is not finite.")
        return play(self, iteration, *more)

    monkeypatch.setattr(SelfPlay, "play", fails_later)
    with pytest.raises(RunError, match="not finite"):
        train(small(iterations=4, **SIDE_BY_SIDE), tmp_path / "run")
    monkeypatch.undo()
    assert lines_of(tmp_path / "run") == 2
    train(small(iterations=4, **SIDE_BY_SIDE), tmp_path / "run")
    assert lines_of(tmp_path / "run") == 4
