"""The rule `expansion`: pluska2022's search against its naive twin, and what it refuses."""

import random

import numpy as np
import pytest
from reference.expansion import NaiveExpansionSearch

import halma
from halma import Record, _core
from halma.agents import agent
from halma.errors import OptionError
from halma.search import TreeSearch, search_options
from halma.search.evaluator import FunctionEvaluator
from halma.selfplay import Pool, selfplay_options

DRAUGHTS = halma.game("draughts-8x8:pluska2022")


def wave(planes):
    """Return values that depend on planes in an arbitrary way: (n, 2)."""
    weights = np.random.default_rng(3).normal(size=planes[0].size).astype(np.float32)
    flat = planes.reshape(len(planes), -1).astype(np.float64)
    own = (0.5 + 0.45 * np.sin(flat @ weights)).astype(np.float32)
    return np.stack([own, 1 - own], 1)


def wave_evaluator(game):
    return FunctionEvaluator(
        game.shape, lambda planes: (np.zeros((len(planes), game.actions), np.float32), wave(planes))
    )


def expansion_search(game, evaluator, **options):
    return TreeSearch(game, search_options(game, rule="expansion", **options), evaluator=evaluator)


def played(game, plies, seed):
    record, rng = Record(game), random.Random(seed)
    while record.plies < plies and not record.is_over:
        record.play(rng.choice(record.position.legal_moves))
    return record


@pytest.mark.parametrize(("plies", "expansions"), [(0, 1), (0, 60), (9, 40), (30, 80), (60, 120)])
def test_the_search_is_that_of_its_naive_twin(plies, expansions):
    for seed in range(3):
        record = played(DRAUGHTS, plies, seed)
        if record.is_over:
            continue
        naive = NaiveExpansionSearch(
            lambda position: float(wave(Record(DRAUGHTS, position).encode()[None])[0, 0])
        )
        root = naive.search(record, expansions)
        found = expansion_search(DRAUGHTS, wave_evaluator(DRAUGHTS)).search(record, expansions)
        reports = {report.move: report for report in found.moves}
        wanted = [naive.seen_from(root, child) for child in root.children]
        for move, child, value in zip(
            record.position.legal_moves, root.children, wanted, strict=True
        ):
            assert reports[move].visits == child.expansions
            assert reports[move].value == pytest.approx(float(value), abs=1e-5)
        assert found.best == record.position.legal_moves[int(np.argmax(wanted))]
        assert found.value == pytest.approx(float(root.value), abs=1e-5)
        assert found.simulations == expansions


def test_captures_are_followed_to_quiet_positions():
    # 11-15 gives a man away: white takes it, and no evaluation sees the board before that.
    record = Record(DRAUGHTS, DRAUGHTS.position("B:W18,19:B4,11"))
    seen = []

    def look(planes):
        seen.extend(planes.copy())
        return np.zeros((len(planes), DRAUGHTS.actions), np.float32), wave(planes)

    evaluator = FunctionEvaluator(DRAUGHTS.shape, look)
    expansion_search(DRAUGHTS, evaluator).search(record, 1)
    pieces = [int(one[:4].sum()) for one in seen]
    assert 3 in pieces and len(seen) > len(record.position.legal_moves) - 1


def test_results_do_not_depend_on_how_many_leaves_are_pending():
    record = played(DRAUGHTS, 12, seed=5)
    evaluator = wave_evaluator(DRAUGHTS)
    dumps = []
    for pending in (1, 3, 64):
        options = search_options(DRAUGHTS, rule="expansion")
        search = _core.Search(DRAUGHTS.core, options, "network", seed=1, max_pending=pending)
        search.set_record(record.core)
        search.begin(50)
        planes = np.zeros((64, *DRAUGHTS.shape), np.float32)
        while rows := _core.collect([search], planes):
            _core.submit([search], *evaluator.evaluate(planes[:rows]))
        dumps.append(search.dump())
    assert dumps[0] == dumps[1] == dumps[2]


def test_outcomes_of_chance_are_averaged():
    game = halma.game("ewn-3x3-3")
    position = game.position("12./3.a/.cb r 2")
    weights, scale = _core.default_weights(game.core), _core.default_scale(game.core)

    def own_share(at, player):
        leads = [
            scale * np.dot(weights, _core.features(game.core, at.state, who)) for who in range(2)
        ]
        return float(np.exp(leads[player]) / np.exp(leads).sum())

    def value(after):
        if after.is_terminal:
            return after.result[position.mover]
        return sum(
            o.probability * own_share(after.resolve(o), position.mover) for o in after.outcomes
        )

    found = expansion_search(game, "linear").search(position, 1)
    for report in found.moves:
        assert report.value == pytest.approx(value(position.play(report.move)), abs=1e-5)
    # Deeper expansions go on through chance.
    assert 0 <= expansion_search(game, "linear").search(position, 300).value <= 1


def test_a_limit_of_time_and_core_evaluators():
    record = played(DRAUGHTS, 6, seed=2)
    found = expansion_search(DRAUGHTS, "linear").search(record, seconds=0.02)
    assert found.simulations >= 1
    assert all(report.value is not None for report in found.moves)
    network = expansion_search(DRAUGHTS, wave_evaluator(DRAUGHTS)).search(record, seconds=0.02)
    assert network.simulations >= 1
    # A tree whose lines all end is searched no further, whatever the limits.
    lost = Record(DRAUGHTS, DRAUGHTS.position("W:W14:B1,2,5,6"))
    for evaluator in ("linear", wave_evaluator(DRAUGHTS)):
        assert expansion_search(DRAUGHTS, evaluator).search(lost, seconds=5).seconds < 4


def test_it_is_an_agent():
    chosen = agent("mcts:sims=30,rule=expansion,evaluator=linear")
    record = Record(DRAUGHTS, DRAUGHTS.position("B:W14:B9,1"))
    assert "x" in chosen.choose(record, random.Random(0)).text


def test_what_it_refuses():
    for options in ({"solver": True},):
        with pytest.raises(OptionError, match="no proofs"):
            expansion_search(DRAUGHTS, "linear", **options)
    with pytest.raises(OptionError, match="two players"):
        search_options(halma.game("star-37-3p"), rule="expansion")


def test_self_play_with_it_gives_values_of_the_best_move():
    options = selfplay_options(
        DRAUGHTS, {"rule": "expansion"}, simulations=5, max_pending=8, random_plies_max=4
    )
    pool = Pool(DRAUGHTS, options, [wave_evaluator(DRAUGHTS)], slots=4, games=4, seed=1)
    games = pool.play()
    assert games.fault(DRAUGHTS) == ""
    searched = games.choices == _core.Choice.FULL.value
    assert (games.simulations[searched] == 5).all()
    row = int(np.flatnonzero(searched)[0])
    start = int(games.row_offsets[np.searchsorted(games.row_offsets, row, side="right") - 1])
    record = Record(DRAUGHTS, DRAUGHTS.start())
    for move in games.moves[start:row]:
        record.core.play(int(move))
    found = expansion_search(DRAUGHTS, wave_evaluator(DRAUGHTS)).search(record, 5)
    assert games.values[row] == pytest.approx(found.value, abs=1e-6)
    assert games.moves[row] == found.best.value
