"""The paper's numbers beside ours, from runs made by hand."""

import random
from pathlib import Path

import pytest

from halma.games import Record, game
from halma.lab.hsueh2023 import PAPER, first_play, search_parameters, tables, watched
from halma.lab.hsueh2023.figures import arranged
from halma.lab.hsueh2023.positions import count_positions, count_stuck
from halma.lab.hsueh2023.runs import NO_RUN, VariantRuns, reduced_remark, verdict
from halma.lab.hsueh2023.settings import VARIANTS, Planner, write_fraction
from halma.lab.hsueh2023.training import TrainingFigure

FIGURES = {one.name: one for one in PAPER.experiments if isinstance(one, TrainingFigure)}


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


def rows_of(name, runs, full=True):
    """Return the rows of a figure about runs made by hand, by what they are about."""
    given = [VariantRuns(variant, Planner(full, 0), labelled) for variant, labelled in runs.items()]
    return {row.what: row for row in FIGURES[name].rows(given)}


def test_verdicts():
    assert verdict(0.1062, 0.10, 0.11) == "agrees"
    assert verdict(0.1062, 0.12, 0.13) == "agrees"
    assert verdict(0.1062, 0.13, 0.15) == "differs, but is near"
    assert verdict(0.1062, 0.17, 0.19) == "differs"
    assert reduced_remark("agrees; best with 50") == "the shape agrees; best with 50"
    assert reduced_remark("differs") == "in a reduced run it differs"
    assert reduced_remark("") == ""


def test_figure_20_has_the_stated_numbers():
    ours = {"loss": 0.108, "draw": 0.43, "win": 0.33, "infinite": 0.20}
    runs = {"ewn-3x3-3": {(fpu, 6): [line(value)] for fpu, value in ours.items()}}
    rows = rows_of("fig20", runs)
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
    rows = rows_of("fig8", runs)
    good = rows["EWN₃₃₃: c_puct from 1/2 to 4"]
    assert (good.ours, good.remark) == ("48.50% to 50.00%", "agrees")
    assert rows["EWN₃₃₃: c_puct = 1/64"].ours.startswith("10.00%")
    runs["ewn-3x3-3"][4.0] = [line(0.45)]
    bad = rows_of("fig8", runs)["EWN₃₃₃: c_puct from 1/2 to 4"]
    assert bad.remark == "differs"
    # A reduced run is compared with the best of its kind.
    reduced = rows_of("fig8", runs, full=False)["EWN₃₃₃: c_puct from 1/2 to 4"]
    assert reduced.remark == "the shape agrees"


def test_the_footnote_on_few_iterations():
    runs = {
        "cdc-2x4-PPPP": {6: [line(0.02)], 800: [line(0.501)], search_parameters.FEW: [line(0.38)]}
    }
    rows = rows_of("fig15", runs)
    few = rows["CDC_PPPP: 25,600 simulations, 13 iterations"]
    assert few.paper.endswith("41.70%") and few.remark == "differs, but is near"
    assert rows["CDC_PPPP: 800 simulations, 300 iterations"].remark == "agrees"
    assert rows["CDC_PPPP: 6 simulations"].remark == "agrees"


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_has_been_run_yet(name):
    """Pages can be made before all runs are there."""
    rows = rows_of(name, {variant: {} for variant in FIGURES[name].variants})
    assert all(not row.remark for row in rows.values() if row.ours == NO_RUN)


@pytest.mark.parametrize("scale", ["quick", "full"])
@pytest.mark.parametrize("name", [name for name in FIGURES if name != "fig22"])
def test_every_figure_says_something_of_its_runs(scale, name):
    """If every planned run is there, there are rows with numbers."""
    planner = Planner(full=scale == "full", seed=0)
    figure = FIGURES[name]
    runs = {}
    for variant in figure.variants:
        plan = planner.timed(variant, 2.0) if figure.timed else figure.plan(planner, variant)
        runs[variant] = {
            label: [line(0.3 + 0.001 * number, games=10), line(0.4 + 0.001 * number, games=10)]
            for number, label in enumerate(plan)
        }
    rows = rows_of(name, runs, full=planner.full)
    assert rows and all(what and row.ours for what, row in rows.items())


