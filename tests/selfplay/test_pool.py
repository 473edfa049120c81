"""Self-play: what the games are, whoever plays them and however many at a time."""

from __future__ import annotations

import numpy as np
import pytest
from small_pools import (
    GUMBEL,
    NAMES,
    SMALL,
    by_number,
    each_game,
    made_up,
    make_pool,
    replace,
    short,
)

import halma
from halma import _core
from halma.errors import ArgumentError, OptionError
from halma.networks import FunctionEvaluator
from halma.search import search_options
from halma.search.evaluator import CallbackBuffer
from halma.selfplay import Pool, selfplay_options


@pytest.mark.parametrize("name", NAMES)
def test_games_do_not_depend_on_threads_groups_or_slots(name: str) -> None:
    game = halma.game(name)
    plans = ((1, 1, 5), (2, 2, 5), (3, 2, 4), (1, 3, 7))
    results = [
        by_number(
            make_pool(
                game,
                replace(SMALL, simulations=6, random_plies_min=0, random_plies_max=3),
                slots=slots,
                groups=groups,
                threads=threads,
                seed=3,
                games=10,
                limits=short(game, 24),
            ).play()
        )
        for threads, groups, slots in plans
    ]
    assert sorted(results[0]) == list(range(10))
    assert all(result == results[0] for result in results[1:])
    assert len({str(g["events"]) for g in results[0].values()}) > 5


def test_another_seed_gives_other_games() -> None:
    game = halma.game("rhombus-4x4-3")
    limits = short(game, 12)
    first, second = (
        by_number(make_pool(game, slots=3, seed=seed, games=4, limits=limits).play())
        for seed in (1, 2)
    )
    assert first != second


def test_games_can_be_numbered_from_anywhere() -> None:
    """What game 7 is does not depend on where a pool begins."""
    game = halma.game("ewn-3x3-3")
    whole = by_number(make_pool(game, slots=4, seed=5, games=9).play())
    part = by_number(make_pool(game, slots=2, seed=5, first=6, games=3).play())
    assert part == {n: whole[n] for n in (6, 7, 8)}


@pytest.mark.parametrize("name", NAMES)
def test_games_are_those_of_the_record(name: str) -> None:
    """Replayed move by move, every row, end, score and outcome is what a record says."""
    game = halma.game(name)
    limits = short(game)
    options = replace(SMALL, random_plies_min=2, random_plies_max=2)
    games = make_pool(game, options, slots=4, threads=2, seed=7, games=8, limits=limits).play()
    assert len(games) == 8
    assert games.encode(game, np.arange(len(games.moves))).shape == (len(games.moves), *game.shape)
    for i, rows in each_game(games):
        record = _core.Record(game.core, limits, game.core.initial())
        row = rows.start
        for chance, value in games.events(i):
            assert record.end == _core.End.NONE
            if chance:
                assert value in [outcome for outcome, _ in game.core.outcomes(record.state())]
                record.resolve(value)
                continue
            state = record.state()
            assert games.states[row].tobytes() == state
            assert games.moves[row] == value
            assert value in game.core.legal(state)
            assert games.movers[row] == game.core.mover(state)
            assert games.plies[row] == record.plies == row - rows.start
            assert games.repetitions[row] == record.repetitions
            if limits.no_progress:
                share = record.halfmove_clock / limits.no_progress
                assert games.no_progress[row] == pytest.approx(share, abs=1e-6)
            np.testing.assert_array_equal(games.encode(game, np.array([row]))[0], record.encode())
            record.play(value)
            row += 1
        assert row == rows.stop
        assert int(record.end.value) == games.ends[i] != _core.End.NONE.value
        assert record.plies == games.lengths[i]
        scores = np.array(game.core.result(record.state())) / game.core.max_score
        np.testing.assert_allclose(games.scores[i], scores)
        for row in range(rows.start, rows.stop):
            np.testing.assert_allclose(
                games.outcomes[row], np.roll(scores, -int(games.movers[row]))
            )
    random = games.choices == _core.Choice.RANDOM.value
    assert np.array_equal(random, games.plies < 2)
    assert np.array_equal(np.isnan(games.values), random)


