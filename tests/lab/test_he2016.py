"""he2016 run again, in small: both readings, Table I, winning steps, the report and its command."""

import json
import math
import os
import random
import subprocess
import sys

import numpy as np
import pytest

import halma
from halma import HalmaError, _core
from halma.agents import play_game
from halma.lab import Workspace, find_paper, reproduce
from halma.lab.he2016.games import (
    Contestant,
    MeasuredGame,
    make_players,
    play_and_measure,
    summary,
    winning_steps,
)
from halma.lab.he2016.matches import ALIKE, BETTER, Comparison
from halma.lab.he2016.program import (
    ProgramBenchmark,
    ProgramBoard,
    ProgramPlayer,
    endgame_move,
    forbidden_moves,
    search_allowed,
)
from halma.lab.he2016.pruning import ALL, PAPER_TABLE, SHALLOW, count_leaves
from halma.lab.he2016.settings import (
    INITIAL,
    PAPER_TUNED,
    PROGRAM,
    REJECTED,
    TABLE_BOARD,
    TEXT,
    unit,
)
from halma.lab.he2016.tuning import step_size, tune
from halma.lab.workspace import MeasurementFile
from halma.search.minimax import Minimax


def ignore(fraction):
    assert 0 < fraction <= 1


@pytest.mark.parametrize("depth", PAPER_TABLE)
def test_table_has_the_papers_counts(depth):
    """Without pruning, and with the bound of the parent alone."""
    found = {
        search: count_leaves(TABLE_BOARD, depth, search, ignore)["leaves"]
        for search in (ALL, SHALLOW, "alpha-beta")
    }
    assert (found[ALL], found[SHALLOW]) == tuple(leaves for _, leaves in PAPER_TABLE[depth])
    assert found["alpha-beta"] <= found[SHALLOW]


def test_tuning_by_the_text_ends_at_the_same_weights_from_both_beginnings():
    ends = []
    for initial in INITIAL.values():
        found = tune("text", initial, depth=2, games=40, extra="", report=ignore)
        assert len(found["trace"]) == 41 and len(found["wanted"]) == 40
        assert found["trace"][0] == pytest.approx(unit(initial))
        assert math.hypot(*found["trace"][-1]) == pytest.approx(1)
        # The last games hardly move the weights.
        assert math.dist(*found["trace"][-2:]) < 0.02 < math.dist(*found["trace"][:2])
        ends.append(found["trace"][-1])
    assert math.dist(*ends) < 0.05


def test_tuning_by_the_program_averages_after_five_games():
    found = tune("program", INITIAL["equal"], depth=2, games=8, extra="", report=ignore)
    again = tune("program", INITIAL["equal"], depth=2, games=8, extra="", report=ignore)
    assert found == again
    trace, wanted = found["trace"], found["wanted"]
    # The first five fits are taken as they are, and the sixth begins the sum.
    for before, after, distance in zip(trace[:6], trace[1:7], wanted[:6], strict=True):
        assert math.dist(before, after) == pytest.approx(distance)
    assert math.dist(trace[6], trace[7]) < wanted[6]
    assert min(trace[-1]) > 0
    four = tune("program", INITIAL["equal"], 2, 2, extra="vertical variance", report=ignore)
    assert [len(weights) for weights in four["trace"]] == [4, 4, 4]


def test_weights_keep_their_meaning():
    assert TEXT.core_weights((0.9, 0.1, 0.4)) == (-0.9, -0.1, 0.4)
    assert unit((3, 0, 4)) == [0.6, 0, 0.8]
    steps = [step_size(i) for i in range(50)]
    assert steps == sorted(steps, reverse=True) and steps[0] == 0.3


def program_value(game, state, weights, player):
    """The program's evaluation from its own formulas: rows, half holes, squared advances."""
    board, value = ProgramBoard(game), 0.0
    for who, sign in ((player, 1), (1 - player, -1)):
        fields = game.core.describe(state)
        fields[0] = who
        legal = game.core.legal(game.core.compose(fields))
        middle = (min(h[2] for h in game.core.holes) + max(h[2] for h in game.core.holes)) / 2
        for hole in board.pieces(state)[who]:
            row = board.rows[who][hole]
            gains = [row - board.rows[who][m >> 8] for m in legal if m & 0xFF == hole]
            furthest = max([0, *gains])
            half_holes = game.core.holes[hole][2] - middle
            terms = (-(row**2), -(half_holes**2), furthest**2)
            value += sign * sum(w * t for w, t in zip(weights, terms, strict=True)) / 6
    return value


