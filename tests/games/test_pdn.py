"""Draughts games in PDN: round trips, and errors that name the line."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import halma
from halma.errors import HalmaError, RecordError
from halma.games import pdn
from halma.games.pdn import Comment, Nag, PdnGame, PdnMove, Variation

FILE = r"""
{a file of several games}
[Event "Club match"]
[Site "The \"Crown\" inn"]
[Black "Ann"]
[White "Bob"]
[Result "0-1"]

1. 11-15! {the usual start} 23-19 $1 (1... 22-17 15-19 ; sharp } indeed
  ({or} 15-18 2. 23x14) 24x15 {a trade}) (1... 22-18? 15x22 2. 25x18)
2. 8-11(?) 22-17* 3. 4-8 { two
lines } 17-13 0-1 {Bob forfeits}

[Event "Study"]
[SetUp "1"]
[FEN "W:WK26:B22,23,14,15"]
[Result "2-0"]

1... 26x19x10x26 2-0

[Event "No end"]
[Result "1-1"]
1.9-14 22-18 2. 5-9
[Event "Nothing"]
*
1. 11-15 1/2-1/2
; the end
"""


def test_everything_is_kept() -> None:
    games = pdn.read(FILE)
    assert [game.result for game in games] == ["0-1", "2-0", "1-1", "*", "1/2-1/2"]
    first = games[0]
    assert first.tags["Site"] == 'The "Crown" inn'
    marked = [move.text + move.mark for move in first.moves]
    assert marked == ["11-15!", "23-19", "8-11(?)", "22-17*", "4-8", "17-13"]
    assert first.items == [
        Comment("a file of several games"),
        PdnMove("11-15", "!"),
        Comment("the usual start"),
        PdnMove("23-19"),
        Nag(1),
        Variation(
            [
                PdnMove("22-17"),
                PdnMove("15-19"),
                Comment("sharp } indeed"),
                Variation([Comment("or"), PdnMove("15-18"), PdnMove("23x14")]),
                PdnMove("24x15"),
                Comment("a trade"),
            ]
        ),
        Variation([PdnMove("22-18", "?"), PdnMove("15x22"), PdnMove("25x18")]),
        PdnMove("8-11", "(?)"),
        PdnMove("22-17", "*"),
        PdnMove("4-8"),
        Comment("two\nlines"),
        PdnMove("17-13"),
    ]
    assert games[1].items[0] == Comment("Bob forfeits")
    assert games[4].items[-1] == Comment("the end")


def test_reading_writing_and_reading_changes_nothing() -> None:
    games = pdn.read(FILE)
    text = pdn.write(games)
    assert pdn.read(text) == games
    assert pdn.write(pdn.read(text)) == text
    assert max(map(len, text.splitlines())) < 80


def test_written_form() -> None:
    game = pdn.read("1. 11-15 23-19 (22-17 15-19) 2. 8-11 {so} 22-17 1-0")[0]
    assert game.write() == "1. 11-15 23-19 (1... 22-17 2. 15-19) 2. 8-11 {so} 2... 22-17 1-0\n\n"
    study = pdn.read('[FEN "W:WK26:B22,23,14,15"] 26x19x10x26')[0]
    assert study.write().splitlines()[-2] == "1... 26x19x10x26 *"


def test_results_are_whites_score_first() -> None:
    scores = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5), None, (0.5, 0.5)]
    assert [game.scores for game in pdn.read(FILE)] == scores
    # PDN 3.0 ends the moves with * and trusts the tag.
    assert pdn.read('[Result "1-0"] 1. 11-15 *')[0].scores == (0.0, 1.0)
    assert pdn.read("0-2")[0].scores == (1.0, 0.0)
    assert pdn.read("0-0")[0].scores == (0.0, 0.0)


def test_replaying() -> None:
    games = pdn.read(FILE)
    record = games[0].record()
    assert record.texts == ["11-15", "23-19", "8-11", "22-17", "4-8", "17-13"]
    study = games[1].record()
    assert study.texts == ["26x19x10x17x26"]  # the short form is written out
    assert study.is_over and study.result == games[1].scores
    strict = halma.game("draughts-8x8:pluska2022")
    assert games[0].record(strict).game == strict


def test_a_real_opening_with_captures() -> None:
    text = "1. 9-14 22-18 2. 5-9 25-22 3. 11-16 24-19 4. 8-11 22-17 5. 9-13 18x9 6. 13x22 26x17 *"
    record = pdn.read(text)[0].record()
    assert record.plies == 12
    assert len(record.position.legal_moves) > 0


def test_a_game_may_go_on_after_repetition() -> None:
    moves = " ".join(["1-6 32-27 6-1 27-32"] * 4)
    game = pdn.read(f'[FEN "B:WK32:BK1"] {moves} 1/2-1/2')[0]
    assert game.record().plies == 16
    with pytest.raises(RecordError, match=r"line 1: '1-6' cannot be played: .* by repetition"):
        game.record(halma.game("draughts-8x8"))


@pytest.mark.parametrize("seed", range(5))
def test_played_games_come_back(seed: int) -> None:
    rng = random.Random(seed)
    game = halma.game("draughts-8x8")
    start = None if seed % 2 else game.position("W:WK10,K15,18,24,27,28:B12,16,20,K22,K25,K29")
    record = halma.Record(game, start)
    while not record.is_over and record.plies < 150:
        record.play(rng.choice(record.position.legal_moves))
    written = pdn.from_record(record, {"Event": "Random games", "Black": "A \\ B"})
    assert ("FEN" in written.tags) == (start is not None)
    read = pdn.read(written.write())
    assert read == [written]
    again = read[0].record(game)
    assert again.positions == record.positions
    assert again.end == record.end
    if record.is_over:
        assert written.scores == record.result
    else:
        assert written.scores is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. 11-15\n{open", r"line 2: a comment opened by '\{' is never closed"),
        ('[Event "x]', "line 1: a tag must look like"),
        ("1. 11-15\n\n e4 *", "line 3: 'e4' is neither"),
        ("1. 11-15 (22-18 *", "line 1: the game ends inside a variation"),
        ("1. 11-15 (22-18", "line 1: the game ends inside a variation"),
        ("11-15 )", "line 1: '\\)' closes a variation"),
        ("(11-15)", "line 1: a variation must follow"),
        ("! 11-15", "line 1: '!' follows no move"),
        ("11-15 (" * 60, "nested deeper than 50"),
        ("$1234", "neither a move"),
    ],
)
def test_wrong_form_is_refused(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        pdn.read(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. 11-15\n\n2. 11-16 *", "line 3: '11-16' is not legal here"),
        ("1. 11-44 *", "line 1: '11-44' is not a move"),
        ('[FEN "W:WK26:B22,23,14,15"] 26x26', "line 1: '26x26' may mean"),
        ('[FEN "W:W3:B1"] *', "the FEN tag cannot be read: The man on 3"),
        ('[SetUp "1"] *', "no FEN tag"),
        ('[GameType "20"] *', "GameType 20 is not English draughts"),
    ],
)
def test_wrong_games_are_refused(text: str, message: str) -> None:
    game = pdn.read(text)[0]
    with pytest.raises(RecordError, match=message):
        game.record()


def test_what_cannot_be_written() -> None:
    for game in (
        PdnGame({"A": "two\nlines"}),
        PdnGame({"a b": "x"}),
        PdnGame(result="3-0"),
    ):
        with pytest.raises(RecordError):
            game.write()
    assert PdnGame(items=[Comment("} and\n{")]).write() == "; } and {\n*\n\n"
    with pytest.raises(RecordError, match="Move 1: '1-2'"):
        PdnGame(items=[PdnMove("1-2")]).record()


WORDS = (
    *("1. ", "12... ", "11-15", "22x15x8", "!", "(?)", "$3", "{c}", "; c }\n", "{", "(", ")", "*"),
    *("1-0", "1-1", "1/2-1/2", '[A "b"]', '[FEN "B:WK32:BK1"]', "\n", " ", '"', "\\", "[", "é"),
)
words = st.lists(st.sampled_from(WORDS), max_size=30)


@given(st.text() | words.map(" ".join) | words.map("".join))
def test_reader_raises_nothing_else(text: str) -> None:
    try:
        games = pdn.read(text)
    except HalmaError:
        return
    assert pdn.read(pdn.write(games)) == games
    for game in games:
        try:
            game.record()
        except RecordError:
            continue
