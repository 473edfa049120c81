"""Settings that are tuned, and values that are tried: all of them are valid for their settings."""

import math
import random

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tune.tuning_helpers import plan_of, tiny

from halma.errors import RecipeError
from halma.learn import load
from halma.learn import settings as typed
from halma.learn.recipe import METHODS, names, observes
from halma.learn.settings import declared
from halma.tune.space import suggest, tried_values, tuned_keys

optuna.logging.set_verbosity(optuna.logging.ERROR)

TUNABLE = [
    (method, key, kind, about)
    for method, settings in METHODS.items()
    for key, (kind, about) in declared(settings).items()
    if about.search is not None
]


@pytest.mark.parametrize(("method", "key", "kind", "about"), TUNABLE, ids=lambda v: str(v)[:40])
def test_ranges_are_within_what_is_allowed(method, key, kind, about):
    tried = about.search
    assert not observes(key)
    for value in tried.values or (tried.low, tried.high):
        value = int(value) if kind is int else value
        typed.read(METHODS[method], {key: value})  # refuses what is not allowed
    if not tried.values:
        assert tried.low < tried.high and (tried.low > 0 or not tried.log)
        assert kind is float or (tried.low == int(tried.low) and tried.high == int(tried.high))
    if tried.only_with is not None:
        other = f"{key.rpartition('.')[0]}.{tried.only_with[0]}"
        _, condition = declared(METHODS[method])[other]
        wanted = set(tried.only_with[1])
        assert not condition.choices or wanted & {*condition.choices}


@pytest.mark.parametrize("name", names())
def test_every_recipe_can_be_tuned(name):
    recipe = load(name)
    few = tuned_keys(recipe)
    many = tuned_keys(recipe, equal_time=True)
    assert few and {key.key for key in few} < {key.key for key in many}
    running = {key.key for key in tuned_keys(recipe, while_running=True)}
    assert running <= {key.key for key in few}
    assert not {"seed", "game", "iterations", "learning.optimiser"} & running


@given(
    seed=st.integers(0, 2**32 - 1),
    name=st.sampled_from(["quick", "liu2019/dqn", "hsueh2023/ewn-3x3-3"]),
)
def test_suggested_drawn_and_perturbed_values_are_valid(seed, name):
    recipe = load(name)
    keys = tuned_keys(recipe, equal_time=True)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    rng = random.Random(seed)
    suggested = suggest(study.ask(), keys)
    drawn = {key.key: key.drawn(rng) for key in keys}
    perturbed = {key.key: key.perturbed(drawn[key.key], rng) for key in keys}
    for values in (suggested, drawn, perturbed):
        read = typed.flat(typed.read(METHODS[recipe.method], values))
        for key in keys:
            assert read[key.key] == values[key.key]
            assert key.distribution._contains(key.distribution.to_internal_repr(values[key.key]))


def test_what_is_tried_is_what_was_suggested_with_few_digits():
    keys = tuned_keys(tiny(), ["learning.rate", "search.fpu", "selfplay.games"])
    params = {"learning.rate": 0.123456789, "search.fpu": "win", "selfplay.games": 77}
    assert tried_values(keys, params) == {**params, "learning.rate": 0.1235}
    # 20 is the end of the range, and digits must not lead beyond it.
    assert tried_values(keys, {"learning.rate": 19.9999999})["learning.rate"] == 20.0
    assert tried_values(keys, {})["search.fpu"] == "loss"


def test_perturbing_steps_up_and_down():
    (rate, share) = tuned_keys(tiny(), ["learning.rate", "learning.late_from"])
    found = {rate.perturbed(1.0, random.Random(seed)) for seed in range(200)}
    assert {0.8, 1.25} < found and len(found) > 20  # a quarter is drawn anew
    near = [share.perturbed(0.5, random.Random(seed)) for seed in range(200)]
    assert math.isclose(near.count(0.42) + near.count(0.58), 150, abs_tol=25)
    (whole,) = tuned_keys(tiny(), ["search.simulations=2..5"])
    assert {whole.perturbed(3, random.Random(seed)) for seed in range(100)} == {2, 3, 4, 5}


def test_ranges_of_the_user():
    keys = tuned_keys(
        tiny(), ["learning.rate=1e-3..1e-1", "search.fpu=loss,win", "selfplay.games=8,16,32"]
    )
    assert [key.text for key in keys] == ["0.001..0.1 (log)", "loss,win", "8,16,32"]
    assert [key.has_default for key in keys] == [False, True, True]
    assert keys[2].range.values == (8, 16, 32)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("learning.rat", "Did you mean 'learning.rate'"),
        ("rate", "Did you mean 'learning.rate'"),
        ("seed", "'seed' cannot be tuned. These can: search.c"),
        ("truth.games", "'truth.games' cannot be tuned"),
        ("search.gumbel_scale", "it has an effect where 'search.rule' is \"gumbel\""),
        ("learning.rate=1..x", "'learning.rate' cannot be \"x\""),
        ("learning.rate=-1..1", "it is a number from 0 to 1,000"),
        ("learning.rate=0..1", "tried on a logarithmic scale"),
        ("learning.rate=2..1", "is empty"),
        ("learning.rate=1", "it takes a range, as in learning.rate=0.05..20"),
        ("search.fpu=loss..win", "has no range"),
        ("search.fpu=loss,lose", "Did you mean 'loss'"),
        ("search.fpu=loss,loss", "two or more values"),
    ],
)
def test_wrong_keys(text, sentence):
    with pytest.raises(RecipeError) as caught:
        tuned_keys(tiny(), [text])
    assert sentence in str(caught.value)


def test_keys_that_do_not_go_together():
    with pytest.raises(RecipeError, match="given twice"):
        tuned_keys(tiny(), ["search.c", "search.c=1..2"])
    with pytest.raises(RecipeError, match="keeps the value that it began with"):
        plan_of(["learning.spread"], sampler="pbt")
