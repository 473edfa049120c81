"""The Python face of tree search: what it reports, what it keeps, what it refuses."""

import random

import numpy as np
import pytest

import halma
from halma import _core
from halma.errors import ArgumentError, ChanceError, GameOverError, OptionError
from halma.search import TreeSearch, search_options
from halma.search.evaluator import FunctionEvaluator

MIDDLE = "12./3.a/.cb r 2"


def tree_search(game, seed=0, evaluator="rollout", reuse=False, oracle=None, **options):
    """A search with UCT unless another rule is among the options."""
    options = search_options(game, **{"rule": "uct", **options})
    return TreeSearch(game, options, evaluator=evaluator, seed=seed, reuse=reuse, oracle=oracle)


def ewn(text=MIDDLE):
    return halma.game("ewn-3x3-3").position(text)


def opened(variant, seed=0, plies=0):
    """A record with its set-up drawn and some random moves made."""
    record, rng = halma.Record(halma.game(variant)), random.Random(seed)
    record.roll(rng)
    for _ in range(plies):
        record.play(rng.choice(record.position.legal_moves))
        record.roll(rng)
    return record


@pytest.mark.parametrize("rule", ["uct", "puct", "gumbel", "pluska"])
def test_a_report_covers_every_move(rule):
    position = ewn()
    search = tree_search(position.game, rule=rule, seed=1)
    found = search.search(position, simulations=400)
    assert {report.move for report in found.moves} == set(position.legal_moves)
    # The best child's value makes a maximum of single random games: too rough here.
    assert found.best.text == "b1-c2" or rule == "pluska"
    assert found.simulations == 400
    assert sum(report.visits for report in found.moves) == 400
    assert sum(report.prior for report in found.moves) == pytest.approx(1)
    assert sum(report.policy for report in found.moves) == pytest.approx(1)
    assert found.value == found.moves[0].value
    assert all(0 <= report.value <= 1 for report in found.moves)
    assert all(report.line[0] == report.move.text for report in found.moves)


def test_moves_stand_in_order():
    found = TreeSearch(ewn().game).search(ewn(), simulations=300)
    visits = [report.visits for report in found.moves]
    assert visits == sorted(visits, reverse=True)


def test_a_line_can_be_played():
    record = opened("rhombus-5x5-3", plies=4)
    found = tree_search(record.game, rule="puct", evaluator="linear").search(
        record, simulations=2000
    )
    assert max(len(report.line) for report in found.moves) > 2
    for report in found.moves:
        position = record.position
        for text in report.line:
            position = position.play(text)


def test_moves_that_were_never_tried_have_no_value():
    found = TreeSearch(ewn().game).search(ewn(), simulations=1)
    assert [report.visits for report in found.moves] == [1, 0, 0]
    assert [report.value is None for report in found.moves] == [False, True, True]


def test_the_same_seed_gives_the_same_search():
    def once(seed):
        search = tree_search(ewn().game, rule="puct", dirichlet_weight=0.25, seed=seed)
        return search.search(ewn(), simulations=500).as_dict()

    assert once(3) == once(3)
    assert once(3) != once(4)


def test_noise_changes_priors():
    plain = tree_search(ewn().game, rule="puct").search(ewn(), simulations=1)
    noisy = tree_search(ewn().game, rule="puct", dirichlet_weight=0.5).search(ewn(), simulations=1)
    assert [report.prior for report in plain.moves] == pytest.approx([1 / 3] * 3)
    assert len({report.prior for report in noisy.moves}) == 3


def test_a_wide_root_gives_every_move_its_part():
    game = halma.game("rhombus-4x4-3")
    position = game.start()
    favourite = position.legal_moves[0]

    def look(planes):
        # All priors for one move, and values that depend on the position somehow.
        logits = np.full((len(planes), game.actions), -60, np.float32)
        logits[:, game.core.action(position.state, favourite.value)] = 0
        cells = planes.reshape(len(planes), -1)
        values = 0.5 + 0.4 * np.sin(cells @ np.arange(cells.shape[1]))
        return logits, np.stack([values, 1 - values], 1).astype(np.float32)

    def search(wide_root, simulations):
        evaluator = FunctionEvaluator(game.shape, look)
        found = tree_search(game, rule="puct", evaluator=evaluator, wide_root=wide_root)
        return found.search(position, simulations=simulations)

    others = len(position.legal_moves) - 1
    narrow, wide = (search(share, 600) for share in (0.0, 0.2))
    assert [report.visits for report in narrow.moves] == [600, *[0] * others]
    least = 0.2 * 600 / (others + 1)
    assert wide.best == narrow.best == favourite
    assert all(least - 1 <= report.visits <= least + 1 for report in wide.moves[1:])
    assert wide.value == wide.moves[0].value
    # Others have about as many visits, and stand in the order of their values.
    values = [report.value for report in wide.moves[1:]]
    assert values == sorted(values, reverse=True) and len(set(values)) > 1
    # Every move has a value at once.
    assert all(report.visits == 1 for report in search(0.2, others + 1).moves)


def test_the_solver_proves():
    # Red's 2 steps into the far corner.
    position = ewn(".../.2./.a. r 2")
    found = tree_search(position.game, solver=True).search(position, simulations=1000)
    assert (found.best.text, found.moves[0].proof, found.value) == ("b2-c3", "win", 1.0)
    assert found.simulations < 1000


