"""Opponents in self-play and the gate's options, in whole runs."""

import shutil

import numpy as np
import pytest
from small_networks import small, train
from small_runs import Listener
from test_alphazero_runs import timeless
from test_best_network import train_until

from halma import _core
from halma.errors import RecipeError
from halma.learn import read_metrics
from halma.learn.archive import RunNetworks
from halma.learn.batches import Batches
from halma.learn.checks import check_recipe
from halma.learn.evaluation import Evaluation, GateResult
from halma.learn.opponents import Opponents, share_of
from halma.learn.replay_buffer import GameFiles, ReplayBuffer
from halma.learn.reports.events import Note
from halma.learn.run import WEIGHTS
from halma.learn.trainer import Trainer, weights_of
from halma.networks.torch_evaluator import EvaluatorPool
from halma.networks.weights import load_weights
from halma.selfplay.opponents import AgentOpponent

OPPONENT = _core.Choice.OPPONENT.value
PAST = {"selfplay__opponents": "past greedy", "archive__every": 1}
LATEST = {
    "selfplay__player": "latest",
    "selfplay__opponents": "best",
    "selfplay__opponent_share": 1.0,
    "gate__games": 2,
    "gate__threshold": 1.0,
}


def games_of(out, iteration, recipe):
    return GameFiles(out, recipe.game).read(iteration)[0]


def same_games(one, other):
    return all(
        np.array_equal(array, getattr(other, name), equal_nan=name == "values")
        for name, array in one.arrays().items()
    )


def test_only_the_learner_s_decisions_become_samples(tmp_path):
    recipe = small(**PAST, selfplay__games=12, iterations=1)
    train(recipe, tmp_path / "run")
    games = games_of(tmp_path / "run", 1, recipe)
    # Half of twelve games, in pairs against the one and the other.
    own = [
        set(games.movers[a:b][games.choices[a:b] == OPPONENT])
        for a, b in zip(games.row_offsets[:-1], games.row_offsets[1:], strict=True)
    ]
    assert [one for one in own if one] == [{1}, {0}] * 3
    buffer = ReplayBuffer(recipe.game, 100, 1.0, 0)
    buffer.add(1, games)
    buffer.gather()
    assert set(games.choices[buffer.samples]) == {_core.Choice.FULL.value}
    assert len(buffer.samples) == (games.choices != OPPONENT).sum() < len(games.moves)


def test_metrics_of_opponents(tmp_path):
    recipe = small(**PAST, selfplay__games=16)
    train(recipe, tmp_path / "run")
    for line in read_metrics(tmp_path / "run"):
        assert 0 <= line["selfplay_vs_past"] <= 1
        assert 0 <= line["selfplay_vs_greedy"] <= 1
        assert 0 <= line["past_version"] < line["iteration"]
    games = games_of(tmp_path / "run", 3, recipe)
    points = {"past": [], "greedy": []}
    for i, (a, b) in enumerate(zip(games.row_offsets[:-1], games.row_offsets[1:], strict=True)):
        theirs = games.choices[a:b] == OPPONENT
        if theirs.any():
            name = "greedy" if np.isnan(games.values[a:b][theirs]).all() else "past"
            points[name].append(games.scores[i][1 - games.movers[a:b][theirs][0]])
    for name, found in points.items():
        assert line[f"selfplay_vs_{name}"] == pytest.approx(np.mean(found))
    assert share_of([1, 0, 0], 0) == 1
    assert share_of([0, 0], 0) == 0.5


def opponents_of(recipe, out, best):
    said = []
    pool = EvaluatorPool(best, "cpu", 1)
    networks = RunNetworks(out, recipe)
    make = lambda network: EvaluatorPool(network, "cpu", 1)  # noqa: E731
    return Opponents(recipe.game, recipe.settings, networks, pool, make, said.append), pool, said


def test_the_past_is_drawn_from_earlier_versions(tmp_path):
    recipe = small(archive__every=1, selfplay__opponents="past first greedy", iterations=5)
    out = tmp_path / "run"
    train(recipe, out)
    networks = RunNetworks(out, recipe)
    opponents, best, said = opponents_of(recipe, out, networks.version(5))
    planes = np.random.default_rng(0).random((3, *recipe.game.shape)).astype(np.float32)
    drawn = set()
    for iteration in range(1, 40):
        opponents.draw(iteration)
        past, first, greedy = opponents.current
        assert isinstance(greedy, AgentOpponent)
        version = opponents._versions["past"]
        assert version < iteration
        drawn.add(version)
        for found, number in ((past, version), (first, 0)):
            wanted = EvaluatorPool(networks.version(number), "cpu", 1).evaluators[0]
            for left, right in zip(
                found.evaluators[0].evaluate(planes), wanted.evaluate(planes), strict=True
            ):
                np.testing.assert_array_equal(left, right)
    assert drawn == set(range(6))
    # The same in every session.
    again, _, _ = opponents_of(recipe, out, networks.version(5))
    again.draw(39)
    assert again._versions == opponents._versions
    # A damaged version is passed over; without any, the best network plays.
    for path in (out / "versions").glob("*.safetensors"):
        path.write_bytes(b"no weights")
    lost, best, said = opponents_of(recipe, out, load_weights(out / WEIGHTS))
    lost.draw(3)
    assert len(said) == 6
    assert all("Another version is the opponent" in one for one in said)
    assert lost.current[0].evaluators == best.evaluators


