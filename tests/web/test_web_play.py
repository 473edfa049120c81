"""Games over HTTP: begun, played, taken back, resigned, continued after a restart."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("fastapi")
from web_helpers import ask, begin, play_on, serving

from halma.agents import agent
from halma.agents.play import play_game
from halma.games import Record
from halma.games import game as find_game


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("web")) as client:
        yield client


@pytest.mark.parametrize(
    ("variant", "players"),
    [("rhombus-4x4-3", 2), ("ewn-3x3-3", 2), ("cdc-2x4-PPPP", 2), ("star-37-3p", 3)],
)
def test_a_person_plays_agents(client, variant, players):
    game = begin(client, variant, ["human"] + ["random"] * (players - 1), seed=3)
    for _ in range(12):
        if game["turn"] == "over":
            break
        before = len(game["events"])
        game = play_on(client, game)
        assert len(game["events"]) > before
    record = Record(find_game(variant))
    for event in game["events"]:
        position = record.position
        assert event["player"] == position.mover
        if event["kind"] == "move":
            assert event["cells"] == list(position.path(position.find(event["text"])))
        (record.resolve if event["kind"] == "chance" else record.play)(event["text"])
    assert record.position.text == game["board"]["position"]
    assert [one["move"] for one in game["board"]["legal"]] == [
        move.text for move in record.position.legal_moves
    ]


def test_a_game_of_agents_is_the_one_that_the_command_line_plays(client):
    names = ["random", "mcts:sims=20"]
    game = begin(client, "ewn-3x3-3", names, seed=5)
    while game["turn"] == "agent":
        game = play_on(client, game)
    record = Record(find_game("ewn-3x3-3"))
    list(play_game(record, [agent(name) for name in names], seed=5))
    assert game["board"]["moves"] == record.texts
    assert game["result"] == list(record.result)
    assert game["end"] == record.end


def test_moves_are_taken_back_to_the_last_decision_of_a_person(client):
    game = begin(client, "ewn-3x3-3", ["human", "random"], seed=1)
    first = game["board"]["position"]
    while game["turn"] == "human":
        game = play_on(client, game)
    game = ask(client, game, "agent-move")
    dice = [event["text"] for event in game["events"] if event["kind"] == "chance"]
    game = ask(client, game, "takeback")
    assert game["board"]["position"] == first
    # The dice that were taken back come again.
    game = play_on(client, game)
    game = ask(client, game, "agent-move")
    assert [event["text"] for event in game["events"] if event["kind"] == "chance"] == dice
    game = ask(client, game, "takeback")
    answer = client.post(f"/api/games/{game['id']}/takeback", json={})
    assert (answer.status_code, "to take back" in answer.json()["error"]) == (400, True)


def test_a_player_who_resigns_loses(client):
    game = begin(client, "rhombus-4x4-3", ["human", "random"])
    game = ask(client, game, "resign", player=0)
    assert (game["turn"], game["result"], game["end"]) == ("over", [0.0, 1.0], "by resignation")
    for action, body in (
        ("move", {"move": "a1-a2"}),
        ("agent-move", {}),
        ("resign", {"player": 1}),
    ):
        assert client.post(f"/api/games/{game['id']}/{action}", json=body).status_code == 400
    game = ask(client, begin(client, "star-37-3p", ["human"] * 3), "resign", player=2)
    assert game["result"][2] == 0
    assert (game["outcome"], game["board"]["over"]) == ("Player 3 resigned.", False)


@pytest.mark.parametrize(
    ("variant", "player", "outcome"),
    [
        ("ewn-3x3-3", 0, "Blue won by resignation."),
        ("frogs-2-1", 1, "Toads won by resignation."),
        ("star-121-4p:teams=opposite", 1, "Player 1 and player 3 won by resignation."),
        ("star-121-6p:teams=opposite", 0, "Player 1 and player 4 resigned."),
    ],
)
def test_a_resignation_is_told_in_a_sentence(client, variant, player, outcome):
    players = find_game(variant).players
    game = ask(client, begin(client, variant, ["human"] * players), "resign", player=player)
    assert game["outcome"] == outcome


def test_a_hint_is_a_legal_move_with_its_value(client):
    game = begin(client, "ewn-3x3-3", ["human", "random"])
    hint = ask(client, game, "hint")
    assert hint["agent"] == "optimal" and hint["proven"]
    assert {"move": hint["move"], "cells": hint["cells"]} in game["board"]["legal"]


def test_two_windows_do_not_play_twice(client):
    game = begin(client, "rhombus-4x4-3", ["human", "human"])
    move = game["board"]["legal"][0]["move"]
    after = ask(client, game, "move", move=move, version=game["version"])
    answer = client.post(
        f"/api/games/{game['id']}/move", json={"move": move, "version": game["version"]}
    )
    assert answer.status_code == 409
    shown = client.get(f"/api/games/{game['id']}").json()
    assert shown["version"] == after["version"] and len(shown["events"]) == 1
    assert client.get(f"/api/games/{game['id']}/version").json() == {"version": after["version"]}


def test_two_windows_wait_for_one_search(client, monkeypatch):
    pool, searches = client.app.state.halma.pool, []
    submit = pool.submit

    def counted(task, person):
        searches.append(task)
        return submit(task, person)

    monkeypatch.setattr(pool, "submit", counted)
    game = begin(client, "rhombus-5x5-3", ["mcts:sims=20000", "human"])
    path, body = f"/api/games/{game['id']}/agent-move", {"version": game["version"]}
    with ThreadPoolExecutor(2) as windows:
        answers = list(windows.map(lambda _: client.post(path, json=body), range(2)))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert len(searches) == 1


def test_seats_change_hands(client):
    game = begin(client, "rhombus-4x4-3", ["human", "human"])
    game = ask(client, game, "agents", agents=["random", "human"])
    assert game["turn"] == "agent"
    assert (
        client.post(f"/api/games/{game['id']}/agents", json={"agents": ["random"]}).status_code
        == 400
    )


def test_a_restart_continues_the_game(tmp_path):
    with serving(tmp_path) as client:
        game = begin(client, "ewn-3x3-3", ["human", "random"], seed=7)
        game = play_on(client, play_on(client, game))
        resigned = ask(client, begin(client, "draughts-8x8", ["human"] * 2), "resign", player=1)
    with serving(tmp_path) as client:
        again = client.get(f"/api/games/{game['id']}").json()
        assert again == game
        while again["turn"] != "over":
            again = play_on(client, again)
        assert client.get(f"/api/games/{resigned['id']}").json() == resigned
        listed = client.get("/api/games").json()["games"]
        assert {one["id"] for one in listed} == {game["id"], resigned["id"]}


def test_games_are_listed_with_their_turn_and_result(tmp_path):
    with serving(tmp_path) as client:
        won = begin(client, "ewn-3x3-3", ["human", "random"], seed=7)
        while won["turn"] != "over":
            won = play_on(client, won)
        unplayed = begin(client, "rhombus-4x4-3", ["human", "human"])
        unplayed = ask(client, unplayed, "resign", player=0)
        going = play_on(client, begin(client, "star-37-3p:he2016", ["human", "random", "greedy"]))
    with serving(tmp_path) as client:
        listed = client.get("/api/games").json()
        assert listed["next"] is None
        games = {one["id"]: one for one in listed["games"]}
        assert games[won["id"]]["outcome"] == won["outcome"] != ""
        assert games[won["id"]]["moves"] == won["board"]["plies"] < len(won["events"])
        assert games[unplayed["id"]]["outcome"] == "Player 2 won by resignation."
        last = games[going["id"]]
        assert (last["turn"], last["mover"], last["outcome"]) == ("agent", "player 2", "")
        assert (last["moves"], last["short"]) == (1, "star-37-3p:he2016")
        finished = client.get("/api/games", params={"finished": True}).json()["games"]
        assert [one["id"] for one in finished] == [won["id"]]
        # In parts it is the same list.
        parts, at = [], 0
        while at is not None:
            part = client.get("/api/games", params={"limit": 1, "skip": at}).json()
            parts, at = parts + part["games"], part["next"]
        assert parts == listed["games"]


def test_files_of_games_round_trip(client):
    game = begin(client, "draughts-8x8", ["human", "random"], seed=2)
    for _ in range(6):
        game = play_on(client, game)
    for form in ("jsonl", "pdn"):
        text = client.get(f"/api/games/{game['id']}/export", params={"format": form}).text
        request = {"text": text, "variant": "draughts-8x8"}
        (found,) = client.post("/api/import", json=request).json()["games"]
        assert found["moves"] == game["board"]["moves"]
        assert found["variant"] == "draughts-8x8"
    body = {"variant": "ewn-3x3-3", "moves": ["123", "123", "1"], "format": "jsonl"}
    saved = json.loads(client.post("/api/export", json=body).text)
    assert saved["moves"] == ["123", "123", "1"]
    broken = client.post("/api/import", json={"text": '{"variant": "ewn-3x3-3", "moves": ["9"]}'})
    assert not broken.json()["games"] and "entry 1" in broken.json()["errors"][0]


def test_another_database_is_not_overwritten(tmp_path):
    (tmp_path / "games.db").write_text("notes", encoding="utf-8")
    with pytest.raises(ValueError, match=r"games.db"), serving(tmp_path):
        pass
    assert (tmp_path / "games.db").read_text(encoding="utf-8") == "notes"
