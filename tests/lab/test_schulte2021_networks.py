"""schulte2021's experiments with networks: their settings, verdicts, and reasons of long games."""

import random
from types import SimpleNamespace

import pytest

import halma
from halma.lab import Workspace, reproduce
from halma.lab.network_files import NetworkFile
from halma.lab.run_store import RunStore, training_settings
from halma.lab.schulte2021 import loops, network_seats, policies, version_matches
from halma.lab.schulte2021.networks import StarNetwork, run_versions
from halma.lab.schulte2021.settings import ALONE, SEARCH, main_run
from halma.lab.seat_matches import SeatedGame, SeatTable, side_scores, total_points
from halma.learn import load

VARIANT = "star-37-3p"


def games(single_wins, double_wins, number=100):
    """Return as many single as double games; the first agent is first in some, second in others."""
    found = []
    for i in range(number):
        mine = (3.0, 1.0, 0.0) if i < single_wins else (1.0, 3.0, 0.0)
        found.append(SeatedGame((0, 1, 1), mine, 50, "by the rules"))
        ours = (0.0, 3.0, 1.0) if i < double_wins else (3.0, 1.0, 0.0)
        found.append(SeatedGame((1, 0, 0), ours, 50, "by the rules"))
    return found


def test_the_full_run_is_the_recipe_of_the_package(tmp_path):
    recipe = main_run(Workspace(tmp_path, print, full=True, seed=2))
    assert training_settings(recipe) == training_settings(load("schulte2021", {"seed": 2}))
    settings = recipe.settings
    assert (settings.iterations, settings.selfplay.games, settings.warm_start.games) == (
        41,
        200,
        500,
    )
    assert (settings.search.simulations, settings.search.c) == (200, 5.0)
    assert settings.gate.threshold == 0.55 and settings.gate.failure == "revert"
    assert settings.archive.every == 1  # without versions there is little to compare


def test_the_search_of_matches_is_that_of_the_recipe(tmp_path):
    recipe = load("schulte2021")
    network = NetworkFile("12345678", tmp_path / "a,b" / "best.onnx")
    agent = StarNetwork("any", network, recipe).player(SEARCH).build()
    search = recipe.settings.search
    assert agent.file == tmp_path / "a,b" / "best.onnx" and agent.simulations == 200
    assert {key: agent.options[key] for key in ("rule", "c", "fpu", "limits")} == {
        key: getattr(search, key) for key in ("rule", "c", "fpu", "limits")
    }


def test_versions_are_networks_that_passed_the_gate(tmp_path, monkeypatch):
    store = RunStore(tmp_path / "runs", train=False)
    workspace = SimpleNamespace(runs=store, full=True, seed=0)
    monkeypatch.setattr(store, "path", lambda recipe: tmp_path)
    best = [{"best": iteration} for iteration in (0, 2, 2, 4)]
    monkeypatch.setattr(
        store, "metrics", lambda recipe: best if recipe.name == "schulte2021" else []
    )
    (tmp_path / "versions").mkdir()
    for iteration in (0, 1, 4):  # that of iteration 2 has been lost
        (tmp_path / "versions" / f"iteration-{iteration:06}.onnx").touch()
    found = run_versions(workspace)
    assert {number: one.network.file.name for number, one in found.items()} == {
        1: "iteration-000000.onnx",
        3: "iteration-000004.onnx",
    }


def test_shares_of_all_points():
    played = games(50, 50, 50)
    # In every pair the agent has 3 points as the single player, and 4 as the double one.
    assert total_points(played).value == pytest.approx(7 / 8)


def test_an_agent_as_strong_in_both_kinds_of_games():
    # Three times as strong a seat: first in 3/5 of single games and 6/7 of double games.
    claim = version_matches._double_games(side_scores(games(60, 86)), 20, SEARCH)
    assert claim.ours.startswith("odds times 1.0") and claim.remark == "no clear difference"
    better = version_matches._double_games(side_scores(games(60, 97)), 20, SEARCH)
    assert better.remark == "agrees"
    assert version_matches._double_games(side_scores(games(60, 60)), 20, SEARCH).remark == "differs"


def test_improvement_over_versions():
    scores = {1: side_scores(games(10, 40)), 20: side_scores(games(80, 95))}
    rows = list(version_matches._improvement(scores, ALONE))
    assert [row.remark for row in rows] == ["agrees", "agrees"]
    assert rows[0].what == "single games, network alone: first, version 1 to 20"
    same = {1: side_scores(games(50, 80)), 20: side_scores(games(52, 78))}
    assert {row.remark for row in version_matches._improvement(same, ALONE)} == {
        "no clear difference"
    }


