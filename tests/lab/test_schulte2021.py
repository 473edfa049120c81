"""schulte2021 run again, in small: actions, games and seats of agents that do not learn."""

import halma
from halma.lab import Workspace, reproduce
from halma.lab.schulte2021 import settings
from halma.lab.schulte2021.games import never_legal
from halma.lab.schulte2021.seats import first_seat_verdict, order_verdict
from halma.lab.schulte2021.settings import GREEDY
from halma.lab.seat_matches import SeatTable


def table(*means):
    """Return a table in which a gap of more than 0.08 is clear."""
    leads = tuple(tuple(one - other > 0.08 for other in means) for one in means)
    return SeatTable(((0.0, 0.0, 1.0),) * 3, tuple((mean, 0.05) for mean in means), leads)


def test_the_sum_of_kinds_counts_two_actions_twice(tmp_path):
    assert never_legal(halma.game("star-37-3p")) == 100
    (section,) = reproduce("schulte2021", Workspace(tmp_path, print), "actions").sections
    rows = {row.what: row for row in section.rows}
    assert rows["actions"].remark == rows["accessible holes"].remark == "agrees"
    never = rows["actions that are never legal"]
    assert never.paper == "22 + 16 + 25 + 8 + 31 = 102 (31.9%)" and never.ours == "100 (31.2%)"


def test_verdicts_on_the_order_of_seats():
    assert order_verdict(table(1.5, 1.3, 1.2)) == "the earlier, the better"
    assert order_verdict(table(1.5, 1.2, 1.25)) == "player 1 above player 2"
    assert order_verdict(table(1.35, 1.33, 1.32)) == "no clear difference"
    assert first_seat_verdict(table(1.2, 1.4, 1.4)) == "agrees"
    assert first_seat_verdict(table(1.5, 1.3, 1.2)) == "differs"
    assert first_seat_verdict(table(1.3, 1.33, 1.34)) == "not decided"


def reduced(monkeypatch, **games):
    """Change how much of quick experiments is run."""
    monkeypatch.setattr(settings, "QUICK", settings.QUICK._replace(**games))


def test_greedy_games_in_quick_form(tmp_path, monkeypatch):
    reduced(monkeypatch, seat_games=dict.fromkeys(settings.QUICK.seat_games, 20) | {GREEDY: 2000})
    report = reproduce("schulte2021", Workspace(tmp_path, print, workers=1), "seats")
    placements, claims = report.sections
    assert placements.rows[0][:2] == (f"{GREEDY}, 2,000 games", "player 1")
    # The thesis has player 1 last, after 120 games.
    assert claims.rows[0].remark.startswith("differs: ")


def test_most_games_of_initialize_meet_the_limit(tmp_path, monkeypatch):
    reduced(monkeypatch, agent_games=100)
    report = reproduce("schulte2021", Workspace(tmp_path, print, workers=1), "initialize")
    random, initialize, greedy = report.sections[0].rows
    assert random[1] == "120.0 ± 0.0" and random[2].startswith("100.0%")
    assert 40 < float(initialize[3].partition("%")[0]) < 80  # nobody scores
    assert greedy[2].startswith("0.0%") and greedy[1] == greedy[5]
