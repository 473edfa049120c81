"""The paper's numbers beside ours, from runs made by hand."""

import random

import pytest

from halma.games import Record, game
from halma.lab.hsueh2023 import claims as claims
from halma.lab.hsueh2023 import further as further
from halma.lab.hsueh2023 import table1 as table1
from halma.lab.hsueh2023.experiments import EXPERIMENTS, Context
from halma.lab.hsueh2023.figures import Found, arranged, mean_games, write_c
from halma.lab.hsueh2023.plan import VARIANTS, Planner
from halma.lab.runs import Store


def line(wr_p, iteration=1, **more):
    return {
        "iteration": iteration,
        "wr_p": wr_p,
        "wr_p_low": wr_p - 0.01,
        "wr_p_high": wr_p + 0.01,
        "err_p": 0.01,
        "mae_v": 0.02,
        "updated_1": 100,
        **more,
    }


def found(runs, full=True):
    return Found(Planner(full, 0), runs)


def by_what(rows):
    return {row.what: row for row in rows}


def test_verdicts():
    assert claims.verdict(0.1062, 0.10, 0.11) == "agrees"
    assert claims.verdict(0.1062, 0.12, 0.13) == "agrees"
    assert claims.verdict(0.1062, 0.13, 0.15) == "near"
    assert claims.verdict(0.1062, 0.17, 0.19) == "differs"
    assert claims.of_reduced("agrees; best with 50") == "the shape agrees; best with 50"
    assert claims.of_reduced("does not agree") == "does not agree, in a reduced run"
    assert claims.of_reduced("") == ""


def test_figure_20_has_the_stated_numbers():
    ours = {"loss": 0.108, "draw": 0.43, "win": 0.33, "infinite": 0.20}
    runs = {"ewn-3x3-3": {(untried, 6): [line(value)] for untried, value in ours.items()}}
    rows = by_what(claims.fig20(found(runs)))
    first = rows["EWN₃₃₃: 6 simulations, initial W/N +0"]
    assert (first.paper, first.ours) == ("10.62%", "10.80% (9.80% to 11.80%)")
    assert first.remark == "agrees"
    assert rows["EWN₃₃₃: 6 simulations, initial W/N +0.5"].paper == "43.05%"
    last = rows["EWN₃₃₃: 6 simulations, initial W/N +∞"]
    assert (last.paper, last.remark) == ("about 34.00%", "differs")
    order = rows["EWN₃₃₃: 6 simulations, from the worst to the best"]
    assert (order.ours, order.remark) == ("+0, +∞, +1, +0.5", "agrees")


def test_figure_8_looks_at_a_half_to_four():
    values = {1 / 64: 0.1, 0.5: 0.49, 1.0: 0.5, 4.0: 0.485, 64.0: 0.2}
    runs = {"ewn-3x3-3": {c: [line(value)] for c, value in values.items()}}
    rows = by_what(claims.fig8(found(runs)))
    good = rows["EWN₃₃₃: c_puct from 1/2 to 4"]
    assert (good.ours, good.remark) == ("48.50% to 50.00%", "agrees")
    assert rows["EWN₃₃₃: c_puct = 1/64"].ours.startswith("10.00%")
    runs["ewn-3x3-3"][4.0] = [line(0.45)]
    bad = by_what(claims.fig8(found(runs)))["EWN₃₃₃: c_puct from 1/2 to 4"]
    assert bad.remark == "does not agree"
    # A reduced run is compared with the best of its kind.
    reduced = by_what(claims.fig8(found(runs, full=False)))["EWN₃₃₃: c_puct from 1/2 to 4"]
    assert reduced.remark == "agrees"


def test_the_footnote_on_few_iterations():
    runs = {"cdc-2x4-PPPP": {6: [line(0.02)], 800: [line(0.501)], claims.FEW: [line(0.38)]}}
    rows = by_what(claims.fig15(found(runs)))
    few = rows["CDC_PPPP: 25,600 simulations, 13 iterations"]
    assert few.paper.endswith("41.70%") and few.remark == "near"
    assert rows["CDC_PPPP: 800 simulations, 300 iterations"].remark == "agrees"
    assert rows["CDC_PPPP: 6 simulations"].remark == "agrees"


