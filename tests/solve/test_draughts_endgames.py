"""Draughts endgames against known numbers and naive iteration."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import numpy as np
import pytest
from reference import draughts_endgames as naive
from reference.draughts import write

import halma
from halma import _core
from halma.errors import ArgumentError

DRAW, NONE = _core.Endgames.DRAW, _core.Endgames.NONE
RULES = _core.Draughts()


@cache
def solved(pieces: int, threads: int = 2) -> _core.Endgames:
    endgames = _core.Endgames(RULES, pieces, threads)
    while endgames.step():
        pass
    return endgames


def totals(endgames: _core.Endgames, pieces: int) -> tuple[int, int, int]:
    """Count wins, draws and losses, both sides to move."""
    sums: Counter[str] = Counter()
    for number, material in enumerate(endgames.slices):
        if sum(material) == pieces:
            sums.update(endgames.counts(number))
    return 2 * sums["wins"], 2 * sums["draws"], 2 * sums["losses"]


@pytest.mark.parametrize(
    ("pieces", "known"),
    [
        (2, (1_432, 4_740, 804)),
        (3, (200_500, 16_954, 174_610)),
        (4, (5_148_608, 3_435_844, 3_834_180)),
    ],
)
def test_known_totals(pieces: int, known: tuple[int, int, int]) -> None:
    assert totals(solved(4), pieces) == known


def test_known_slices() -> None:
    endgames = solved(4)
    by_material = {m: endgames.counts(i) for i, m in enumerate(endgames.slices)}
    kings = by_material[0, 1, 0, 1]
    assert (kings["wins"], kings["draws"], kings["losses"]) == (230, 654, 108)
    assert kings["longest_win"] == 11
    assert by_material[1, 0, 1, 0]["longest_win"] == 13
    assert by_material[2, 0, 0, 1]["longest_win"] == 61
    assert max(slice_["longest_win"] for slice_ in by_material.values()) == 109


def test_two_pieces_agree_with_naive_iteration() -> None:
    game = halma.game("draughts-8x8")
    boards = naive.boards(2)
    assert len(boards) == 3_488
    plies = naive.solve(boards)
    for board in boards:
        for mover in "bw":
            state = game.parse_position(write(board, mover))
            expected = plies.get((frozenset(board.items()), mover), DRAW)
            assert solved(2).entry(state) == expected, write(board, mover)


@pytest.mark.parametrize("pieces", [3, 4])
def test_samples_follow_from_their_naive_successors(pieces: int) -> None:
    game = halma.game("draughts-8x8")
    rng = random.Random(pieces)
    endgames = solved(4)

    def value(board: frozenset, mover: str) -> int:
        if not any(naive.colour(piece) == mover for _, piece in board):
            return 0
        found = endgames.entry(game.parse_position(write(dict(board), mover)))
        assert found is not None
        return found

    places = sorted(naive.SQUARE)
    for _ in range(1_500):
        board = dict(zip(rng.sample(places, pieces), rng.choices("bBwW", k=pieces), strict=True))
        if len({naive.colour(piece) for piece in board.values()}) == 1:
            continue
        if any(naive.crowns(piece, place) for place, piece in board.items()):
            continue
        for mover in "bw":
            after = [value(*position) for position in naive.successors(board, mover)]
            lost = [v for v in after if v % 2 == 0 and v != DRAW]
            won = [v for v in after if v % 2 == 1]
            if lost:
                expected = min(lost) + 1
            elif DRAW in after:
                expected = DRAW
            else:
                expected = max(won, default=-1) + 1
            assert value(frozenset(board.items()), mover) == expected


def test_every_entry_follows_from_its_successors() -> None:
    endgames = solved(3)
    assert all(endgames.verify(i) == 0 for i in range(len(endgames.slices)))
    spoilt = _core.Endgames(RULES, 3)
    for i in range(len(endgames.slices)):
        table = endgames.table(i).copy()
        if i == 9:
            table[100] = DRAW if table[100] != DRAW else 1
        spoilt.restore(i, table)
    assert spoilt.verify(9) > 0


def test_threads_do_not_change_the_tables() -> None:
    for i in range(len(solved(3).slices)):
        assert np.array_equal(solved(3, 1).table(i), solved(3).table(i))
        assert np.array_equal(solved(3).table(i), solved(4, 3).table(i))


def test_index_and_back() -> None:
    endgames = solved(3)
    for i, material in enumerate(endgames.slices):
        for index in range(0, endgames.size(i), 37):
            state = endgames.unindex(i, index)
            if state is None:
                assert endgames.table(i)[index] == NONE
                continue
            assert endgames.slice_of(state) == i
            assert endgames.index(state) == index
            assert endgames.entry(state) == endgames.table(i)[index]
            fields = _core.Draughts().describe(state)[1:]
            assert tuple(fields.count(kind) for kind in (1, 2, -1, -2)) == material


def test_many_at_once() -> None:
    endgames = solved(3)
    states = [endgames.unindex(i, 5) for i in range(len(endgames.slices))]
    known = [state for state in states if state is not None]
    rows = np.frombuffer(b"".join([*known, _core.Draughts().initial()]), np.uint8).reshape(-1, 32)
    *found, unknown = endgames.values(rows).tolist()
    codes = [endgames.entry(state) for state in known]
    assert found == [0.5 if code == DRAW else code % 2 for code in codes]
    assert np.isnan(unknown)
    with pytest.raises(ValueError, match="not states"):
        endgames.values(rows[:, :31].copy())


def test_goes_on_from_tables_solved_before() -> None:
    endgames = solved(3)
    again = _core.Endgames(RULES, 3)
    for i in range(6):
        again.restore(i, endgames.table(i))
    assert again.table(6).size == 0
    assert again.step() == endgames.size(6) + endgames.size(7)
    assert np.array_equal(again.table(6), endgames.table(6))
    with pytest.raises(ValueError, match="other pieces"):
        again.restore(0, endgames.table(7))


def test_what_is_not_in_the_tables() -> None:
    game = halma.game("draughts-8x8")
    endgames = _core.Endgames(RULES, 3)
    assert endgames.entry(game.parse_position("B:W31:B2")) is None  # not solved yet
    assert solved(3).entry(game.start().state) is None
    assert solved(3).slice_of(game.start().state) == -1
    assert solved(3).entry(game.parse_position("B:W31:B")) == 0
    with pytest.raises(ValueError, match="not solved yet"):
        endgames.verify(0)
    with pytest.raises(ArgumentError):
        endgames.counts(1_000)
    with pytest.raises(ValueError, match="two to"):
        _core.Endgames(RULES, 9)
    with pytest.raises(ValueError, match="two to"):
        _core.Endgames.bytes_needed(RULES, 1)
    with pytest.raises(ValueError, match="not a state"):
        endgames.entry(b"?")


@pytest.mark.slow
def test_five_pieces() -> None:
    endgames = solved(5)
    assert totals(endgames, 5) == (142_669_544, 22_245_784, 113_986_288)
    slices = range(len(endgames.slices))
    assert max(endgames.counts(i)["longest_win"] for i in slices) == 161
    assert all(endgames.verify(i) == 0 for i in slices)
