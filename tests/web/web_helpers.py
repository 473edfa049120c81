"""A server in this process, for tests."""

from contextlib import contextmanager

from fastapi.testclient import TestClient

from halma.web.app import create_app
from halma.web.server import ServerSettings

#: what a browser on this machine sends
HOST = "127.0.0.1:8421"


@contextmanager
def serving(folder, **settings):
    """Yield a client of a server that keeps its games in a folder."""
    values = {"games": folder / "games.db", "workers": 1, "seconds": 5.0, **settings}
    app = create_app(ServerSettings(**values))
    with TestClient(app, base_url=f"http://{HOST}") as client:
        yield client


def begin(client, variant, agents, **more):
    answer = client.post("/api/games", json={"variant": variant, "agents": agents, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def ask(client, game, action, **body):
    answer = client.post(f"/api/games/{game['id']}/{action}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def play_on(client, game):
    """Play the first legal move of a person, or the agent's."""
    version = game["version"]
    if game["turn"] == "agent":
        answer = ask(client, game, "agent-move", version=version)
        assert answer.pop("thought")["agent"]
        return answer
    return ask(client, game, "move", move=game["board"]["legal"][0]["move"], version=version)


def converse(client, message, last=("done", "error", "reviewed")):
    """Send a message to the analysis and return the answers."""
    answers = []
    with client.websocket_connect("/api/analysis", headers={"Host": HOST}) as socket:
        socket.send_json(message)
        while not answers or answers[-1]["type"] not in last:
            answers.append(socket.receive_json())
    return answers
