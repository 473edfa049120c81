"""Games and agents of the user: references to files and modules, entry points, errors."""

import copy
import pickle
import random
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import halma
from halma import plugins
from halma.agents import Analyst, agent
from halma.cli.app import app
from halma.errors import (
    AgentError,
    HalmaError,
    OptionError,
    PluginError,
    UnknownAgentError,
    UnknownVariantError,
)
from halma.games import registry
from halma.games.conformance import check
from halma.processes import map_ordered
from halma.solve.tables import table_path

GAME = """
from __future__ import annotations
from dataclasses import dataclass
from halma.games.frogs import FrogsGame

class Mine(FrogsGame):
    '''Frogs of our own.'''
    def __init__(self, each: int = 2):
        super().__init__("mine", each, 1)

@dataclass
class Detail:
    size: int

made = Mine()
number = 3
print("loaded")
"""
AGENT = """
from halma.search.analysis import Analysis, MoveReport
import own_helper

class First:
    def __init__(self, depth=1, rate=0.5, loud=False, word="none"):
        self.given = (depth, rate, loud, word)

    def choose(self, record, rng):
        print("thinking")
        return own_helper.first(record.position.legal_moves)

class Text:
    def choose(self, record, rng):
        return record.position.legal_moves[-1].text

class Teacher(First):
    def analyse(self, record, rng):
        moves = record.position.legal_moves
        return Analysis(record.position, tuple(MoveReport(move) for move in moves), value=0.5)

class Wrong:
    def __init__(self, what="raise"):
        self.what = what

    def choose(self, record, rng):
        if self.what == "raise":
            return record.nothing
        if self.what == "leave":
            raise SystemExit(0)
        if self.what == "play":
            record.play(record.position.legal_moves[0])
            return record.position.legal_moves[0]
        if self.what == "parse":
            return record.game.position("nonsense").legal_moves[0]
        return {"illegal": "a9-a1", "number": 17}[self.what]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in [name for name in sys.modules if name.startswith("own_")]:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "own_game.py").write_text(GAME)
    (tmp_path / "own_agent.py").write_text(AGENT)
    (tmp_path / "own_helper.py").write_text("def first(moves):\n    return moves[0]\n")
    (tmp_path / "own_typo.py").write_text("class Broken:\n    x = y\n")
    (tmp_path / "own_syntax.py").write_text("class Broken:\n    x = = y\n")
    (tmp_path / "own_needy.py").write_text("import no_such_module_at_all\n")
    (tmp_path / "own_both.py").write_text(GAME + AGENT + "class Second(Mine):\n    pass\n")
    return tmp_path


# Games.


def test_a_variant_by_its_name():
    assert halma.game("frogs-3-2").name == halma.game("frogs-3-2").identity == "frogs-3-2"
    with pytest.raises(UnknownVariantError, match="Did you mean 'frogs-3-2'"):
        halma.game("frog-3-2")


@pytest.mark.parametrize(
    "typed, name",
    [
        ("own_game.py", "own_game.py:Mine"),
        ("own_game.py:Mine", "own_game.py:Mine"),
        (" ./own_game.py:made ", "own_game.py:made"),
        ("own_game:Mine", "own_game:Mine"),
        ("own_game.py:Mine:each=3", "own_game.py:Mine:each=3"),
    ],
)
def test_a_game_in_a_file_or_module(folder, typed, name, capsys):
    game = halma.game(typed)
    assert game.name == name
    assert game == halma.game(game.name)
    assert game.identity == ("mine:each=3" if "each" in typed else "mine")
    assert table_path(game).name == ("mine,each=3.table" if "each" in typed else "mine.table")
    assert check(game, games=3).ok
    assert "loaded" not in capsys.readouterr().out


def test_the_path_of_a_file(folder, monkeypatch):
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    name = halma.game("../own_game.py").name
    assert name == f"{folder / 'own_game.py'}:Mine"
    assert halma.game(name).identity == "mine"
    monkeypatch.chdir(folder)
    assert halma.game(str(folder / "own_game.py")).name == "own_game.py:Mine"


def test_a_file_is_read_again_once_it_changes(folder):
    one = halma.game("own_game.py")
    assert type(one) is type(halma.game("own_game.py"))
    changed = GAME.replace('"mine"', '"theirs"')
    (folder / "own_game.py").write_text(changed + "\n# now longer\n")
    assert halma.game("own_game.py").identity == "theirs"


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("missing.py:Mine", "There is no file 'missing.py'"),
        ("own_game.py:Other", r"There is no 'Other' in 'own_game.py'\. It has Mine\."),
        ("own_game.py:number", "'own_game.py:number' does not give the game wanted: a game is"),
        ("own_game.py:FrogsGame", "cannot be built: TypeError"),
        ("own_game.py:Mine:legs=3", "no option 'legs'. It has each"),
        ("own_game.py:Mine:each=x", "'each' cannot be 'x': it is a whole number"),
        (
            "own_typo.py:Broken",
            "cannot be run: own_typo.py, line 2, in Broken: NameError: name 'y'",
        ),
        ("own_syntax.py", r"cannot be run: SyntaxError: invalid syntax \(own_syntax.py, line 2\)"),
        ("own_needy:Game", "cannot be imported: No module named 'no_such_module_at_all'"),
        ("no_such_module:Game", "There is no variant and no module 'no_such_module'"),
        ("own_both.py", "write own_both.py:Mine or own_both.py:Second"),
        ("own_agent.py", "There is no game in 'own_agent.py': a game is a class that derives"),
        ("own_game.py:Mine:each", "not of the form key=value"),
        (".py", "There is no variant"),
        ("own_game", "Did you mean 'own_game.py'"),
        ("", "no name"),
    ],
)
def test_impossible_games(folder, name, sentence):
    with pytest.raises(HalmaError, match=sentence):
        halma.game(name)


# Agents.


def move_of(name, variant="own_game.py", seed=0):
    record = halma.Record(halma.game(variant))
    return agent(name).choose(record, random.Random(seed))


def test_an_agent_in_a_file_or_module(folder, capsys):
    first = halma.game("own_game.py").start().legal_moves[0]
    for name in ("own_agent.py:First", "own_agent:First", "own_agent.py:First:depth=4"):
        assert agent(name).name == name
        assert move_of(name) == first
    assert move_of("own_agent.py:Text") == halma.game("own_game.py").start().legal_moves[-1]
    captured = capsys.readouterr()
    assert "thinking" not in captured.out and "thinking" in captured.err


def test_options_of_an_agent(folder):
    chosen = agent("own_agent.py:First:word=a b,loud=true,depth=3,rate=2")
    assert chosen.agent.given == (3, 2.0, True, "a b")
    assert chosen.name == "own_agent.py:First:depth=3,rate=2,loud=true,word=a b"
    assert agent(chosen.name).agent.given == chosen.agent.given
    assert agent("own_agent.py:First:depth=1").name == "own_agent.py:First"
    for wrong in ("depth=x", "loud=maybe", "size=3", "rate=1e400"):
        with pytest.raises(OptionError):
            agent(f"own_agent.py:First:{wrong}")


def test_an_analyst_of_the_user(folder):
    record = halma.Record(halma.game("own_game.py"))
    teacher = agent("own_agent.py:Teacher")
    assert isinstance(teacher, Analyst)
    assert not isinstance(agent("own_agent.py:First"), Analyst)
    found = teacher.analyse(record, random.Random(0))
    assert [report.move for report in found.moves] == record.position.legal_moves


@pytest.mark.parametrize(
    "what, sentence",
    [
        ("raise", "failed: own_agent.py, line 28, in choose: AttributeError: 'Record' object has"),
        ("leave", "failed: own_agent.py, line 30, in choose: SystemExit: 0"),
        ("play", "played on the record"),
        ("parse", "failed: own_agent.py, line 35, in choose: PositionError"),
        ("illegal", "chose a wrong move in .*: 'a9-a1' is not"),
        ("number", "did not choose a move in .* but '17'"),
    ],
)
def test_errors_of_an_agent(folder, what, sentence):
    with pytest.raises(AgentError, match=sentence):
        move_of(f"own_agent.py:Wrong:what={what}")


def test_an_error_of_a_game_is_not_the_agents(folder):
    broken = GAME + "    \nclass Odd(Mine):\n    def legal(self, state):\n        return 1 / 0\n"
    (folder / "own_game.py").write_text(broken)
    with pytest.raises(ZeroDivisionError) as raised:
        move_of("own_agent.py:First", "own_game.py:Odd")
    said = plugins.explain(raised.value)
    line = broken.splitlines().index("        return 1 / 0") + 1
    assert said == f"own_game.py, line {line}, in legal: ZeroDivisionError: division by zero"


def test_errors_elsewhere_are_not_explained(folder):
    halma.game("own_game.py")
    try:
        random.choice([])
    except IndexError as error:
        assert plugins.explain(error) is None


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("own_game.py", "There is no agent in 'own_game.py': an agent is a class with a method"),
        ("own_agent.py", "write own_agent.py:First or own_agent.py:Text or"),
        ("own_agent.py:own_helper", "does not give the agent wanted"),
        ("no_such_module:Agent", "There is no agent 'no_such_module'"),
        ("greddy", "Did you mean 'greedy'"),
        ("own_agent", "Did you mean 'own_agent.py'"),
        ("own_agent.First", "Did you mean 'own_agent.py'"),
    ],
)
def test_impossible_agents(folder, name, sentence):
    with pytest.raises((PluginError, UnknownAgentError), match=sentence):
        agent(name)


# Installed packages.


@pytest.fixture
def distribution(folder, monkeypatch):
    """A fake distribution on the path, as an installation would leave it."""
    place = folder / "site"
    (place / "own_package").mkdir(parents=True)
    (place / "own_package" / "__init__.py").write_text(GAME + AGENT)
    (place / "own_helper.py").write_text("def first(moves):\n    return moves[0]\n")
    (place / "own_package" / "named.py").write_text(
        "from halma.games import Family\n"
        "from own_package import Mine\n"
        "def build(name, options):\n"
        "    return Mine() if name == 'own-frogs-2' else None\n"
        "FAMILY = Family('Own frogs', 'own-frogs-N', {'own-frogs-2': 'two'}, build)\n"
    )
    about = place / "own_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[halma.games]\nown-leap = own_package:Mine\nown-frogs = own_package.named:FAMILY\n"
        "own-lost = no_such_package:Game\n"
        "[halma.agents]\nown-first = own_package:First\nown-bad = own_package:nothing\n"
    )
    monkeypatch.syspath_prepend(place)
    registry._installed.cache_clear()
    yield place
    registry._installed.cache_clear()


def test_installed_games_and_agents(distribution):
    game = halma.game("own-leap:each=3")
    assert game.name == game.identity == "own-leap:each=3"
    assert halma.game("own-frogs-2").players == 2
    assert {"own-leap", "own-frogs-2"} <= set(halma.variant_names())
    assert agent("own-first:depth=2").name == "own-first:depth=2"
    assert move_of("own-first", game.name) == game.start().legal_moves[0]


def test_an_installed_agent_that_cannot_be_loaded(distribution):
    with pytest.raises(PluginError, match="The agent 'own-bad' of 'own-package' cannot be loaded"):
        agent("own-bad")
    with pytest.raises(UnknownAgentError, match="own-first"):
        agent("own-frist")


def test_an_installed_game_that_cannot_be_loaded(distribution):
    with pytest.raises(PluginError, match="The game 'own-lost' of 'own-package' cannot be loaded"):
        halma.game("own-lost")
    with pytest.raises(UnknownVariantError, match="Did you mean 'own-leap'"):
        halma.game("own-leep")


def test_halma_games_lists_installed_games(distribution):
    shown = CliRunner().invoke(app, ["games"])
    assert shown.exit_code == 0
    for text in ("own-leap", "Frogs of our own.", "own-frogs-2", "each=-1e+12 to 1e+12"):
        assert text in shown.stdout


# Copies, other processes, environments.


def test_games_in_files_pickle(folder):
    game = halma.game("own_game.py:Mine:each=3")
    position = game.start()
    again = pickle.loads(pickle.dumps(position))
    assert again == position and again.game.identity == "mine:each=3"
    assert copy.deepcopy(position) == position
    record = halma.Record(game)
    record.play(position.legal_moves[0])
    assert pickle.loads(pickle.dumps(record)).texts == record.texts


def test_a_position_in_another_process(folder):
    position = halma.game("own_game.py").start()
    for found in map_ordered(_texts, [position] * 3, workers=2):
        assert found == [move.text for move in position.legal_moves]


def _texts(position):
    return [move.text for move in position.legal_moves]


def test_environments(folder):
    pytest.importorskip("pettingzoo")
    env = halma.envs.env("own_game.py:Mine:each=3")
    env.reset(seed=1)
    for _ in env.agent_iter(100):
        observation, _, terminated, truncated, _ = env.last()
        action = None if terminated or truncated else int(observation["action_mask"].argmax())
        env.step(action)
    assert env.metadata["name"] == "own_game.py:Mine:each=3"


# Files beside a recipe.


def test_names_in_another_folder(folder):
    name = "own_game.py:Mine:each=3"
    elsewhere = Path("runs") / "one"
    written = plugins.to_folder(name, elsewhere)
    assert written == "../../own_game.py:Mine:each=3"
    elsewhere.mkdir(parents=True)
    assert plugins.from_folder(written, elsewhere) == name
    assert plugins.from_folder("own_game.py", elsewhere) == "own_game.py"
    assert plugins.from_folder("greedy:stochastic", elsewhere) == "greedy:stochastic"
