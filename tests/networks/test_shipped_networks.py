"""Networks that come with halma: each is small, plays its game, and has a card that fits it."""

import random
import re
import tomllib
from pathlib import Path

import pytest

import halma
from halma.agents import agent, best_name, play_game
from halma.games.registry import short_name
from halma.networks import load_network, read_info, shipped_for, shipped_networks
from halma.networks.sparse_network import shipped_evaluator_for, shipped_evaluators

ROOT = Path(__file__).parents[2]
CARDS = ROOT / "docs" / "models"
NETWORKS = shipped_networks()
#: bytes that a network may have
MOST = 4_000_000


def rows(name):
    """The first table of a card, by its first column."""
    text = (CARDS / f"{name}.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| ([a-z]+) \| (.*) \|$", text, re.M)
    return dict(reversed(found))  # the first row of a name counts


def test_there_are_some():
    assert "rhombus-7x7-6" in NETWORKS


def test_every_card_is_of_a_network():
    assert {path.stem for path in CARDS.glob("*.md")} == {*NETWORKS, *shipped_evaluators()}


@pytest.mark.parametrize("name", NETWORKS)
def test_it_is_small_and_plays_its_game(name):
    assert NETWORKS[name].stat().st_size <= MOST
    network = load_network(name)
    game = halma.game(network.info.game)
    # Its own name finds it, and the variant does.
    record = halma.Record(game)
    for player in (agent(f"net:{name},sims=8"), agent("net:sims=8"), agent("best:2")):
        record.play(player.choose(record, random.Random(record.plies)))
    assert shipped_for(game) is not None
    best = best_name(halma.Record(game))
    expected = rf"optimal|net:{shipped_for(game)},sims=[28]00"
    if game.prefers_search:
        own = shipped_evaluator_for(game)
        expected = re.escape(game.strongest + (f",evaluator={own}" if own else ""))
    assert re.fullmatch(expected, best)
    # It has learnt something: random players take no game from it, though they may block one.
    own, *_ = game.partners
    seats = [agent(f"net:{name},sims=16" if i in own else "random") for i in range(game.players)]
    for seed in range(1, 9):
        played = halma.Record(game)
        for _ in play_game(played, seats, seed):
            pass
        assert played.result[0] == max(played.result)
        if all(played.result[side[0]] < played.result[0] for side in game.partners[1:]):
            return
    pytest.fail("Eight games are drawn.")


@pytest.mark.parametrize("name", NETWORKS)
def test_its_card_fits_it(name):
    info, found = read_info(NETWORKS[name]), rows(name)
    text = (CARDS / f"{name}.md").read_text(encoding="utf-8")
    assert f"`{short_name(info.game)}`" in found["game"]
    assert info.architecture in found["architecture"]
    file = NETWORKS[name].relative_to(ROOT).as_posix()
    assert f"`{file}`" in found["file"]
    assert f"{NETWORKS[name].stat().st_size / 1e6:.1f} MB" in found["file"]
    for row in ("trained", "recipe", "hardware", "time", "seed"):
        assert found[row].strip()
    # Commands of the strength table, its interval, and what the network does not know.
    assert f"halma match net:{name}" in text
    assert "95% interval" in text and "## Limits" in text
    overview = (ROOT / "docs" / "networks.md").read_text(encoding="utf-8")
    assert f"| `{name}` | `{short_name(info.game)}` | [models/{name}.md]" in overview


def test_a_wheel_contains_them():
    """The package is taken along as it is; no pattern leaves files out."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    build = settings["tool"]["scikit-build"]
    assert build["wheel"]["packages"] == ["src/halma"]
    assert "exclude" not in build["wheel"]
    assert not any(
        "models" in pattern or "onnx" in pattern for pattern in build["sdist"]["exclude"]
    )
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8")
    assert "onnx" not in ignored or "!src/halma/networks/models" in ignored
