"""Where games of self-play start, stage by stage, and the warm start on random positions."""

import json

import numpy as np
import pytest
from small_runs import Listener

import halma
from halma import _core
from halma.errors import RecipeError
from halma.games import Record
from halma.learn import load, train
from halma.learn.checks import check_recipe
from halma.learn.curriculum import read_curriculum, stage_of
from halma.learn.evaluated_positions import evaluated_positions
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.events import Iteration
from halma.learn.run import set_iterations
from halma.networks import find_network
from halma.networks.network_file import read_model
from halma.networks.onnx_evaluator import OnnxEvaluator

GAME = halma.game("draughts-8x8:pluska2022")
SMALL = {
    "warm_start.games": 200,
    "iterations": 3,
    "selfplay.games": 4,
    "search.simulations": 3,
    "selfplay.max_plies": 20,
    "evaluation.every": 0,
    "archive.every": 1,
    "checkpoints.seconds": 0.0,
}


def pieces_of(state):
    return int(np.count_nonzero(GAME.core.describe(state)[1:]))


def test_stages_follow_each_other():
    stages = read_curriculum(["random:3-8 until 10", "file:book.txt until 12", "start"], GAME)
    kinds = [stage_of(stages, i) for i in (1, 10, 11, 12, 13, 99)]
    assert [stages.index(stage) for stage in kinds] == [0, 0, 1, 1, 2, 2]
    assert (stages[0].pieces.low, stages[0].pieces.high) == (3, 8)
    # After a last stage that ends, and without any, games start as usual.
    assert stage_of(read_curriculum(["random:6 until 2"], GAME), 3).states(GAME, 5, 0, 3) == []
    assert stage_of([], 1).states(GAME, 5, 0, 1) == []


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["random:1-8"], "numbers from 2 to 24"),
        (["random:8-3"], "numbers from 2 to 24"),
        (["random:"], "a stage is"),
        (["endgame"], "a stage is"),
        (["start until"], "a stage is"),
        (["start", "random:3-8"], "every stage but the last"),
        (["start until 5", "random:3-8 until 5"], "after that of the stage before"),
        (["start until 0"], "after that of the stage before"),
    ],
)
def test_stages_that_cannot_be(texts, message):
    with pytest.raises(RecipeError, match=message):
        read_curriculum(texts, GAME)


def test_random_positions_have_the_pieces_asked_for():
    stage = read_curriculum(["random:3-8"], GAME)[0]
    states = stage.states(GAME, 300, seed=4, iteration=2)
    assert {pieces_of(state) for state in states} == set(range(3, 9))
    assert states == stage.states(GAME, 300, seed=4, iteration=2)
    assert states != stage.states(GAME, 300, seed=4, iteration=3)
    for state in states:
        position = GAME.position(GAME.format_position(state))
        assert position.state == state and not position.is_terminal
        board = GAME.core.describe(state)[1:]
        assert max(board) > 0 > min(board)


def test_all_numbers_of_pieces_can_be_drawn():
    for pieces in range(2, 25):
        assert pieces_of(GAME.core.random_position(pieces, pieces)) == pieces
    for wrong in (1, 25, -3):
        with pytest.raises(halma.errors.ArgumentError):
            GAME.core.random_position(0, wrong)
    with pytest.raises(RecipeError, match="no random positions"):
        read_curriculum(["random:2-4"], halma.game("ewn-3x3-3"))


def test_games_start_where_the_curriculum_says(tmp_path):
    book = tmp_path / "book.txt"
    book.write_text("B:W18,19:B4,11\n\nW:WK1:BK20,28\n")
    stages = ["random:3-5 until 1", f"file:{book} until 2", "start"]
    recipe = load("pluska2022", {**SMALL, "selfplay.curriculum": stages})
    train(recipe, tmp_path / "run")
    files = GameFiles(tmp_path / "run", recipe.game)
    first, second, third = (files.read(i)[0] for i in (1, 2, 3))
    assert all(3 <= pieces_of(first.start(GAME, i).state) <= 5 for i in range(4))
    # Random moves follow a start from a file, and none a random one.
    assert (first.choices != _core.Choice.RANDOM.value).all()
    assert {second.start(GAME, i).text for i in range(4)} == {"B:W18,19:B4,11", "W:WK1:BK20,28"}
    assert (second.choices == _core.Choice.RANDOM.value).any()
    assert all(third.start(GAME, i) == GAME.start() for i in range(4))


