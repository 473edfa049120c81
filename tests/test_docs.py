"""The documentation names things that exist: files, commands, options, games, agents, recipes."""

import doctest
import importlib
import random
import re
import shlex
from functools import cache
from pathlib import Path

import pytest
import typer

import halma
from halma.agents import agent
from halma.cli.app import app
from halma.errors import NameSyntaxError, OptionError, UnknownAgentError
from halma.learn.recipe import names as recipe_names
from halma.networks import shipped_networks

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted(DOCS.rglob("*.md")),
]
VERBS = typer.main.get_command(app).commands
FOLDERS = ("core", "src", "tests", "docs", "scripts", "examples", ".ci")
VARIANT = re.compile(r"(rhombus|star|ewn|cdc|draughts|frogs)-\d[\w-]*(:[\w=,]+)?")
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
#: Parts of names that the reader replaces, and the reader's own game nim.
PLACEHOLDER = re.compile(
    r"\b(FILE|DIR|RUN|RUNDIR|NAME|VARIANT|GAME|RECIPE|PAPER|PART|TABLE|XXXX|WxH|SxS|N|M|D)\b"
    r"|nim|-Np|[*{}]"
)


@cache
def text_of(page):
    """Return a page; of the changelog only the newest section, as the others are history."""
    text = page.read_text(encoding="utf-8")
    return "".join(text.split("\n## ")[:2]) if page.name == "CHANGELOG.md" else text


@cache
def shell_lines(page):
    """Return the lines of code blocks that are not Python, without comments at their ends."""
    text = text_of(page)
    fenced = re.findall(r"^```(?!python)\w*\n(.*?)^```$", text, re.M | re.S)
    indented = re.findall(
        r"(?<=\n\n)((?:    .*\n)+)", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    )
    lines = "\n".join([*fenced, *indented]).splitlines()
    return [re.split(r"\s{2,}|\s#", line.strip().removeprefix("$ "))[0] for line in lines]