def test_the_program_s_evaluation_by_hand():
    game = halma.game(PROGRAM.variant)
    weights = (0.911, 0.140, 0.388)
    core = np.array(PROGRAM.core_weights(weights))
    for row in game.core.sample_states(game.core.initial(), 20, 2, 40):
        state = row.tobytes()
        own, other = (np.array(_core.features(game.core, state, player)) for player in (0, 1))
        assert core @ (own - other) == pytest.approx(
            program_value(game, state, weights, 0), abs=1e-4
        )


def test_stages_of_the_program():
    game = halma.game("rhombus-4x4-3:he2016-code")
    board = ProgramBoard(game)
    stages = {
        "..22/...2/1.../11.. 1": "opening",  # three rows between the fronts
        "..22/.1.2/..../11.. 1": "midgame",
        "..11/2.1./2.../2... 1": "endgame",
    }
    for text, stage in stages.items():
        assert board.stage(game.position(text).state) == stage


def test_the_program_does_not_repeat_its_last_four_moves():
    game = halma.game("rhombus-4x4-3:he2016-code")
    weights = PROGRAM.core_weights(PAPER_TUNED[2])
    search = Minimax(game, weights=weights, deepen=False, limits="rules")
    record = halma.Record(game)
    best = search.search(record, depth=2).best
    assert forbidden_moves(record) == [] and search_allowed(search, record, 2).best == best
    # There and back, until the start has come again with the best move among the last four.
    back = "-".join(reversed(best.text.split("-")))
    reply = search.search(record, depth=2).line[1].text
    there = [best.text, reply, back, "-".join(reversed(reply.split("-")))]
    for text in there:
        record.play(text)
    assert record.position == game.start() and best.value in forbidden_moves(record)
    other = search_allowed(search, record, 2)
    assert other.best != best and other.value <= search.search(record, depth=2).value
    for text in [*there, *there]:
        record.play(text)
    assert len(forbidden_moves(record)) == 4


def test_the_program_s_endgame_finishes():
    game = halma.game("rhombus-4x4-3:he2016-code")
    position = game.position("..1./..1./2..1/2.2. 1")
    board, moves = ProgramBoard(game), 0
    state = position.state
    while not board.core.terminal(state):
        best, visited = endgame_move(board, state)
        assert visited > 0
        state, moves = board.again(state, best, 0), moves + 1
    assert moves == _core.moves_alone(game.core, position.state, 0, width=1000)


def test_the_program_s_players_play_legal_games():
    game = halma.game(PROGRAM.variant)
    for modified in (False, True):
        player = ProgramPlayer("p", PROGRAM.core_weights(PAPER_TUNED[2]), 2, modified)
        record = halma.Record(game)
        for _ in play_game(record, [ProgramBenchmark(), player], 5):
            pass
        assert record.is_over and len(player.visited) == record.plies // 2
        assert all(visited > 0 for visited in player.visited)


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


@pytest.mark.parametrize("reading", [TEXT, PROGRAM])
def test_games_do_not_depend_on_those_before(reading):
    player = Contestant(reading.name, "paper", 2)
    weights = reading.core_weights(PAPER_TUNED[2])
    forwards = [play_and_measure(player, weights, number, 5) for number in range(3)]
    backwards = [play_and_measure(player, weights, number, 5) for number in (2, 1, 0)]
    assert [g._replace(seconds=0) for g in forwards] == [
        g._replace(seconds=0) for g in backwards[::-1]
    ]
    assert len({game.hash for game in forwards}) > 1
    assert all(game.fewest <= 10 <= game.most and game.turns > 10 for game in forwards)
    first, second = make_players(player, weights)
    assert first.name != second.name


def played(steps, hashes):
    return [MeasuredGame(s, h, 0.0, 0, 10, 5, 1, 9) for s, h in zip(steps, hashes, strict=True)]


