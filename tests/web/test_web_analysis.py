"""Analysis over a WebSocket, reviews, the pool of workers, and searches that fail."""

import asyncio
import math
import os
import signal
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace

import pytest

pytest.importorskip("fastapi")
from web_helpers import HOST, ask, begin, converse, play_on, serving

from halma.games import Record
from halma.games import game as find_game
from halma.search.analysis import Analysis, MoveReport
from halma.solve import solution_for
from halma.web import tasks
from halma.web.analysis import AnalyseMessage, AnalysisConnection
from halma.web.pool import BusyError, FairQueue, _QueuedSearch
from halma.web.tasks import SearchTask, player_values

#: three players; the third is nearly at home
AHEAD = "./../222..../22..3./2..../33.3../33111../11/1 1"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("web")) as client:
        yield client


def analyse(client, variant, **more):
    message = {"type": "analyse", "id": 3, "variant": variant, "seconds": 0.5, **more}
    answers = converse(client, message)
    assert {answer["id"] for answer in answers} == {3}
    return [answer for answer in answers if answer["type"] != "queued"]


def test_a_tree_grows_while_its_results_are_sent(client):
    *updates, last = analyse(client, "rhombus-5x5-3", agent="mcts:sims=100", candidates=4)
    assert last == {"type": "done", "id": 3}
    assert len(updates) >= 2
    found = [update["simulations"] for update in updates]
    assert found == sorted(found) and found[-1] > found[0] > 0
    record = Record(find_game("rhombus-5x5-3"))
    for update in updates:
        assert len(update["moves"]) == 4
        for one in update["moves"]:
            move = record.position.find(one["move"])
            assert one["cells"] == list(record.position.path(move))
        assert sum(update["values"]) == pytest.approx(1)
        assert max(update["heat"]) > 0


def test_an_analysis_of_a_network_values_every_move(client):
    *updates, _ = analyse(client, "rhombus-7x7-6", agent="net:rhombus-7x7-6", candidates=40)
    legal = find_game("rhombus-7x7-6").start().legal_moves
    assert len(updates[-1]["moves"]) == len(legal)
    assert all(move["visits"] and move["value"] is not None for move in updates[-1]["moves"])


def test_minimax_is_sent_deeper_and_deeper(client):
    *updates, last = analyse(client, "draughts-8x8")
    assert last["type"] == "done"
    assert [u["depth"] for u in updates] == sorted(u["depth"] for u in updates)


def test_a_shallower_search_does_not_replace_a_deeper_one():
    depths = iter([4, 6, 5, 7])

    def submit(task, client, worker):
        answer = Future()
        depth = next(depths)
        answer.set_result(
            {
                "depth": depth,
                "agent": task.agent,
                "next": "again" if depth < 7 else "end",
                "worker": 0,
            }
        )
        return answer

    sent = []

    async def send_json(message):
        sent.append(message)

    server = SimpleNamespace(
        pool=SimpleNamespace(waiting=0, seconds=5.0, submit=submit),
        library=SimpleNamespace(agent=lambda name: name),
    )
    message = {"type": "analyse", "variant": "draughts-8x8", "agent": "alphabeta"}
    connection = AnalysisConnection(server, SimpleNamespace(send_json=send_json))
    # In a thread of its own: tests in the browser leave an event loop in this one.
    with ThreadPoolExecutor(1) as other:
        other.submit(asyncio.run, connection._analyse(AnalyseMessage(**message))).result()
    assert [one.get("depth") for one in sent] == [4, 6, 7, None]


def test_a_solved_board_is_proven_at_once(client):
    update, last = analyse(client, "ewn-3x3-3", moves=["123", "123", "2"])
    assert (update["proven"], update["agent"], last["type"]) == (True, "optimal", "done")


def test_chance_is_analysed_with_odds(client):
    moves = ["123", "123"]
    update = analyse(client, "ewn-3x3-3", moves=moves)[0]
    assert [one["outcome"] for one in update["outcomes"]] == ["1", "2", "3"]
    record = Record(find_game("ewn-3x3-3"))
    for move in moves:
        record.resolve(move)
    exact = solution_for(record.game)
    mean = sum(exact.value(record.position.resolve(o)) / 3 for o in "123")
    assert update["value"] == pytest.approx(mean)


