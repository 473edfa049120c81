"""Recipes: what is refused and how, and that what is written is read back."""

import dataclasses
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halma.errors import HalmaError, RecipeError
from halma.learn import load
from halma.learn import settings as typed
from halma.learn.recipe import FOLDER, names, parse_changes
from halma.learn.sections.tabular import TabularSettings

#: N of hsueh2023, section V-A, and what its footnote 8 takes for test positions
PAPER = {
    "ewn-3x3-3": (100, 0),
    "ewn-3x3-4": (1600, 0),
    "ewn-3x4-3": (800, 0),
    "cdc-2x4-PPPP": (300, 1),
    "cdc-2x4-KPPP": (2000, 1),
    "cdc-2x4-GGCC": (4000, 1),
}


@pytest.mark.parametrize("variant", PAPER)
def test_the_paper_s_settings(variant):
    settings = load(f"hsueh2023/{variant}").settings
    assert (settings.game, settings.iterations, settings.truth.plies) == (
        variant,
        *PAPER[variant],
    )
    search, learning = settings.search, settings.learning
    assert (search.rule, search.simulations, search.c) == ("puct", 800, 1.0)
    assert (search.fpu, search.dirichlet_weight, search.dirichlet_alpha) == ("loss", 0.25, 1.5)
    assert (settings.selfplay.games, learning.replay_buffer, settings.truth.games) == (
        1000,
        2,
        10_000,
    )
    assert (learning.rate, learning.late_rate, learning.late_from) == (1.0, 0.1, 0.5)
    assert not search.solver and not learning.symmetry


def test_the_base_explains_every_key():
    text = (FOLDER / "hsueh2023" / "default.toml").read_text(encoding="utf-8")
    assert text.endswith(f'method = "tabular"\n{typed.write(TabularSettings())}')


def test_no_recipe_repeats_the_base():
    base = load("hsueh2023/default").flat
    for variant in PAPER:
        given = tomllib.loads((FOLDER / "hsueh2023" / f"{variant}.toml").read_text("utf-8"))
        assert given.pop("extends") == "hsueh2023/default"
        assert set(given) == {"game", "iterations", "truth"}
        own = load(f"hsueh2023/{variant}").flat
        changed = {key for key in own if own[key] != base[key]}
        assert changed <= {"game", "iterations", "truth.plies"}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"search.simulation": 4},
            "There is no setting 'search.simulation'. Did you mean 'search.simulations'?",
        ),
        (
            {"simulations": 4},
            "There is no setting 'simulations'. Did you mean 'search.simulations'?",
        ),
        (
            {"serch.fpu": "win"},
            "There is no setting 'serch.fpu'. Did you mean 'search.fpu'?",
        ),
        ({"xyzzy": 1}, "There is no setting 'xyzzy'. There are game, iterations,"),
        (
            {"search.simulations": 0},
            "'search.simulations' cannot be 0: it is a whole number from 1 to 10,000,000.",
        ),
        ({"search.simulations": 1}, "'search.simulations' cannot be 1 if 'search.count_root'"),
        ({"search.simulations": 1.5}, "'search.simulations' cannot be 1.5: it is a whole number"),
        ({"search.simulations": True}, "'search.simulations' cannot be true: it is a whole"),
        ({"search.simulations": "many"}, "'search.simulations' cannot be \"many\": it is a whole"),
        ({"search.c": float("nan")}, "'search.c' cannot be nan: it is a number from 0 to 1,000."),
        ({"search.c": float("inf")}, "'search.c' cannot be inf: it is a number from 0 to 1,000."),
        ({"search.c": -0.5}, "'search.c' cannot be -0.5: it is a number from 0 to 1,000."),
        (
            {"search.rule": "pcut"},
            "'search.rule' cannot be \"pcut\": it is one of puct, gumbel, rpo, expansion. "
            "Did you mean 'puct'?",
        ),
        (
            {"search.rule": 3},
            "'search.rule' cannot be 3: it is one of puct, gumbel, rpo, expansion.",
        ),
        ({"search.solver": 1}, "'search.solver' cannot be 1: it is true or false."),
        ({"game": 7}, "'game' cannot be 7: it is a text."),
        ({"game": "ewn-3x3"}, "There is no variant 'ewn-3x3'"),
        ({"game": "draughts-8x8"}, "'game' cannot be 'draughts-8x8': a lookup table is for two"),
        ({"seed": -1}, "'seed' cannot be -1: it is a whole number from 0 to"),
        ({"truth.watch": "12./3.a/.cb r 2"}, "it is a list of texts."),
        ({"truth.watch": [3]}, "'truth.watch' cannot be [3]: it is a list of texts."),
        ({"truth.watch": ("12./3.a r 2",)}, "'truth.watch': "),
        ({"truth.watch": ("1../32a/.cb b -",)}, "nobody has a move to make there."),
    ],
)
def test_refused(changes, sentence):
    with pytest.raises(HalmaError) as caught:
        load("hsueh2023/ewn-3x3-3", changes)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "method = 'tabular'\n[serch]\nc = 1",
            "There is no setting 'serch.c'. Did you mean 'search.c'?",
        ),
        (
            "method = 'tabular'\nsearch = 3",
            "There is no setting 'search'. It is a section, [search].",
        ),
        ("method = 'tabular'\n[game]\nname = 'x'", "There is no setting 'game.name'."),
        ("iterations = 3", "does not say its 'method': it is one of tabular, alphazero, dqn."),
        ("method = 'tabluar'", "Did you mean 'tabular'?"),
        ("method = ['tabular']", "cannot have"),
        ("extends = 3", "'extends' is not the name of a recipe."),
        ("extends = 'hsueh2023/ewn-3x3-33'", "Did you mean 'hsueh2023/ewn-3x3-3'?"),
        ("extends = 'own.toml'", "extends itself in the end."),
        ("extends = 'elsewhere.toml'", "There is no recipe"),
        ("c = = 1", "is not TOML"),
        ("\udcff", "is not TOML"),
    ],
)
def test_files_refused(tmp_path, text, sentence):
    path = tmp_path / "own.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RecipeError) as caught:
        load(str(path))
    assert sentence in str(caught.value)