@pytest.mark.parametrize(
    "changes",
    [PAST, LATEST, {**PAST, "selfplay__opponents": "first", "selfplay__opponent_share": 1.0}],
    ids=["past and greedy", "latest against best", "first"],
)
def test_a_killed_run_plays_the_same_games(tmp_path, monkeypatch, changes):
    whole, out = tmp_path / "whole", tmp_path / "run"
    train(small(**changes), whole)
    # In the second iteration: its games are being written, or its checkpoint is.
    for times in (1, 2):
        shutil.rmtree(out, ignore_errors=True)
        name = "iteration-000002.safetensors"
        train_until(monkeypatch, out, "before write", name, times, **changes)
        train(small(**changes), out)
        for iteration in (2, 3):
            games = (games_of(folder, iteration, small()) for folder in (out, whole))
            assert same_games(*games)
        pairs = zip(read_metrics(out), read_metrics(whole), strict=True)
        assert all(timeless(one) == timeless(other) for one, other in pairs)


@pytest.mark.parametrize("more", [{"selfplay__carry_over": True}, {"stages__side_by_side": True}])
def test_opponents_in_other_modes(tmp_path, more):
    for number, changes in enumerate((PAST, LATEST)):
        out = tmp_path / str(number)
        train(small(**changes, **more), out)
        assert [line["games"] for line in read_metrics(out)] == [8] * 3
        games = games_of(out, 3, small(**changes))
        assert (games.choices == OPPONENT).any()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"selfplay__opponents": "best"}, "it is the network that plays already"),
        ({"selfplay__opponents": "best", "selfplay__player": "latest"}, "and a gate"),
        ({"selfplay__opponents": "greedy past"}, "'archive.every' says how often"),
        ({"selfplay__opponents": "first"}, "cannot have 'first' without versions"),
        ({"selfplay__opponents": "greedy greedy"}, "one is twice in it"),
        (
            {"selfplay__opponents": "greedy", "selfplay__reuse": True, "search__rule": "puct"},
            "'selfplay.reuse' cannot be true",
        ),
        ({"selfplay__player": "newest"}, "one of best, latest"),
        ({"gate__failure": "stop"}, "one of continue, revert"),
    ],
)
def test_settings_refused(changes, said):
    with pytest.raises(RecipeError) as caught:
        small(**changes)
    assert said in str(caught.value)


def test_agents_are_checked_before_the_run():
    with pytest.raises(RecipeError, match=r"'selfplay\.opponents' cannot have 'gredy'"):
        check_recipe(small(selfplay__opponents="gredy"))
    with pytest.raises(RecipeError, match="nobody is asked"):
        check_recipe(small(selfplay__opponents="human"))
    # Opponents that play no game are not looked at.
    check_recipe(small(selfplay__opponents="past", selfplay__opponent_share=0.0))


# The gate.


def test_the_latest_network_plays_whatever_the_gate_says(tmp_path, monkeypatch):
    shut = {"gate__games": 2, "gate__threshold": 1.0}
    with monkeypatch.context() as patch:
        patch.setattr(Evaluation, "gate", lambda *_: GateResult(0.0, False, 2))
        train(small(**shut), tmp_path / "best")
        train(small(**shut, selfplay__player="latest"), tmp_path / "latest")
    train(small(selfplay__games=8), tmp_path / "open")
    by_best, by_latest, without = (
        games_of(tmp_path / name, 2, small()) for name in ("best", "latest", "open")
    )
    assert same_games(by_latest, without)
    assert not same_games(by_best, without)
    assert [line["best"] for line in read_metrics(tmp_path / "latest")] == [0, 0, 0]
    assert [line["promotions"] for line in read_metrics(tmp_path / "latest")] == [0, 0, 0]