def test_aims_of_strength():
    scores = side_scores(games(86, 96))
    rows = [version_matches._strength_row("net", SEARCH, score) for score in scores.values()]
    assert [(row.paper, row.remark) for row in rows] == [
        ("first in at least 85%", "met"),
        ("greedy first in at most 5%", "met"),
    ]
    assert rows[1].ours.startswith("greedy first in 4.0%")
    alone = [version_matches._strength_row("net", ALONE, score) for score in scores.values()]
    assert (alone[0].remark, alone[1].remark) == ("met", "")
    assert (
        version_matches._strength_row("net", SEARCH, side_scores(games(50, 50))[2]).remark
        == "missed"
    )


def test_verdicts_on_illegal_moves():
    rows = list(policies._illegal_rows({1: (0.03, 0.001), 5: (0.01, 0.001), 20: (0.002, 0.0005)}))
    assert [row.remark for row in rows] == ["agrees", "", "less", "agrees"]
    assert rows[2].ours == "0.200% ± 0.050%"
    rows = list(policies._illegal_rows({1: (0.05, 0.001), 20: (0.0047, 0.0005)}))
    assert [row.remark for row in rows] == ["differs", "agrees", "agrees"]


def test_verdicts_on_the_opening():
    moves = [move.text for move in halma.game(VARIANT).start().legal_moves]
    assert set(policies.MIDDLE_STEPS) < set(moves)
    policy = dict.fromkeys(["c2-e4", *(set(moves) - {"c2-e4"})], 1e-8) | {"c2-e4": 0.9}
    _, best, avoided = policies._opening_rows("net", policy)
    assert best.remark == avoided.remark == "agrees" and "9 moves are below 1e-7" in avoided.ours
    _, best, avoided = policies._opening_rows("net", dict.fromkeys(moves, 0.1))
    assert best.remark == avoided.remark == "differs"


def test_verdicts_on_the_network_s_seats():
    def table(*means):
        leads = tuple(tuple(one - other > 0.08 for other in means) for one in means)
        return SeatTable(((0.0, 0.0, 1.0),) * 3, tuple((mean, 0.05) for mean in means), leads)

    tables = {("net", ALONE): table(1.6, 1.3, 1.1), ("net", SEARCH): table(1.3, 1.4, 1.3)}
    rows = list(network_seats._claims(tables, {"net": [1.5, 1.4, 1.1]}))
    assert [row.remark for row in rows] == [
        "agrees: the earlier, the better",
        "player 2 above player 1",
        "agrees",
    ]
    other = list(network_seats._claims({("net", ALONE): table(1.1, 1.3, 1.6)}, {}))
    assert other[0].remark == "differs: player 3 above player 1"


def test_why_games_met_the_limit():
    record = halma.Record(halma.game(VARIANT))
    steps = []
    for _ in range(3):  # one step forward of each player
        steps.append(record.position.legal_moves[0].text)
        record.play(steps[-1])
    assert loops.why_stopped(record) == loops.LATE
    for step in steps[:2]:
        record.play("-".join(reversed(step.split("-"))))
    # Two went back; the third does not, so no position has recurred.
    assert loops.why_stopped(record) == loops.LATE
    record.play("-".join(reversed(steps[2].split("-"))))
    assert loops.why_stopped(record) == loops.LOOP


def test_games_without_progress_are_no_loops():
    game = halma.game(VARIANT)
    for seed in range(200):
        rng, record, advances = random.Random(seed), halma.Record(game), []
        while not record.is_over:
            move = rng.choice(record.position.legal_moves)
            advances.append(game.advance(record.position.state, move.value))
            record.play(move)
        last = sum(advances[-3 * loops.LAST_MOVES :])
        if last <= 0 and len({position.state for position in record.positions}) == 121:
            assert loops.why_stopped(record) == loops.STILL
            return
    pytest.fail("random games always advance")


def test_pages_of_a_run_that_is_not_there(tmp_path):
    workspace = Workspace(tmp_path, print, draw_only=True)
    report = reproduce("schulte2021", workspace)
    assert [section.text for section in report.sections].count("Not run yet.") >= 9
    assert not list((tmp_path / "quick").glob("*.png"))
