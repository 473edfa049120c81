"""he2016 run again, in small: tuning, winning steps, the report and its command."""

import json
import math
import os
import subprocess
import sys

import pytest

import halma
from halma import HalmaError, _core
from halma.lab import Workspace, reproduce
from halma.lab.he2016.matches import agent_name, play_and_measure, summary, winning_steps
from halma.lab.he2016.pruning import count_nodes
from halma.lab.he2016.settings import (
    INITIAL,
    LARGE,
    PAPER_TUNED,
    VARIANT,
    as_means,
    core_weights,
    unit,
)
from halma.lab.he2016.tuning import step_size, tune
from halma.lab.workspace import MeasurementFile

SMALL = "rhombus-4x4-3:rules=he2016,plies=60"


def ignore(fraction):
    assert 0 < fraction <= 1


def test_tuning_ends_at_the_same_weights_from_both_beginnings():
    ends = []
    for initial in INITIAL.values():
        found = tune(VARIANT, initial, depth=2, games=40, report=ignore)
        assert len(found["trace"]) == 41 and len(found["wanted"]) == 40
        assert found["trace"][0] == pytest.approx(unit(initial))
        assert math.hypot(*found["trace"][-1]) == pytest.approx(1)
        # The last games hardly move the weights.
        assert math.dist(*found["trace"][-2:]) < 0.02 < math.dist(*found["trace"][:2])
        ends.append(found["trace"][-1])
    assert math.dist(*ends) < 0.05


def test_tuning_a_tiny_board_is_reproducible():
    found = [tune(SMALL, INITIAL["equal"], depth=2, games=5, report=ignore) for _ in range(2)]
    assert found[0] == found[1]


def test_weights_keep_their_meaning():
    assert core_weights((0.9, 0.1, 0.4)) == (-0.9, -0.1, 0.4)
    assert unit((3, 0, 4)) == [0.6, 0, 0.8]
    # Six times the sums are as good as the means.
    assert as_means((6, 6, 1)) == pytest.approx(unit((1, 1, 1)))
    steps = [step_size(i) for i in range(50)]
    assert steps == sorted(steps, reverse=True) and steps[0] == 0.3


