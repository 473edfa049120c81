"""What `halma check` says of optional hooks."""

from __future__ import annotations

import pytest

import halma
from halma import _core
from halma.games.hooks import describe_hooks, hooks_of
from halma.solve import solver


def offered(name: str) -> set[str]:
    return {hook.name for hook in hooks_of(halma.game(name)) if hook.offered}


def test_every_capability_of_the_core_is_explained():
    game = halma.game("ewn-3x3-3")
    assert [hook.name for hook in hooks_of(game)] == [*_core.capabilities(game.core)]


def test_families_offer_what_they_have():
    assert {"compiled", "features", "advance", "index", "layers"} <= offered("ewn-3x3-3")
    assert {"compiled", "features", "advance", "index", "backward"} <= offered("rhombus-4x4-3")
    assert {"compiled", "features", "is_quiet", "slices"} <= offered("draughts-8x8")
    assert not {"index", "layers", "backward", "advance"} & offered("draughts-8x8")
    assert "slices" not in offered("ewn-3x3-3")
    assert {"inputs", "captures", "give_turn"} <= offered("cdc-4x8")
    assert "inputs" in offered("ewn-5x5-6") and "captures" not in offered("ewn-5x5-6")


def test_a_game_in_python_is_not_compiled():
    game = halma.game("frogs-3-2")
    assert not {"compiled", "count", "random_ply", "features"} & offered("frogs-3-2")
    text = describe_hooks(hooks_of(game))
    assert "not offered compiled" in text and "without it: every call goes through" in text


@pytest.mark.parametrize(
    "name",
    ["ewn-3x3-3", "cdc-2x4-KPPP", "rhombus-4x4-3", "star-37-3p", "draughts-8x8", "frogs-3-2"],
)
def test_solvable_games_are_those_with_hooks(name):
    game = halma.game(name)
    solvable = solver.engine_for(game) is not None
    hooks = {"layers", "backward"} | ({"index"} if game.players == 2 else set())
    assert solvable == bool(hooks & offered(name))
