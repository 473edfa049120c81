"""Losses, schedules, replay buffer, matches, truth and bundles by themselves."""

import gzip
import math

import numpy as np
import pytest
import torch
from small_networks import small, train

import halma
from halma import _core
from halma.agents import agent
from halma.arena import make_plan, play_matches
from halma.arena.lockstep import AgentPlayer
from halma.errors import RecipeError, RunError
from halma.interrupt import Interrupted
from halma.learn import bundle
from halma.learn.batches import Batches
from halma.learn.matches import Pairing, PolicyPlayer, play_in_lockstep
from halma.learn.metrics import read_metrics
from halma.learn.recipe import load, names
from halma.learn.replay_buffer import GameFiles, ReplayBuffer
from halma.learn.run import run_recipe, set_iterations
from halma.learn.sections.common import search_values
from halma.learn.selfplay import SelfPlay, evaluations, leader_scores
from halma.learn.trainer import Trainer, checkpoint_arrays
from halma.learn.training_step import illegal_shares, policy_cross_entropy, value_error
from halma.networks.architectures.build import build
from halma.search import search_options
from halma.search.batched import SearchPlayer
from halma.search.evaluator import CallbackBuffer, Evaluator
from halma.selfplay import Pool, selfplay_options
from halma.tensors import list_iterations, open_tensors


def test_the_policy_s_loss_sees_legal_moves_alone():
    logits = torch.tensor([[1.0, 2.0, 50.0, 3.0], [0.0, 1.0, 2.0, 3.0]])
    actions = torch.tensor([[0, 3, -1], [2, 1, 0]], dtype=torch.int32)
    shares = torch.tensor([[0.25, 0.75, 0.0], [0.0, 0.0, 1.0]])
    first = -(0.25 * 1 + 0.75 * 3) + math.log(math.exp(1) + math.exp(3))
    second = math.log(1 + math.e + math.e**2)
    found = policy_cross_entropy(logits, actions, shares)
    assert found.item() == pytest.approx((first + second) / 2, rel=1e-5)
    # The illegal move's logit does not matter, and nothing is learnt about it.
    logits = logits.clone().requires_grad_()
    policy_cross_entropy(logits, actions, shares).backward()
    assert logits.grad[0, 1] == logits.grad[0, 2] == 0
    assert torch.isfinite(logits.grad).all()


def test_the_policy_s_loss_over_all_actions():
    logits = torch.tensor([[1.0, 2.0, 50.0, 3.0], [0.0, 1.0, 2.0, 3.0]], requires_grad=True)
    actions = torch.tensor([[0, 3, -1], [2, 1, 0]], dtype=torch.int32)
    shares = torch.tensor([[0.25, 0.75, 0.0], [0.0, 0.0, 1.0]])
    found = policy_cross_entropy(logits, actions, shares, "all")
    whole = torch.zeros(2, 4).scatter_add_(1, actions.clamp(min=0).long(), shares)
    wanted = torch.nn.functional.cross_entropy(logits, whole)
    assert found.item() == pytest.approx(wanted.item(), rel=1e-5)
    # The illegal move with most of the policy is pushed down.
    found.backward()
    assert logits.grad[0, 2] == pytest.approx(0.5, abs=1e-3)
    shares = illegal_shares(logits.detach(), actions)
    exact = math.exp(3) / sum(math.exp(n) for n in range(4))
    assert shares.tolist() == pytest.approx([1, exact], rel=1e-5)
    # What is tiny is not lost in rounding.
    assert illegal_shares(torch.tensor([[0.0, -50.0]]), torch.tensor([[0]])).item() > 0


def test_the_policy_s_loss_over_the_moves_that_have_a_target():
    logits = torch.tensor([[1.0, 2.0, 50.0, 3.0], [0.0, 1.0, 2.0, 3.0]], requires_grad=True)
    actions = torch.tensor([[0, 1, 3, -1], [2, 1, 0, 3]], dtype=torch.int32)
    shares = torch.tensor([[0.25, 0.0, 0.75, 0.0], [0.0, 0.0, 1.0, 0.0]])
    found = policy_cross_entropy(logits, actions, shares, "target")
    first = -(0.25 * 1 + 0.75 * 3) + math.log(math.exp(1) + math.exp(3))
    # A target of one move has no loss, whatever the policy says.
    assert found.item() == pytest.approx(first / 2, rel=1e-5)
    found.backward()
    assert logits.grad[0, 0] != 0 and logits.grad[0, [1, 2]].tolist() == [0, 0]
    assert logits.grad[1].tolist() == pytest.approx([0, 0, 0, 0], abs=1e-7)


