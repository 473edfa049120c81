"""A folder of PDN files as they are found: everything that can be read is, the rest reported."""

import random
import re
import time
from pathlib import Path

import pytest

from halma.cli.game_files import decode
from halma.errors import GameReadError
from halma.games import pdn
from halma.games.saved import SavedGame, read_json_lines

FOLDER = Path(__file__).parent / "pdn"
FILES = sorted(FOLDER.glob("*.pdn"))
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)

#: games that cannot be read: number, line, what is said
BAD = {
    "bad-games": [
        (2, 6, "'11-16' is not legal here"),
        (3, 9, "'White' is neither a move"),
        (5, 15, "a comment opened by '{' is never closed"),
        (7, 21, "a tag must look like"),
        (8, 26, "the game ends inside a variation"),
        (9, 30, "the game ends inside a variation"),
        (11, 33, "the FEN tag cannot be read: The man on 3"),
        (12, 37, "GameType 20 is not English draughts"),
    ],
    "no-tags": [(2, 2, "'then' is neither a move"), (4, 7, "the game ends inside a variation")],
}


def text_of(path):
    return decode(path.read_bytes())


def games_of(name):
    found = list(pdn.saved_games(text_of(FOLDER / f"{name}.pdn")))
    assert all(isinstance(each, SavedGame) for each in found), found
    return found


@each_file
def test_bad_games_are_reported_and_the_others_read(path):
    found = list(pdn.saved_games(text_of(path)))
    errors = [each for each in found if isinstance(each, GameReadError)]
    expected = BAD.get(path.stem, [])
    assert [(error.number, error.line) for error in errors] == [bad[:2] for bad in expected]
    for error, (number, line, said) in zip(errors, expected, strict=True):
        assert str(error).startswith(f"Game {number}, line {line}: {said}")
    good = [each for each in found if isinstance(each, SavedGame)]
    numbers = [game.number for game in good] + [error.number for error in errors]
    assert sorted(numbers) == list(range(1, len(found) + 1))
    for game in good:
        event = game.facts["tags"].get("Event", "")
        if match := re.match(r"(\d+): good", event):
            assert int(match[1]) == game.number


def test_without_a_list_of_problems_the_first_one_is_raised():
    with pytest.raises(GameReadError, match=r"^Game 3, line 9: 'White'"):
        pdn.read(text_of(FOLDER / "bad-games.pdn"))


@pytest.mark.parametrize("name", ["dashes", "captures", "jumps", "positions"])
def test_all_games_of_these_files_are_the_same(name):
    first, *others = games_of(name)
    assert first.record.plies in (1, 10, 12)
    for game in others:
        assert game.record.start == first.record.start
        assert game.record.texts == first.record.texts


def test_results():
    for name in ("results", "windows-1252"):
        for game in games_of(name):
            assert game.result == (0.5, 0.5) and not game.warnings
            assert '[Result "1/2-1/2"]' in pdn.from_saved(game).write()


def test_encodings():
    (windows,), (marked,) = games_of("windows-1252"), games_of("byte-order-mark")
    assert windows.facts["tags"] == {"Event": "Windows-1252: café"}
    assert marked.facts["tags"] == {"Event": "Mark and CR LF"}
    assert windows.record.texts == marked.record.texts == ["11-15", "22-18", "15x22", "25x18"]
    assert "{two\nlines}" in marked.facts["movetext"]
    assert decode("11–15".encode("utf-16")) == "11–15"


def test_comments():
    games = pdn.read(text_of(FOLDER / "comments.pdn"))
    comments = [item.text for item in games[0].items if isinstance(item, pdn.Comment)]
    assert comments == [
        "[%clock w 0:59:58 b 0:59:41]",
        "[%clock w 0:59:50]",
        "a comment {with another {and a third} one} inside",
        "to the end } of the line",
        "",
        "a brace { that is never closed, as the standard allows",
    ]
    assert len(games[0].moves) == 10 and games[0].result == "1-0"
    assert games[1].items[0] == pdn.Comment("Between two games")


def test_tags():
    first, header, other, line, last = pdn.read(text_of(FOLDER / "tags.pdn"))
    assert first.tags["Site"] == "London"
    assert first.tags["Black"] == 'A. "Asa" Long' and first.tags["White"] == "C:\\games"
    assert first.warnings == [
        "Game 1, line 3: the tag Site is given twice, and the second one counts."
    ]
    assert (header.tags["Event"], header.result, header.moves) == ("A header alone", "0-1", [])
    assert other.tags == {"Event": "Another header alone", "Black": "Ann"}
    assert line.tags["Black"] == "Bob"
    assert "the moves end with 0-1, but the Result tag is 1-0" in last.warnings[0]


@each_file
def test_round_trips(path):
    """PDN to PDN, and PDN to JSON lines to PDN, change nothing after the first time."""
    read = [each for each in pdn.saved_games(text_of(path)) if isinstance(each, SavedGame)]
    games = [pdn.from_saved(each) for each in read]
    text = pdn.write(games)
    assert pdn.read(text) == games
    again = list(pdn.saved_games(text))
    assert [pdn.from_saved(each) for each in again] == games
    lines = "".join(each.json_line() for each in read)
    from_lines = list(read_json_lines(lines))
    assert [pdn.from_saved(each) for each in from_lines] == games
    assert "".join(each.json_line() for each in from_lines) == lines


def test_damaged_files_are_read_without_another_error():
    """Bytes of the folder's files are changed, cut out and put in again, by a fixed seed."""
    rng = random.Random(14)
    whole = [path.read_bytes() for path in FILES]
    for _ in range(400):
        data = bytearray(rng.choice(whole) + rng.choice(whole))
        for _ in range(rng.randint(1, 8)):
            place = rng.randrange(len(data))
            kind = rng.randrange(3)
            if kind == 0:
                data[place] = rng.randrange(256)
            elif kind == 1:
                del data[place : place + rng.randint(1, 40)]
            else:
                data[place:place] = rng.choice(
                    [b"{", b"}", b"(", b'"', b"[", b"\n\n", b"%", b"1-0"]
                )
        problems = []
        games = pdn.read(decode(bytes(data)), problems)
        assert pdn.read(pdn.write(games)) == games
        for each in pdn.saved_games(decode(bytes(data))):
            if isinstance(each, SavedGame):
                (again,) = pdn.saved_games(pdn.from_saved(each).write())
                assert isinstance(again, SavedGame)
                assert (again.record.texts, again.result) == (each.record.texts, each.result)
            else:
                assert str(each).startswith("Game ") and str(each).endswith(".")


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        "{{}",
        "}",
        "(",
        "11-15 (",
        "11-15 ",
        "[",
        '[A "',
        "1 ",
        "9" * 9,
        "; {\n",
        '\n[A "b"]\n{',
    ],
)
def test_reading_takes_linear_time(piece):
    def seconds(pieces):
        began = time.process_time()
        pdn.read(piece * pieces, [])
        return time.process_time() - began

    # Ten times as long a text; quadratic reading would take a hundred times as long.
    shortest = min(seconds(20_000) for _ in range(3))  # garbage collection takes long at times
    assert shortest < 40 * max(seconds(2_000), 0.01)
