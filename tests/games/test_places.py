"""Chinese Checkers for several places and in teams: the naive twin to the end of games, texts."""

from __future__ import annotations

import random

import pytest
from game_helpers import check_position_text, move_texts
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.sternhalma import NaiveSternhalma

import halma
from halma.agents import agent
from halma.errors import OptionError, PositionError

VARIANTS = [
    "star-37-3p",
    "star-37-3p:places=all",
    "star-73-3p:places=all",
    "star-73-4p:teams=opposite",
    "star-73-4p:teams=opposite,win=fill,homes=closed,target=locked",
    "star-73-6p:places=all",
    "star-73-6p:teams=opposite",
    "star-73-6p:teams=opposite,places=all",
    "star-121-4p:teams=opposite",
]


def greedy_record(name: str, seed: int) -> halma.Record:
    """Play nearly greedily to the end."""
    rng, player = random.Random(seed), agent("greedy")
    record = halma.Record(halma.game(name))
    while not record.is_over:
        pick = player.choose(record, rng)
        record.play(pick if rng.random() > 0.05 else rng.choice(record.position.legal_moves))
    return record


@pytest.mark.parametrize("name", VARIANTS)
def test_whole_games_agree_with_the_naive_twin(name: str) -> None:
    game = halma.game(name)
    for seed in range(2):
        record = greedy_record(name, seed)
        assert record.end == "by the rules"
        twin = NaiveSternhalma(
            name.partition(":")[0], **{k: str(v) for k, v in game.options.items()}
        )
        for position, move in zip(record.positions, [*record.texts, ""], strict=True):
            assert sorted(move_texts(position)) == sorted(twin.moves())
            assert position.mover == twin.mover
            assert position.is_terminal == twin.is_over
            assert position.result == pytest.approx(twin.scores())
            again = game.position(position.text)
            assert again == position and again.key == position.key
            if move:
                twin.play(move)


def naive_perft(moves: list[str], name: str, depth: int) -> int:
    """Count the leaves below a line of moves, each line played from the start."""
    twin = NaiveSternhalma(name.partition(":")[0], **halma.game(name).options)
    for move in moves:
        twin.play(move)
    listed = twin.moves()
    if depth == 1 or not listed:
        return len(listed)
    return sum(naive_perft([*moves, move], name, depth - 1) for move in listed)


@pytest.mark.parametrize("name", ["star-73-4p:teams=opposite", "star-73-6p:places=all"])
def test_perft(name: str) -> None:
    start = halma.game(name).start()
    assert start.perft(2) == naive_perft([], name, 2)
    # Near the end of a game players have finished and pass.
    record = greedy_record(name, 1)
    for back in (3, 4, 8):
        position = record.positions[-1 - back]
        assert position.perft(2) == naive_perft(record.texts[:-back], name, 2)
    assert halma.game("star-121-6p:teams=opposite,places=all").start().perft(2) == 199


def test_a_team_has_won_when_both_partners_have_finished() -> None:
    for seed in range(20):
        record = greedy_record("star-73-4p:teams=opposite", seed)
        places = record.position.text.split()[2]
        last = places.index(max(places))
        partner = (last + 2) % 4
        assert record.result == tuple(float(seat in (last, partner)) for seat in range(4))
        # While only one of a team had finished, it passed.
        assert places[partner] != "-"
        passes = [
            text == "pass"
            for position, text in zip(record.positions, record.texts, strict=False)
            if position.mover == partner
            and position.text.split()[2:]
            and position.text.split()[2][partner] != "-"
        ]
        assert all(passes)


def test_scores_for_all_places() -> None:
    record = greedy_record("star-73-6p:places=all", 0)
    places = record.position.text.split()[2]
    scores = [0 if place == "-" else 6 - int(place) for place in places]
    assert record.result == tuple(map(float, scores))
    assert sorted(record.result) == [0, 1, 2, 3, 4, 5]
    # A game that is stopped leaves the points of the open places to those who play for them.
    for position in record.positions:
        assert sum(position.result) == pytest.approx(15)


# A small board cannot be written down by hand in teams, so holes are set by name.


def placed(game: halma.Game, armies: dict[int, list[int]], mover: int, places: list[int]):
    cells = [0] * len(game.core.holes)
    for player, holes in armies.items():
        for number, hole in enumerate(holes):
            cells[hole] = 1 + 16 * player + number
    return halma.Position(game, game.core.compose([mover, *places, *cells]))