def test_the_values_loss_is_player_by_player():
    values = torch.tensor([[0.9, 0.2, 0.5]])
    outcomes = torch.tensor([[1.0, 0.0, 1 / 3]])
    squared = (0.1**2 + 0.2**2 + (0.5 - 1 / 3) ** 2) / 3
    assert value_error(values, outcomes, "squared").item() == pytest.approx(squared, rel=1e-5)
    entropy = -(math.log(0.9) + math.log(0.8) + math.log(0.5)) / 3
    found = value_error(values, outcomes, "cross-entropy").item()
    assert found == pytest.approx(entropy, rel=1e-5)
    certain = value_error(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]]), "cross-entropy")
    assert math.isfinite(certain.item())


def test_learning_rates():
    paper = load("hsueh2023/net-cdc-2x4-PPPP").settings
    rates = [paper.learning_rate(i) for i in range(1, 51)]
    assert rates == [0.1] * 24 + [0.01] * 26
    cosine = small(iterations=11, learning__rate=1.0, learning__late_rate=0.0).settings
    assert [cosine.learning_rate(i) for i in (1, 6, 11)] == pytest.approx([1.0, 0.5, 0.0])


def test_the_paper_s_settings():
    settings = load("hsueh2023/net-cdc-2x4-PPPP").settings
    assert (settings.selfplay.games, settings.learning.replay_buffer) == (1000, 40_000)
    assert (settings.learning.batch_size, settings.learning.momentum) == (256, 0.9)
    game = halma.game(settings.game)
    assert (game.shape, game.actions, game.players) == ((33, 2, 4), 40, 2)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"network": "modren"}, "Did you mean 'modern'?"),
        ({"network": "liu2019", "game": "star-37-3p"}, "is for 2 players"),
        ({"search.solver": True, "game": "star-37-3p"}, "for two players"),
        ({"search.count_root": True, "search.simulations": 1}, "would be the position itself"),
        ({"selfplay.random_plies_min": 3}, "'selfplay.random_plies_max' cannot be less"),
        ({"evaluation.opponents": " ", "evaluation.every": 1}, "'evaluation.opponents' is empty"),
        ({"learning.optimiser": "adam"}, "Did you mean 'adamw'?"),
        ({"learning.bach": 3}, "Did you mean 'learning.batch_size'?"),
        ({"learning.batch_size": 0}, "from 1 to"),
        ({"learning.batch_size": 1, "network": "schulte2021"}, "batches of at least 2"),
        ({"network": "schulte2021:dropout=1"}, "'dropout' cannot be '1'"),
        ({"selfplay.temperature": "hot"}, "it is a number"),
    ],
)
def test_settings_refused(changes, said):
    with pytest.raises(RecipeError) as caught:
        small().changed(changes)
    assert said in str(caught.value)


def test_every_recipe_can_be_loaded():
    for name in names():
        recipe = load(name)
        assert recipe.difference(load(name)) is None


def random_games(game, number, seed):
    """Return games of self-play in which every position has the same evaluation."""
    search = {"rule": "puct", "dirichlet_weight": 0.25}
    options = selfplay_options(game, search, simulations=2, temperatures=[(0, 1.0)])
    limits = _core.Limits(plies=20)
    pool = Pool(game, options, [Equal(game)], slots=4, seed=seed, games=number, limits=limits)
    return pool.play()


def test_games_survive_a_file(tmp_path):
    game = halma.game("ewn-3x3-2")
    games = random_games(game, 7, seed=1)
    files = GameFiles(tmp_path, game)
    files.write(4, games, {"games": 3})
    read, metrics = files.read(4)
    assert metrics == {"games": 3}
    for name, array in games.arrays().items():
        assert np.array_equal(getattr(read, name), array, equal_nan=name == "values"), name


def test_a_replay_buffer_drops_old_games():
    game = halma.game("ewn-3x3-2")
    buffer = ReplayBuffer(game, capacity=10, position_share=1.0, seed=0)
    for iteration in range(1, 5):
        buffer.add(iteration, random_games(game, 6, seed=iteration))
        buffer.gather()
    assert buffer.iterations == [3, 4]
    assert len(buffer) == 12
    assert len(buffer.samples) == buffer.new_samples(3) + buffer.new_samples(4)
    assert len(buffer.samples) == len(buffer.games.moves)
    keys = {game.core.key(row.tobytes()) for row in buffer.games.states}
    assert buffer.duplicates == pytest.approx(1 - len(keys) / len(buffer.samples))