def alone_by_search(game, state, player):
    """Breadth first, the other player passing; only where passing is what the rules leave."""
    core = game.core
    fields = core.describe(state)
    front, moves = [fields[3:]], 0
    seen = {tuple(fields[3:])}
    targets = set(core.targets[player])
    while front:
        moves += 1
        layer = []
        for board in front:
            here = core.compose([player, 0, 0, *board])
            for move in core.legal(here):
                after = core.describe(core.play(here, move))[3:]
                own = {h for h, v in enumerate(after) if v and (v - 1) // 16 == player}
                if own == targets:
                    return moves
                if tuple(after) not in seen:
                    seen.add(tuple(after))
                    layer.append(after)
        front = layer
    return -1


def test_moves_alone_are_the_fewest():
    game = halma.game("rhombus-4x4-3:win=fill")
    compared = 0
    for row in game.core.sample_states(game.core.initial(), 60, 3, 40):
        state = row.tobytes()
        if game.core.terminal(state):
            continue
        for player in (0, 1):
            wanted = alone_by_search(game, state, player)
            assert _core.moves_alone(game.core, state, player, width=10_000) == wanted
            # A narrow beam finds no fewer.
            assert wanted <= _core.moves_alone(game.core, state, player, width=20) or wanted < 0
            compared += 1
    assert compared > 50
    assert _core.moves_alone(game.core, game.core.initial(), 0) == alone_by_search(
        game, game.core.initial(), 0
    )


def test_winning_steps_are_the_losers_moves():
    game = halma.game("rhombus-4x4-3:win=fill")
    record = halma.Record(game, game.position("..11/2.1./2.../2... 1"))
    assert winning_steps(record, 0) == 0  # nobody has won yet
    record.play("c3-d3")
    assert record.is_over and record.result == (1.0, 0.0)
    needed = _core.moves_alone(game.core, record.position.state, 1)
    assert needed >= 2
    assert winning_steps(record, 0) == needed
    assert winning_steps(record, 1) == -needed
    with pytest.raises(ValueError, match="alone"):
        draughts = halma.game("draughts-8x8").core
        _core.moves_alone(draughts, draughts.initial(), 0)


def test_games_do_not_depend_on_those_before():
    name = agent_name(PAPER_TUNED[2], 2, False)
    given = (SMALL, name, "greedy")
    forwards = [play_and_measure(*given, number, 5) for number in range(4)]
    backwards = [play_and_measure(*given, number, 5) for number in (3, 2, 1, 0)]
    assert forwards == backwards[::-1]
    # Same players, other seats.
    assert forwards[0] != forwards[1]


def test_summary():
    found = summary([4, 2, 0, -2])
    assert (found["wins"], found["draws"], found["losses"], found["mean"]) == (2, 1, 1, 1.0)
    assert found["error"] == pytest.approx(1.96 * math.sqrt(20 / 3) / 2, rel=1e-4)


def test_table_has_the_papers_first_counts():
    """196 leaves without pruning and 27 with it are the paper's; deeper counts are ours."""
    assert count_nodes(LARGE, 2, "all")["leaves"] == 196
    assert count_nodes(LARGE, 2, "pruned")["leaves"] == 27
    four = count_nodes(VARIANT, 4, "all")
    assert four["leaves"] == 29584
    assert count_nodes(VARIANT, 4, "pruned")["leaves"] < 1500


def test_measurements_are_kept(tmp_path):
    path = tmp_path / "measured.json"
    MeasurementFile(path, {"seed": 3})["one"] = {"value": (1.5, 2)}
    again = MeasurementFile(path, {"seed": 3})
    assert again["one"] == {"value": [1.5, 2]}
    assert "one" in again and "two" not in again
    assert "one" not in MeasurementFile(path, {"seed": 4})
    path.write_text("{}")
    with pytest.raises(HalmaError, match="not a file of measurements"):
        MeasurementFile(path, {"seed": 3})


def test_unknown_names(tmp_path):
    workspace = Workspace(tmp_path, print)
    with pytest.raises(HalmaError, match="Did you mean 'he2016'"):
        reproduce("he2017", workspace)
    with pytest.raises(HalmaError, match=r"no experiment 'fig7'.*There are fig3, table1, fig4"):
        reproduce("he2016", workspace, "fig7")
    with pytest.raises(HalmaError, match="no variant 'ewn-3x3-3'"):
        reproduce("he2016", workspace, "all", ["ewn-3x3-3"])


def test_pages_can_be_made_before_anything_was_run(tmp_path):
    report = reproduce("he2016", Workspace(tmp_path, print, draw_only=True))
    assert [s.text for s in report.sections].count("Not run yet.") == 4
    assert not any(section.rows for section in report.sections)


def halma_command(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "halma.cli", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=300,
        check=False,
    )


def test_the_command_writes_a_whole_report(tmp_path):
    folder = tmp_path / "report"
    asked = ("reproduce", "he2016", "--quick", "--json", "--out", str(folder))
    done = halma_command(*asked)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    titles = [section["title"] for section in answer["sections"]]
    for word in ("Features", "Algorithm 1", "Table I", "Figure 4", "Figure 5", "Figure 6"):
        assert any(word in title for title in titles)
    rows = {row["what"]: row for section in answer["sections"] for row in section["rows"]}
    assert rows["star-121-2p, depth 2, all"]["paper"] == "196 nodes, 4.07 s"
    assert rows["star-121-2p, depth 2, all"]["ours"].startswith("196 leaves")
    # Table I: two boards, three depths, three ways; tuning: four rows a depth; games: pairs.
    assert len([what for what in rows if what.startswith(("star", "rhombus"))]) == 18
    assert len([what for what in rows if " -> " in what]) == 6 + 3 + 6
    for figure, players in (("fig4", 5 * 2), ("fig5", 3 * 2), ("fig6", 3 * 2 * 2)):
        games = answer["data"][figure]["games"]
        assert len(games) == players and all(game["games"] == 6 for game in games)
    pages = folder / "quick"
    text = (pages / "index.md").read_text()
    page = (pages / "index.html").read_text()
    for what in rows:
        assert what in text
    for section in answer["sections"]:
        for figure in section["figures"]:
            assert (pages / figure).read_bytes().startswith(b"\x89PNG")
            assert f"]({figure})" in text
    assert page.count("data:image/png;base64,") == 5
    # Again: nothing is measured twice, and the answer is the same.
    assert json.loads(halma_command(*asked).stdout) == answer


def test_bad_requests_are_one_line():
    done = halma_command("reproduce", "nobody1999")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "no paper" in done.stderr
