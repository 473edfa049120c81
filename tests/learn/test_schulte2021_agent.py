"""The learner's options that schulte2021's agent needs, on small runs, and its recipe."""

import random

import numpy as np
import pytest
from small_networks import small, train

import halma
from halma.agents import agent
from halma.errors import RecipeError
from halma.learn.alphazero import AlphaZero
from halma.learn.metrics import read_epochs, read_metrics
from halma.learn.recipe import load
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.page import write_report
from halma.learn.run import set_iterations
from halma.networks import list_versions
from halma.networks.network_file import read_weights
from halma.search import search_options
from halma.search.batched import SearchPlayer
from halma.search.evaluator import Evaluator

#: The recipe's own settings but for its sizes.
SIZES = {
    "network": "schulte2021:blocks=1,filters=4,width=8",
    "iterations": 3,
    "warm_start.games": 4,
    "search.simulations": 4,
    "selfplay.games": 3,
    "selfplay.parallel_games": 3,
    "learning.replay_buffer": 6,
    "gate.games": 6,
    "evaluation.every": 0,
    "checkpoints.seconds": 0.0,
}


def small_thesis(**changes):
    return load("schulte2021", {**SIZES, **{k.replace("__", "."): v for k, v in changes.items()}})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "run"
    train(small_thesis(), out)
    return out


def test_the_thesis_settings():
    settings = load("schulte2021").settings
    assert settings.game == "star-37-3p" and settings.network == "schulte2021"
    # Scores from 0 to 3 are shares from 0 to 1 here.
    assert settings.search.c == 15 / 3 and settings.learning.value_weight == 3**2
    assert settings.selfplay.temperature_plies == 3 * 15
    assert settings.gate.temperature_plies == 3 * 5
    assert settings.learning.replay_buffer == 10 * settings.selfplay.games == 2000
    rates = {settings.learning_rate(i) for i in range(1, 42)} | {settings.warm_start.rate}
    assert rates == {0.001} and settings.learning.epochs == settings.warm_start.samples_per_new == 5


def test_what_a_run_of_the_thesis_leaves(whole):
    (epoch,) = read_epochs(whole)
    lines = read_metrics(whole, "alphazero")
    assert all(0 < line["illegal_share"] < 1 for line in (epoch, *lines))
    # Versions are the first network and those that passed the gate.
    passed = [line["iteration"] for line in lines if line["gate"] >= 0.55]
    assert list_versions(whole) == [0, *passed]
    assert [line["promotions"] for line in lines][-1] == len(passed)
    # Games of the warm start are not trained on again.
    assert [line["replay_games"] for line in lines] == [3, 6, 6]