def test_figure_22_knows_its_position():
    values = first_play.exact_watched_values()
    assert values == pytest.approx({"b1-c2": 0.827, "b1-b2": 0.193, "b1-c1": 0.144}, abs=5e-4)
    policy = {"b1-c2": 0.1, "b1-b2": 0.1, "b1-c1": 0.8}
    watched = [line(0.5, watched=[{"position": "", "value": 0.5, "policy": policy}])]
    runs = {"ewn-3x3-3": {(6, "draw"): watched, (6, "loss"): watched, (12, "loss"): []}}
    remarks = [row.remark for row in rows_of("fig22", runs).values()]
    assert remarks == ["agrees", "differs", "agrees", ""]


def test_small_things():
    assert [write_fraction(c) for c in (1 / 64, 0.5, 1.0, 64.0)] == ["1/64", "1/2", "1", "64"]
    runs = {variant: VariantRuns(variant, Planner(True, 0), {}) for variant in VARIANTS}
    assert [one.name for one in arranged(list(runs.values()))][:2] == ["EWN₃₃₃", "CDC_PPPP"]
    two = [runs["cdc-2x4-PPPP"], runs["ewn-3x3-3"]]
    assert arranged(two) == two
    few = VariantRuns(
        "ewn-3x3-3", Planner(True, 0), {6: [line(0.1, games=10), line(0.3, games=20)]}
    )
    assert few.mean_games(6) == 15
    assert few.early_mean(6) == 0.1 and few.mean(6) == pytest.approx(0.2)


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
    assert tables.count(record) == (record.plies, actions, 3 * record.plies)
    flips = Record(game("cdc-2x4-PPPP"))
    flips.play(flips.position.legal_moves[0])
    flips.resolve(flips.position.outcomes[0])
    flips.play(next(m for m in flips.position.legal_moves if m.text.startswith("a2")))
    flips.resolve(flips.position.outcomes[0])
    # The start had no chance before it; the second position came of two kinds of pieces.
    assert tables.count(flips) == (2, 8 + len(flips.positions[2].legal_moves), 1 + 2)


@pytest.mark.parametrize("variant", ["ewn-3x3-3", "cdc-2x4-PPPP"])
def test_table_1_counts_positions(variant):
    positions = count_positions(variant, lambda part: None)
    assert positions == (tables.PAPER[variant][3], 0)
    rows, data = tables.compare(variant, [(5, 15, 15), (6, 18, 18)], positions)
    assert rows[-1].remark == "agrees" and data["game length"][0] == 5.5


def test_the_first_flip_as_one_event():
    variants = ("ewn-3x3-3", "cdc-2x4-PPPP", "cdc-2x4-KPPP", "cdc-2x4-GGCC")
    assert [tables.kinds_at_first(variant) for variant in variants] == [0, 2, 4, 4]
    rows, _ = tables.compare("cdc-2x4-KPPP", [(10, 40, 19), (10, 40, 19)], None)
    shown = {row.what: row for row in rows}
    assert shown["CDC_KPPP: chance events"].ours == "1.90 ± 0.00"
    other = shown["CDC_KPPP: chance events, the first flip as one"]
    assert (other.ours, other.verdict) == ("1.60 ± 0.00", "")


def test_positions_in_which_nobody_can_move():
    """With them, the numbers come near to the paper's 1,934,199 and 4,032,500."""
    assert [count_stuck(f"cdc-2x4-{pieces}") for pieces in ("KPPP", "GGCC")] == [288, 720]


def test_seeds_of_figure_22():
    def entry(iteration, best, worst):
        policy = {"b1-c2": best, "b1-b2": 1 - best - worst, "b1-c1": worst}
        return {"iteration": iteration, "watched": [{"policy": policy}]}

    late = [entry(1, 0.3, 0.5), entry(5, 0.02, 0.98), entry(6, 0.9, 0.1), entry(10, 0.97, 0.02)]
    runs = VariantRuns("ewn-3x3-3", Planner(True, 0), {(6, "draw", 0): late, (6, "loss", 1): ()})
    [experiment] = watched.EXPERIMENTS
    [section] = experiment.sections(Path(), [runs])
    shown = ("b1-c1 50%", "b1-c1 98%", "b1-c2 97%")
    assert section.rows == [("6", "+0.5", "0", *shown, "6")]