def test_too_many_outcomes_are_counted_and_not_analysed(client):
    update, last = analyse(client, "ewn-5x5-6")
    assert (update["outcomes"], update["outcome_count"], last["type"]) == ([], 720, "done")


def test_outcomes_are_drawn_by_their_odds(client):
    """The first piece that is turned up is a soldier five times as often as a king."""
    at = {"variant": "cdc-4x8", "moves": ["a1"]}
    drawn = [client.post("/api/draw", json=at).json() for _ in range(400)]
    odds = {each["outcome"]: each["probability"] for each in drawn}
    assert odds["p"] == pytest.approx(5 / 32)
    often = sum(each["outcome"] in "pP" for each in drawn)
    assert 80 <= often <= 170
    refused = client.post("/api/draw", json={"variant": "cdc-4x8"})
    assert refused.status_code == 400 and "not at chance" in refused.json()["error"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"agent": "random"}, "cannot analyse"),
        ({"agent": "agents.py"}, "There is no agent"),
        ({"moves": ["x"]}, "entry 1"),
        ({"start": "nonsense"}, "A position is"),
    ],
)
def test_what_cannot_be_analysed_is_a_message(client, more, words):
    (answer,) = analyse(client, "rhombus-4x4-3", **more)
    assert answer["type"] == "error" and words in answer["message"]


def test_a_new_position_replaces_the_last_one(client):
    with client.websocket_connect("/api/analysis", headers={"Host": HOST}) as socket:
        for number in (1, 2):
            message = {"type": "analyse", "id": number, "variant": "rhombus-5x5-3", "seconds": 60}
            socket.send_json({**message, "agent": "mcts:sims=10"})
            while socket.receive_json()["id"] != number:
                pass
        socket.send_json({"type": "stop", "id": 2})
        while socket.receive_json()["type"] != "stopped":
            pass
        # Nothing is searched any more: longer than a slice later there is no update.
        ask(client, begin(client, "rhombus-4x4-3", ["random", "human"]), "agent-move")
        time.sleep(1.0)
        socket.send_json({"type": "stop", "id": 5})
        assert socket.receive_json() == {"type": "stopped", "id": 5}


def test_a_review_finds_what_the_truth_calls_a_mistake(client):
    """On a solved board, losses are differences of exact values, and puzzles have exact answers."""
    rules = find_game("ewn-3x3-3")
    solution = solution_for(rules)
    record = Record(rules)
    for outcome in ("123", "123"):
        record.resolve(outcome)
    dice = iter("123123123123")
    losses = []
    while not record.is_over:
        if record.position.is_chance:
            record.resolve(next(dice))
            continue
        values = {found.move.text: found.value for found in solution.moves(record.position)}
        worst = min(values, key=values.__getitem__)
        losses.append(max(values.values()) - values[worst])
        record.play(worst)
    message = {"type": "review", "id": 1, "variant": rules.name, "moves": record.texts}
    *progress, reviewed = converse(client, message)
    assert len(progress) == len(losses) == len(reviewed["entries"])
    assert [entry["loss"] for entry in reviewed["entries"]] == pytest.approx(losses)
    assert [m["index"] for m in reviewed["mistakes"]] == [
        entry["index"]
        for entry, loss in zip(reviewed["entries"], losses, strict=True)
        if loss >= 0.05
    ]
    assert reviewed["mistakes"]
    for mistake in reviewed["mistakes"]:
        before = Record(rules)
        for text in record.texts[: mistake["index"]]:
            (before.resolve if before.position.is_chance else before.play)(text)
        best = {move.text for move in solution.best_moves(before.position)}
        assert best <= set(mistake["accepted"]) and mistake["move"] not in mistake["accepted"]


def test_a_policy_is_a_heat_map(client):
    body = {"variant": "rhombus-7x7-6", "agent": "net:rhombus-7x7-6,sims=1"}
    found = client.post("/api/policy", json=body).json()
    assert sum(move["share"] for move in found["moves"]) == pytest.approx(1, abs=1e-3)
    # A move starts in one cell and ends in another.
    assert sum(found["heat"]) == pytest.approx(2, abs=1e-3)
    refused = client.post("/api/policy", json={**body, "agent": "alphabeta:depth=1"})
    assert refused.status_code == 400 and "no probabilities" in refused.json()["error"]