def test_epochs_are_passes_over_the_replay_buffer(whole):
    for line in read_metrics(whole):
        assert line["steps"] == -(-5 * line["positions"] // 64)
    (epoch,) = read_epochs(whole)
    assert epoch["steps"] == -(-5 * epoch["positions"] // 64)


def test_a_failed_gate_restores_the_best_network(tmp_path):
    out = tmp_path / "run"
    train(small_thesis(gate__threshold=1.0, archive__promotions_only=False), out)
    assert [line["best"] for line in read_metrics(out)] == [0, 0, 0]
    first, *others = (
        read_weights(out / "versions" / f"iteration-{number:06}.safetensors")[1]
        for number in range(4)
    )
    for other in others:
        assert all(np.array_equal(array, other[name]) for name, array in first.items())


def test_a_resumed_run_draws_the_same_dropout(whole, tmp_path):
    out = tmp_path / "run"
    train(small_thesis(iterations=1), out)
    for iterations in (2, 3):
        train(set_iterations(out, iterations), out)
    one, other = (read_weights(run / "best.safetensors")[1] for run in (whole, out))
    assert all(np.array_equal(array, other[name]) for name, array in one.items())
    assert _without_times(read_metrics(out)[-1]) == _without_times(read_metrics(whole)[-1])


def _without_times(line):
    return {k: v for k, v in line.items() if not k.endswith(("second", "seconds", "busy"))}


def test_targets_of_the_warm_start_are_the_whole_distribution(tmp_path):
    recipe = small_thesis(iterations=0, warm_start__replay=True)
    train(recipe, tmp_path / "run")
    games, _ = GameFiles(tmp_path / "run", recipe.game).read(0)
    initialize = agent("initialize")
    for row in (0, 1, 2, 40):
        record = halma.Record(recipe.game)
        for move in games.moves[:row]:
            record.play(next(one for one in record.position.legal_moves if one.value == move))
        wanted = initialize.policy(record)
        assert len(wanted) == len(record.position.legal_moves)
        start, stop = games.policy_offsets[row : row + 2]
        found = sorted(games.policy_weights[start:stop].tolist())
        assert found == pytest.approx(sorted(wanted.values()), abs=1e-3)


def test_versions_of_networks_without_a_gate_are_all_kept(tmp_path):
    train(small(archive__every=1, archive__promotions_only=True), tmp_path / "run")
    assert list_versions(tmp_path / "run") == [0, 1, 2, 3]


def test_illegal_moves_have_no_share_where_the_policy_is_not_trained_on_them(tmp_path):
    train(small(iterations=1), tmp_path / "run")
    assert read_metrics(tmp_path / "run")[0]["illegal_share"] is None


class Fixed(Evaluator):
    """Evaluates every position alike; the logits of actions rise with their index."""

    def __init__(self, game):
        self.game, self.shape = game, game.shape

    def evaluate(self, planes):
        n, game = len(planes), self.game
        logits = np.linspace(0, 1, game.actions, dtype=np.float32)
        return np.tile(logits, (n, 1)), np.full((n, game.players), 1 / 3, np.float32)


@pytest.mark.parametrize(("plies", "varied"), [(-1, True), (0, False), (3, False), (4, True)])
def test_the_gate_s_temperature_holds_for_some_plies(plies, varied):
    game = halma.game("star-37-3p")
    record = halma.Record(game)
    for _ in range(3):
        record.play(record.position.legal_moves[0])
    options = search_options(game, rule="puct", c=5.0)
    player = SearchPlayer(game, Fixed(game), options, 20, 0, 1.0, plies)
    rngs = [random.Random(seed) for seed in range(20)]
    moves = player.choose([record] * 20, rngs)
    assert (len({move.text for move in moves}) > 1) == varied


def test_the_network_alone_plays_its_most_probable_move(whole):
    """The thesis' agent without tree search: two simulations there, of which one is the root."""
    network, game = halma.load_network(str(whole / "best.onnx")), halma.game("star-37-3p")
    record, rng = halma.Record(game), random.Random(3)
    alone = agent(f"net:{whole / 'best.onnx'},sims=1")
    for _ in range(12):
        assert alone.choose(record, rng).text == network.evaluate(record).best.text
        record.play(rng.choice(record.position.legal_moves))


def test_the_share_of_illegal_moves_of_a_position(whole):
    network = halma.load_network(str(whole / "best.onnx"))
    record = halma.Record(halma.game("star-37-3p"))
    output = network.evaluate(record)
    logits, _ = network.evaluator.evaluate(record.encode()[None])
    powers = np.exp(logits[0].astype(float))
    core, state = record.game.core, record.position.state
    legal = sum(powers[core.action(state, move.value)] for move in record.position.legal_moves)
    assert output.illegal == pytest.approx(1 - legal / powers.sum(), abs=1e-9)
    assert output.as_dict()["illegal"] == output.illegal


class KilledHere(Exception):
    pass


def test_killed_and_resumed(tmp_path, whole):
    """A kill during an iteration costs that iteration, and changes nothing."""
    out, original = tmp_path / "run", AlphaZero._gate

    def gate(self, iteration):
        if iteration == 2:
            raise KilledHere
        return original(self, iteration)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AlphaZero, "_gate", gate)
        with pytest.raises(KilledHere):
            train(small_thesis(), out)
    train(small_thesis(), out)
    one, other = (read_weights(run / "best.safetensors")[1] for run in (whole, out))
    assert all(np.array_equal(array, other[name]) for name, array in one.items())
    assert list_versions(out) == list_versions(whole)


def test_q_learning_has_no_promotions():
    with pytest.raises(RecipeError, match="promotions_only"):
        load("liu2019/dqn", {"archive.promotions_only": True})


def test_the_page_shows_illegal_moves_where_they_are_trained_on(whole, tmp_path):
    train(small(iterations=1), tmp_path / "run")
    for run, shown in ((whole, True), (tmp_path / "run", False)):
        titles = [panel.title for panel in write_report(run, out=tmp_path / "page.html").panels]
        assert ("Policy on illegal moves" in titles) == shown
