"""Which runs hsueh2023's figures are made of: the paper's settings, and what figures share."""

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from halma.errors import HalmaError
from halma.lab.hsueh2023 import PAPER, further
from halma.lab.hsueh2023.settings import MAIN_VARIANTS, VARIANTS, Planner, cost
from halma.lab.hsueh2023.training import TrainingExperiment
from halma.lab.run_store import run_name

EXPERIMENTS = {experiment.name: experiment for experiment in PAPER.experiments}

#: N of section V-A
ITERATIONS = {
    "ewn-3x3-3": 100,
    "ewn-3x3-4": 1600,
    "ewn-3x4-3": 800,
    "cdc-2x4-PPPP": 300,
    "cdc-2x4-KPPP": 2000,
    "cdc-2x4-GGCC": 4000,
}
SIX = set(ITERATIONS)
#: What a figure has runs for.
SHOWN = {
    **dict.fromkeys(("fig7", "fig8", "alpha", "fig11", "fig25", "table1", "default"), SIX),
    **{f"fig{number}": set(MAIN_VARIANTS) for number in (9, 10, *range(12, 22), 23)},
    "further": set(MAIN_VARIANTS),
    "fig22": {"ewn-3x3-3"},
    "fig24": {"cdc-2x4-PPPP"},
    **{f"fig{number}": SIX - set(MAIN_VARIANTS) for number in range(26, 36)},
}


@pytest.fixture
def full():
    return Planner(full=True, seed=0)


def settings_of(recipes, *keys):
    """Return the values of some keys, recipe by recipe, and check that all else is default."""
    found = []
    for recipe in recipes:
        flat = recipe.flat
        default = Planner(True, 0).run(recipe.settings.game).flat
        assert {key for key in flat if flat[key] != default[key]} <= set(keys)
        found.append(tuple(flat[key] for key in keys))
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_default_setting_is_the_paper_s(full, variant):
    settings = full.run(variant).settings
    assert settings.iterations == ITERATIONS[variant]
    search = settings.search
    assert (search.simulations, search.c) == (800, 1.0)
    assert (search.dirichlet_alpha, search.dirichlet_weight) == (1.5, 0.25)
    assert (search.fpu, search.rule, search.count_root) == ("loss", "puct", True)
    assert (settings.selfplay.games, settings.selfplay.seconds) == (1000, 0.0)
    assert (settings.learning.replay_buffer, settings.learning.rate) == (2, 1.0)
    assert (settings.truth.every, settings.truth.games) == (1, 10_000)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_axes_are_the_paper_s(full, variant):
    cs = [Fraction(1, 2**k) for k in range(6, 0, -1)] + [2**k for k in range(7)]
    assert settings_of(full.along(variant, "c").values(), "search.c") == [(float(c),) for c in cs]
    assert list(full.along(variant, "c")) == [float(c) for c in cs] and len(cs) == 13
    epsilons = [0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5]
    assert settings_of(full.along(variant, "epsilon").values(), "search.dirichlet_weight") == [
        (e,) for e in epsilons
    ]
    alphas = [0.03, 0.15, 0.3, 0.75, 1.5, 3, 6, 9, 12]
    assert settings_of(full.along(variant, "alpha").values(), "search.dirichlet_alpha") == [
        (a,) for a in alphas
    ]
    numbers = [6, 12, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400]
    if variant in ("ewn-3x3-3", "ewn-3x4-3", "cdc-2x4-PPPP"):
        numbers += [12_800, 25_600]
    runs = full.along(variant, "simulations").values()
    assert settings_of(runs, "search.simulations") == [(n,) for n in numbers]
    assert settings_of(full.trials(variant).values(), "seed") == [(s,) for s in range(5)]


def test_first_play_urgencies_are_crossed_with_simulations_and_with_c(full):
    for variant in MAIN_VARIANTS:
        runs = EXPERIMENTS["fig20"].plan(full, variant)
        found = settings_of(runs.values(), "search.simulations", "search.fpu")
        assert Counter(found) == Counter(
            (n, fpu)
            for n in (6, 12, 25, 50, 100, 200, 400, 800)
            for fpu in ("loss", "draw", "win", "infinite")
        )
        runs = EXPERIMENTS["fig23"].plan(full, variant)
        found = settings_of(runs.values(), "search.c", "search.fpu")
        assert len(set(found)) == 13 * 4


def test_equal_time_and_few_iterations(full):
    runs = full.timed("ewn-3x3-3", 0.75)
    found = settings_of(runs.values(), "search.simulations", "selfplay.seconds")
    assert len(found) == 13 and {seconds for _, seconds in found} == {0.75}
    few = full.few_iterations("cdc-2x4-PPPP").settings
    assert (few.search.simulations, few.iterations) == (25_600, 13)