def test_drawn_games_are_no_samples_where_they_are_discarded():
    game = halma.game("ewn-5x5-6")
    games = random_games(game, 40, seed=2)
    drawn = np.ptp(games.scores, axis=1) == 0
    assert 0 < drawn.sum() < len(games), "the games of this seed have both"
    kept, discarded = (
        ReplayBuffer(game, 100, position_share=0.5, seed=0, keep_draws=keep)
        for keep in (True, False)
    )
    for buffer in (kept, discarded):
        buffer.add(1, games)
        buffer.gather()
        assert len(buffer) == 40
    game_of_row = np.repeat(np.arange(len(games)), np.diff(games.row_offsets))
    expected = [row for row in kept.samples if not drawn[game_of_row[row]]]
    assert discarded.samples.tolist() == expected
    assert discarded.new_samples(1) == len(expected) < kept.new_samples(1)


@pytest.mark.parametrize("optimiser", ["sgd", "adamw"])
def test_biases_and_norms_need_not_decay(optimiser):
    """Without gradients only decay changes weights: by a factor of 1 - rate * decay."""
    for decay_all in (True, False):
        recipe = small(
            learning__optimiser=optimiser,
            learning__rate=0.5,
            learning__weight_decay=0.5,
            learning__momentum=0.0,
            learning__decay_all=decay_all,
        )
        trainer = Trainer(recipe.game, recipe.settings, "cpu")
        before = {name: p.detach().clone() for name, p in trainer.network.named_parameters()}
        for parameter in trainer.network.parameters():
            parameter.grad = torch.zeros_like(parameter)
        trainer._optimiser.step()
        for name, parameter in trainer.network.named_parameters():
            is_kernel = name.endswith("weight") and "norm" not in name
            factor = 0.75 if decay_all or is_kernel else 1.0
            assert torch.allclose(parameter, factor * before[name]), name


@pytest.mark.parametrize("optimiser", ["sgd", "adamw"])
def test_the_optimiser_s_memory_belongs_to_its_parameters(optimiser):
    """Where some parameters do not decay, the optimiser numbers them in another order."""
    recipe = small(learning__optimiser=optimiser, learning__decay_all=False)
    buffer = ReplayBuffer(recipe.game, capacity=20, position_share=1.0, seed=0)
    buffer.add(1, random_games(recipe.game, 20, seed=4))
    buffer.gather()
    first, second = (Trainer(recipe.game, recipe.settings, "cpu") for _ in range(2))
    first.train(buffer, 5, 0.1, seed=(1,))
    state = first.state()
    kinds = checkpoint_arrays(recipe.game, recipe.settings, state.keys(), ())
    assert {name: array.shape for name, array in state.items()} == {
        name: kind.shape for name, kind in kinds.items()
    }
    second.restore(state, 5)
    for trainer in (first, second):
        trainer.train(buffer, 5, 0.1, seed=(2,))
    after, again = first.state(), second.state()
    assert all(np.array_equal(after[name], again[name]) for name in after)


