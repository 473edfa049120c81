"""Fitting an evaluator: its games, its training, and the network in whole numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from halma import _core, game
from halma.errors import HalmaError
from halma.learn import fit_evaluator as fit_evaluator_module
from halma.learn.fit_evaluator import FitOptions, fit_evaluator, play_games, positions_of
from halma.networks.sparse_network import make_network, read_evaluator

pytest.importorskip("torch")

SMALL = FitOptions(rounds=2, games=12, nodes=60, epochs=1.0, random_plies=6)


@pytest.mark.parametrize("name", ["draughts-8x8", "rhombus-4x4-3", "ewn-5x5-6", "cdc-2x4-PPPP"])
def test_rounds_write_an_evaluator(name, tmp_path):
    chosen, out = game(name), tmp_path / "out.safetensors"
    found = list(fit_evaluator(chosen, out, SMALL))
    assert [one.number for one in found] == [1, 2]
    assert found[1].positions > found[0].positions > 50
    assert all(0 < one.loss < 1 for one in found)
    first = out.read_bytes()
    read_evaluator(out, chosen)
    list(fit_evaluator(chosen, out, SMALL))
    assert out.read_bytes() == first


def test_a_fit_that_was_interrupted_goes_on(tmp_path, monkeypatch):
    chosen, out = game("ewn-5x5-6"), tmp_path / "out.safetensors"
    monkeypatch.setattr(fit_evaluator_module, "_PORTION", 5)
    list(fit_evaluator(chosen, out, SMALL))
    whole, folder = out.read_bytes(), tmp_path / "out.safetensors.games"
    assert not folder.exists()

    class StoppedError(Exception):
        pass

    def stop(stage, done, total):
        if stage == "round 2: games" and done == 10:
            raise StoppedError

    with pytest.raises(StoppedError):
        list(fit_evaluator(chosen, out, SMALL, stop))
    assert len(list(folder.iterdir())) == 3 + 2
    with pytest.raises(HalmaError, match="other options"):
        list(fit_evaluator(chosen, out, replace(SMALL, nodes=61)))
    first, second = fit_evaluator(chosen, out, SMALL)
    assert first.games_per_second is None and second.games_per_second > 0
    assert out.read_bytes() == whole and not folder.exists()


def test_whole_numbers_are_close_to_the_trained_network():
    import torch

    from halma.learn.sparse_trainer import SparseSamples, train_model

    chosen = game("draughts-8x8")
    games = play_games(chosen, None, 0, 12, SMALL)
    inputs, targets = positions_of(chosen, games, 0.5)
    assert (targets >= 0).all() and (targets <= 1).all() and len(set(targets)) > 20
    model, _ = train_model(chosen, SparseSamples(inputs, targets), 40, 0)
    rows = games.states[games.choices == _core.Choice.FULL.value]
    whole = _core.network_values(chosen.core, make_network(chosen, model.quantised()), rows)
    exact = model(torch.from_numpy(inputs.astype(np.int64))).detach().numpy()
    assert np.abs(exact).max() > 0.5
    assert np.abs(whole - exact).max() < 0.1


def test_images_stand_beside_positions_where_their_inputs_differ():
    for name, images in (("ewn-3x3-3", 2), ("draughts-8x8", 1), ("cdc-2x4-PPPP", 1)):
        chosen = game(name)
        games = play_games(chosen, None, 0, 4, SMALL)
        rows = np.count_nonzero(games.choices == _core.Choice.FULL.value)
        inputs, targets = positions_of(chosen, games, 0.5)
        assert len(inputs) == len(targets) == images * rows
        assert list(targets[:rows]) == list(targets[-rows:])


@pytest.mark.parametrize("name", ["frogs-3-2", "star-37-3p"])
def test_games_without_inputs(name, tmp_path):
    with pytest.raises(HalmaError, match="no inputs"):
        next(fit_evaluator(game(name), tmp_path / "out.safetensors", SMALL))