@cache
def spans(page):
    """Return what stands between backquotes in the prose of a page."""
    text = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.M | re.S)
    return {" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)}


def commands(page):
    """Return the halma commands on a page as lists of words, and whether they are complete."""
    for complete, lines in ((True, shell_lines(page)), (False, spans(page))):
        for line in lines:
            if re.match(r"halma \w", line):
                yield shlex.split(line)[1:], complete and not PLACEHOLDER.search(line)


def verb_of(words):
    """Return the command that the words call, with the words left over."""
    verb = VERBS.get(words[0])
    if verb is not None and getattr(verb, "commands", None) and len(words) > 1:
        return verb.commands.get(words[1]), words[2:]
    return verb, words[1:]


def options_of(verb):
    return {option for p in verb.params for option in (*p.opts, *p.secondary_opts)}


@cache
def all_options():
    """Return the options of every verb and of every script."""
    verbs = [typer.main.get_command(app), *VERBS.values(), *VERBS["bench"].commands.values()]
    found = {"--help"} | {option for verb in verbs for option in options_of(verb)}
    for script in (ROOT / "scripts").glob("*.py"):
        found |= set(re.findall(r'"(--[\w-]+)"', script.read_text(encoding="utf-8")))
    return found


@cache
def files():
    tracked = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return [f"/{path.relative_to(ROOT)}" for path in [*tracked, *ROOT.glob("*.*")]]


@pytest.mark.parametrize(
    ("page", "least"), [("README.md", 8), ("docs/python.md", 15), ("docs/environments.md", 5)]
)
def test_examples(page, least):
    if page == "docs/environments.md":
        pytest.importorskip("pettingzoo")
    failures, tried = doctest.testfile(str(ROOT / page), module_relative=False)
    assert tried >= least and failures == 0


def test_examples_of_the_arena():
    (block,) = re.findall(r"^```python\n(.*?)^```$", text_of(DOCS / "arena.md"), re.M | re.S)
    exec(compile(block, "arena.md", "exec"), {})


def test_examples_of_your_own(monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```$", text_of(DOCS / "your-own.md"), re.M | re.S):
        exec(compile(block, "your-own.md", "exec"), names)
    record = names["record"]
    assert record.plies == 1
    assert names["Eager"]().choose(record, random.Random(0)) in record.position.legal_moves


@each_page
def test_links(page):
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text)
    for target in (first or second for first, second in targets):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.M)
            anchors = [re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings]
            assert anchor in anchors, target


@each_page
def test_files(page):
    words = {
        word.strip(".,:;()") for line in [*spans(page), *shell_lines(page)] for word in line.split()
    }
    for word in words:
        path = word.split("::")[0]
        if not re.fullmatch(r"[\w./*-]+", path) or PLACEHOLDER.search(path.replace("*", "")):
            continue
        if path.split("/")[0] in FOLDERS and "/" in path:
            assert list(ROOT.glob(path.rstrip("/"))), word
        elif path.endswith((".py", ".hpp", ".cpp", ".md")) and not path.startswith(("*", "/")):
            assert any(file.endswith(f"/{path}") for file in files()), word


@each_page
def test_commands(page, monkeypatch):
    monkeypatch.chdir(ROOT)  # where the files of examples are found
    for words, complete in commands(page):
        verb, rest = verb_of(words)
        assert verb is not None, words
        given = {word.split("=")[0] for word in rest if word.startswith("--")}
        assert given <= options_of(verb), words
        if not complete or not rest:
            continue
        context = verb.make_context(words[0], list(rest))  # raises on a wrong value
        for key, value in context.params.items():
            if key in ("agents", "agent") and value:
                for name in value.split() if isinstance(value, str) else value:
                    check_agent(name)
            elif key in ("variant", "game") and isinstance(value, str):
                halma.game(value)
            elif key == "recipe":
                known = value in recipe_names() or (ROOT / value).is_file()
                assert known or value.startswith("runs/"), words


def check_agent(name):
    """Build an agent; that a network or table file is missing here is no error of the page."""
    try:
        agent(name)
    except (NameSyntaxError, OptionError, UnknownAgentError):
        raise
    except halma.HalmaError:
        pass


@each_page
def test_options(page):
    for span in spans(page):
        for word in span.split():
            if span.startswith("--") and word.startswith("--"):
                assert word.split("=")[0] in all_options(), span


@each_page
def test_names(page):
    """Variants, agents with options, recipes, make targets and Python names in code spans."""
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    for span in spans(page):
        if PLACEHOLDER.search(span):
            continue
        if VARIANT.fullmatch(span) and span not in ("star-121", *shipped_networks()):
            halma.game(span)
        elif re.fullmatch(r"(mcts|net|minimax|alphabeta|expectimax|greedy|lookahead):\S+", span):
            check_agent(span)
        elif re.fullmatch(r"[a-z]+\d{4}/[\w-]+", span):
            assert span in recipe_names(), span
        elif re.fullmatch(r"make [\w-]+", span):
            assert span.split()[1] in targets, span
        elif match := re.match(r"(halma(?:\.\w+)+)", span):
            check_python_name(match[1])


def check_python_name(name):
    parts = name.split(".")
    found, path = importlib.import_module("halma"), "halma"
    for part in parts[1:]:
        path += f".{part}"
        if not hasattr(found, part):
            importlib.import_module(path)
        found = getattr(found, part)


def test_the_index_lists_every_page():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    listed = {(DOCS / target).resolve() for target in re.findall(r"\]\(([^)#]+)\)", index)}
    assert {page for page in DOCS.rglob("*.md")} - {DOCS / "README.md"} <= listed


def test_the_page_about_the_command_line_lists_every_verb():
    text = text_of(DOCS / "command-line.md")
    assert not [verb for verb in VERBS if f"`halma {verb}`" not in text]