def test_a_limit_of_time():
    found = TreeSearch(ewn().game).search(ewn(), seconds=0.02)
    assert found.simulations > 100
    assert 0.01 < found.seconds < 2


def test_reuse_keeps_visits():
    record = opened("rhombus-5x5-3")
    search = TreeSearch(record.game, reuse=True)
    first = search.search(record, simulations=3000)
    record.play(first.best)
    reply = search.search(record, simulations=1)
    # The move's node has all the simulations that went through its edge but the first,
    # which made the node.
    assert first.moves[0].visits - 1 <= reply.simulations <= first.moves[0].visits
    assert reply.simulations > 100
    assert reply.position == record.position


def test_reuse_goes_on_through_several_moves_and_dice():
    record = opened("ewn-5x5-6")
    rng = random.Random(1)
    search = TreeSearch(record.game, reuse=True)
    visited = search.search(record, simulations=50_000).moves[0].visits
    for _ in range(2):
        record.play(record.position.legal_moves[0])
        record.roll(rng)
    kept = search.search(record, simulations=1)
    assert 10 < kept.simulations < visited
    assert {report.move for report in kept.moves} == set(record.position.legal_moves)


def test_without_reuse_every_search_starts_anew():
    record = opened("rhombus-5x5-3")
    search = TreeSearch(record.game)
    record.play(search.search(record, simulations=3000).best)
    assert search.search(record, simulations=1).simulations == 1


def test_a_tree_is_not_kept_for_another_record_or_after_an_undo():
    record = opened("rhombus-5x5-3", plies=2)
    search = TreeSearch(record.game, reuse=True)
    search.search(record, simulations=3000)
    other = opened("rhombus-5x5-3", seed=3, plies=2)
    assert search.search(other, simulations=7).simulations == 7
    search.search(record, simulations=3000)
    record.play(record.position.legal_moves[0])
    search.search(record, simulations=10)
    record.undo()
    assert search.search(record, simulations=7).simulations == 7


def test_the_first_repetition_of_the_game_so_far_ends_a_line():
    """A move back to where the game has been is worth what a stopped game gives: a draw."""
    game = halma.game("rhombus-4x4-3")
    record = halma.Record(game)
    for text in ("a2-a3", "c4-c3", "a3-a2"):
        record.play(text)
    back = next(m for m in record.position.legal_moves if m.text == "c3-c4")

    def value(at):
        search = tree_search(game, evaluator="linear", limits="first-repetition")
        moves = search.search(at, simulations=400).moves
        return next(report.value for report in moves if report.move == back)

    assert value(record) == 0.5
    assert value(record.position) != 0.5  # a position alone has no past


@pytest.mark.parametrize(
    ("options", "limits", "words"),
    [
        ({}, {}, "needs a limit"),
        ({"rule": "gumbel"}, {"seconds": 1.0}, "needs a number of them"),
    ],
)
def test_impossible_limits_are_sentences(options, limits, words):
    with pytest.raises(OptionError, match=words):
        tree_search(ewn().game, **options).search(ewn(), **limits)


@pytest.mark.parametrize("options", [{"rule": "pluska"}, {"solver": True}])
def test_what_is_for_two_players_only(options):
    with pytest.raises(OptionError, match="for two players, and 'star-37-3p' has 3"):
        tree_search(halma.game("star-37-3p"), **options)


def test_nothing_to_search():
    game = halma.game("ewn-3x3-3")
    with pytest.raises(ChanceError, match="not at chance"):
        TreeSearch(game).search(game.start(), simulations=1)
    with pytest.raises(GameOverError, match="the game is over"):
        TreeSearch(game).search(game.position(".../.../a.1 b -"), simulations=1)


def test_every_player_has_a_value():
    """The first player's best move ends a game that the third has won: 1, 0 and 3 points."""
    rules = halma.game("star-37-3p")
    position = rules.position("1/11/...11../..1.../3..../33.222/333.222/../. 1 --1")
    found = tree_search(rules, evaluator="linear").search(position, simulations=400)
    assert found.best.text == "e6-e7"
    assert found.values == pytest.approx((1 / 3, 0.0, 1.0))
    assert found.as_dict()["values"] == list(found.values)
    # With two sides one value tells both.
    found = tree_search(ewn().game).search(ewn(), simulations=50)
    assert found.values[ewn().mover] == found.value
    assert sum(found.values) == pytest.approx(1)


def test_players_of_whom_the_tree_tells_too_little_have_no_value():
    found = tree_search(halma.game("star-121-6p"), evaluator="linear").search(
        halma.game("star-121-6p").start(), simulations=50
    )
    assert found.value is not None and found.values is None


def test_values_after_a_move_are_those_of_the_tree_that_was_searched():
    record = opened("star-37-3p")
    options = search_options(record.game, rule="uct")
    core = _core.Search(record.game.core, options, "linear", reuse=True)
    core.set_record(record.core)
    core.run(simulations=500)
    best = core.best()
    values = core.values_after(best)
    assert sum(values) == pytest.approx(1, abs=0.05)
    for outside in (-1, 1000):
        with pytest.raises(ArgumentError):
            core.values_after(outside)
    record.play(record.position.legal_moves[0])
    core.set_record(record.core)
    assert core.values_after(best) == values