def test_batches_draw_every_position_once_before_any_again():
    game = halma.game("ewn-3x3-2")
    buffer = ReplayBuffer(game, capacity=10, position_share=1.0, seed=0)
    buffer.add(1, random_games(game, 10, seed=3))
    buffer.gather()
    number = len(buffer.samples)
    drawn = []
    for batch in Batches(buffer, 4, 2 * (number // 4) + 2, True, (1, 2), threads=2):
        assert torch.allclose(batch.targets.sum(1), torch.ones(4))
        for i, row in enumerate(batch.rows):
            assert batch.outcomes[i].tolist() == buffer.games.outcomes[row].tolist()
        drawn += batch.rows.tolist()
    assert sorted(drawn[:number]) == sorted(buffer.samples)
    assert sorted(drawn[number : 2 * number]) == sorted(buffer.samples)
    again = [row for b in Batches(buffer, 4, 3, True, (1, 2)) for row in b.rows.tolist()]
    assert again == drawn[:12]


class Equal(Evaluator):
    """Evaluates every position alike."""

    def __init__(self, game):
        self.shape, self.actions, self.players = game.shape, game.actions, game.players

    def evaluate(self, planes):
        number = len(planes)
        return (
            np.zeros((number, self.actions), np.float32),
            np.full((number, self.players), 1 / self.players, np.float32),
        )


@pytest.mark.parametrize("variant", ["rhombus-4x4-3", "ewn-3x3-2", "star-37-3p"])
def test_a_match_is_the_arena_s(variant):
    """Agents get the same games as in the arena, all at once or one by one."""
    game = halma.game(variant)
    agents = ("greedy", "random")
    plan = make_plan(variant, agents, seed=5)
    (theirs,) = play_matches([plan], 12)
    players = [AgentPlayer(agent(name)) for name in agents]
    pairing = Pairing(agents, players, 12, 5)
    ours, same = play_in_lockstep(game, [pairing, pairing], plan.opening_plies)
    assert same.fingerprints == ours.fingerprints
    assert ours.fingerprints == theirs.fingerprints
    assert ours.score == theirs.score


class Narrow(Equal):
    """The same as a GPU does it: bytes and halves for those who ask, and floats for others."""

    def buffer(self, capacity, narrow=False):
        def evaluate(planes):
            kind = np.float16 if narrow else np.float32
            assert planes.dtype == (np.uint8 if narrow else np.float32)
            return tuple(array.astype(kind) for array in self.evaluate(planes))

        return CallbackBuffer(evaluate, (capacity, *self.shape), "uint8" if narrow else "float32")


def test_self_play_asks_for_narrow_buffers_and_matches_do_not():
    recipe = small(game="ewn-3x3-2")
    games = []
    for kind in (Equal, Narrow):
        evaluator = kind(recipe.game)
        found, _ = SelfPlay(recipe.game, recipe.settings, [evaluator], threads=1).play(1)
        games.append(found.moves.tolist())
        options = search_options(recipe.game, **search_values(recipe.settings.search, noise=False))
        players = [
            SearchPlayer(recipe.game, evaluator, options, 4, 1),
            AgentPlayer(agent("random")),
        ]
        pairing = Pairing(("net", "random"), players, 4, 5)
        assert play_in_lockstep(recipe.game, [pairing], 0)[0].games == 4
    assert games[0] == games[1]


def test_networks_play_matches():
    game = halma.game("ewn-3x3-2")
    evaluator = Equal(game)
    options = search_options(game, **search_values(small().settings.search, noise=False))
    searcher = SearchPlayer(game, evaluator, options, 64, seed=1)
    players = [searcher, PolicyPlayer(evaluator)]
    (tally,) = play_in_lockstep(game, [Pairing(("search", "policy"), players, 60, 1)], 0)
    # It sees the end of the game coming, the other one sees nothing.
    assert tally.score.interval[0] > 0.5


def test_a_match_can_be_stopped():
    game = halma.game("rhombus-4x4-3")
    players = [AgentPlayer(agent("random"))] * 2
    with pytest.raises(Interrupted):
        play_in_lockstep(game, [Pairing(("a", "b"), players, 4, 0)], 2, lambda: True)


def test_graded_by_the_truth(tmp_path):
    recipe = small(game="ewn-3x3-2", truth__every=2, truth__games=100, iterations=3)
    train(recipe, tmp_path / "run")
    lines = read_metrics(tmp_path / "run")
    assert lines[0]["wr_p"] is None and lines[0]["mae_v"] is None
    for line in lines[1:]:
        assert line["wr_p_low"] <= line["wr_p"] <= line["wr_p_high"] <= 1
        assert 0 < line["err_p"] < 1
        assert 0 < line["mae_v"] < 0.5


def test_who_is_ahead():
    game = halma.game("rhombus-4x4-3")
    assert leader_scores(evaluations(game, game.start().state)).tolist() == [0.5, 0.5]
    after = game.start()
    after = after.play(
        max(after.legal_moves, key=lambda m: _core.advance(game.core, after.state, m.value))
    )
    assert leader_scores(evaluations(game, after.state)).tolist() == [1.0, 0.0]


def test_a_bundle(tmp_path):
    recipe = small()
    out, there = tmp_path / "run", tmp_path / "there"
    train(recipe, out)
    bundle.pack(out, tmp_path / "bundle", recipe.game)
    files = list((tmp_path / "bundle").iterdir())
    assert len(files) <= 8
    assert all(path.stat().st_size <= bundle.LARGEST_FILE for path in files)
    bundle.unpack(tmp_path / "bundle", there, recipe.game)
    longer = recipe.changed({"iterations": 4})
    with pytest.raises(RunError, match="belongs to another recipe"):
        train(longer, there)
    assert train(recipe, there) == read_metrics(out)[-1]
    with pytest.raises(RunError, match="not empty"):
        bundle.unpack(tmp_path / "bundle", there, recipe.game)
    with pytest.raises(RunError, match=r"no '.*' to go on from"):
        bundle.unpack(tmp_path / "nowhere", tmp_path / "new", recipe.game)


def test_a_bundle_goes_on(tmp_path, monkeypatch):
    recipe = small(iterations=4)
    out, there = tmp_path / "run", tmp_path / "there"
    train(recipe, out)
    for iteration, path in list_iterations(out / "checkpoints"):
        if iteration > 3:
            path.unlink()
    files = GameFiles(out, recipe.game)
    files.remove(4)
    monkeypatch.setattr(bundle, "LARGEST_FILE", 12_000)
    monkeypatch.setattr(bundle, "_GAME_FILES", 1)
    monkeypatch.setattr(bundle, "_write", lambda path, data: path.write_bytes(data))
    bundle.pack(out, tmp_path / "bundle", recipe.game)
    bundle.unpack(tmp_path / "bundle", there, recipe.game)
    assert GameFiles(there, recipe.game).iterations() == [3]
    last = train(recipe, there)
    assert last["iteration"] == 4
    assert last["replay_games"] <= 16


def test_a_bundle_leaves_out_games_until_the_rest_fits(tmp_path, monkeypatch):
    recipe = small(iterations=1, selfplay__games=200, selfplay__parallel_games=50)
    out = tmp_path / "run"
    train(recipe, out)
    files = GameFiles(out, recipe.game)
    games, metrics = files.read(1)
    # Long games first: a share of the games has more than that share of the bytes.
    games = games.take(np.argsort(-np.diff(games.row_offsets), kind="stable"))
    files.write(1, games, metrics)
    largest = len(gzip.compress(files.path(1).read_bytes(), compresslevel=1)) // 6
    monkeypatch.setattr(bundle, "LARGEST_FILE", largest)
    monkeypatch.setattr(bundle, "_write", lambda path, data: path.write_bytes(data))
    bundle.pack(out, tmp_path / "bundle", recipe.game)
    assert 1000 < (tmp_path / "bundle" / "games-000001.gz").stat().st_size <= largest
    bundle.unpack(tmp_path / "bundle", tmp_path / "there", recipe.game)
    left = GameFiles(tmp_path / "there", recipe.game).read(1)[0]
    assert 1 < len(left) < 30
    assert np.array_equal(left.movers, games.part(0, len(left)).movers)


def test_a_bundle_leaves_the_optimiser_s_memory_behind_where_it_is_large(tmp_path, monkeypatch):
    recipe = small(iterations=2, network="hsueh2023:filters=16")
    out, there = tmp_path / "run", tmp_path / "there"
    train(recipe, out)
    _, path = list_iterations(out / "checkpoints")[0]
    monkeypatch.setattr(bundle, "LARGEST_FILE", path.stat().st_size * 2 // 3)
    bundle.pack(out, tmp_path / "bundle", recipe.game)
    bundle.unpack(tmp_path / "bundle", there, recipe.game)
    whole = open_tensors(path, {})
    left = open_tensors(there / path.relative_to(out), {})
    assert left.description == whole.description
    assert left.names == [name for name in whole.names if not name.startswith("optimiser.")]
    assert all(np.array_equal(left[name], whole[name]) for name in left.names)
    assert len(left.names) < len(whole.names)
    set_iterations(there, 3)
    assert train(run_recipe(there), there)["iteration"] == 3


def test_a_bundle_that_is_too_large(tmp_path, monkeypatch):
    recipe = small(iterations=1)
    train(recipe, tmp_path / "run")
    monkeypatch.setattr(bundle, "LARGEST_FILE", 5000)
    with pytest.raises(RunError, match="choose a smaller network"):
        bundle.pack(tmp_path / "run", tmp_path / "bundle", recipe.game)


def test_networks_that_travel():
    bundle.check_size(bundle.LARGEST_FILE // 2, copies=2)
    with pytest.raises(RunError, match="choose a smaller one"):
        bundle.check_size(bundle.LARGEST_FILE // 2 + 1, copies=2)
    for name, copies in (("schulte2021/small", 2), ("schulte2021/best", 1)):
        recipe = load(name)
        weights = build(recipe.settings.network_info(recipe.game)).state_dict().values()
        bundle.check_size(sum(tensor.nbytes for tensor in weights), copies)