def workers_of(client):
    server = client.app.state.halma
    return [w.process for pool in server.pool._processes for w in pool._workers.values()]


def test_a_search_that_dies_is_a_message_and_the_game_goes_on(client, monkeypatch):
    game = begin(client, "rhombus-4x4-3", ["random", "human"])
    play_on(client, game)  # the worker is there
    game = begin(client, "rhombus-7x7-6", ["mcts:time=5", "human"])
    (process,) = workers_of(client)
    pool = client.app.state.halma.pool
    run = pool._run

    def run_and_die(*job):
        threading.Timer(1.0, os.kill, (process.pid, signal.SIGKILL)).start()
        run(*job)

    monkeypatch.setattr(pool, "_run", run_and_die)
    answer = client.post(f"/api/games/{game['id']}/agent-move", json={})
    assert answer.status_code == 503 and "SIGKILL" in answer.json()["error"]
    monkeypatch.undo()
    game = ask(client, game, "agents", agents=["random", "human"])
    assert ask(client, game, "agent-move")["turn"] == "human"


def test_searches_end_at_the_limit_of_the_server(tmp_path):
    with serving(tmp_path, seconds=0.3) as client:
        # Without the limit the process would be killed, and the answer an error.
        game = begin(client, "rhombus-7x7-6", ["mcts:sims=100000000", "human"])
        assert ask(client, game, "agent-move")["turn"] == "human"


def test_clients_take_turns():
    queue = FairQueue()
    task = SearchTask("choose", Record(find_game("rhombus-4x4-3")), "random", 1.0)
    for client in "aaabbc":
        queue.put(_QueuedSearch(task, client))
    assert [queue.take(0).client for _ in range(6)] == ["a", "b", "c", "a", "b", "a"]
    queue.put(_QueuedSearch(task, "a", worker=1))
    queue.put(_QueuedSearch(task, "b"))
    assert queue.take(0).client == "b"
    assert queue.take(1).client == "a"
    for _ in range(4):
        queue.put(_QueuedSearch(task, "a"))
    with pytest.raises(BusyError):
        queue.put(_QueuedSearch(task, "a"))


@pytest.mark.parametrize(
    "agent", ["mcts:sims=3000,evaluator=linear", "maxn:depth=2", "paranoid:depth=2"]
)
def test_searches_value_every_player(agent):
    rules = find_game("star-37-3p")
    record = Record(rules, rules.position(AHEAD))
    task = SearchTask("analyse", record, agent, 2.0)
    found = tasks.run_task(task, lambda fraction: None)
    assert found["mover"] == 0 and found["values"][0] == pytest.approx(found["value"])
    assert sum(found["values"]) == pytest.approx(1, abs=0.03)
    # The third player is ahead of the second by far.
    assert found["values"][2] > 2 * found["values"][1]


def test_a_search_that_values_one_player_is_completed_by_the_evaluation():
    position = find_game("star-37-3p").start()
    moves = (MoveReport(position.legal_moves[0], value=0.5),)
    values = player_values(Analysis(position, moves, value=0.5))
    assert values[position.mover] == 0.5 and sum(values) == pytest.approx(1)
    assert min(values) > 0.2  # a symmetric start
    teams = find_game("star-121-4p:teams=opposite").start()
    assert player_values(Analysis(teams, (), value=0.7)) == pytest.approx([0.7, 0.3, 0.7, 0.3])
    assert player_values(Analysis(position, (), value=None)) is None


def test_a_worker_keeps_few_trees():
    tasks._trees.clear()
    record = Record(find_game("rhombus-4x4-3"))
    for number in range(tasks._MOST_TREES + 2):
        task = SearchTask("analyse", record, "mcts:sims=5", 0.02, key=str(number))
        assert math.isfinite(tasks.run_task(task, lambda fraction: None)["value"])
    assert len(tasks._trees) == tasks._MOST_TREES
    tasks._trees.clear()
