"""The way from a solver of deterministic games to tables and play, with a naive solver."""

import random

import numpy as np
import pytest
from reference.retrograde import solve as solve_naively

import halma
from halma import _core
from halma.agents import agent, play_game
from halma.games import Record
from halma.solve import solve
from halma.solve.solver import open_table
from halma.solve.tables import table_path


class NaiveRetrograde:
    """Offers what `_core.Retrograde` offers, a layer a step."""

    def __init__(self, game, threads=2):
        self.core = game
        self.found, self.plies = solve_naively(game)
        self.layers = []
        self.finished = False

    @staticmethod
    def supports(game):
        return 0 < game.index_size < 10_000

    @staticmethod
    def bytes_needed(game):
        return 2 * game.index_size

    def step(self):
        depth = len(self.layers)
        layer = [i for i, d in self.plies.items() if d == depth and self.found[i] != "illegal"]
        self.finished = not layer
        if layer:
            self.layers.append(len(layer))
        return len(layer)

    @property
    def resolved(self):
        return sum(self.layers) + self.illegal

    @property
    def illegal(self):
        return sum(value == "illegal" for value in self.found.values())

    def counts(self):
        kinds = list(self.found.values())
        return {
            "wins": kinds.count("won"),
            "losses": kinds.count("lost"),
            "draws": self.core.index_size - len(kinds),
            "illegal": self.illegal,
        }

    def probe(self, index):
        value = self.found.get(index)
        known = {None: 0.5, "won": 1.0, "lost": 0.0, "illegal": float("nan")}[value]
        return known, self.plies.get(index, 0)

    def values(self, first, number):
        codes = np.zeros((self.core.index_size + 3) // 4 * 4, np.uint8)
        for index, value in self.found.items():
            codes[index] = {"won": 1, "lost": 2, "illegal": 3}[value]
        parts = codes.reshape(-1, 4)
        packed = parts[:, 0] | parts[:, 1] << 2 | parts[:, 2] << 4 | parts[:, 3] << 6
        return packed[first // 4 : (first + number + 3) // 4]

    def distances(self, first, number):
        plies = np.zeros(self.core.index_size, np.uint8)
        for index, distance in self.plies.items():
            plies[index] = distance
        return plies[first : first + number]

    def state(self):
        cells, frontier = np.arange(3, dtype=np.uint8), np.zeros(1, np.uint64)
        numbers = {"open": 200, "layers": self.layers, "illegal": 0}
        return {"cells": cells, "frontier": frontier, **numbers}

    def restore(self, state):
        assert state["cells"].tolist() == [0, 1, 2]
        self.layers = state["layers"]

    @staticmethod
    def rows(game):
        return 1

    @staticmethod
    def verify(game, values, distances, threads, first_row, rows):
        return 0


@pytest.fixture(autouse=True)
def naive(monkeypatch, tmp_path):
    monkeypatch.setattr(_core, "Retrograde", NaiveRetrograde, raising=False)
    monkeypatch.setenv("HALMA_TABLES", str(tmp_path))


GAME = halma.game("rhombus-3x3-3:win=occupy")


def test_counts_and_table(tmp_path):
    solution = solve(GAME, tmp_path)
    about = solution.about
    assert (about["positions"], about["wins"], about["losses"]) == (1680, 720, 580)
    assert (about["draws"], about["illegal"]) == (0, 380)
    assert about["start_value"] == 1.0
    start = GAME.start()
    assert solution.distance(start) == 7
    mapped = open_table(table_path(GAME, tmp_path), GAME)
    assert mapped.value(start) == 1.0
    assert mapped.verify() == 0
    states = GAME.core.sample_states(GAME.core.initial(), 300, 0)
    many = mapped.look_up_many(states)
    for row, value in zip(states, many, strict=True):
        assert mapped.value(halma.Position(GAME, row.tobytes())) == value


def test_values_follow_from_successors():
    solution = solve(GAME, keep=False)
    for row in GAME.core.sample_states(GAME.core.initial(), 300, 0):
        position = halma.Position(GAME, row.tobytes())
        moves = solution.moves(position)
        assert solution.value(position) == max(m.value for m in moves)
        best = solution.best_moves(position)
        chosen = next(m for m in moves if m.move == best[0])
        assert chosen.distance == solution.distance(position)


def test_a_solve_goes_on(tmp_path, monkeypatch):
    steps = []
    step = NaiveRetrograde.step

    def stopping(self):
        if len(steps) == 4:
            raise KeyboardInterrupt
        steps.append(step(self))
        return steps[-1]

    monkeypatch.setattr(NaiveRetrograde, "step", stopping)
    with pytest.raises(KeyboardInterrupt):
        solve(GAME, tmp_path, checkpoint_seconds=0)
    assert not table_path(GAME, tmp_path).exists()
    monkeypatch.setattr(NaiveRetrograde, "step", step)
    notes = []
    solution = solve(GAME, tmp_path, note=notes.append)
    assert "Going on" in notes[0]
    assert solution.about["wins"] == 720


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("other", ["random", "greedy", "optimal"])
def test_optimal_never_does_worse_than_the_start_is_worth(seat, other):
    players = [agent(other), agent(other)]
    players[seat] = agent("optimal")
    for seed in range(10):
        record = Record(GAME)
        for _ in play_game(record, players, seed=seed):
            pass
        if seat == 0:
            assert record.result[0] == 1.0
            assert record.plies <= 7


def test_optimal_prefers_the_quickest_win():
    solution = solve(GAME, keep=False)
    move = agent("optimal").choose(Record(GAME), random.Random(0))
    after = GAME.start().play(move)
    assert solution.distance(after) == 6
