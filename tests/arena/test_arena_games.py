"""Games of a match: seats, openings, dice, workers."""

import itertools
import multiprocessing
from functools import partial

import pytest
from arena_helpers import register_picks

import halma
from halma.arena import Plan, make_plan, play_matches
from halma.arena.lockstep import play_match_game
from halma.arena.openings import play_opening, read_book
from halma.errors import HalmaError, WorkerError
from halma.processes import map_ordered


@pytest.fixture(autouse=True)
def _picks(monkeypatch):
    register_picks(monkeypatch)


def games_of(plan, number):
    return [play_match_game(plan, n) for n in range(number)]


def outcomes_of(variant, played):
    """Replay a game and return its chance outcomes."""
    record = halma.Record(halma.game(variant), halma.game(variant).position(played.start))
    outcomes = []
    for text in played.moves:
        if record.position.is_chance:
            outcomes.append(text)
            record.resolve(text)
        else:
            record.play(text)
    assert record.result == played.result
    assert record.plies == played.plies
    return outcomes


# Seats.


def all_seatings(plan):
    """The seatings of as many sets as it takes until they repeat."""
    return [plan.seating(number) for number in range(plan.set_size * len(plan.schedule.patterns))]


def test_two_agents_change_seats():
    assert all_seatings(Plan("", ("a", "b"), players=2)) == [(0, 1), (1, 0)]


def test_two_agents_at_three_seats_play_every_one_against_two():
    seatings = all_seatings(Plan("", ("a", "b"), players=3))
    assert sorted(seatings) == sorted(
        set(itertools.product((0, 1), repeat=3)) - {(0,) * 3, (1,) * 3}
    )
    single = [seating for seating in seatings if seating.count(0) == 1]
    double = [seating for seating in seatings if seating.count(0) == 2]
    assert len(single) == len(double) == 3


def test_three_agents_take_seats_in_every_order():
    seatings = all_seatings(Plan("", ("a", "b", "c"), players=3))
    assert sorted(seatings) == sorted(itertools.permutations(range(3)))


@pytest.mark.parametrize("players", [2, 3, 4, 6])
@pytest.mark.parametrize("agents", [2, 3, 4])
def test_every_agent_has_every_seat_once_in_every_set(players, agents):
    if agents > players:
        return
    plan = Plan("", ("abcd")[:agents], players=players)
    assert plan.set_size == agents
    seatings = all_seatings(plan)
    every = {s for s in itertools.product(range(agents), repeat=players) if len(set(s)) == agents}
    assert len(seatings) == len(every) and set(seatings) == every
    for first in range(0, len(seatings), agents):
        for seats in zip(*seatings[first : first + agents], strict=True):
            assert sorted(seats) == list(range(agents))


def test_even_seatings_come_first():
    plan = Plan("", ("a", "b"), players=6)
    assert plan.seating(0) == (0, 1, 0, 1, 0, 1)
    held = [plan.seating(number).count(0) for number in range(62)]
    assert held[:20] == [3] * 20
    assert sorted(held[-12:]) == [1] * 6 + [5] * 6


@pytest.mark.parametrize(
    ("players", "agents", "wanted", "played"),
    [(6, 2, 4, 4), (6, 2, 5, 6), (3, 2, 1, 2), (3, 3, 4, 6), (6, 6, 1, 6), (2, 2, 7, 8)],
)
def test_wanted_games_are_rounded_up_to_a_game_for_each_agent(players, agents, wanted, played):
    assert Plan("", ("abcdef")[:agents], players=players).games_for(wanted) == played


# Plans.


def test_names_are_canonical_and_defaults_filled_in():
    plan = make_plan("rhombus-7x7-6", ["greedy:stochastic", "random"])
    assert plan.agents == ("greedy:pick=stochastic", "random")
    assert plan.opening_plies == 4
    assert make_plan("star-37-3p", ["greedy", "random"]).opening_plies == 6
    assert make_plan("ewn-5x5-6", ["greedy", "random"]).opening_plies == 0
    assert make_plan("cdc-2x4-PPPP", ["random", "random"]).opening_plies == 0


