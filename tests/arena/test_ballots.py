"""Openings from the rules, and books."""

import pytest
from cli.cli_helpers import answer, refused, run

from halma.arena import GameStore
from halma.arena.ballots import ballots
from halma.arena.openings import read_book
from halma.errors import HalmaError
from halma.games import game

DRAUGHTS = game("draughts-8x8")


def test_the_three_move_ballots_of_draughts():
    found = ballots(DRAUGHTS, 3, depth=7, margin=0.2)
    assert (found.sequences, found.positions, len(found.openings)) == (302, 216, 174)
    by_moves = {opening.moves: opening for opening in found.openings}
    # Ballots that tournaments use, one with an exchange among them, and some that lose a piece.
    for moves in ("9-13 21-17 5-9", "11-16 23-19 16x23", "12-16 24-20 10-15", "10-14 22-17 11-16"):
        assert tuple(moves.split()) in by_moves
    for moves in ("10-14 22-18 14-17", "9-14 21-17 14x21", "11-15 23-19 15-18"):
        assert tuple(moves.split()) not in by_moves
    for opening in found.openings:
        position = DRAUGHTS.start()
        for move in opening.moves:
            position = position.play(move)
        assert position == opening.position and abs(opening.value - 0.5) <= 0.2


def test_the_numbers_without_a_search():
    for plies, sequences, positions in ((0, 1, 1), (1, 7, 7), (2, 49, 49), (3, 302, 216)):
        found = ballots(DRAUGHTS, plies)
        assert (found.sequences, found.positions) == (sequences, positions)
        assert found.sequences == DRAUGHTS.start().perft(plies)
    assert len(ballots(game("star-37-3p"), 1).openings) > 1


def test_a_book_that_a_match_plays_from_both_sides(tmp_path):
    book = tmp_path / "ballots.txt"
    said = run("openings", "draughts-8x8", "--plies", 3, "--depth", 5, "--out", book)
    assert said.exit_code == 0 and said.stdout == ""
    assert "302 sequences, 216 positions, 174 within 0.2 of an even game; 348 games" in said.stderr
    positions = read_book(book, DRAUGHTS)
    assert len(set(positions)) == 174
    db = tmp_path / "games.db"
    played = ("match", "random", "random", "--game", "draughts-8x8", "--book", book)
    found = answer(*played, "--games", 6, "--plies", 9, "--workers", 1, "--db", db)
    assert found["book_positions"] == 174
    with GameStore(db, read_only=True) as store:
        starts = [one.start for _, one in store.games(1)]
    assert starts == [text for text in positions[:3] for _ in range(2)]


def test_output():
    shown = run("openings", "draughts-8x8", "--plies", 1, "--depth", 0)
    assert shown.stdout.count("\n") == 7 and " # 9-13\n" in shown.stdout
    found = answer("openings", "draughts-8x8", "--plies", 2, "--depth", 3)
    assert found["positions"] == 49 and found["openings"][0]["moves"]


def test_comments_in_books(tmp_path):
    book = tmp_path / "book.txt"
    book.write_text("# openings\n\nB:W21:B1 # a comment\nW:W21:B1\n")
    assert read_book(book, DRAUGHTS) == ["B:W21:B1", "W:W21:B1"]
    book.write_text("B:W21:B1 #no comment\n")
    with pytest.raises(HalmaError, match="Line 1"):
        read_book(book, DRAUGHTS)


def test_what_has_no_openings(tmp_path):
    assert "has chance" in refused("openings", "ewn-3x3-3")
    assert "is for two players" in refused("openings", "star-37-3p")
    assert "take fewer plies" in refused("openings", "rhombus-9x9-10", "--plies", 9, "--depth", 0)
    assert "No opening of 'draughts-8x8' is left" in refused(
        "openings", "draughts-8x8", "--plies", 1, "--depth", 2, "--margin", 0
    )
    assert "no folder" in refused("openings", "draughts-8x8", "--out", tmp_path / "no" / "x.txt")
