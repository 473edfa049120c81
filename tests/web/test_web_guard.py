"""Requests of other hosts and sites, without a token, of hostile form."""

import json
from urllib.parse import urlsplit

import pytest

pytest.importorskip("fastapi")
from starlette.websockets import WebSocketDisconnect
from web_helpers import HOST, serving

from halma.web.guard import is_loopback
from halma.web.running import address_of
from halma.web.server import ServerSettings


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("web")) as client:
        yield client


@pytest.fixture(scope="module")
def open_client(tmp_path_factory):
    """A server for other machines."""
    folder = tmp_path_factory.mktemp("open")
    with serving(folder, host="0.0.0.0", token="secret token") as client:
        yield client


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:1", "localhost:8421", "[::1]:9"])
def test_own_hosts(client, host):
    assert client.get("/api/info", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/play", "/api/info", "/nothing.js"])
def test_heads_are_those_of_the_pages_without_a_body(client, path):
    head, page = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (page.status_code, b"")
    assert head.headers["content-type"] == page.headers["content-type"]
    foreign = client.head(path, headers={"Host": "evil.example"})
    assert foreign.status_code == 403


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8421",
        "127.0.0.1.evil.example",
        "10.0.0.7:8421",
        "",
        "[::1",
        "@",
    ],
)
def test_foreign_hosts_are_refused(client, host):
    for path in ("/", "/api/info"):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code == 403 and answer.json()["error"].endswith(".")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://localhost", f"http://{HOST}.evil.example"]
)
def test_foreign_origins_are_refused(client, origin):
    body = {"variant": "ewn-3x3-3", "agents": ["human", "human"]}
    answer = client.post("/api/games", json=body, headers={"Origin": origin})
    assert answer.status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/api/analysis", headers={"Origin": origin, "Host": HOST}),
    ):
        pass


def test_pages_of_other_sites_cannot_embed_answers(client):
    answer = client.get("/api/info", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    own = client.post(
        "/api/board", json={"variant": "ewn-3x3-3"}, headers={"Origin": f"http://{HOST}"}
    )
    assert own.status_code == 200


def test_a_token_is_asked_for(open_client):
    assert open_client.get("/api/info").status_code == 403
    assert open_client.get("/?token=wrong", follow_redirects=False).status_code == 403
    with pytest.raises(WebSocketDisconnect), open_client.websocket_connect("/api/analysis"):
        pass
    bearer = {"Authorization": "Bearer secret token"}
    assert open_client.get("/api/info", headers=bearer).status_code == 200
    # The address that is printed gives a cookie, and loses its token.
    answer = open_client.get("/play/x?token=secret+token&a=b", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/play/x?a=b")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert open_client.get("/api/info").status_code == 200
    assert open_client.get("/api/info", headers={"Host": "192.168.1.5:8421"}).status_code == 200
    assert open_client.get("/api/info", headers={"Host": "evil.example"}).status_code == 403
    # The address that is printed is one of the server's own.
    printed = address_of(ServerSettings(host="0.0.0.0", port=8421, token="x"))
    own = {"Host": urlsplit(printed).netloc}
    assert open_client.get("/api/info", headers=own).status_code == 200
    open_client.cookies.clear()


def test_loopback_addresses():
    assert all(map(is_loopback, ("127.0.0.1", "localhost", "::1", "127.3.2.1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.5", "example.org", "")))


def test_a_policy_forbids_other_scripts(client):
    for path in ("/", "/api/info", "/api/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/%2e%2e/%2e%2e/app.py",
        "/..%2fapp.py",
        "//etc/passwd",
        "/static/app.py",
    ],
)
def test_paths_lead_nowhere_else(client, path):
    answer = client.get(path)
    assert answer.status_code == 404 or "<!doctype html>" in answer.text.lower()


NAMES = [
    "agents.py:Agent",
    "/tmp/agent.py",
    "halma.agents.racing:RandomAgent",
    "net:/etc/passwd",
    "net:file=../best.onnx",
    "net:rhombus-7x7-6,version=../x",
    "table:/etc/passwd",
    "tabular:..",
    "hub:/bin/true",
    "checkerboard:/lib/x.so",
    "human:x",
    "mcts:sims=1\0",
    "best:level=99",
    "",
]


@pytest.mark.parametrize("name", NAMES)
def test_agents_come_from_the_registry_alone(client, name):
    body = {"variant": "rhombus-7x7-6", "agents": ["human", name]}
    answer = client.post("/api/games", json=body)
    assert answer.status_code in (400, 422), answer.text
    assert answer.json()["error"].endswith((".", "?"))


@pytest.mark.parametrize("kind", ["net:", "q:", "table:", "tabular:", "", "hub:"])
def test_answers_do_not_tell_which_files_exist(client, kind, tmp_path):
    (tmp_path / "file1.py").write_text("", encoding="utf-8")
    answers = []
    for name in ("file1", "file2"):
        body = {"variant": "rhombus-7x7-6", "agents": ["human", f"{kind}{tmp_path}/{name}.py"]}
        answers.append(client.post("/api/games", json=body).json()["error"].replace(name, "it"))
    assert answers[0] == answers[1]
    assert "Did you mean" not in answers[0]


@pytest.mark.parametrize("name", ["game.py", "game.py:Game", "os.path:join", "../x", "/etc/passwd"])
def test_variants_come_from_the_registry_alone(client, name, tmp_path, monkeypatch):
    (tmp_path / "game.py").write_text("raise SystemExit", encoding="utf-8")
    (tmp_path / "x.py").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    answer = client.post("/api/board", json={"variant": name})
    assert answer.status_code == 400
    assert "Did you mean" not in answer.json()["error"]
    text = json.dumps({"variant": name, "moves": []})
    read = client.post("/api/import", json={"text": text}).json()
    assert not read["games"] and len(read["errors"]) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"\xff\xfe",
        b'{"variant": 1}',
        b'{"variant": "ewn-3x3-3", "moves": [1]}',
        b'{"variant": "ewn-3x3-3", "moves": "123"}',
        b'{"variant": "ewn-3x3-3", "other": 1}',
        b'{"variant": "ewn-3x3-3", "start": "' + b"x" * 30_000 + b'"}',
        b'{"variant": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_malformed_requests_are_refused_with_a_sentence(client, body):
    answer = client.post("/api/board", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"].endswith(".")


def test_large_requests_are_refused(client):
    large = b"x" * 3_000_000
    assert client.post("/api/board", content=large).status_code == 413
    chunks = (large[i : i + 100_000] for i in range(0, len(large), 100_000))
    assert client.post("/api/board", content=chunks).status_code == 413


@pytest.mark.parametrize(
    "message",
    ["", "{", "null", '{"type": "x"}', '{"type": "analyse"}', '{"type": "analyse", "id": -1}'],
)
def test_malformed_messages_are_answered(client, message):
    with client.websocket_connect("/api/analysis", headers={"Host": HOST}) as socket:
        socket.send_text(message)
        answer = socket.receive_json()
        assert answer["type"] == "error" and "not understood" in answer["message"]
        socket.send_json({"type": "stop", "id": 4})
        assert socket.receive_json() == {"type": "stopped", "id": 4}