@pytest.mark.parametrize("optimiser", ["sgd", "adamw"])
@pytest.mark.parametrize("failure", ["continue", "revert"])
def test_a_failed_gate(tmp_path, monkeypatch, failure, optimiser):
    """Every iteration begins with the weights of the one before, or with the best's."""
    begun = []
    steps = Trainer.train

    def watched(self, *given):
        begun.append(weights_of(self.network))
        return steps(self, *given)

    monkeypatch.setattr(Trainer, "train", watched)
    monkeypatch.setattr(Evaluation, "gate", lambda *_: GateResult(0.4, False, 2))
    changes = {"gate__games": 2, "gate__failure": failure, "learning__optimiser": optimiser}
    train(small(**changes), tmp_path / "run")
    first, *later = begun
    for weights in later:
        equal = all(np.array_equal(array, weights[name]) for name, array in first.items())
        assert equal == (failure == "revert")
    best = load_weights(tmp_path / "run" / WEIGHTS)
    assert all(np.array_equal(array, first[name]) for name, array in weights_of(best).items())


def test_a_reverted_optimiser_is_as_new(tmp_path):
    recipe = small(iterations=1)
    train(recipe, tmp_path / "run")
    buffer = ReplayBuffer(recipe.game, 100, 1.0, 0)
    buffer.add(1, games_of(tmp_path / "run", 1, recipe))
    buffer.gather()
    fresh, used = (Trainer(recipe.game, recipe.settings, "cpu") for _ in range(2))
    start = weights_of(fresh.network)
    used.train(buffer, 5, 0.1, (1,))
    used.revert(start)
    for trainer in (fresh, used):
        trainer.train(buffer, 3, 0.01, (2,))
    for name, array in weights_of(fresh.network).items():
        np.testing.assert_array_equal(array, weights_of(used.network)[name])


@pytest.mark.parametrize(
    ("changes", "distinct", "warned"),
    [
        ({"gate__random_plies": 0}, 2, True),
        ({"gate__random_plies": 0, "gate__temperature": 1.0}, None, False),
        ({"gate__random_plies": 1}, None, False),
        ({}, None, False),
    ],
)
def test_games_of_the_gate(tmp_path, changes, distinct, warned):
    """From one start two players without chance play one game from each side."""
    board = {"game": "rhombus-4x4-3", "selfplay__max_plies": 16, "iterations": 1}
    listener = Listener()
    last = train(small(gate__games=12, **board, **changes), tmp_path / "run", [listener])
    if distinct:
        assert last["gate_distinct"] == distinct
        assert last["gate"] in (0.0, 0.25, 0.5, 0.75, 1.0)
    else:
        assert 2 < last["gate_distinct"] <= 12
    notes = [note.text for note in listener.all(Note)]
    assert any("only 2 different games" in one for one in notes) == warned


def test_wins_or_points(tmp_path):
    """A draw is half of a point and no win."""
    drawn = {"game": "rhombus-4x4-3:plies=6", "gate__games": 4, "iterations": 1}
    for counts, share in (("points", 0.5), ("wins", 0.0)):
        recipe = small(**drawn, gate__counts=counts, gate__threshold=0.5)
        last = train(recipe, tmp_path / counts)
        assert last["gate"] == share
        assert last["best"] == (1 if counts == "points" else 0)


# liu2019's training in an episode.


def test_five_passes_over_two_episodes_in_both_mirror_images(tmp_path):
    """`samples_per_new = 20`: 5 passes, half of the positions, the last two episodes, mirrored."""
    recipe = small(
        game="rhombus-4x4-3",
        selfplay__games=8,
        learning__replay_buffer=16,
        learning__position_share=0.5,
        learning__samples_per_new=20.0,
    )
    train(recipe, tmp_path / "run")
    buffer = ReplayBuffer(recipe.game, 16, 0.5, recipe.settings.seed)
    for iteration in (2, 3):
        buffer.add(iteration, games_of(tmp_path / "run", iteration, recipe))
    buffer.gather()
    last = read_metrics(tmp_path / "run")[-1]
    assert (last["replay_games"], last["positions"]) == (16, len(buffer.samples))
    assert last["positions"] / len(buffer.games.moves) == pytest.approx(0.5, abs=0.1)
    drawn = np.zeros(len(buffer.games.moves), int)
    mirrored = 0
    for batch in Batches(buffer, 16, last["steps"], True, (1,)):
        np.add.at(drawn, batch.rows, 1)
        mirrored += int((batch.symmetries > 0).sum())
    # As often as new samples allow: 10 where both episodes are equally long.
    mean = last["new_positions"] * 20 / last["positions"]
    assert np.ptp(drawn[buffer.samples]) <= 1
    assert drawn[buffer.samples].mean() == pytest.approx(mean, rel=0.05)
    assert mean == pytest.approx(10, rel=0.25)
    assert mirrored / drawn.sum() == pytest.approx(0.5, abs=0.1)
