"""The file of games: round trips, continued matches, damaged files."""

import random
import sqlite3
from contextlib import closing

import pytest
from arena_helpers import made_up

from halma.arena import GameStore, Sprt, make_plan, play_matches
from halma.arena.saved import saved_game
from halma.arena.store import APPLICATION_ID, VERSION
from halma.errors import StoreError

PLAN = make_plan("ewn-3x3-3", ["greedy", "random"], seed=4)
OTHER = make_plan("rhombus-7x7-6", ["greedy", "random"], seed=4)


def content(path):
    """Return everything in a store."""
    with GameStore(path, read_only=True) as store:
        return [
            (match.id, match.plan, match.games, list(store.games(match.id)))
            for match in store.matches()
        ]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """The bytes of a store with two matches."""
    path = tmp_path_factory.mktemp("store") / "games.db"
    with GameStore(path) as store:
        play_matches([PLAN, OTHER], 30, store=store)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path, filled):
    path = tmp_path / "games.db"
    path.write_bytes(filled)
    return path


def test_round_trip(tmp_path):
    games = [made_up(n, (1.0, 0.0), (f"move {n}", "né"), ("x", "y")) for n in range(5)]
    path = tmp_path / "new.db"
    with GameStore(path) as store:
        assert store.match_of(PLAN) is None
        for played in games:
            store.add(PLAN, played)
    with GameStore(path) as store:
        assert store.match_of(PLAN) == 1
        assert list(store.games_of(PLAN, 100)) == games
        assert list(store.games_of(PLAN, 3)) == games[:3]
        assert list(store.games_of(OTHER, 100)) == []
        assert store.game(2) == (1, games[1])
    assert not list(tmp_path.glob("new.db-*"))


def test_a_match_continues_where_it_stopped(path):
    (whole,) = play_matches([PLAN], 60)
    with GameStore(path) as store:
        seen = []
        (resumed,) = play_matches([PLAN], 60, store=store, watch=lambda t: seen.append(t[0].games))
        assert seen == list(range(30, 61))
        assert vars(resumed.all) == vars(whole.all)
        assert resumed.fingerprints == whole.fingerprints
        # The same again plays nothing, and fewer games are the first ones.
        seen.clear()
        play_matches([PLAN], 60, store=store, watch=lambda t: seen.append(t[0].games))
        assert seen == [60]
        (fewer,) = play_matches([PLAN], 20, store=store)
        assert fewer.sets == whole.sets[:10]
    assert [entry[2] for entry in content(path)] == [60, 30]


def test_a_decided_match_stays_decided(tmp_path):
    test = Sprt(elo0=-300, elo1=0)
    path = tmp_path / "games.db"
    with GameStore(path) as store:
        (first,) = play_matches([PLAN], 400, store=store, sprt=test)
        seen = []
        (again,) = play_matches([PLAN], 400, store=store, sprt=test, watch=seen.append)
        assert len(seen) == 1
        assert again.sets == first.sets
        # Without the test the match goes on, and with it the further games do not count.
        play_matches([PLAN], first.games + 10, store=store)
        (again,) = play_matches([PLAN], 400, store=store, sprt=test)
        assert again.sets == first.sets
    assert content(path)[0][2] == first.games + 10


def test_another_plan_is_another_match(path):
    with GameStore(path) as store:
        play_matches([make_plan("ewn-3x3-3", ["greedy", "random"], seed=5)], 4, store=store)
    assert [entry[2] for entry in content(path)] == [30, 30, 4]


def test_games_can_be_replayed(path):
    with GameStore(path, read_only=True) as store:
        for identifier in (1, 2, 31, 60):
            played = store.game(identifier)[1]
            saved = saved_game(store, identifier)
            assert saved.record.texts == list(played.moves)
            assert saved.record.start.text == played.start
            assert saved.record.result == saved.result == played.result
            assert saved.end == played.end and saved.facts["number"] == played.number
        with pytest.raises(StoreError, match=r"There is no game 61 .* games 1 to 60"):
            saved_game(store, 61)


def test_an_illegal_game_cannot_be_replayed(tmp_path):
    path = tmp_path / "games.db"
    with GameStore(path) as store:
        store.add(OTHER, made_up(0, (1.0, 0.0), ("a1-g7",)))
        with pytest.raises(StoreError, match="Game 1 cannot be replayed"):
            saved_game(store, 1)


def test_the_same_game_twice_is_refused(path):
    before = content(path)
    with GameStore(path) as store, pytest.raises(StoreError, match="another process"):
        store.add(PLAN, made_up(3, (1.0, 0.0)))
    assert content(path) == before


# Foreign, damaged and missing files.


def refused(path, words):
    """Opening fails with these words in either mode, and the file stays as it is."""
    before = path.read_bytes() if path.is_file() else None
    for read_only in (True, False):
        with pytest.raises(StoreError, match=words):
            GameStore(path, read_only=read_only)
    if before is not None:
        assert path.read_bytes() == before


def test_text_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Not a database at all.\n" * 500, encoding="utf-8")
    refused(path, "not a database")


def test_random_bytes_are_refused(tmp_path):
    path = tmp_path / "noise.db"
    path.write_bytes(random.Random(0).randbytes(20_000))
    refused(path, "not a database")


def test_a_foreign_database_is_refused(tmp_path):
    path = tmp_path / "foreign.db"
    with closing(sqlite3.connect(path)) as foreign:
        foreign.execute("CREATE TABLE match (id INTEGER PRIMARY KEY)")
        foreign.commit()
    refused(path, "some other database")


def test_another_version_is_refused(path):
    with closing(sqlite3.connect(path)) as ours:
        assert ours.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        ours.execute(f"PRAGMA user_version = {VERSION + 1}")
        ours.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    refused(path, f"has format {VERSION + 1} .*reads format {VERSION}")


def test_a_folder_and_nothing_are_refused(tmp_path):
    refused(tmp_path, "is a folder")
    with pytest.raises(StoreError, match="There is no file"):
        GameStore(tmp_path / "nothing.db", read_only=True)
    with pytest.raises(StoreError, match="unable to open"):
        GameStore(tmp_path / "nowhere" / "games.db")
    assert not list(tmp_path.iterdir())


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "games.db"
    path.touch()
    with GameStore(path) as store:
        assert store.matches() == []


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_refused(path, filled, share):
    path.write_bytes(filled[: int(len(filled) * share)])
    refused(path, "malformed|damaged|not a database")


def test_damage_is_detected_or_without_effect(path, filled):
    """A damaged file raises an error or has the same content as before."""
    whole = content(path)
    rng = random.Random(1)
    detected = 0
    for _ in range(150):
        damaged = bytearray(filled)
        size = rng.choice((1, 16, 512, 2048))
        at = rng.randrange(100, len(damaged) - size)
        damaged[at : at + size] = rng.choice((bytes(size), rng.randbytes(size)))
        path.write_bytes(damaged)
        try:
            assert content(path) == whole
        except StoreError as error:
            detected += 1
            assert "\n" not in str(error)
    assert detected > 75