def test_figure_22_watches_its_position(full):
    runs = full.watched("ewn-3x3-3")
    assert list(runs) == [(6, "draw"), (6, "loss"), (12, "loss")]
    for (n, fpu), recipe in runs.items():
        settings = recipe.settings
        assert (settings.search.simulations, settings.search.fpu) == (n, fpu)
        assert settings.truth.watch == ("12./3.a/.cb r 2",)


def test_further(full):
    runs = further.plan(full, "cdc-2x4-PPPP")
    assert {n for _, n, _ in runs} == {2, 4, 8, 16, 32, 64, 200, 800}
    assert {seed for _, _, seed in runs} == set(range(5))
    assert all(not recipe.settings.search.count_root for recipe in runs.values())
    assert runs["Gumbel", 2, 0].settings.search.rule == "gumbel"
    assert runs["proven values", 2, 0].settings.search.solver
    assert runs["symmetry", 2, 0].settings.learning.symmetry
    assert len(runs) == len(further.METHODS) * 8 * 5


def variants_of(name, full):
    (chosen,) = PAPER.choose(name, (), full)
    return chosen.variants


@pytest.mark.parametrize("name", SHOWN)
def test_variants_of_a_figure(name):
    assert set(variants_of(name, full=True)) == SHOWN[name]


def test_every_figure_has_a_name():
    figures = range(7, 36)
    names = {"table1", "default", "alpha", "further", *(f"fig{number}" for number in figures)}
    assert names == set(SHOWN)
    names |= {"lines", "fig22-seeds", "untrained"}
    assert set(EXPERIMENTS) == names
    appendix = {f"fig{number}" for number in range(26, 36)}
    assert {one.name for one in PAPER.choose("all", (), True)} == names - {"fig24", "untrained"}
    assert {one.name for one in PAPER.choose("appendix", (), True)} == appendix
    assert EXPERIMENTS["fig26"].title == "Figure 26: errors with different c_puct"
    with pytest.raises(HalmaError, match="Did you mean 'fig8'"):
        PAPER.choose("fig 8", (), True)


@pytest.mark.parametrize("scale", ["quick", "full"])
def test_figures_share_runs(scale):
    planner = Planner(full=scale == "full", seed=0)
    plans = {
        name: {
            recipe
            for variant in variants_of(name, planner.full)
            for recipe in experiment.plan(planner, variant).values()
        }
        for name, experiment in EXPERIMENTS.items()
        if isinstance(experiment, TrainingExperiment) and not experiment.timed
    }
    assert plans["default"] == plans["fig25"]
    assert plans["fig7"] == plans["fig8"] >= plans["fig9"] == plans["fig10"]
    assert plans["fig11"] >= plans["fig12"] == plans["fig13"]
    assert plans["fig14"] == plans["fig18"] == plans["fig19"] < plans["fig15"]
    assert plans["fig20"] == plans["fig21"]
    assert plans["fig20"] & plans["fig14"] and plans["fig23"] & plans["fig8"]
    default = {planner.run(variant) for variant in SIX}
    assert default <= plans["fig8"] & plans["fig11"] & plans["fig25"]
    if planner.full:
        assert default <= plans["alpha"]
    # Every setting has a directory of its own.
    runs = set.union(*plans.values())
    names = {run_name(recipe) for recipe in runs}
    assert len(names) == len(runs) and max(map(len, names)) < 200
    assert all(Path(name).name == name for name in names)


def test_quick_runs_stay_within_a_quarter_of_an_hour():
    """Two cores, by what runs took on an idle one; at equal time by what that is there."""
    planner = Planner(full=False, seed=0)
    seconds = {"ewn-3x3-3": 0.05, "cdc-2x4-PPPP": 0.4}
    runs = set()
    for experiment in PAPER.choose("all", (), full=False):
        if isinstance(experiment, TrainingExperiment):
            for variant in experiment.variants:
                if experiment.timed:
                    runs |= set(planner.timed(variant, seconds[variant]).values())
                else:
                    runs |= set(experiment.plan(planner, variant).values())
    assert sum(map(cost, runs)) < 2 * 15 * 60 * 0.85


def test_cost_is_about_the_work():
    planner = Planner(full=True, seed=0)
    short, long = (planner.run("ewn-3x3-3", {"iterations": n}) for n in (10, 1000))
    assert 50 < cost(long) / cost(short) < 100
    few, many = (planner.along("ewn-3x3-3", "simulations")[n] for n in (800, 25_600))
    assert 20 < cost(many) / cost(few) < 32
    assert cost(planner.timed("ewn-3x3-3", 2.0)[6]) > 200