@pytest.mark.parametrize("rule", ["puct", "gumbel"])
@pytest.mark.parametrize("name", NAMES)
def test_targets(name: str, rule: str) -> None:
    """Targets are distributions over legal moves; PUCT's are visits of all simulations."""
    game = halma.game(name)
    options = replace(SMALL, search={"rule": rule}, simulations=10)
    games = make_pool(game, options, slots=4, seed=1, games=6, limits=short(game, 16)).play()
    assert (games.choices == _core.Choice.FULL.value).all()
    assert (games.simulations == 10).all()
    for row in range(len(games.moves)):
        part = slice(games.policy_offsets[row], games.policy_offsets[row + 1])
        actions, shares = games.policy_actions[part], games.policy_weights[part]
        state = games.states[row].tobytes()
        legal = {game.core.action(state, move) for move in game.core.legal(state)}
        assert set(actions.tolist()) <= legal
        assert len(set(actions.tolist())) == len(actions) > 0
        assert shares.sum() == pytest.approx(1, abs=1e-5)
        assert game.core.action(state, int(games.moves[row])) in actions
        if rule == "puct":
            visits = shares * 10
            np.testing.assert_allclose(visits, np.round(visits), atol=1e-5)
        else:
            assert len(actions) == len(legal)


@pytest.mark.parametrize(
    "name", ["rhombus-4x4-3", "rhombus-4x4-3:view=ids", "star-37-3p", "draughts-8x8"]
)
def test_without_noise_it_plays_what_a_single_tree_plays(name: str) -> None:
    game = halma.game(name)
    search = {"rule": "puct", "c": 1.5}
    options = {"search": search, "simulations": 20, "temperatures": [(0, 0.0)]}
    limits = short(game, 20)
    games = make_pool(game, options, slots=2, games=1, limits=limits).play()
    planes = np.zeros((1, *game.shape), np.float32)
    record = _core.Record(game.core, limits, game.core.initial())
    single = _core.Search(game.core, search_options(game, **search), "network")
    for row, (_, move) in enumerate(games.events(0)):
        single.set_record(record)
        single.begin(20)
        while _core.collect([single], planes):
            _core.submit([single], *made_up(game, planes))
        assert game.core.legal(record.state())[single.best()] == move
        assert single.root_value == pytest.approx(games.values[row], abs=1e-4)
        record.play(move)
    assert record.end != _core.End.NONE


