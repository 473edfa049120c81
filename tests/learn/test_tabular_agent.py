"""What a run has learnt, as an agent."""

import random
import shutil

import numpy as np
import pytest
from small_runs import small

import halma
from halma.agents import agent, play_game
from halma.errors import HalmaError
from halma.learn import train
from halma.learn.tabular import make_trainer
from halma.tensors import list_iterations


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("learned") / "run"
    train(small(), out)
    return out


def test_it_plays_the_likeliest_move(run):
    recipe = small()
    twin = make_trainer(recipe)
    for number in range(6):
        twin.iterate(1.0 if number < 3 else 0.1)
    table = twin.table()
    player = agent(f"tabular:{run}")
    rng = random.Random(1)
    looked_at = 0
    for _ in range(20):
        record = halma.Record(recipe.game)
        while not record.is_over:
            position = record.position
            if position.is_chance:
                record.resolve(rng.choice(position.outcomes))
                continue
            logits = table[twin.row(position.state), 1:]
            moves = position.legal_moves
            chosen = np.array([logits[position.action(move)] for move in moves], dtype=float)
            assert player.choose(record, rng) == moves[int(chosen.argmax())]
            analysis = player.analyse(record, rng)
            assert analysis.moves[0].move == moves[int(chosen.argmax())]
            shares = np.exp(chosen) / np.exp(chosen).sum()
            found = [report.policy for report in analysis.moves]
            assert found == pytest.approx(sorted(shares, reverse=True), rel=1e-5)
            value = table[twin.row(position.state), 0]
            assert analysis.value == pytest.approx(1 / (1 + np.exp(-value)), rel=1e-5)
            record.play(rng.choice(moves))
            looked_at += 1
    assert looked_at > 50


def test_it_plays_games(run):
    record = halma.Record(small().game)
    for _ in play_game(record, [agent(f"tabular:{run}"), agent("optimal")], seed=3):
        pass
    assert record.is_over


def test_one_checkpoint_and_a_damaged_one(run, tmp_path):
    copy = shutil.copytree(run, tmp_path / "run")
    (_, newest), (_, before) = list_iterations(copy / "checkpoints")
    table = agent(f"tabular:{before}").table(small().game)
    assert table.iteration == 5
    newest.write_bytes(newest.read_bytes()[:100])
    assert agent(f"tabular:{copy}").table(small().game).iteration == 5
    before.write_bytes(b"")
    with pytest.raises(HalmaError, match="is not used"):
        agent(f"tabular:{copy}").table(small().game)


@pytest.mark.parametrize(
    ("name", "game", "sentence"),
    [
        ("tabular", "ewn-3x3-2", "write tabular:RUNDIR"),
        ("tabular:nowhere", "ewn-3x3-2", "no run with a checkpoint in 'nowhere'"),
        ("tabular:{run}", "ewn-3x3-3", "its game is 'ewn-3x3-2'"),
        ("tabular:{run}/meta.json", "ewn-3x3-2", "cut short or damaged"),
    ],
)
def test_refused(run, name, game, sentence):
    record = halma.Record(halma.game(game))
    while record.position.is_chance:
        record.resolve(record.position.outcomes[0])
    with pytest.raises(HalmaError, match=sentence):
        agent(name.format(run=run)).choose(record, random.Random(0))


def test_a_position_no_game_gets_to(run):
    game = small().game
    numbers = set(make_trainer(small()).indices().tolist())
    index = next(i for i in range(game.core.index_size) if i not in numbers)
    position = halma.Position(game, game.core.unindex(index))
    with pytest.raises(HalmaError, match="has no entry for it"):
        agent(f"tabular:{run}").table(game).policy(position)
