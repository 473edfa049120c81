"""liu2019's experiments with networks: runs, matches of their networks, claims, style of play."""

from pathlib import Path

import pytest

import halma
from halma.errors import HalmaError
from halma.lab import Workspace, reproduce
from halma.lab.liu2019 import matchups, settings, starts, versions
from halma.lab.liu2019.contenders import Contender, undecided, verdict
from halma.lab.liu2019.settings import (
    MAIN,
    VARIANT,
    main_runs,
    overfitting_run,
    rival_runs,
    start_runs,
)
from halma.lab.liu2019.style import largest_group, play_and_describe
from halma.lab.matches import MatchPlayer, MatchScore
from halma.lab.network_files import NetworkFile, digests_in
from halma.lab.run_store import run_name, training_settings
from halma.learn import load


def score(wins, losses, draws=0):
    return MatchScore([(1.0, 40)] * wins + [(0.5, 100)] * draws + [(0.0, 50)] * losses)


def full(tmp_path, **options):
    return Workspace(tmp_path, print, full=True, **options)


def test_full_runs_are_the_recipes_of_the_package(tmp_path):
    workspace = full(tmp_path)
    assert list(main_runs(workspace)) == ["seed 0", "seed 1", "seed 2"]
    for seed, recipe in enumerate(main_runs(workspace).values()):
        assert training_settings(recipe) == training_settings(load(MAIN, {"seed": seed}))
    for label, recipe in rival_runs(workspace).items():
        assert training_settings(recipe) == training_settings(load(recipe.name)), label
    settings = load(MAIN).settings
    assert (settings.warm_start.epochs, settings.warm_start.games) == (100, 15_000)
    assert (settings.search.simulations, settings.search.c) == (175, 1.75)
    assert (settings.selfplay.games, settings.selfplay.temperature_plies) == (180, 16)
    assert settings.gate.games * settings.gate.threshold == pytest.approx(14, abs=0.01)


def test_start_runs_differ_in_their_games_alone(tmp_path):
    runs = start_runs(full(tmp_path))
    assert list(runs) == ["M_R", "M_N", "M_N (50:50)", "M_S"]
    starts_of = {
        label: (r.settings.warm_start.random_starts, r.settings.warm_start.random_openings)
        for label, r in runs.items()
    }
    assert starts_of["M_R"] == (1.0, 0.0) and starts_of["M_S"] == (0.5, 0.3)
    assert all(recipe.settings.warm_start.position_share == 0.05 for recipe in runs.values())


def test_names_of_reduced_runs_fit_into_a_file_system(tmp_path):
    workspace = Workspace(tmp_path, print)
    recipes = [*main_runs(workspace).values(), overfitting_run(workspace)]
    recipes += [*start_runs(workspace).values(), *rival_runs(workspace).values()]
    names = {run_name(recipe) for recipe in recipes}
    assert len(names) == len(recipes) and max(map(len, names)) < 200


def test_the_search_of_matches_is_the_papers(tmp_path):
    player = Contender("any", NetworkFile("12345678", tmp_path / "a,b" / "best.onnx")).player(180)
    agent = player.build()
    assert agent.file == tmp_path / "a,b" / "best.onnx"  # which no name of an agent could have
    assert agent.simulations == 180
    assert (agent.options["c"], agent.options["fpu"]) == (1.75, "draw")


def test_measurements_belong_to_a_network(tmp_path):
    one, other = tmp_path / "one.onnx", tmp_path / "other.onnx"
    one.write_bytes(b"1")
    other.write_bytes(b"2")
    networks = [NetworkFile.at(file) for file in (one, other)]
    assert networks[0].digest != networks[1].digest
    first, against = (Contender("any", network) for network in networks)
    name = first.match("table2", 10, 180, opponent=against.player(1)).name
    assert name.startswith(f"table2,network={networks[0].digest},")
    assert digests_in(name) == {network.digest for network in networks}
    assert digests_in(first.match("table2", 10, 180).name) == {networks[0].digest}
    # A network that is written anew is another one.
    one.write_bytes(b"34")
    assert NetworkFile.at(one).digest != networks[0].digest


def test_verdicts():
    assert verdict(0.905, score(271, 28, 1)) == "agrees"
    assert verdict(0.905, score(150, 150)) == "differs: worse than the paper's"
    assert verdict(0.905, score(298, 2)) == "differs: better than the paper's"