def spread(game: halma.Game, taken: list[int], number: int) -> list[int]:
    """Holes in the middle of the board that are not taken."""
    points = game.core.holes
    free = [h for h in range(len(points)) if points[h][4] < 0 and h not in taken]
    return free[:: max(1, len(free) // number)][:number]


@pytest.mark.parametrize("teams", ["off", "opposite"])
def test_a_partner_does_not_fill_a_target(teams: str) -> None:
    """Partners start in each other's targets: two exchanged pieces must not win."""
    game = halma.game(f"star-73-4p:teams={teams}")
    target = game.core.targets[0]
    taken = [*target]
    rest = spread(game, taken, 1)
    others = [h for h in range(len(game.core.holes)) if h not in (*taken, *rest)]
    board = others[20:25] + rest
    # Player 1 has one piece in its target, player 3 the other five, one of its own is outside.
    armies = {
        0: [target[0], *board[:5]],
        1: list(game.core.homes[1]),
        2: [*target[1:], board[5]],
        3: list(game.core.homes[3]),
    }
    if teams == "off":
        # Everybody for himself: the target is full and holds an own piece, so player 1 has won.
        with pytest.raises(Exception, match="did not move last"):
            placed(game, armies, 2, [0] * 4)
        assert placed(game, armies, 1, [0] * 4).is_terminal
    else:
        position = placed(game, armies, 2, [0] * 4)
        assert not position.is_terminal
        assert position.result == (0.5,) * 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2---", "not a list of places"),
        ("1--", "not a list of places"),
        ("1-7-", "not a list of places"),
        ("1---", "given as number 1 but has not finished"),
        ("11--", "given as number 1 but has not finished"),
    ],
)
def test_places_that_cannot_be(text: str, words: str) -> None:
    game = halma.game("star-73-4p:teams=opposite")
    with pytest.raises(PositionError, match=words):
        game.position(f"{game.start().text} {text}")
    with pytest.raises(PositionError, match="not a list of places"):
        plain = halma.game("star-73-4p")
        plain.position(f"{plain.start().text} 1---")


def test_places_that_contradict_the_board() -> None:
    name = "star-73-6p:places=all"
    game, record = halma.game(name), greedy_record(name, 2)
    rows, mover, places = record.position.text.split()
    with pytest.raises(PositionError, match="has finished, so its place must be given"):
        game.position(f"{rows} {mover} {places.replace('5', '-')}")
    twice = places.replace("5", "4")
    with pytest.raises(PositionError, match="places are impossible"):
        game.position(f"{rows} {mover} {twice}")
    with pytest.raises(PositionError, match="did not move last"):
        game.position(f"{rows} {int(mover) % 6 + 1} {places}")


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 60), st.text("-1234567", max_size=5), st.sampled_from("12345"))
def test_near_positions_round_trip_or_are_refused(back: int, places: str, mover: str) -> None:
    game = halma.game("star-73-4p:teams=opposite")
    positions = _RECORD.positions
    rows = positions[max(0, len(positions) - 1 - back)].text.split()[0]
    check_position_text(game, f"{rows} {mover} {places}".strip())


_RECORD = greedy_record("star-73-4p:teams=opposite", 3)


def test_partners_lose_together() -> None:
    assert halma.Record(halma.game("star-73-4p:teams=opposite")).forfeited_by(1) == (1, 0, 1, 0)
    six = halma.Record(halma.game("star-73-6p:teams=opposite")).forfeited_by(4)
    assert six == pytest.approx((0.5, 0, 0.5, 0.5, 0, 0.5))
    assert halma.Record(halma.game("star-37-2p")).forfeited_by(0) == (0, 1)


def test_the_others_share_what_a_player_forfeits() -> None:
    assert halma.Record(halma.game("star-121-3p")).forfeited_by(1) == (0.5, 0, 0.5)
    assert halma.Record(halma.game("star-121-6p")).forfeited_by(0) == (0, *[0.2] * 5)
    teams = halma.Record(halma.game("star-121-6p:teams=opposite")).forfeited_by(1)
    assert teams == (0.5, 0, 0.5, 0.5, 0, 0.5)


def test_partners_are_opposite() -> None:
    four, six = halma.game("star-73-4p:teams=opposite"), halma.game("star-73-6p:teams=opposite")
    assert (four.teams, four.partners, four.sides) == ((0, 1, 0, 1), ((0, 2), (1, 3)), 2)
    assert (six.partners, six.sides) == (((0, 3), (1, 4), (2, 5)), 3)
    for game in (four, six):
        for one, other in game.partners:
            assert set(game.core.homes[one]) == set(game.core.targets[other])
    alone = halma.game("star-73-4p")
    assert (alone.teams, alone.sides, alone.partners) == ((), 4, ((0,), (1,), (2,), (3,)))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("star-121-3p:teams=opposite", "nobody has a partner: .* 4 or 6 players"),
        ("star-121-2p:teams=opposite", "the only opponent: .* 4 or 6 players"),
        ("rhombus-7x7-6:teams=opposite", "the only opponent"),
        ("star-121-4p:teams=opposite,places=all", "two teams, so there is no second place"),
        ("star-121-6p:teams=opposite,places=second", "places can be first or all"),
        ("star-121-2p:places=all", "two players, so there is no second place"),
        ("star-121-4p:teams=on", "one of off, opposite"),
    ],
)
def test_teams_without_partners(name: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        halma.game(name)


def test_planes_show_places_only_where_several_are_played_for() -> None:
    record = greedy_record("star-73-6p:places=all", 0)
    position = next(p for p in reversed(record.positions[:-1]) if not p.is_terminal)
    planes = position.encode()
    assert planes.shape[0] == 13
    shown = planes[6:12].reshape(6, -1)
    places = position.text.split()[2]
    for player, place in enumerate(places):
        seat = (player - position.mover) % 6
        assert set(shown[seat]) == {0.0 if place == "-" else float(place)}
    assert halma.game("star-73-4p:teams=opposite").shape == halma.game("star-73-4p").shape