@pytest.mark.parametrize(
    ("variant", "agents", "more", "words"),
    [
        ("ewn-5x5-6", ["random"], {}, "takes two agents, not 1"),
        ("ewn-5x5-6", ["random"] * 3, {}, "takes two agents, not 3"),
        ("star-37-3p", ["random"] * 4, {}, "takes 2 to 3 agents, not 4"),
        ("ewn-5x5-6", ["random", "rendom"], {}, "Did you mean 'random'"),
        ("ewn-5x5", ["random", "random"], {}, "There is no variant"),
        ("ewn-5x5-6", ["random"] * 2, {"opening_plies": 50, "max_plies": 50}, "0 to 49 plies"),
    ],
)
def test_errors_of_a_plan(variant, agents, more, words):
    with pytest.raises(HalmaError, match=words):
        make_plan(variant, agents, **more)


def test_the_identity_depends_on_every_setting():
    plan = make_plan("ewn-5x5-6", ["greedy", "random"])
    others = [
        make_plan("ewn-5x5-6", ["random", "greedy"]),
        make_plan("ewn-4x4-6", ["greedy", "random"]),
        make_plan("ewn-5x5-6", ["greedy", "random"], seed=1),
        make_plan("ewn-5x5-6", ["greedy", "random"], opening_plies=1),
        make_plan("ewn-5x5-6", ["greedy", "random"], max_plies=70),
        make_plan("ewn-5x5-6", ["greedy", "random"], book=["12./3.a/.cb r 2"]),
        make_plan("ewn-5x5-6", ["greedy", "random"], book=["12./3.a/.cb r 1"]),
    ]
    assert len({plan.identity, *(other.identity for other in others)}) == 8
    assert plan.identity == make_plan("ewn-5x5-6", ["greedy:best", "random"]).identity


# Openings and dice.


@pytest.mark.parametrize(
    ("variant", "agents"),
    [
        ("ewn-5x5-6", ["greedy", "random"]),
        ("cdc-2x4-PPPP", ["pick-first", "random"]),
        ("rhombus-7x7-6", ["greedy", "random"]),
        ("star-37-3p", ["greedy", "random"]),
    ],
)
@pytest.mark.parametrize("plies", [0, 3])
def test_games_of_a_set_share_opening_and_dice(variant, agents, plies):
    plan = make_plan(variant, agents, opening_plies=plies, max_plies=60)
    games = games_of(plan, 3 * plan.set_size)
    for first in range(0, len(games), plan.set_size):
        one, *others = games[first : first + plan.set_size]
        for other in others:
            assert other.start == one.start
            assert other.opening == one.opening
            assert other.moves[: one.opening] == one.moves[: one.opening]


def test_dice_do_not_depend_on_the_agents():
    plan = make_plan("ewn-5x5-6", ["greedy", "random"])
    games = games_of(plan, 40)
    rolls = [outcomes_of("ewn-5x5-6", played) for played in games]
    for one, other in zip(rolls[::2], rolls[1::2], strict=True):
        common = min(len(one), len(other))
        assert common > 6
        assert one[:common] == other[:common]
    assert len({tuple(roll[:8]) for roll in rolls}) == 20


def test_an_opening_is_random_and_repeatable():
    game = halma.game("rhombus-7x7-6")
    texts = [play_opening(game, f"seed {n}", 4)[0].position.text for n in range(50)]
    assert len(set(texts)) > 40
    assert texts == [play_opening(game, f"seed {n}", 4)[0].position.text for n in range(50)]


def test_an_opening_never_ends_the_game():
    game = halma.game("ewn-3x3-3")
    for number in range(100):
        record, _ = play_opening(game, f"{number}", 4)
        assert record.plies == 4
        assert not record.is_over
    with pytest.raises(HalmaError, match="60 random plies is too long"):
        play_opening(game, "0", 60)