@pytest.mark.parametrize(
    "rows",
    [getattr(claims, name) for name in ("alpha", *(f"fig{n}" for n in (*range(7, 22), 23, 25)))],
)
def test_nothing_has_been_run_yet(rows):
    """Pages can be made before all runs are there."""
    rows(found({variant: {} for variant in VARIANTS}))


@pytest.mark.parametrize("scale", ["quick", "full"])
@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in ("fig22", "fig24")])
def test_every_figure_says_something_of_its_runs(tmp_path, scale, name):
    """Every planned run has come to something: there is a row for it, and nothing breaks."""
    planner = Planner(full=scale == "full", seed=0)
    context = Context(planner, Store(tmp_path))
    experiment = EXPERIMENTS[name]
    runs = {}
    for variant in experiment.variants:
        plan = (
            planner.by_time(variant, 2.0) if experiment.timed else experiment.plan(context, variant)
        )
        runs[variant] = {
            label: [line(0.3 + 0.001 * number, games=10), line(0.4 + 0.001 * number, games=10)]
            for number, label in enumerate(plan)
        }
    rows = experiment.rows(found(runs, full=planner.full))
    assert rows and all(row.what and row.ours for row in rows)


def test_figure_22_knows_its_position():
    values = claims.exact_watched_values()
    assert values == pytest.approx({"b1-c2": 0.827, "b1-b2": 0.193, "b1-c1": 0.144}, abs=5e-4)
    policy = {"b1-c2": 0.1, "b1-b2": 0.1, "b1-c1": 0.8}
    watched = [line(0.5, watched=[{"position": "", "value": 0.5, "policy": policy}])]
    runs = {"ewn-3x3-3": {(6, "draw"): watched, (6, "loss"): watched, (12, "loss"): []}}
    remarks = [row.remark for row in claims.fig22(found(runs))]
    assert remarks == ["agrees", "does not agree", "agrees", ""]


def test_small_things():
    assert [write_c(c) for c in (1 / 64, 0.5, 1.0, 64.0)] == ["1/64", "1/2", "1", "64"]
    runs = {"ewn-3x3-3": {6: [line(0.1, games=10), line(0.1, games=20)]}}
    assert mean_games(found(runs), "ewn-3x3-3", 6) == 15
    assert arranged(VARIANTS)[:2] == ["ewn-3x3-3", "cdc-2x4-PPPP"]
    assert arranged({"cdc-2x4-PPPP": 0, "ewn-3x3-3": 0}) == ["cdc-2x4-PPPP", "ewn-3x3-3"]


def test_what_a_game_is_counted_for():
    """Naively: EinStein has a die of three before every move."""
    rng = random.Random(5)
    chosen = game("ewn-3x3-3")
    record = Record(chosen)
    actions = 0
    while not record.is_over:
        if record.position.is_chance:
            record.roll(rng)
        else:
            actions += len(record.position.legal_moves)
            record.play(rng.choice(record.position.legal_moves))
    assert table1.count(record) == (record.plies, actions, 3 * record.plies)
    flips = Record(game("cdc-2x4-PPPP"))
    flips.play(flips.position.legal_moves[0])
    flips.resolve(flips.position.outcomes[0])
    flips.play(next(m for m in flips.position.legal_moves if m.text.startswith("a2")))
    flips.resolve(flips.position.outcomes[0])
    # The start had no chance before it; the second position came of two kinds of pieces.
    assert table1.count(flips) == (2, 8 + len(flips.positions[2].legal_moves), 1 + 2)


@pytest.mark.parametrize("variant", ["ewn-3x3-3", "cdc-2x4-PPPP"])
def test_table_1_counts_positions(variant):
    rows, data = table1._rows(variant, [(5, 15, 15), (6, 18, 18)])
    assert data["positions"] == table1.PAPER[variant][3]
    assert rows[-1].remark == "agrees" and data["game length"][0] == 5.5
