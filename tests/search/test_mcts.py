"""Tree search against a naive twin, tree by tree, and against exact values."""

from __future__ import annotations

import zlib
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from reference.mcts import NaiveSearch, Node
from reference.random import Random
from reference.retrograde import solve

import halma
from halma import _core

FPU = ("loss", "draw", "win", "infinite", "parent")

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
    {"rule": "pluska"},
    *({"rule": "puct", "c": 1.5, "fpu": fpu} for fpu in FPU),
    {"rule": "puct", "c": 1.0, "limits": "first-repetition"},
    {"rule": "puct", "c": 1.0, "limits": "rules"},
    {"rule": "gumbel", "max_considered_actions": 4, "gumbel_scale": 1.0},
    {"rule": "gumbel", "max_considered_actions": 16, "gumbel_scale": 2.5},
    {"rule": "gumbel"},
    {"rule": "rpo", "fpu": "parent"},
    {"rule": "rpo", "c": 3.0, "fpu": "infinite"},
]


def core_options(**settings: object) -> _core.SearchOptions:
    options = _core.SearchOptions()
    for key, value in settings.items():
        setattr(options, key, value)
    return options


def new_search(
    position: halma.Position,
    evaluator: str = "rollout",
    settings: dict | None = None,
    **more: object,
) -> _core.Search:
    """Return a search of a game that begins at a position."""
    search = _core.Search(position.game.core, core_options(**(settings or {})), evaluator, **more)
    search.set_record(halma.Record(position.game, position).core)
    return search


