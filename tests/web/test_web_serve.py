"""`halma serve` as a process: its address, its end, its errors, and a kill in mid-game."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
from web_helpers import serving

from halma.bench import web
from halma.bench.harness import QUICK, Measurement
from halma.errors import HalmaError, StoreError
from halma.web.game_store import OngoingGames
from halma.web.running import address_of, run_server
from halma.web.server import ServerSettings

HALMA = [sys.executable, "-m", "halma", "serve", "--no-browser"]


@contextmanager
def served(folder, *options):
    """Yield a process that serves, and its port."""
    process = subprocess.Popen(
        [*HALMA, "--port", "0", *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        found = re.fullmatch(r"halma is at http://127.0.0.1:(\d+)/\n", process.stdout.readline())
        yield process, int(found[1])
    finally:
        process.kill()
        process.wait()


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Content-Type": "application/json"}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def test_a_killed_server_goes_on_with_the_game(tmp_path):
    with served(tmp_path) as (process, port):
        body = {"variant": "ewn-3x3-3", "agents": ["human", "random"], "seed": 4}
        status, game = ask(port, "POST", "/api/games", body)
        assert status == 201
        move = {"move": game["board"]["legal"][0]["move"]}
        game = ask(port, "POST", f"/api/games/{game['id']}/move", move)[1]
        process.send_signal(signal.SIGKILL)
        process.wait()
    with served(tmp_path) as (process, port):
        assert ask(port, "GET", f"/api/games/{game['id']}") == (200, game)
        game = ask(port, "POST", f"/api/games/{game['id']}/agent-move", {})[1]
        assert game["turn"] in ("human", "over")
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 143
        assert process.stderr.read().endswith("halma: Stopped.\n")


def test_a_port_in_use_is_a_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [*HALMA, "--port", str(taken.getsockname()[1])]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "cannot listen at 127.0.0.1" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"runs": [Path("nowhere")]}, "There is no folder 'nowhere'."),
        ({"games": Path("no/games.db")}, "There is no folder 'no'"),
        ({"games": Path(".")}, "'.' is a folder"),
        ({"host": "no such host"}, "cannot listen at no such host"),
    ],
)
def test_what_cannot_be_served_is_refused(settings, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HalmaError, match=words):
        run_server(ServerSettings(port=0, **settings), open_browser=False)


def test_the_address_has_the_token():
    settings = ServerSettings(host="192.168.1.5", port=80, token="abc")
    assert address_of(settings) == "http://192.168.1.5:80/?token=abc"
    assert address_of(ServerSettings(host="::1", port=1)) == "http://[::1]:1/"


def test_a_move_that_cannot_be_written_is_not_played(tmp_path, monkeypatch):
    with serving(tmp_path) as client:
        body = {"variant": "rhombus-4x4-3", "agents": ["human", "human"]}
        game = client.post("/api/games", json=body).json()
        move = {"move": game["board"]["legal"][0]["move"]}
        path = f"/api/games/{game['id']}"

        def full(self, row):
            raise StoreError("The disk is full.")

        with monkeypatch.context() as patch:
            patch.setattr(OngoingGames, "update", full)
            assert client.post(f"{path}/move", json=move).json() == {"error": "The disk is full."}
        assert client.get(path).json() == game
        assert client.post(f"{path}/move", json=move).status_code == 200


def test_the_benchmark_counts_answers(monkeypatch):
    monkeypatch.setattr(web, "PLAYERS", 3)
    monkeypatch.setattr(web, "_SHORT", 3.0)
    monkeypatch.setattr(web, "_THINKING", (0.0, 0.1))
    monkeypatch.setattr(web, "TABLES", (("ewn-3x3-3", 1), ("rhombus-4x4-3", 1)))
    found = list(web.measure_web(QUICK, 0))
    assert all(isinstance(row, Measurement) for row in found)
    rows = {row.name: row.value for row in found}
    assert rows["3 players: answers"] > 0
    assert rows["3 players: games lost"] == rows["3 players: requests that failed"] == 0
    assert rows["memory of the server and its workers"] > 10
