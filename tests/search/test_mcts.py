"""Tree search against a naive twin, tree by tree, and against exact values."""

from __future__ import annotations

import zlib
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from reference.mcts import NaiveSearch, Node
from reference.random import MASK, Random, mix64
from reference.retrograde import solve

import halma
from halma import _core

RULES = {"uct": _core.Rule.UCT, "puct": _core.Rule.PUCT, "gumbel": _core.Rule.GUMBEL}
UNTRIED = {
    "loss": _core.Untried.LOSS,
    "draw": _core.Untried.DRAW,
    "win": _core.Untried.WIN,
    "infinite": _core.Untried.INFINITE,
    "parent": _core.Untried.PARENT,
}

#: name -> a decision position: without chance, with dice, with flips, three players
POSITIONS = {
    "rhombus-4x4-3": None,
    "ewn-3x3-3": "12./3.a/.cb r 2",
    "cdc-2x4-PPPP": None,
    "star-37-3p": None,
    "draughts-8x8": "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
}

SETTINGS = [
    {"rule": "uct", "c": 1.4},
    {"rule": "uct", "c": 2**0.5, "backup": "negamax"},
    *({"rule": "puct", "c": 1.5, "untried": untried} for untried in UNTRIED),
    {"rule": "puct", "c": 1.0, "cut_loops": True},
    {"rule": "gumbel", "considered": 4},
    {"rule": "gumbel", "considered": 16},
]


def core_options(**settings: object) -> _core.SearchOptions:
    options = _core.SearchOptions()
    for key, value in settings.items():
        if key == "rule":
            value = RULES[value]
        elif key == "untried":
            value = UNTRIED[value]
        elif key == "backup":
            value = {"mean": _core.Backup.MEAN, "negamax": _core.Backup.NEGAMAX}[value]
        setattr(options, key, value)
    return options