def test_networks_of_unfinished_runs_decide_nothing():
    rows = list(matchups._table_rows("seed 0", score(271, 28, 1)))
    assert undecided(rows, "") == rows
    shown = undecided(rows, "9 of 60 iterations")
    assert shown[0].remark == "not decided: 9 of 60 iterations" and not shown[0].verdict
    assert shown[0].ours == rows[0].ours and shown[1] == rows[1]


def test_rows_of_table_2():
    rows = list(matchups._table_rows("seed 0", score(271, 28, 1)))
    assert rows[0].paper == "271-1-28: 90.5%" and rows[0].ours.startswith("271-1-28: 90.5% [")
    assert rows[1].paper == "+392" and rows[1].ours.startswith("+392 [")


def test_claims_of_the_sweeps():
    points = {(n, 3.5): score(wins, 100 - wins) for n, wins in ((10, 60), (175, 80), (500, 90))}
    (claim,) = matchups._simulation_claims(points)
    assert claim.remark == "agrees: no clear fall"
    points[1000, 3.5] = score(20, 80)
    claims = list(matchups._simulation_claims(points))
    assert claims[0].remark == "falls at [1000]" and claims[1].remark == "agrees"
    (claim,) = matchups._c_claims({(50, 1.0): score(60, 40), (50, 3.5): score(50, 50)})
    assert claim.paper == "worse above 3.5"
    assert claim.remark.startswith("3.5 against 1: -10.0 ± ")


def test_rows_of_the_rivals():
    main = "against the main agent (seed 0)"
    assert matchups._rival_row(f"Tabula rasa {main}", score(0, 100)).remark == "agrees"
    won = matchups._rival_row(f"Tabula rasa {main}", score(60, 40))
    assert won.remark == "60 won, unlike the paper's"
    assert matchups._rival_row(f"DQN {main}", score(0, 100)).remark == "agrees"
    assert matchups._rival_row("DQN against greedy", score(5, 15, 80)).remark == "agrees"


def test_claims_about_versions():
    few = {n: 0.05 for n in range(1, 46)} | {46: 0.7, 47: 0.75}
    rows = list(versions._overfitting(few, [2.0, 1.0]))
    assert rows[1].remark == "agrees" and "at version 46" in rows[1].ours
    rising = {n: n / 20 for n in range(1, 11)}
    assert list(versions._improving(rising, [2.0, 1.0]))[1].remark == "agrees"
    assert next(versions._overfitting(rising, [1.0, 2.0])).remark == "differs"


def test_claims_about_starts():
    scores = {"M_N against M_R, without search": score(85, 15)}
    scores |= {"M_S": score(77, 23), "M_N (50:50)": score(67, 33)}
    rows = list(starts._rows(scores))
    assert [row.remark for row in rows] == ["agrees", "agrees", "agrees", "no clear difference"]
    assert rows[-1].ours.startswith("+10.0 ± ")


def test_groups_of_checkers():
    game = halma.game(VARIANT)
    assert largest_group(game, game.start().state, 0) == 6
    apart = game.position("....222/.....22/......2/..1..../1...1../....1../.1....1 1")
    assert largest_group(game, apart.state, 0) == 2
    assert largest_group(game, apart.state, 1) == 6


def test_greedy_always_plays_the_longest_move():
    found = play_and_describe(MatchPlayer("greedy"), 1, 3)
    assert found["moves"] == found["longest"] > 10
    assert found["kept"] <= found["huddles"] and found["reply_rows"] > found["replies"]


def test_where_networks_can_be_trained(tmp_path):
    with pytest.raises(HalmaError, match="not trained on 'tpu': it is auto or cpu or cuda"):
        reproduce("liu2019", Workspace(tmp_path, print, device="tpu"), "table2")


def test_runs_that_are_not_there_need_not_be_trained(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "QUICK", settings.QUICK._replace(table_games=2))
    monkeypatch.setattr(matchups, "TABLE_SIMULATIONS", 2)
    report = reproduce("liu2019", Workspace(tmp_path, print, workers=1, train=False), "table2")
    assert report.sections[0].rows[0].what == "net:liu2019, 2 games"
    assert not (tmp_path / "runs").exists()


def test_pages_of_runs_that_are_not_there(tmp_path):
    report = reproduce("liu2019", Workspace(tmp_path, print, draw_only=True), "fig11")
    assert report.sections[0].text == "Not run yet."
    assert "0 of" in report.about["run"]
    assert not list(Path(tmp_path / "quick").glob("*.png"))