def test_a_book_is_read_and_used_in_turn(tmp_path):
    lines = ["12./3.a/.cb r 2", "12./3.a/.cb b 1", "1../3.a/.cb r -"]
    book = tmp_path / "book.txt"
    book.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    positions = read_book(book, halma.game("ewn-3x3-3"))
    assert positions == lines
    plan = make_plan("ewn-3x3-3", ["pick-first", "pick-last"], book=positions)
    assert plan.opening_plies == 0
    assert [played.start for played in games_of(plan, 8)] == [
        lines[n] for n in (0, 0, 1, 1, 2, 2, 0, 0)
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it has no positions"),
        (b"\n \n", "it has no positions"),
        (b"12./3.a/.cb r 2\nnonsense\n", "Line 2 of"),
        (b"12./3../... r -\n", "Line 1 of"),
        (b"\xff\xfe\x00", "not a text file"),
    ],
)
def test_errors_of_a_book(tmp_path, content, words):
    book = tmp_path / "book.txt"
    book.write_bytes(content)
    with pytest.raises(HalmaError, match=words):
        read_book(book, halma.game("ewn-3x3-3"))


# Whole matches.


@pytest.mark.parametrize("variant", ["rhombus-7x7-6:plies=80", "ewn-5x5-6", "cdc-2x4-PPPP"])
def test_exchanging_deterministic_agents_mirrors_the_match(variant):
    there = make_plan(variant, ["pick-first", "pick-last"], seed=3)
    back = make_plan(variant, ["pick-last", "pick-first"], seed=3)
    ahead, behind = games_of(there, 16), games_of(back, 16)
    for number in range(16):
        twin = behind[number ^ 1]
        assert ahead[number].agents == twin.agents
        assert ahead[number].moves == twin.moves
        assert ahead[number].result == twin.result
    (one,), (other,) = play_matches([there], 16), play_matches([back], 16)
    assert (one.all.wins, one.all.draws, one.all.losses) == (
        other.all.losses,
        other.all.draws,
        other.all.wins,
    )
    assert one.pentanomial == other.pentanomial[::-1]
    assert one.elo == pytest.approx(-other.elo)
    assert one.elo_interval == pytest.approx(tuple(-bound for bound in other.elo_interval[::-1]))


def test_two_equal_agents_do_not_repeat_one_game():
    (tally,) = play_matches([make_plan("ewn-5x5-6", ["random", "random"])], 20)
    assert tally.distinct == 20


def test_repeated_games_are_counted_and_cause_a_warning():
    plan = make_plan("rhombus-7x7-6:plies=40", ["pick-first", "pick-last"], opening_plies=0)
    (tally,) = play_matches([plan], 10)
    assert tally.games == 10
    assert tally.distinct == 2
    assert "Only 2 of 10 games are distinct" in tally.warnings[0]
    plan = make_plan("rhombus-7x7-6:plies=40", ["pick-first", "pick-last"])
    (tally,) = play_matches([plan], 10)
    assert tally.distinct == 10
    assert not tally.warnings


def test_games_do_not_depend_on_the_number_of_workers():
    plans = [
        make_plan("ewn-3x3-3", ["greedy", "random"], seed=8),
        make_plan("star-37-3p", ["greedy", "random"], seed=8),
    ]
    counted = []
    for workers in (1, 2, 3):
        tallies = play_matches(plans, 18, workers)
        counted.append([(vars(t.all), t.fingerprints, t.sets, t.points, t.ends) for t in tallies])
    assert counted[0] == counted[1] == counted[2]


def test_an_error_in_a_worker_is_raised():
    plan = make_plan("cdc-2x4-PPPP", ["random", "greedy"])
    for workers in (1, 2):
        with pytest.raises(HalmaError, match="no measure of how far"):
            play_matches([plan], 10, workers)


def test_a_long_game_is_stopped():
    plan = make_plan("rhombus-7x7-6", ["pick-first", "pick-last"], max_plies=30)
    (played, *_) = games_of(plan, 1)
    assert played.plies == 30
    assert played.end == "by the ply limit"


def test_a_dead_worker_is_an_error():
    plan = make_plan("rhombus-7x7-6", ["random", "random"])
    results = map_ordered(partial(play_match_game, plan), range(20), workers=2)
    next(results)
    for process in multiprocessing.active_children():
        process.kill()
    with pytest.raises(WorkerError, match=r"ended by SIGKILL"):
        list(results)
    assert not multiprocessing.active_children()
