"""What the fuzzer reads as names and settings: variants, agents, networks, recipes, papers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hostile.fuzzed_games import as_bytes
from hostile.fuzzer import NASTY, Target
from hostile.sandbox import OWN_FILES

import halma
from halma.agents import agent, check_agent, specs
from halma.arena.sprt import parse_sprt
from halma.games import families
from halma.games.registry import variant
from halma.lab import find_paper, paper_names
from halma.learn import recipe as recipes
from halma.learn.settings import declared, write_value
from halma.names import Option
from halma.networks.architectures import ARCHITECTURES, architecture
from halma.networks.network_file import NetworkInfo
from halma.search.options import DECLARED, search_options
from halma.search.tree_search import TreeSearch


def _value(option: Option, rng: random.Random) -> str:
    """Return a value of an option, more or less."""
    if rng.random() < 0.2:
        return rng.choice(NASTY)
    if option.choices:
        return rng.choice(option.choices)
    if option.series:
        return "/".join(str(rng.choice((0, 1, -2.5, 1e5))) for _ in range(rng.randint(1, 7)))
    if option.text:
        return rng.choice(("word", "rhombus-7x7-6", "a b", "x.onnx"))
    within = rng.uniform(float(option.low), float(option.high))
    numbers = (option.low, option.high, option.low - 1, option.high + 1, within, int(within), 1e-9)
    return str(rng.choice(numbers))


def _name(bare: str, options: Sequence[Option], rng: random.Random) -> str:
    """Return a name with some options."""
    chosen = rng.sample(list(options), min(len(options), rng.choice((0, 1, 1, 2, 3, 6))))
    pairs = [f"{option.key}={_value(option, rng)}" for option in chosen]
    return f"{bare}:{','.join(pairs)}" if pairs else bare


def _check_canonical(name: str) -> None:
    bare = name.partition(":")[0]
    assert bare.isascii() and not re.search(r"(?<![0-9])0[0-9]", bare), f"'{name}' is not canonical"


def variant_target() -> Target:
    """Read texts as names of variants."""
    bare = [
        *halma.variant_names(),
        *("ewn-8x8-6", "ewn-2x2-1", "rhombus-15x15-10", "rhombus-2x2-1", "star-37-2p", "frogs-7-2"),
        *("cdc-2x4-RMGK", "cdc-2x4-CCPP", "star-73-3p", "frogs-1-14"),
    ]
    known = list(families())

    def read(text: str) -> None:
        found = variant(text)
        _check_canonical(found.name)
        again = variant(found.name)
        assert (again, again.options) == (found, found.options)
        assert again.core.state_size == found.core.state_size
        found.position(found.start().text)

    def grammar(rng: random.Random) -> str:
        family = rng.choice(known)
        options = [
            *family.options,
            *[Option("rules", "", "", choices=tuple(family.presets) or ("x",))],
        ]
        if rng.random() < 0.3:
            sizes = [rng.choice((0, 1, 2, 3, 4, 6, 8, 10, 15, 37, 121, 999)) for _ in range(3)]
            form = rng.choice(("ewn-{}x{}-{}", "rhombus-{0}x{0}-{2}", "star-{}-{}p", "frogs-{}-{}"))
            return _name(form.format(*sizes), options, rng)
        return _name(rng.choice(bare), options, rng)

    seeds = [*bare, "rhombus-7x7-6:liu2019", "cdc-4x8:draw=none", "star-121-3p:plies=7,cycle=on"]
    return Target("names of variants", seeds, read, grammar)


def own_game_target() -> Target:
    """Read texts as games of the user: files and modules."""

    def read(text: str) -> None:
        found = halma.game(text)
        assert halma.game(found.name) == found
        found.start()

    seeds = ["toads.py", "toads.py:Toads", "toads.py:Toads:pieces=1,gap=3", "toads:Toads"]
    parts = (
        *OWN_FILES,
        "folder.py",
        "toads",
        "no.py",
        "~/toads.py",
        "../toads.py",
        "toads.py/x.py",
    )

    def grammar(rng: random.Random) -> str:
        classes = ("", ":Toads", ":FrogsGame", ":Chooser", ":__doc__", ":", ":No")
        options = ("", ":pieces=3", ":gap=2,pieces=1", ":pieces=-1", ":name=x", ":depth", ":")
        return rng.choice(parts) + rng.choice(classes) + rng.choice(options)

    return Target("games of the user", seeds, read, grammar)


def agent_target() -> Target:
    """Read texts as agents, and let those that are some move with a small budget."""
    known = [spec for spec in specs() if spec.name != "human"]
    examples = [spec.example for spec in known if spec.example and not spec.no_path]
    seeds = [
        *(name for name in examples if not name.startswith("net")),
        *("random", "greedy", "greedy:stochastic", "best", "best:level=3", "optimal", "human"),
        *("mcts:sims=20,rule=gumbel,max_considered=4", "minimax:depth=3,weights=1/2/3", "mcts:50"),
        *("net:rhombus-7x7-6,sims=2", "expectimax:depth=2,scale=3", "alphabeta:time=0.1"),
    ]
    game = halma.game("ewn-3x3-3")
    record = halma.Record(game, game.position("12./3.a/.cb r 2"))

    def read(text: str) -> None:
        found = agent(text)
        again = agent(found.name)
        assert again.name == found.name
        if found.name == "human":
            return
        check_agent(found, game)
        for limit, most in (("simulations", 4), ("depth", 2), ("nodes", 50)):
            if getattr(found, limit, None):
                setattr(found, limit, min(getattr(found, limit), most))
        if getattr(found, "seconds", None):
            found.seconds = 1e-4  # type: ignore[attr-defined]
        if not found.name.startswith("best"):
            record.position.play(found.choose(record, random.Random(1)))

    def grammar(rng: random.Random) -> str:
        spec = rng.choice(known)
        return _name(spec.name, spec.options, rng)

    return Target("agents", seeds, read, grammar)


def own_agent_target() -> Target:
    """Read texts as agents of the user: files and modules."""
    game = halma.game("ewn-3x3-3")

    def read(text: str) -> None:
        found = agent(text)
        assert agent(found.name).name == found.name
        if found.name != "human":
            check_agent(found, game)

    seeds = ["chooser.py:Chooser", "chooser.py:Chooser:depth=3,rate=0.25,word=y", "chooser:Chooser"]
    parts = (*OWN_FILES, "chooser", "no.py", "table:no", "tabular:no", "table:.", "net:no", "net:.")

    def grammar(rng: random.Random) -> str:
        classes = ("", ":Chooser", ":Broken", ":NoAgent", ":No", ":")
        options = ("", ":depth=3", ":flag=true", ":word=a=b", ":rate=nan", ":depth=1e3", ":x")
        return rng.choice(parts) + rng.choice(classes) + rng.choice(options)

    return Target("agents of the user", seeds, read, grammar)


def architecture_target() -> Target:
    """Read texts as architectures of networks."""
    games = [halma.game(name) for name in ("rhombus-7x7-6", "star-37-3p", "frogs-2-1")]

    def read(text: str) -> None:
        found = architecture(text)
        assert architecture(found.name) == found
        for game in games:
            NetworkInfo.for_game(game, text)

    def grammar(rng: random.Random) -> str:
        chosen = rng.choice(list(ARCHITECTURES.values()))
        return _name(chosen.name, chosen.options, rng)

    seeds = ["modern:size=s", "modern:l", "hsueh2023:filters=32", "modern"]
    return Target("architectures", seeds, read, grammar)


def sprt_target() -> Target:
    """Read texts as sequential tests."""

    def read(text: str) -> None:
        test = parse_sprt(text)
        test.as_dict({0.0: 3, 0.5: 1, 1.0: 4})

    seeds = ["elo0=0,elo1=10,alpha=0.05,beta=0.05", "elo0=-2000", "elo1=2000", "alpha=0.001"]
    return Target("sequential tests", seeds, read)


def paper_target() -> Target:
    """Read texts as the paper and experiment of `halma reproduce`."""

    def read(text: str) -> None:
        paper, _, experiment = text.partition(" ")
        find_paper(paper).choose(experiment, (), full=False)

    seeds = [f"{name} all" for name in paper_names()] + ["hsueh2023 fig8", "he2016 table1"]
    known = [f"{name} {one.name}" for name in paper_names() for one in find_paper(name).experiments]
    return Target("papers", [seed for seed in (*seeds[:2], *known)], read)


def recipe_target(folder: Path) -> Target:
    """Read texts as recipes, and write those that are some."""
    path, written = folder / "recipe.toml", folder / "written.toml"

    def read(text: str) -> None:
        path.write_bytes(as_bytes(text))
        found = recipes.load(str(path))
        if len(text) % 4 == 0:
            written.write_text(found.toml(folder), encoding="utf-8")
            assert recipes.load(str(written)).settings == found.settings

    seeds = [(recipes.FOLDER / f"{name}.toml").read_text() for name in recipes.names()]
    seeds = [*seeds, recipes.load("quick").toml(), 'extends = "quick"\nseed = 3\n']
    return Target("recipes", seeds, read, _recipe)


def _recipe(rng: random.Random) -> str:
    """Return a recipe with some settings, each more or less right."""
    method = rng.choice(list(recipes.METHODS))
    lines = [f'method = "{method}"']
    known = declared(recipes.METHODS[method])
    for key in rng.sample(list(known), rng.choice((0, 1, 2, 5))):
        lines.append(f"{key} = {_setting(*known[key], rng)}")
    return "\n".join(lines) + "\n"


def _setting(kind: Any, about: Any, rng: random.Random) -> str:
    wrong = ("nan", "inf", "[]", "{}", '""', "1979-05-27", "9" * 400, "true", "[[1]]", "{a = {}}")
    if rng.random() < 0.2:
        return rng.choice(wrong)
    if about.choices:
        return write_value(rng.choice(about.choices))
    if kind is bool:
        return rng.choice(("true", "false"))
    if kind in (int, float):
        low, high = max(about.low, -1e6), min(about.high, 1e6)
        number = rng.choice((about.low, about.high, low - 1, rng.uniform(low, high)))
        return repr(int(number) if kind is int and abs(number) < 1e300 else number)
    words = ("auto", "ewn-3x3-3", "rhombus-4x4-3", "modern:size=s", "random greedy", "toads.py")
    return write_value(rng.choice(words)) if kind is str else '["12./3.a/.cb r 2", "x"]'


def change_target() -> Target:
    """Read texts as `--set` changes of a recipe."""
    loaded = [recipes.load(name) for name in ("quick", "hsueh2023/ewn-3x3-3")]

    def read(text: str) -> None:
        recipe = loaded[len(text) % 2]
        changed = recipe.changed(recipes.parse_changes(recipe, [text]))
        assert changed.changed({}).settings == changed.settings

    def grammar(rng: random.Random) -> str:
        known = declared(recipes.METHODS[rng.choice(loaded).method])
        key = rng.choice(list(known))
        return f"{key}={_setting(*known[key], rng)}"

    seeds = [
        "seed=3",
        "iterations=10",
        "search.simulations=400",
        "search.c=1.5",
        "search.rule=puct",
    ]
    return Target("changes of recipes", seeds, read, grammar)


def search_option_target() -> Target:
    """Read texts as options of tree search, and search with those that are some."""
    game = halma.game("ewn-3x3-3")
    position = game.position("12./3.a/.cb r 2")

    def read(text: str) -> None:
        key, _, value = text.partition("=")
        convert: Callable[[str], Any] = {"int": int, "float": float}.get(
            DECLARED[key].type if key in DECLARED else "", str
        )
        key = key.strip() if key != "game" else ""
        try:
            given: Any = convert(value)
        except ValueError:
            given = value
        options = search_options(game, **{key: given})
        assert TreeSearch(game, options).search(position, simulations=6).best

    seeds = [f"{name}={info.default}" for name, info in DECLARED.items() if info.type != "bool"]
    seeds = [seed for seed in seeds if not seed.endswith("None")]

    def grammar(rng: random.Random) -> str:
        info = rng.choice(list(DECLARED.values()))
        option = Option(info.name, 0, "", tuple(info.choices), info.low, info.high, decimal=True)
        return f"{info.name}={_value(option, rng)}"

    return Target("options of tree search", seeds, read, grammar)


def name_targets(folder: Path) -> list[Target]:
    """Return all targets of this file; they read and write files in a folder, which is current."""
    return [
        *(variant_target(), own_game_target(), agent_target(), own_agent_target()),
        *(architecture_target(), sprt_target(), paper_target(), recipe_target(folder)),
        *(change_target(), search_option_target()),
    ]