def test_a_run_goes_on_in_the_right_stage(tmp_path):
    listener = Listener()
    recipe = load("pluska2022", {**SMALL, "selfplay.curriculum": ["random:3-5 until 2", "start"]})
    train(recipe.changed({"iterations": 2}), tmp_path / "parts")
    train(set_iterations(tmp_path / "parts", 3), tmp_path / "parts", [listener])
    train(recipe, tmp_path / "whole")
    assert len(listener.all(Iteration)) == 1
    for iteration in (2, 3):
        parts, whole = (
            GameFiles(tmp_path / name, recipe.game).read(iteration)[0]
            for name in ("parts", "whole")
        )
        assert np.array_equal(parts.moves, whole.moves)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"selfplay.curriculum": ["file:missing.txt"]}, "missing.txt"),
        ({"selfplay.carry_over": True}, "carry_over"),
        ({"warm_start.pieces": "30"}, "warm_start.pieces"),
        ({"warm_start.evaluation_weights": "1 2"}, "3 features"),
        ({"warm_start.evaluation_weights": "1 2 x"}, "3 features"),
        ({"warm_start.evaluation_weights": "1 2 nan"}, "3 features"),
        ({"game": "ewn-3x3-3", "network": "linear"}, "no random positions"),
    ],
)
def test_settings_that_do_not_fit(changes, message):
    with pytest.raises(RecipeError, match=message):
        check_recipe(load("pluska2022", {**SMALL, **changes}))


def test_a_file_of_positions_that_is_damaged(tmp_path):
    book = tmp_path / "book.txt"
    for text in ("", "nonsense", "W:W5:B1,9,14\nB:W:B1"):
        book.write_text(text)
        with pytest.raises(RecipeError, match=r"selfplay\.curriculum"):
            check_recipe(load("pluska2022", {**SMALL, "selfplay.curriculum": [f"file:{book}"]}))


def test_random_positions_are_worth_their_material():
    warm = load("pluska2022", {**SMALL, "warm_start.games": 300}).settings.warm_start
    games = evaluated_positions(GAME, warm, seed=3)
    assert games.fault(GAME) == "" and len(games) == 300
    for row in range(300):
        mover, *board = GAME.core.describe(games.states[row].tobytes())
        worth = {0: 0.0, 1: 1.0, 2: 1.5}
        lead = sum(np.sign(piece) * worth[abs(piece)] for piece in board)
        lead = -lead if mover else lead
        value = 1 / (1 + np.exp(-1.8 * lead))
        assert games.outcomes[row, 0] == pytest.approx(value, abs=1e-5)
    policy = np.add.reduceat(games.policy_weights, games.policy_offsets[:-1])
    assert policy == pytest.approx(np.ones(300), abs=1e-5)
    again = evaluated_positions(GAME, warm, seed=3)
    other = evaluated_positions(GAME, warm, seed=3, epoch=2)
    assert np.array_equal(games.states, again.states)
    assert not np.array_equal(games.states, other.states)


def test_the_warm_start_teaches_material(tmp_path):
    changes = {
        **SMALL,
        "iterations": 1,
        "warm_start.games": 20_000,
        "network": "linear",
        "warm_start.rate": 0.01,
    }
    run = tmp_path / "run"
    train(load("pluska2022", changes), run)
    evaluator = OnnxEvaluator(*read_model(find_network(str(run), "0")))
    texts = ["W:WK1,K5,K14:B20,24", "W:WK1:BK20,K24,16", "W:W21,22:B5,6"]
    planes = np.stack([Record(GAME, GAME.position(text)).encode() for text in texts])
    ahead, behind, even = evaluator.evaluate(planes)[1][:, 0]
    assert behind < 0.3 < even < 0.7 < ahead
    epochs = (run / "warm-start.jsonl").read_text().splitlines()
    assert json.loads(epochs[0])["positions"] == 20_000