def halved(game: halma.Game, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    logits, values = made_up(game, planes)
    return logits.astype(np.float16), values


def test_bytes_and_halves_say_the_same() -> None:
    game = halma.game("rhombus-4x4-3:view=ids")
    plans = (("float32", False), ("uint8", False), ("float32", True))
    found = []
    for dtype, half in plans:
        options, limits = replace(SMALL, simulations=6), short(game, 16)
        function = halved if half else made_up
        pool = make_pool(
            game, options, function=function, dtype=dtype, slots=2, games=2, limits=limits
        )
        games = pool.play()
        found.append([games.events(i) for i in range(len(games))])
    assert found[0] == found[1]
    assert len(found[2]) == 2
    assert halma.game("ewn-3x3-3").core.byte_planes
    with pytest.raises(ValueError, match="no byte planes"):
        make_pool(halma.game("cdc-2x4-PPPP"), dtype="uint8", slots=2, games=2).play()


def test_halves_are_read_exactly() -> None:
    """The policy of a single simulation is the softmax of the logits, whatever their type."""
    game = halma.game("rhombus-4x4-3")
    options = {"search": GUMBEL, "simulations": 1}
    row = np.resize(np.array([0, -0.0, 6e-8, -6e-5, 1e-3, 0.333, -2.5, 11.0]), (1, game.actions))
    shares = []
    for dtype in (np.float16, np.float32):
        logits = row.astype(np.float16).astype(dtype)
        output = (logits, np.full((1, 2), 0.5, dtype))
        evaluator = FunctionEvaluator(game.shape, lambda planes, output=output: output)
        pool = Pool(
            game,
            selfplay_options(game, **options),
            [evaluator],
            slots=1,
            games=1,
            limits=short(game, 1),
        )
        shares.append(pool.play().policy_weights)
    np.testing.assert_array_equal(*shares)


class GatheringBuffer(CallbackBuffer):
    """Returns probabilities of the legal moves that the pool lists, as a GPU does."""

    def __init__(self, game: halma.Game, capacity: int) -> None:
        super().__init__(lambda planes: made_up(game, planes), (capacity, *game.shape))
        self.legal = np.zeros((capacity, 1 + game.core.max_moves), np.uint16)

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        logits, values = super().finish()
        policy = np.zeros((len(logits), self.legal.shape[1] - 1), np.float32)
        for row, (number, *actions) in enumerate(self.legal[: len(logits)]):
            chosen = logits[row, actions[:number]]
            policy[row, :number] = np.exp(chosen - chosen.max())
            policy[row, :number] /= policy[row, :number].sum()
        return policy, values


class GatheringEvaluator(FunctionEvaluator):
    def __init__(self, game: halma.Game) -> None:
        super().__init__(game.shape, lambda planes: made_up(game, planes))
        self.game = game

    def buffer(self, capacity: int, narrow: bool = False) -> GatheringBuffer:
        return GatheringBuffer(self.game, capacity)


@pytest.mark.parametrize("max_pending", [1, 3])
@pytest.mark.parametrize("name", NAMES)
def test_policies_of_legal_moves_say_the_same(name: str, max_pending: int) -> None:
    """Slots without a leaf leave gaps, which the rows of legal moves close like planes."""
    game = halma.game(name)
    options = selfplay_options(game, **replace(SMALL, simulations=8, max_pending=max_pending))
    found = []
    for evaluator in (
        FunctionEvaluator(game.shape, lambda planes: made_up(game, planes)),
        GatheringEvaluator(game),
    ):
        pool = Pool(
            game, options, [evaluator] * 2, slots=6, games=9, limits=short(game, 24), threads=2
        )
        games = pool.play()
        found.append([games.events(i) for i in range(len(games))])
        assert len(games) == 9
    # Roundings of the softmax may differ in the last digit, which hardly ever decides a move.
    assert sum(a == b for a, b in zip(*found, strict=True)) >= 8


@pytest.mark.parametrize("name", [*NAMES, "rhombus-7x7-6", "star-121-2p"])
def test_no_position_has_more_legal_moves_than_the_bound(name: str) -> None:
    game = halma.game(name)
    states = game.core.sample_states(game.core.initial(), 500, seed=1, ply_limit=200)
    most = max(len(game.core.legal(state.tobytes())) for state in states)
    assert 0 < most <= game.core.max_moves <= 512


def test_several_leaves_of_a_tree() -> None:
    game = halma.game("rhombus-4x4-3")
    options = replace(SMALL, simulations=20, max_pending=4)
    pool = make_pool(game, options, slots=3, groups=1, seed=1, games=3, limits=short(game, 8))
    assert len(pool.buffers[0].planes) == 12
    games = pool.play()
    assert (games.simulations == 20).all()
    assert by_number(
        make_pool(game, options, slots=3, threads=3, seed=1, games=3, limits=short(game, 8)).play()
    )


def test_reused_trees_need_fewer_leaves() -> None:
    game = halma.game("rhombus-4x4-3")
    leaves = {}
    for reuse in (False, True):
        options = replace(SMALL, simulations=40, reuse=reuse, temperatures=((0, 0.0),))
        options["cache_evaluations"] = False
        pool = make_pool(game, options, slots=2, seed=1, games=4, limits=short(game, 20))
        games = pool.play()
        assert (games.simulations >= 40).all()
        leaves[reuse] = pool.totals["leaves"] / len(games.moves)
    assert leaves[True] < 0.9 * leaves[False]
    with pytest.raises(OptionError, match="new tree at every move"):
        make_pool(game, replace(SMALL, search=GUMBEL, reuse=True), slots=2)


@pytest.mark.parametrize("name", ["ewn-3x3-3", "cdc-2x4-PPPP", "star-37-3p"])
def test_reuse_with_chance_and_three_players(name: str) -> None:
    game = halma.game(name)
    options = replace(SMALL, reuse=True)
    runs = [
        by_number(
            make_pool(
                game, options, slots=3, threads=t, seed=2, games=4, limits=short(game, 30)
            ).play()
        )
        for t in (1, 2)
    ]
    assert runs[0] == runs[1]


def test_playout_caps() -> None:
    game = halma.game("rhombus-4x4-3")
    options = replace(SMALL, simulations=20, full_share=0.3, fast_simulations=5)
    games = make_pool(game, options, slots=4, seed=1, games=12, limits=short(game, 30)).play()
    full = games.choices == _core.Choice.FULL.value
    assert 0.2 < full.mean() < 0.4
    assert (games.simulations == np.where(full, 20, 5)).all()
    assert ((np.diff(games.policy_offsets) > 0) == full).all()


def test_temperature() -> None:
    """At temperature 0 and without noise there is one game, at 1 there are many."""
    game = halma.game("rhombus-4x4-3")
    number = {}
    for temperature in (0.0, 1.0):
        options = replace(
            SMALL, search={"rule": "puct", "c": 5.0}, temperatures=((0, temperature), (6, 0.0))
        )
        games = make_pool(game, options, slots=8, games=8, limits=short(game, 12)).play()
        number[temperature] = len({tuple(games.events(i)) for i in range(8)})
    assert number[0.0] == 1
    assert number[1.0] >= 6


def test_resigning() -> None:
    """Whoever finds itself below the threshold gives up, but not in the games played on."""
    game = halma.game("rhombus-4x4-3")
    options = replace(
        SMALL, resign_threshold=0.45, resign_consecutive=2, no_resign_share=0.5, simulations=8
    )
    pool = make_pool(game, options, slots=8, seed=1, games=40, limits=short(game, 30))
    games = pool.play()
    resigned = games.ends == _core.End.NONE.value
    due = games.resign_plies >= 0
    assert due.sum() > 30  # made-up values are often low
    assert np.array_equal(resigned, due & games.may_resign.astype(bool))
    assert 8 < resigned.sum() < 30
    for i, rows in each_game(games):
        if not due[i]:
            continue
        at = rows.start + games.resign_plies[i]
        mover = games.movers[at]
        own = [r for r in range(rows.start, at + 1) if games.movers[r] == mover]
        assert (games.values[own[-2:]] < 0.45).all()
        if resigned[i]:
            assert at == rows.stop - 1
            assert games.moves[at] == _core.NO_MOVE
            assert games.scores[i].tolist() == [float(p != mover) for p in range(2)]
        else:
            assert games.resign_wrong[i] == (games.scores[i][mover] > 0)
    totals = pool.totals
    assert totals["resigned"] == resigned.sum()
    assert totals["resigned_not"] == (due & ~resigned).sum()
    assert totals["resigned_wrong"] == games.resign_wrong.sum() > 0


def test_three_players_resign_when_one_is_left() -> None:
    game = halma.game("star-37-3p")
    options = replace(SMALL, resign_threshold=0.33, no_resign_share=0.0, simulations=8)
    games = make_pool(game, options, slots=8, seed=1, games=12, limits=short(game, 60)).play()
    resigned = games.ends == _core.End.NONE.value
    assert resigned.any()
    assert (np.sort(games.scores[resigned], axis=1) == [0, 0, 1]).all()


def test_memory_is_flat() -> None:
    game = halma.game("ewn-3x3-3")
    zeros = (np.zeros((16, game.actions), np.float32), np.full((16, 2), 0.5, np.float32))
    evaluator = FunctionEvaluator(game.shape, lambda planes: zeros)
    pool = Pool(
        game,
        selfplay_options(game, **replace(SMALL, simulations=16)),
        [evaluator],
        slots=16,
        seed=1,
    )
    seen = []
    while pool.totals["games"] < 600:
        assert len(pool.play(games=5)) >= 5
        seen.append((int(pool.totals["games"]), pool.bytes))
    early = max(size for number, size in seen if number < 200)
    late = max(size for number, size in seen if number > 400)
    assert late < 1.25 * early
    assert late < 16 * 100_000


def test_games_without_a_search_do_not_hang() -> None:
    game = halma.game("ewn-3x3-3")
    options = replace(SMALL, random_plies_min=200, random_plies_max=200)
    pool = make_pool(game, options, slots=2, groups=1)
    planes = pool.buffers[0].planes
    assert pool.core.collect(0, planes) == 0
    assert pool.core.active(0) == 2
    assert 0 < pool.core.finished <= 4


def test_it_can_be_left_and_taken_up() -> None:
    game = halma.game("ewn-3x3-3")
    whole = by_number(make_pool(game, slots=3, seed=1, games=9).play())
    pool = make_pool(game, slots=3, seed=1, games=9)
    found = {}
    while len(found) < 9:
        found |= by_number(pool.play(games=1))
    assert found == whole


def test_more_games_can_be_asked_for() -> None:
    game = halma.game("ewn-3x3-3")
    pool = make_pool(game, slots=3, seed=1, games=2)
    assert len(pool.play()) == 2
    pool.core.end = 7
    assert len(pool.play()) == 5


def test_games_written_in_python() -> None:
    game = halma.game("frogs-3-2")
    runs = [by_number(make_pool(game, slots=2, threads=t, games=3).play()) for t in (1, 2)]
    assert runs[0] == runs[1]


def test_wrong_use_is_refused() -> None:
    game = halma.game("ewn-3x3-3")
    for options, message in (
        (replace(SMALL, search={"rule": "uct"}), "no use of a network"),
        (replace(SMALL, simulations=0), "'simulations' cannot be 0"),
        (replace(SMALL, fast_simulations=0), "'fast_simulations' cannot be 0"),
        (replace(SMALL, random_plies_min=3, random_plies_max=1), "above 'random_plies_max'"),
        (replace(SMALL, resign_threshold=1.0), "'resign_threshold' cannot be 1"),
        (replace(SMALL, temperatures=((5, 1.0), (5, 0.0))), "order of plies"),
    ):
        with pytest.raises(OptionError, match=message):
            make_pool(game, options, slots=2)
    with pytest.raises(OptionError, match="at least one slot"):
        make_pool(game, slots=1, groups=2)
    pool = make_pool(game, slots=4, groups=2)
    planes = pool.buffers[0].planes
    logits, values = np.zeros((2, game.actions), np.float32), np.zeros((2, 2), np.float32)
    with pytest.raises(ArgumentError, match="no such group"):
        pool.core.collect(2, planes)
    with pytest.raises(ValueError, match="too few rows"):
        pool.core.collect(0, planes[:1])
    with pytest.raises(ValueError, match="wrong shape"):
        pool.core.collect(0, planes[:, :1].copy())
    with pytest.raises(ValueError, match="float32"):
        pool.core.collect(0, planes.astype(np.float64))
    with pytest.raises(ValueError, match="most legal moves"):
        pool.core.collect(0, planes, np.zeros((2, game.core.max_moves), np.uint16))
    assert pool.core.collect(0, planes) == 2
    with pytest.raises(ValueError, match="still pending"):
        pool.core.collect(0, planes)
    with pytest.raises(ValueError, match="leaves x actions"):
        pool.core.submit(0, logits[:1], values)
    with pytest.raises(ValueError, match="float32 or float16"):
        pool.core.submit(0, logits.astype(np.float64), values)
    with pytest.raises(RuntimeError, match="not finite"):
        pool.core.submit(0, logits * np.nan, values)
    with pytest.raises(ValueError, match="failed before"):
        pool.core.collect(0, planes)
