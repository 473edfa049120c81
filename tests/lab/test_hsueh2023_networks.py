"""hsueh2023's section VIII: what is run, what is said of it, and one small page of it."""

from dataclasses import replace

import pytest

from halma.lab import Workspace, reproduce
from halma.lab.hsueh2023 import first_play, settings, untrained
from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import CS, EPSILONS, FPU, Planner
from halma.learn.sections.alphazero import AlphaZeroSettings


def line(wr_p):
    interval = {"wr_p_low": wr_p - 0.01, "wr_p_high": wr_p + 0.01}
    return {"iteration": 50, "wr_p": wr_p, **interval, "err_p": 0.01, "mae_v": 0.02}


def compared(runs):
    return list(
        first_play.claims_fig24(VariantRuns(first_play.NETWORK_VARIANT, Planner(True, 0), runs))
    )


def test_the_full_form_is_the_paper_s():
    runs = first_play.plan_fig24(Planner(full=True, seed=0), first_play.NETWORK_VARIANT)
    assert len(runs) == 4 * (8 + len(CS)) + len(EPSILONS)
    for (axis, fpu, x), recipe in runs.items():
        chosen: AlphaZeroSettings = recipe.settings
        assert (chosen.iterations, chosen.selfplay.games) == (50, 1000)
        assert chosen.search.fpu == fpu
        assert chosen.search.simulations == (x if axis == "simulations" else 800)
        assert chosen.search.c == (x if axis == "c" else 1.0)
        assert chosen.search.dirichlet_weight == (x if axis == "epsilon" else 0.25)
        assert (chosen.learning.batch_size, chosen.learning.replay_buffer) == (256, 40_000)
    # The same setting is one run, whichever panel shows it.
    default = {
        runs["simulations", "loss", 800],
        runs["c", "loss", 1.0],
        runs["epsilon", "loss", 0.25],
    }
    assert len(default) == 1


def test_what_the_paper_says_stands_beside_it():
    six = dict.fromkeys(FPU, 0.3) | {"loss": 0.02, "draw": 0.35}
    runs = {
        **{("simulations", fpu, 6): [line(value)] for fpu, value in six.items()},
        ("simulations", "loss", 800): [line(0.5)],
        **{("c", fpu, CS[0]): [line(0.48)] for fpu in FPU},
        ("c", "loss", 1.0): [line(0.5)],
        ("epsilon", "loss", 0.0): [line(0.42)],
    }
    rows = compared(runs)
    remarks = {row.what: row.remark for row in rows}
    assert remarks == {
        "6 simulations, by initial W/N": "agrees",
        "c_puct = 1/64, by initial W/N": "differs",
        "noise at the root": "",
        "800 simulations, initial W/N +0": "agrees",
    }
    assert rows[0].ours == "+0: 2.00%, +0.5: 35.00%, +1: 30.00%, +∞: 30.00%"
    # Once +0 fails there as well, the paper is right.
    runs["c", "loss", CS[0]] = [line(0.1)]
    rows = compared(runs)
    assert rows[1].remark == "agrees"
    assert compared({}) == []


def test_a_small_page(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    quick = settings.quick_scale(settings.NETWORK)
    tiny = replace(
        quick,
        changes={
            **quick.changes,
            "iterations": 1,
            "selfplay.games": 4,
            "selfplay.parallel_games": 4,
            "search.simulations": 4,
            "truth.every": 1,
            "truth.games": 10,
        },
        axes={"simulations": (4,)},
        fpu_axes={"simulations": (4,)},
    )
    monkeypatch.setattr(settings, "quick_scale", lambda variant: tiny)
    workspace = Workspace(tmp_path, lambda text: None, workers=2)
    report = reproduce("hsueh2023", workspace, "fig24")
    (section,) = report.sections
    assert [row.what for row in section.rows] == ["4 simulations, initial W/N +0"]
    assert "the network hsueh2023:filters=32" in report.about["CDC_PPPP"]
    assert (tmp_path / "quick" / "fig24.png").stat().st_size > 10_000
    assert len(list((tmp_path / "runs").glob("*/metrics.jsonl"))) == len(FPU)


def test_runs_that_look_for_the_cause():
    planner = Planner(full=True, seed=0)
    recipes = untrained.plan(planner, "cdc-2x4-PPPP")
    assert len(recipes) == 3 * 6
    for (change, seed), recipe in recipes.items():
        chosen: AlphaZeroSettings = recipe.settings
        assert (chosen.seed, chosen.search.c, chosen.search.fpu) == (seed, CS[0], "draw")
        assert chosen.network.endswith("even=on") == (change == untrained.EVEN)
        games = 2500 if change == untrained.FEWER_POSITIONS else 40_000
        assert chosen.learning.replay_buffer == games
    # A reduced run has fewer games in all, and the same share of them.
    short = untrained.changed(Planner(full=False, seed=0), untrained.FEWER_POSITIONS, 1)
    assert short.settings.learning.replay_buffer == 40
    assert short.settings.iterations * short.settings.selfplay.games == 800


def test_values_that_begin_at_even_chances():
    """Seed 0 of the paper's network has more than one point for both; even chances have one."""
    for even, total in ((False, 1.14), (True, 1.0)):
        change = untrained.EVEN if even else untrained.AS_IT_IS
        network = untrained.untrained_network(
            untrained.changed(Planner(full=True, seed=0), change, 0)
        )
        positions = list(untrained.random_positions(0))
        sums = [untrained.sum_of_values(network, position) for position in positions]
        assert len(positions) == 12
        assert sum(sums) / 12 == pytest.approx(total, abs=0.005)