def test_an_own_recipe(tmp_path):
    (tmp_path / "base.toml").write_text("extends = 'hsueh2023/ewn-3x3-3'\n[search]\nc = 2")
    (tmp_path / "own.toml").write_text("extends = 'base.toml'\n[search]\ndirichlet_weight = 0.5")
    recipe = load(str(tmp_path / "own.toml"), {"seed": 4})
    assert (recipe.settings.search.c, recipe.settings.search.dirichlet_weight) == (2.0, 0.5)
    assert recipe.settings.seed == 4
    assert recipe.settings.search.simulations == 800


def test_changes_as_typed():
    recipe = load("hsueh2023/ewn-3x3-3")
    texts = ["search.simulations=400", "search.c = 2", "search.solver=true", "search.rule=gumbel"]
    assert parse_changes(recipe, texts) == {
        "search.simulations": 400,
        "search.c": 2.0,
        "search.solver": True,
        "search.rule": "gumbel",
    }
    watch = parse_changes(recipe, ["truth.watch = 12./3.a/.cb r 2 ; 21./3.a/.cb r 1;"])
    assert watch == {"truth.watch": ("12./3.a/.cb r 2", "21./3.a/.cb r 1")}
    assert parse_changes(recipe, ["truth.watch="]) == {"truth.watch": ()}
    for wrong, sentence in {
        "search.simulations": "is not of the form key=value",
        "=3": "is not of the form key=value",
        "search.solver=yes": "it is true or false",
        "search.c=fast": "it is a number",
        "search.simulations=1e3": "it is a whole number",
        "search=3": "There is no setting 'search'.",
        "search.simulatoins=3": "Did you mean 'search.simulations'?",
    }.items():
        with pytest.raises(RecipeError, match=sentence):
            parse_changes(recipe, [wrong])
    with pytest.raises(RecipeError, match="set twice"):
        parse_changes(recipe, ["seed=1", "seed=2"])


@given(
    simulations=st.integers(2, 10_000_000),
    c=st.floats(0, 1000),
    noise=st.floats(0, 1),
    fpu=st.sampled_from(["loss", "draw", "win", "infinite", "parent"]),
    solver=st.booleans(),
    seed=st.integers(0, 2**63 - 1),
    watch=st.sampled_from([(), ("12./3.a/.cb r 2",), ("12./3.a/.cb r 2", "21./3.a/.cb r 1")]),
)
def test_a_resolved_recipe_is_read_back(
    tmp_path_factory, simulations, c, noise, fpu, solver, seed, watch
):
    changes = {
        "search.simulations": simulations,
        "search.c": c,
        "search.dirichlet_weight": noise,
        "search.fpu": fpu,
        "search.solver": solver,
        "seed": seed,
        "truth.watch": watch,
    }
    recipe = load("hsueh2023/ewn-3x3-3", changes)
    path = tmp_path_factory.mktemp("recipe") / "recipe.toml"
    path.write_text(recipe.toml(), encoding="utf-8")
    again = load(str(path))
    assert again.settings == recipe.settings
    assert again.toml() == recipe.toml()
    assert recipe.difference(again) is None


def test_every_key_has_a_comment_and_the_default_is_allowed():
    def sections(kind):
        for entry in dataclasses.fields(kind):
            if entry.default is dataclasses.MISSING:
                yield from sections(entry.default_factory)
            else:
                yield entry

    for entry in sections(TabularSettings):
        assert entry.metadata["about"].help.endswith(".")
    assert typed.read(TabularSettings, typed.flat(TabularSettings())) == TabularSettings()
    assert "hsueh2023/default" in names()
