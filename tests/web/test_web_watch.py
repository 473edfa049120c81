"""Runs, databases, rules and papers over HTTP."""

import re
import shutil

import pytest

pytest.importorskip("fastapi")
from web_helpers import ask, begin, serving

from halma.agents.levels import levels_of, rated_variants, rated_zero
from halma.arena import GameStore, make_plan, play_matches
from halma.arena.standings import standings
from halma.games import game as find_game
from halma.learn import train
from halma.learn.recipe import checked
from halma.web.papers import DocumentFolder

SMALL = {
    "method": "alphazero",
    "game": "rhombus-4x4-3",
    "network": "hsueh2023:filters=4",
    "iterations": 2,
    "search.simulations": 4,
    "search.max_considered_actions": 4,
    "selfplay.games": 4,
    "selfplay.parallel_games": 4,
    "selfplay.max_plies": 12,
    "learning.replay_buffer": 20,
    "learning.batch_size": 16,
    "learning.warmup_steps": 0,
    "evaluation.every": 0,
    "archive.every": 1,
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder with a run of a network, and one with a database of matches."""
    pytest.importorskip("torch")
    root = tmp_path_factory.mktemp("watched")
    train(checked("small", SMALL), root / "runs" / "deep" / "first", device="cpu")
    (root / "matches").mkdir()
    plans = [
        make_plan("rhombus-4x4-3", agents, seed)
        for agents, seed in (
            (("greedy", "random"), 0),
            (("mcts:sims=5", "random"), 0),
            (("greedy", "random"), 1),
        )
    ]
    plans.append(make_plan("ewn-3x3-3", ("random", "mcts:sims=5"), 0))
    with GameStore(root / "matches" / "league.db") as store:
        for plan in plans:
            play_matches([plan], 4, 1, store)
    (root / "matches" / "other.db").write_text("not a database", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def client(folders):
    settings = {"runs": [folders / "runs"], "databases": [folders / "matches"]}
    with serving(folders, **settings) as client:
        yield client


def test_a_run_is_watched(client, folders):
    (listed,) = client.get("/api/runs").json()["runs"]
    assert (listed["id"], listed["done"], listed["iterations"]) == ("deep/first", 2, 2)
    assert listed["training"] in (True, False)
    run = client.get("/api/run", params={"name": "deep/first"}).json()
    assert [line["iteration"] for line in run["metrics"]] == [1, 2]
    later = client.get("/api/run", params={"name": "deep/first", "after": 1}).json()
    assert [line["iteration"] for line in later["metrics"]] == [2]
    assert {"Policy loss", "Value loss", "Moves a game"} <= {
        panel["title"] for panel in run["panels"]
    }
    for panel in run["panels"]:
        assert panel["curves"] and panel["about"]
    assert run["network"] and run["versions"] == [0, 1, 2]
    iteration = run["games"][-1]
    games = client.get(
        "/api/run/games", params={"name": "deep/first", "iteration": iteration, "most": 2}
    ).json()["games"]
    assert len(games) == 2
    for game in games:
        body = {"variant": game["variant"], "start": game["start"], "moves": game["moves"]}
        assert client.post("/api/board", json=body).status_code == 200
    missing = client.get("/api/run/games", params={"name": "deep/first", "iteration": 99})
    assert missing.status_code == 404


def test_networks_of_a_run_play_and_their_paths_are_not_told(client, folders):
    names = client.get("/api/variant", params={"name": "rhombus-4x4-3"}).json()["agents"]
    assert "net:deep/first" in names
    names = client.get("/api/variant", params={"name": "rhombus-7x7-6"}).json()["agents"]
    assert "net:rhombus-7x7-6" in names
    for name in ("net:deep/first,sims=2", "net:deep/first,version=1,sims=2"):
        game = ask(client, begin(client, "rhombus-4x4-3", [name, "human"]), "agent-move")
        assert game["turn"] == "human" and game["thought"]["agent"] == name
        assert str(folders) not in str(game)
    body = {"variant": "rhombus-4x4-3", "agent": "net:deep/first,sims=1"}
    assert len(client.post("/api/policy", json=body).json()["heat"]) == 16


@pytest.mark.parametrize("name", ["deep", "../runs/deep/first", "/etc", "deep/first/", "."])
def test_other_folders_are_not_runs(client, name):
    assert client.get("/api/run", params={"name": name}).status_code == 404
    assert client.get("/api/database", params={"name": name}).status_code == 404


def test_a_damaged_run_is_listed_with_its_fault(folders, tmp_path):
    shutil.copytree(folders / "runs" / "deep" / "first", tmp_path / "runs" / "bad")
    (tmp_path / "runs" / "bad" / "metrics.jsonl").write_text("{}\n", encoding="utf-8")
    with serving(tmp_path, runs=[tmp_path / "runs"]) as client:
        (listed,) = client.get("/api/runs").json()["runs"]
        assert "damaged" in listed["error"]


def test_a_league(client, folders):
    (listed,) = client.get("/api/databases").json()["databases"]
    assert (listed["id"], listed["matches"], listed["games"]) == ("league.db", 4, 16)
    league = client.get("/api/database", params={"name": "league.db"}).json()
    tables = {table["game"]: table for table in league["tables"]}
    assert {game: table["games"] for game, table in tables.items()} == {
        "rhombus-4x4-3": 12,
        "ewn-3x3-3": 4,
    }
    rows = {row["agent"]: row for row in tables["rhombus-4x4-3"]["table"]}
    assert rows["greedy"]["against"]["random"]["games"] == 8
    assert rows["greedy"]["elo"] == 0 and rows["random"]["elo"] < 0
    page = {"name": "league.db", "match": 1, "offset": 1, "limit": 2}
    games = client.get("/api/database/games", params=page).json()
    assert games["total"] == 4 and [one["number"] for one in games["games"]] == [1, 2]
    opened = client.get(
        "/api/database/game", params={"name": "league.db", "game": games["games"][0]["id"]}
    ).json()
    assert opened["agents"] == games["games"][0]["agents"]
    assert client.get("/api/database/games", params={**page, "match": 9}).status_code == 404
    assert client.get("/api/database/game", params={"name": "league.db", "game": 99}).is_error


def test_agents_that_never_met_are_rated_apart(tmp_path):
    with GameStore(tmp_path / "matches.db") as store:
        for agents in (("greedy", "random"), ("mcts:sims=2", "mcts:sims=3")):
            play_matches([make_plan("rhombus-4x4-3", agents, 0)], 2, 1, store)
        tables = standings(store)
    assert [[row["agent"] for row in table["table"]] for table in tables] == [
        ["greedy", "random"],
        sorted(("mcts:sims=2", "mcts:sims=3"), key=lambda name: -elo_of(tables[1], name)),
    ]


def elo_of(table, agent):
    return next(row["elo"] for row in table["table"] if row["agent"] == agent)


def test_papers_are_read_with_their_figures(client):
    listed = {paper["id"] for paper in client.get("/api/papers").json()["papers"]}
    assert {"results/he2016", "results/hsueh2023", "results/solved"} <= listed
    for name in listed:
        page = client.get("/api/paper", params={"name": name}).json()
        assert page["title"] and "<script" not in page["html"] and "&lt;!--" not in page["html"]
        # The page's policy allows no styles of elements; a link leads somewhere.
        assert (
            " style=" not in page["html"] and re.search(r"<a(?![^>]* href=)", page["html"]) is None
        )
        for source in re.findall(r'<img src="([^"]*)"', page["html"]):
            figure = client.get(source)
            assert figure.headers["content-type"] in ("image/png", "image/svg+xml"), source
        for target in re.findall(r'data-page="([^"]*)"', page["html"]):
            assert client.get("/api/paper", params={"name": target}).status_code == 200
    assert client.get("/api/paper", params={"name": "../README"}).status_code == 404
    assert client.get("/api/figure", params={"name": "../../pyproject.toml"}).status_code == 404


def test_numbers_of_tables_stand_on_the_right(client):
    page = client.get("/api/paper", params={"name": "results/solved"}).json()
    assert page["html"].count('<td class="align-right">') > 100


def test_a_link_to_what_is_not_served_is_its_text(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("See [the *log*](../log.md), [more](more.md) and [a site](https://a.org/).")
    html = DocumentFolder({"results/page": page, "results/more": page}).page("results/page")["html"]
    assert "See the <em>log</em>," in html
    assert '<a href="/papers/results/more" data-page="results/more">more</a>' in html
    assert '<a href="https://a.org/">a site</a>' in html


def test_the_first_page_of_a_paper_stands_before_its_others(client):
    listed = [paper["id"] for paper in client.get("/api/papers").json()["papers"]]
    assert listed.index("results/hsueh2023") < listed.index("results/hsueh2023-earlier")


def test_every_family_has_its_rules(client):
    for family in client.get("/api/variants").json()["families"]:
        name = family["variants"][0]["name"]
        answer = client.get("/api/rules", params={"variant": name}).json()
        assert answer["title"] and "<h2" in answer["html"]


def test_levels_have_their_measured_elo(client):
    for variant in rated_variants():
        game = find_game(variant)
        levels = levels_of(game)
        assert [level.level for level in levels] == list(range(1, 11))
        assert rated_zero(game)
        assert levels[0].elo is not None and levels[0].error
        # A level between two measured ones has a rating; a measured one has an interval too.
        rated = [level for level in levels if level.elo is not None]
        assert [level.level for level in rated] == [n + 1 for n in range(len(rated))]
        assert rated[-1].error is not None
    by_name = {level.level: level for level in levels_of(find_game("rhombus-5x5-3"))}
    assert by_name[4].elo < by_name[5].elo < by_name[7].elo
    assert by_name[5].error is None and by_name[8].elo is None
    assert all(level.error for level in levels_of(find_game("ewn-3x3-3")))
    ladder = client.get("/api/ladder").json()["variants"]
    assert [one["variant"] for one in ladder] == rated_variants()