def opinion(planes: np.ndarray, actions: int, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Return made-up priors by action and values by player, mover first, fixed by the planes."""
    rng = np.random.default_rng(zlib.crc32(np.ascontiguousarray(planes).tobytes()))
    values = rng.random(players)
    return rng.random(actions).astype(np.float32), (values / values.sum()).astype(np.float32)


def start(name: str) -> halma.Position:
    game = halma.game(name)
    return game.position(POSITIONS[name]) if POSITIONS[name] else game.start()


def run_batch(
    batch: _core.Batch, game: halma.Game, per_tree: int = 1, capacity: int = 64
) -> list[int]:
    """Drive a batch to its end with `opinion`; return the sizes of the batches."""
    planes = np.zeros((capacity, *game.shape), np.float32)
    sizes = []
    while number := batch.collect(planes, per_tree):
        judged = [opinion(planes[i], game.actions, game.players) for i in range(number)]
        batch.submit(np.array([p for p, _ in judged]), np.array([v for _, v in judged]))
        sizes.append(number)
    return sizes


def judge(position: halma.Position, repetitions: int = 0) -> tuple[list[float], list[float]]:
    """Say the same as `opinion` about a position: priors by move, values by player."""
    game = position.game
    priors, values = opinion(
        game.core.encode([position.state], repetitions), game.actions, game.players
    )
    chosen = np.array([priors[position.action(m)] for m in position.legal_moves], np.float32)
    total = np.float32(0)
    for prior in chosen:
        total += prior
    by_player = [values[(p - position.mover) % game.players] for p in range(game.players)]
    return list(chosen / total), by_player


def assert_same(dump: dict, index: int, node: Node) -> int:
    """Compare a node and all below it; return how many nodes there were."""
    kind, mover, visits, total, first, number = dump["nodes"][index]
    assert ("decision", "chance", "terminal")[kind] == node.kind
    assert (mover, visits, number) == (node.mover, node.visits, len(node.edges))
    if node.kind == "decision":
        assert total == pytest.approx(float(node.total), abs=1e-4)
    seen = 1
    for offset, edge in enumerate(node.edges):
        at = first + offset
        assert dump["what"][at] == edge.what.value
        assert dump["visits"][at] == edge.visits
        assert dump["prior"][at] == pytest.approx(float(edge.prior), abs=1e-6)
        assert dump["total"][at] == pytest.approx(float(edge.total), abs=1e-4)
        if edge.child is not None:
            seen += assert_same(dump, dump["child"][at], edge.child)
    return seen


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: "-".join(map(str, s.values())))
@pytest.mark.parametrize("name", POSITIONS)
def test_whole_tree_equals_the_twins(name: str, settings: dict) -> None:
    position = start(name)
    game = position.game
    if game.players > 2 and settings.get("backup") == "negamax":
        with pytest.raises(ValueError, match="two players"):
            _core.Batch(game.core, core_options(**settings), 1)
        return
    for seed in (1, 2):
        batch = _core.Batch(game.core, core_options(**settings), 1, seed)
        batch.set_root(0, position.state, simulations=50)
        run_batch(batch, game)
        twin = NaiveSearch(judge, Random(mix64(seed) & MASK), **settings)
        root = twin.search(position, 50)
        dump = batch.dump(0)
        assert assert_same(dump, 0, root) == len(dump["nodes"]) > 20
        assert sum(m.visits for m in batch.root_moves(0)) == 50 == batch.simulations(0)


@pytest.mark.parametrize("settings", SETTINGS[:7], ids=lambda s: "-".join(map(str, s.values())))
@pytest.mark.parametrize("name", [n for n in POSITIONS if n != "star-37-3p"])
def test_late_nodes_change_nothing(name: str, settings: dict) -> None:
    """The core's own evaluators make nodes at the second visit; statistics must not differ."""
    position = start(name)
    game = position.game
    batch = _core.Batch(game.core, core_options(**settings), 1, 5)
    batch.set_root(0, position.state, simulations=400)
    planes = np.zeros((1, *game.shape), np.float32)
    ones = np.ones((1, game.actions), np.float32)
    while batch.collect(planes):
        batch.submit(ones, np.full((1, 2), 0.5, np.float32))
    search = _core.Mcts(
        game.core, core_options(**settings), _core.EvaluatorKind.UNIFORM, seed=mix64(5) & MASK
    )
    search.set_root(position.state)
    search.run(400)
    ours = np.array([(m.move, m.visits, m.value) for m in search.root_moves()])
    theirs = np.array([(m.move, m.visits, m.value) for m in batch.root_moves(0)])
    assert np.allclose(ours, theirs, equal_nan=True)
    assert len(search.dump()["nodes"]) < len(batch.dump(0)["nodes"])


def test_batches_fill_from_many_trees_and_leaves() -> None:
    game = halma.game("rhombus-7x7-6")
    batch = _core.Batch(game.core, core_options(rule="puct"), 8, 1)
    for tree in range(8):
        batch.set_root(tree, game.core.initial(), simulations=64)
    sizes = run_batch(batch, game, per_tree=4)
    assert sizes[0] == 8 and max(sizes) == 32
    for tree in range(8):
        assert batch.simulations(tree) == 64
        assert sum(m.visits for m in batch.root_moves(tree)) == 64
        dump = batch.dump(tree)
        # Nothing is left of virtual losses: every visit brought its value.
        for kind, _, visits, _, first, number in dump["nodes"]:
            if kind == 0:
                assert visits == 1 + sum(dump["visits"][first : first + number])


def test_misuse_of_a_batch_is_said() -> None:
    game = halma.game("ewn-3x3-3")
    batch = _core.Batch(game.core, core_options(), 2)
    with pytest.raises(ValueError, match="not been judged"):
        batch.root_moves(0)
    with pytest.raises(IndexError):
        batch.root_moves(7)
    with pytest.raises(ValueError, match="player is to move"):
        batch.set_root(0, game.core.initial(), simulations=5)
    with pytest.raises(ValueError, match="wrong shape"):
        batch.collect(np.zeros((4, 1, 1, 1), np.float32))
    batch.set_root(0, start("ewn-3x3-3").state, simulations=5)
    planes = np.zeros((4, *game.shape), np.float32)
    assert batch.collect(planes) == 1
    with pytest.raises(ValueError, match="still awaited"):
        batch.collect(planes)
    with pytest.raises(ValueError, match="leaves x actions"):
        batch.submit(np.zeros((1, 3), np.float32), np.zeros((1, 2), np.float32))
    with pytest.raises(ValueError, match="set_root"):
        _core.Mcts(game.core, core_options(), _core.EvaluatorKind.UNIFORM).run(10)


@cache
def exact(position: halma.Position) -> Fraction:
    """Return the mover's expected score under perfect play, by full expectiminimax."""
    if position.is_terminal:
        return Fraction(position.result[position.mover])
    if position.is_chance:
        mover = position.mover
        total = sum(
            (exact(after) if after.mover == mover else 1 - exact(after))
            for after in map(position.resolve, position.outcomes)
        )
        return Fraction(total) / len(position.outcomes)
    return max(move_value(position, move) for move in position.legal_moves)


def move_value(position: halma.Position, move: halma.Move) -> Fraction:
    after = position.play(move)
    return exact(after) if after.mover == position.mover else 1 - exact(after)


def sampled(name: str, number: int, seed: int) -> list[halma.Position]:
    game = halma.game(name)
    rows = game.core.sample_states(game.core.initial(), number, seed)
    return [halma.Position(game, row.tobytes()) for row in rows]


def test_agrees_with_expectiminimax() -> None:
    """100,000 simulations with rollouts find a unique best move nearly always."""
    right = tried = 0
    for position in sampled("ewn-3x3-3", 900, 3):
        values = sorted((move_value(position, m) for m in position.legal_moves), reverse=True)
        if len(values) < 2 or values[0] == values[1]:
            continue
        search = _core.Mcts(
            position.game.core,
            core_options(rule="uct", c=0.7),
            _core.EvaluatorKind.ROLLOUT,
            seed=tried,
        )
        search.set_root(position.state)
        search.run(100_000)
        chosen = position.legal_moves[search.best()]
        right += move_value(position, chosen) == values[0]
        tried += 1
        if tried == 200:
            break
    assert tried == 200 and right >= 190


PROOF_VALUES = {
    _core.Proof.LOSS: Fraction(0),
    _core.Proof.DRAW: Fraction(1, 2),
    _core.Proof.WIN: Fraction(1),
}


@pytest.mark.parametrize("name", ["ewn-3x3-3", "rhombus-3x3-3", "frogs-3-2"])
@pytest.mark.parametrize("rule", ["uct", "puct", "gumbel"])
def test_proofs_are_true(name: str, rule: str) -> None:
    # Positions recur on the rhombus, so its exact values come from retrograde analysis.
    core = halma.game(name).core
    cyclic = name.startswith("rhombus")
    table = solve(core)[0] if cyclic else {}
    proven = 0
    for position in sampled(name, 60, 5):
        options = core_options(rule=rule, solver=True, cut_loops=cyclic)
        search = _core.Mcts(core, options, _core.EvaluatorKind.ROLLOUT, seed=1)
        search.set_root(position.state)
        search.run(3000)
        for move, found in zip(position.legal_moves, search.root_moves(), strict=True):
            assert move.value == found.move
            if found.proof == _core.Proof.NONE:
                continue
            proven += 1
            if cyclic:
                after = core.index(position.play(move).state)
                value = Fraction({"won": 0, "lost": 1}[table[after]])
            else:
                value = move_value(position, move)
            assert value == PROOF_VALUES[found.proof]
    assert proven > 10


def test_loops_are_cut() -> None:
    """A way back to a position of the same path, or of the game so far, ends there."""
    game = halma.game("rhombus-4x4-3")
    start_position = game.start()
    moved = start_position.play("a2-a3")
    back = moved.play("d3-d2")
    options = core_options(rule="uct", c=5.0, cut_loops=True)
    search = _core.Mcts(game.core, options, _core.EvaluatorKind.ROLLOUT, seed=1)
    search.set_root(back.state, [start_position.key, moved.key])
    search.run(3000)
    loops = sum(child == 0xFFFFFFFD for child in search.dump()["child"])
    assert loops > 0
    free = _core.Mcts(
        game.core, core_options(rule="uct", c=5.0), _core.EvaluatorKind.ROLLOUT, seed=1
    )
    free.set_root(back.state)
    free.run(3000)
    assert not any(child == 0xFFFFFFFD for child in free.dump()["child"])


def test_noise_and_priors_at_the_root() -> None:
    game = halma.game("rhombus-7x7-6")
    options = core_options(noise_weight=0.25, noise_alpha=0.3)
    sums, spread = [], []
    for seed in range(200):
        search = _core.Mcts(game.core, options, _core.EvaluatorKind.UNIFORM, seed=seed)
        search.set_root(game.core.initial())
        priors = [m.prior for m in search.root_moves()]
        sums.append(sum(priors))
        spread.append(np.var([(p - 0.75 / 10) / 0.25 for p in priors]))
    assert np.allclose(sums, 1, atol=1e-5)
    # A Dirichlet's components have variance m (1 - m) / (n alpha + 1) around m = 1 / n.
    assert np.mean(spread) == pytest.approx(0.1 * 0.9 / (10 * 0.3 + 1), rel=0.15)


def test_a_tree_can_be_kept() -> None:
    position = start("ewn-3x3-3")
    game = position.game
    search = _core.Mcts(
        game.core, core_options(rule="uct", c=1.0), _core.EvaluatorKind.ROLLOUT, seed=1
    )
    search.set_root(position.state)
    search.run(5000)
    best = position.legal_moves[search.best()]
    after = position.play(best).resolve("1")
    dump = search.dump()
    search.advance(after.state, best.value, [1])
    assert search.simulations > 500
    kept = search.dump()
    assert len(kept["nodes"]) < len(dump["nodes"])
    visits = [m.visits for m in search.root_moves()]
    assert sum(visits) == search.simulations
    search.run(search.simulations + 1000)
    assert sum(m.visits for m in search.root_moves()) == sum(visits) + 1000
    # Nothing is known of a position that was never visited: the tree starts anew.
    far = game.position("1../.../..a r 1")
    search.advance(far.state, 999, [])
    assert search.simulations == 0


def test_time_is_a_limit() -> None:
    game = halma.game("star-121-2p")
    search = _core.Mcts(game.core, core_options(), _core.EvaluatorKind.ROLLOUT, seed=1)
    search.set_root(game.core.initial())
    search.run(seconds=0.05)
    assert 0 < search.simulations < 10**6


def test_same_seed_same_tree() -> None:
    position = start("cdc-2x4-PPPP")
    dumps = []
    for _ in range(2):
        search = _core.Mcts(
            position.game.core, core_options(rule="uct"), _core.EvaluatorKind.ROLLOUT, seed=9
        )
        search.set_root(position.state)
        search.run(500)
        dumps.append(search.dump())
    assert dumps[0] == dumps[1]


def test_threads_change_nothing() -> None:
    def searched(threads: int) -> list[dict]:
        searches = []
        for seed, name in enumerate([*POSITIONS, *POSITIONS]):
            position = start(name)
            search = _core.Mcts(
                position.game.core,
                core_options(rule="uct", c=1.4, rollout_plies=200),
                _core.EvaluatorKind.ROLLOUT,
                seed=seed,
            )
            search.set_root(position.state)
            searches.append(search)
        _core.run_many(searches, 300, threads=threads)
        return [search.dump() for search in searches]

    assert searched(1) == searched(4)
    with pytest.raises(ValueError, match="at least one"):
        searched(0)


def test_searches_of_a_python_game_share_threads() -> None:
    """Such a game takes the interpreter's lock for every call, and gets it."""
    game = halma.game("frogs-3-2")
    searches = []
    for seed in range(4):
        search = _core.Mcts(game.core, core_options(), _core.EvaluatorKind.ROLLOUT, seed=seed)
        search.set_root(game.core.initial())
        searches.append(search)
    _core.run_many(searches, 50, threads=2)
    assert [search.simulations for search in searches] == [50] * 4
    with pytest.raises(ValueError, match="only once"):
        _core.run_many([searches[0], searches[0]], 60)


def test_linear_judgement_needs_features() -> None:
    options = core_options()
    linear = _core.EvaluatorKind.LINEAR
    with pytest.raises(ValueError, match="no features"):
        _core.Mcts(halma.game("frogs-3-2").core, options, linear)
    with pytest.raises(ValueError, match="has 3 features"):
        _core.Mcts(halma.game("draughts-8x8").core, options, linear, weights=[1.0])
    position = start("draughts-8x8")
    search = _core.Mcts(position.game.core, options, linear, seed=1)
    search.set_root(position.state)
    search.run(500)
    assert 0 < search.root_value < 1


def test_options_that_do_not_fit_a_game_are_said() -> None:
    from halma.errors import OptionError
    from halma.search import TreeOptions, TreeSearch

    with pytest.raises(OptionError, match="'frogs-3-2': this game has no features"):
        TreeSearch(halma.game("frogs-3-2"), TreeOptions(evaluator="linear"))