def test_equal_games_are_one_observation():
    found = summary(played([4, 2, 0, -2], "abcd"))
    assert (found["wins"], found["draws"], found["losses"], found["mean"]) == (2, 1, 1, 1.0)
    # Four games: Student's t with three degrees of freedom.
    assert found["error"] == pytest.approx(3.182 * math.sqrt(20 / 3) / 2, rel=1e-3)
    often = summary(played([4, 2, 0, -2] * 50, "abcd" * 50))
    assert often["distinct"] == 4 and often["error"] == pytest.approx(found["error"])
    assert summary(played([3] * 9, "a" * 9))["error"] == math.inf


def test_claims_follow_from_the_games():
    weak, strong = Contestant("text", "tuned", 2), Contestant("text", "tuned", 4)
    hashes = [str(i) for i in range(40)]
    rng = random.Random(1)
    games = {
        weak: played([rng.randint(-3, 3) for _ in hashes], hashes),
        strong: played([rng.randint(3, 6) for _ in hashes], hashes),
    }
    for expected, pair, verdict in (
        (BETTER, (weak, strong), "agrees: better"),
        (ALIKE, (weak, strong), "differs: better"),
        (BETTER, (strong, weak), "differs: worse"),
    ):
        (row,) = Comparison("claim", [expected], [pair]).rows(games)
        assert row.remark == verdict
    (row,) = Comparison("claim", [BETTER], [(weak, strong)]).rows(
        {weak: games[weak], strong: played([5] * 4, "aaaa")}
    )
    assert row.verdict == "" and row.remark.startswith("open")
    assert not list(Comparison("claim", [BETTER], [(weak, strong)]).rows({weak: games[weak]}))


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
    assert [s.text for s in report.sections].count("Not run yet.") == 8
    assert not any(section.rows for section in report.sections)


def forged(job):
    """A result of the structure that a job's has."""
    if job.function is tune:
        *_, games, extra = job.arguments
        weights = unit([9, 1, 4, *([1] if extra else [])])
        return {"trace": [weights] * (games + 1), "wanted": [0.5] * games}
    if job.function is count_leaves:
        return job.function(*job.arguments, ignore)
    numbers, _ = job.arguments
    steps = [random.Random(f"{job.name}{n}").randint(-3, 6) for n in numbers]
    return [[s, f"h{n}", 0.5, 9, 40, 30, 8, 60] for s, n in zip(steps, numbers, strict=True)]


def test_a_whole_report_is_drawn_from_measurements(tmp_path):
    workspace = Workspace(tmp_path, print, draw_only=True)
    paper = find_paper("he2016")
    for _ in range(2):  # the games are known once the tunings are there
        for job in [job for one in paper.experiments for job in one.jobs(workspace)]:
            if job.name not in workspace.measurements:
                workspace.measurements[job.name] = forged(job)
    report = reproduce("he2016", workspace)
    rows = [row for section in report.sections for row in section.rows]
    # Pairs: figure 4 has two readings, two weights and two depths; figure 5 no depths.
    assert sum(" -> " in row.what for row in rows) == 8 + 4 + 8 + len(REJECTED) + 2 * 2
    table = next(s for s in report.sections if s.title.startswith("Table I"))
    assert [row.remark for row in table.rows].count("agrees") == 6
    assert not any("times as fast" in row.remark for row in rows)
    for experiment in paper.experiments:
        coverage = experiment.coverage(workspace)
        assert coverage.done == coverage.total > 0
    for figure in ("fig3", "weights", "fig4", "fig5", "fig6", "features"):
        assert (workspace.pages / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
        assert f"]({figure}.png)" in report.markdown()


def halma_command(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "halma.cli", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=300,
        check=False,
    )


def test_the_command_writes_a_report(tmp_path):
    folder = tmp_path / "report"
    asked = ("reproduce", "he2016", "table1", "--quick", "--json", "--out", str(folder))
    done = halma_command(*asked)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    rows = {row["what"]: row for section in answer["sections"] for row in section["rows"]}
    row = rows["rhombus-9x9-10, depth 4, pruning by the parent's bound"]
    assert (row["paper"], row["ours"]) == ("848 leaves, 30.68 s", "848 leaves")
    text = (folder / "quick" / "table1.md").read_text()
    assert all(what in text for what in rows)
    # Again: nothing is measured twice, and the answer is the same.
    assert json.loads(halma_command(*asked).stdout) == answer


def test_bad_requests_are_one_line():
    done = halma_command("reproduce", "nobody1999")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "no paper" in done.stderr