def opinion(planes: np.ndarray, actions: int, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Return made-up priors by action and values by player, mover first, fixed by the planes."""
    rng = np.random.default_rng(zlib.crc32(np.ascontiguousarray(planes).tobytes()))
    values = rng.random(players)
    return rng.random(actions).astype(np.float32), (values / values.sum()).astype(np.float32)


def start(name: str) -> halma.Position:
    game = halma.game(name)
    return game.position(POSITIONS[name]) if POSITIONS[name] else game.start()


def run_network(searches: list[_core.Search], game: halma.Game, capacity: int = 64) -> list[int]:
    """Carry out searches that were begun with `opinion`; return the sizes of the batches."""
    planes = np.zeros((capacity, *game.shape), np.float32)
    sizes = []
    while number := _core.collect(searches, planes):
        found = [opinion(planes[i], game.actions, game.players) for i in range(number)]
        logits = np.log(np.array([p for p, _ in found]))
        _core.submit(searches, logits, np.array([v for _, v in found]))
        sizes.append(number)
    return sizes


def evaluate(
    position: halma.Position, repetitions: int, no_progress: float
) -> tuple[list[float], list[float]]:
    """Return what `opinion` says of a position: priors by move, values by player."""
    game = position.game
    priors, values = opinion(
        game.core.encode([position.state], repetitions, no_progress), game.actions, game.players
    )
    logits = np.log(
        np.array([priors[position.action(m)] for m in position.legal_moves], np.float32)
    )
    weights = np.exp(logits - logits.max())
    total = np.float32(0)
    for weight in weights:
        total += weight
    by_player = [values[(p - position.mover) % game.players] for p in range(game.players)]
    return list(weights / total), by_player


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
    if game.players > 2 and settings["rule"] == "pluska":
        with pytest.raises(ValueError, match="two players"):
            new_search(position, "uniform", settings)
        return
    if settings["rule"] in ("uct", "pluska"):
        with pytest.raises(ValueError, match="no use of a network"):
            new_search(position, "network", settings)
        return
    for seed in (1, 2):
        search = new_search(position, "network", settings, seed=seed)
        search.begin(50)
        run_network([search], game)
        twin = NaiveSearch(evaluate, Random(seed), **settings)
        root = twin.search(position, 50)
        dump = search.dump()
        assert assert_same(dump, 0, root) == len(dump["nodes"]) > 20
        assert sum(m.visits for m in search.root_moves()) == 50 == search.simulations


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: "-".join(map(str, s.values())))
@pytest.mark.parametrize("name", [n for n in POSITIONS if n != "star-37-3p"])
def test_late_nodes_change_nothing(name: str, settings: dict) -> None:
    """The core's own evaluators make nodes at the second visit; statistics must not differ."""
    position = start(name)

    def uniform(position: halma.Position, *context: object) -> tuple[list[float], list[float]]:
        number = len(position.legal_moves)
        return [1 / number] * number, [0.5, 0.5]

    search = new_search(position, "uniform", settings, seed=5)
    search.run(150)
    root = NaiveSearch(uniform, Random(5), **settings).search(position, 150)
    found = {m.move: (m.visits, m.value) for m in search.root_moves()}
    for edge in root.edges:
        visits, value = found[edge.what.value]
        assert visits == edge.visits
        if visits:
            mean = edge.total if settings["rule"] == "pluska" else edge.total / np.float32(visits)
            assert value == pytest.approx(float(mean), abs=1e-4)


def test_batches_fill_from_many_trees_and_leaves() -> None:
    game = halma.game("rhombus-7x7-6")
    searches = [
        new_search(game.start(), "network", {"rule": "puct"}, seed=i, max_pending=4)
        for i in range(8)
    ]
    for search in searches:
        search.begin(64)
    sizes = run_network(searches, game)
    assert sizes[0] == 8 and max(sizes) == 32
    for search in searches:
        assert search.simulations == 64
        assert sum(m.visits for m in search.root_moves()) == 64
        dump = search.dump()
        # No virtual loss is left: every visit brought its value.
        for kind, _, visits, _, first, number in dump["nodes"]:
            if kind == 0:
                assert visits == 1 + sum(dump["visits"][first : first + number])


def test_misuse_is_said() -> None:
    game = halma.game("ewn-3x3-3")
    search = _core.Search(game.core, core_options(), "network")
    with pytest.raises(ValueError, match="not begun"):
        search.root_moves()
    with pytest.raises(ValueError, match="player is to move"):
        search.set_record(halma.Record(game).core)
    with pytest.raises(ValueError, match="another game"):
        search.set_record(halma.Record(halma.game("draughts-8x8")).core)
    with pytest.raises(ValueError, match="no record"):
        search.begin(5)
    with pytest.raises(ValueError, match="no record"):
        _core.Search(game.core, core_options(), "uniform").run(10)
    search.set_record(halma.Record(game, start("ewn-3x3-3")).core)
    search.begin(5)
    with pytest.raises(ValueError, match="wrong shape"):
        _core.collect([search], np.zeros((4, 1, 1, 1), np.float32))
    planes = np.zeros((4, *game.shape), np.float32)
    assert _core.collect([search], planes) == 1
    with pytest.raises(ValueError, match="still pending"):
        _core.collect([search], planes)
    with pytest.raises(ValueError, match="leaves x actions"):
        _core.submit([search], np.zeros((1, 3), np.float32), np.zeros((1, 2), np.float32))
    with pytest.raises(ValueError, match="from outside"):
        search.run(10)
    with pytest.raises(ValueError, match="'evaluator' cannot be 'guess'"):
        _core.Search(game.core, core_options(), "guess")
    with pytest.raises(ValueError, match="'rule' cannot be 'best': it is one of puct, uct"):
        core_options(rule="best")
    with pytest.raises(ValueError, match="'c' cannot be -1: it is a number from 0 to 1000"):
        core_options(c=-1.0)


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
        search = new_search(position, settings={"rule": "uct", "c": 0.7}, seed=tried)
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
@pytest.mark.parametrize("rule", ["uct", "puct", "gumbel", "rpo"])
def test_proofs_are_true(name: str, rule: str) -> None:
    # Positions recur on the rhombus, so its exact values come from retrograde analysis.
    core = halma.game(name).core
    cyclic = name.startswith("rhombus")
    table = solve(core)[0] if cyclic else {}
    proven = 0
    for position in sampled(name, 60, 5):
        limits = "first-repetition" if cyclic else "game"
        settings = {"rule": rule, "solver": True, "limits": limits}
        search = new_search(position, settings=settings, seed=1)
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


def test_the_first_repetition_can_end_lines() -> None:
    """A path back to a position of the same path, or of the game so far, ends there."""
    game = halma.game("rhombus-4x4-3")
    record = halma.Record(game)
    record.play("a2-a3")
    record.play("d3-d2")

    def line_ends(limits: str) -> int:
        options = core_options(rule="uct", c=5.0, limits=limits)
        search = _core.Search(game.core, options, "rollout", seed=1)
        search.set_record(record.core)
        search.run(3000)
        return sum(child == 0xFFFFFFFD for child in search.dump()["child"])

    assert line_ends("first-repetition") > 0
    assert line_ends("rules") == line_ends("game") == 0


def test_noise_and_priors_at_the_root() -> None:
    game = halma.game("rhombus-7x7-6")
    settings = {"rule": "puct", "dirichlet_weight": 0.25, "dirichlet_alpha": 0.3}
    sums, spread = [], []
    for seed in range(200):
        search = new_search(game.start(), "uniform", settings, seed=seed)
        search.run(1)
        priors = [m.prior for m in search.root_moves()]
        sums.append(sum(priors))
        spread.append(np.var([(p - 0.75 / 10) / 0.25 for p in priors]))
    assert np.allclose(sums, 1, atol=1e-5)
    # A Dirichlet's components have variance m (1 - m) / (n alpha + 1) around m = 1 / n.
    assert np.mean(spread) == pytest.approx(0.1 * 0.9 / (10 * 0.3 + 1), rel=0.15)


def test_a_tree_can_be_kept() -> None:
    position = start("ewn-3x3-3")
    game = position.game
    record = halma.Record(game, position)
    settings = {"rule": "uct", "c": 1.0}
    search = _core.Search(game.core, core_options(**settings), "rollout", seed=1, reuse=True)
    search.set_record(record.core)
    search.run(5000)
    best = position.legal_moves[search.best()]
    dump = search.dump()
    record.play(best)
    record.resolve(next(o for o in record.position.outcomes if o.text == "1"))
    search.set_record(record.core)
    search.run(1)
    assert search.simulations > 500
    kept = search.dump()
    assert len(kept["nodes"]) < len(dump["nodes"])
    visits = [m.visits for m in search.root_moves()]
    assert sum(visits) == search.simulations
    search.run(search.simulations + 1000)
    assert sum(m.visits for m in search.root_moves()) == sum(visits) + 1000
    # Another game: the tree starts anew.
    search.set_record(halma.Record(game, game.position("1../.../..a r 1")).core)
    search.run(1)
    assert search.simulations == 1


def test_time_is_a_limit() -> None:
    game = halma.game("star-121-2p")
    search = new_search(game.start(), seed=1)
    search.run(seconds=0.05)
    assert 0 < search.simulations < 10**6


def test_same_seed_same_tree() -> None:
    position = start("cdc-2x4-PPPP")
    dumps = []
    for _ in range(2):
        search = new_search(position, settings={"rule": "uct"}, seed=9)
        search.run(500)
        dumps.append(search.dump())
    assert dumps[0] == dumps[1]


def test_threads_change_nothing() -> None:
    def searched(threads: int) -> list[dict]:
        searches = []
        for seed, name in enumerate([*POSITIONS, *POSITIONS]):
            position = start(name)
            searches.append(new_search(position, settings={"rule": "uct", "c": 1.4}, seed=seed))
        _core.run_many(searches, 300, threads=threads)
        return [search.dump() for search in searches]

    assert searched(1) == searched(4)
    with pytest.raises(ValueError, match="from 1 to 1024, not 0"):
        searched(0)


def test_searches_of_a_python_game_share_threads() -> None:
    """Such a game takes the interpreter's lock for every call, and gets it."""
    game = halma.game("frogs-3-2")
    searches = []
    for seed in range(4):
        searches.append(new_search(game.start(), seed=seed))
    _core.run_many(searches, 50, threads=2)
    assert [search.simulations for search in searches] == [50] * 4
    with pytest.raises(ValueError, match="only once"):
        _core.run_many([searches[0], searches[0]], 60)


def test_a_linear_evaluator_needs_features() -> None:
    options = core_options()
    with pytest.raises(ValueError, match="no features"):
        _core.Search(halma.game("frogs-3-2").core, options, "linear")
    with pytest.raises(ValueError, match="has 3 features"):
        _core.Search(halma.game("draughts-8x8").core, options, "linear", weights=[1.0])
    search = new_search(start("draughts-8x8"), "linear", seed=1)
    search.run(500)
    assert 0 < search.root_value < 1


def test_a_linear_evaluator_takes_partners_for_one_side() -> None:
    game = halma.game("star-73-4p:teams=opposite")
    core, weights = game.core, np.array(_core.default_weights(game.core))
    state = core.sample_states(core.initial(), 1, 3, 40)[0].tobytes()
    position = halma.Position(game, state)
    search = new_search(position, "linear", {"rule": "uct"}, seed=1)
    search.run(len(position.legal_moves))
    for found in search.root_moves():
        assert found.visits == 1
        child = core.play(state, found.move)
        scores = [weights @ _core.features(core, child, player) for player in range(4)]
        sides = np.array([scores[0] + scores[2], scores[1] + scores[3]]) / 2
        odds = np.exp(1.5 / 36 * (sides - sides.max()))
        assert found.value == pytest.approx((odds / odds.sum())[position.mover % 2], rel=1e-4)


def test_options_that_do_not_fit_a_game_are_said() -> None:
    from halma.errors import OptionError
    from halma.search import TreeSearch

    with pytest.raises(OptionError, match="'frogs-3-2': This game has no features"):
        TreeSearch(halma.game("frogs-3-2"), evaluator="linear")
