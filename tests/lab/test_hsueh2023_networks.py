"""hsueh2023's section VIII: what is run, what is said of it, and one small page of it."""

from dataclasses import replace

import pytest

from halma.lab import reproduce
from halma.lab.hsueh2023 import networks as networks
from halma.lab.hsueh2023.figures import Found
from halma.lab.hsueh2023.plan import CS, EPSILONS, UNTRIED, Planner
from halma.lab.request import Request
from halma.learn.alphazero_settings import NeuralSettings


def line(wr_p):
    return {"iteration": 50, "wr_p": wr_p, "wr_p_low": wr_p - 0.01, "wr_p_high": wr_p + 0.01}


def test_the_full_form_is_the_paper_s():
    runs = networks.plan(full=True, seed=0)
    assert len(runs) == 4 * (8 + len(CS)) + len(EPSILONS)
    for (axis, untried, x), recipe in runs.items():
        settings: NeuralSettings = recipe.settings
        assert (settings.iterations, settings.selfplay.games) == (50, 1000)
        assert settings.search.untried == untried
        assert settings.search.simulations == (x if axis == "simulations" else 800)
        assert settings.search.c == (x if axis == "c" else 1.0)
        assert settings.search.noise == (x if axis == "epsilon" else 0.25)
        assert (settings.learning.batch, settings.learning.window) == (256, 40_000)
    # The same setting is one run, whichever panel shows it.
    default = {
        runs["simulations", "loss", 800],
        runs["c", "loss", 1.0],
        runs["epsilon", "loss", 0.25],
    }
    assert len(default) == 1


def test_what_the_paper_says_stands_beside_it():
    six = dict.fromkeys(UNTRIED, 0.3) | {"loss": 0.02, "draw": 0.35}
    runs = {
        **{("simulations", untried, 6): [line(value)] for untried, value in six.items()},
        ("simulations", "loss", 800): [line(0.5)],
        **{("c", untried, CS[0]): [line(0.48)] for untried in UNTRIED},
        ("c", "loss", 1.0): [line(0.5)],
        ("epsilon", "loss", 0.0): [line(0.42)],
    }
    rows = networks.rows(Found(Planner(True, 0), {networks.VARIANT: runs}))
    remarks = {row.what: row.remark for row in rows}
    assert remarks == {
        "6 simulations, by initial W/N": "agrees",
        "c_puct = 1/64, by initial W/N": "does not agree",
        "noise at the root": "",
        "800 simulations, initial W/N +0": "agrees",
    }
    assert rows[0].ours == "+0: 2.00%, +0.5: 35.00%, +1: 30.00%, +∞: 30.00%"
    # Once +0 fails there as well, the paper is right.
    runs["c", "loss", CS[0]] = [line(0.1)]
    rows = networks.rows(Found(Planner(True, 0), {networks.VARIANT: runs}))
    assert rows[1].remark == "agrees"
    assert networks.rows(Found(Planner(True, 0), {networks.VARIANT: {}})) == []


def test_a_small_page(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    tiny = replace(
        networks.QUICK,
        iterations=1,
        games=4,
        simulations=4,
        grade_games=10,
        axes={"simulations": (4,)},
        untried_axes={"simulations": (4,)},
    )
    monkeypatch.setattr(networks, "QUICK", tiny)
    request = Request(tmp_path, lambda text: None, "fig24", quick=True, workers=2)
    report = reproduce("hsueh2023", request)
    (section,) = report.sections
    assert [row.what for row in section.rows] == ["4 simulations, initial W/N +0"]
    assert "the network hsueh2023:filters=32" in report.about["CDC_PPPP"]
    assert (tmp_path / "quick" / "fig24.png").stat().st_size > 10_000
    assert len(list((tmp_path / "runs").glob("*/metrics.jsonl"))) == len(UNTRIED)
