"""What the fuzzer reads as command lines, as lines typed in a game, and as uses of a game."""

from __future__ import annotations

import io
import os
import pickle
import random
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import typer
from hostile.fuzzed_games import pdn_text, saved_text
from hostile.fuzzer import Target

import halma
from halma.agents import HumanAgent, LeftError
from halma.cli.app import app
from halma.cli.solve import _bytes
from halma.errors import HalmaError
from halma.games import Move, Outcome, Position, Record
from halma.search.tree_search import TreeSearch

#: stands between the words of a command line
GAP = "\u00a6"
_MIDDLE = "12./3.a/.cb r 2"
_COMMANDS = (
    ("show", "ewn-3x3-3", _MIDDLE, "--move", "a2-b2", "--json"),
    ("show", "draughts-8x8", "B:W18,24,K10:B12,K22"),
    ("show", "toads.py:Toads:pieces=3", "--json"),
    ("show", "rhombus-4x4-3", "--svg", "board.svg"),
    ("games", "--json"),
    ("perft", "star-37-3p", "3", "--divide"),
    ("perft", "ewn-3x3-3", "2", "--position", _MIDDLE, "--json"),
    ("check", "frogs-2-1", "--games", "2", "--seed", "3"),
    ("play", "random", "human", "--game", "ewn-3x3-3", "--seed", "7", "--plies", "9", "--quiet"),
    ("play", "greedy", "--game", "star-37-3p", "--position", "x", "--save", "game.jsonl"),
    ("analyse", "ewn-3x3-3", "12./3.a/.cb r -", "--agent", "mcts:sims=4", "--roll", "2"),
    ("match", "random", "greedy", "--game", "ewn-3x3-3", "--games", "4", "--sprt", "elo0=0,elo1=5"),
    (
        "match",
        "random",
        "mcts:10",
        "--game",
        "draughts-8x8",
        "--opening-plies",
        "2",
        "--plies",
        "9",
    ),
    ("match", "random", "random", "--game", "star-37-3p", "--workers", "2", "--db", "games.db"),
    ("tournament", "random", "greedy", "mcts:4", "--game", "ewn-3x3-3", "--anchor", "mcts:4=100"),
    ("replay", "games.pdn", "1", "--ply", "2"),
    ("replay", "games.jsonl", "--json"),
    ("convert", "games.pdn", "games.jsonl", "--to", "pdn"),
    ("convert", "games.jsonl", "--out", "out.jsonl", "--force", "--game", "ewn-3x3-3"),
    ("calibrate", "draughts-8x8", "--games", "4", "--depth", "2"),
    ("solve", "ewn-2x2-1", "--memory", "500M", "--threads", "2", "--pieces", "3", "--no-distances"),
    ("truth", "ewn-3x3-3", "--agents", "random greedy", "--sample", "10"),
    ("truth", "rhombus-3x3-3", "--games", "2", "--opening-plies", "1", "--page", "errors.html"),
    ("train", "quick", "--set", "search.simulations=4", "--iterations", "2", "--minutes", "0.1"),
    ("train", "recipe.toml", "--out", "run", "--seed", "4", "--device", "cpu", "--threads", "1"),
    ("tune", "hsueh2023/ewn-3x3-3", "--metric", "wr_p", "--key", "learning.rate=0.1..1"),
    ("tune", "quick", "--metric", "strength", "--key", "search.c", "--sampler", "pbt"),
    ("report", "run", "--json"),
    ("reproduce", "hsueh2023", "fig8", "--variant", "ewn-3x3-3", "--quick", "--workers", "1"),
    ("--version",),
    ("train", "--help"),
)
#: what would take long, in its place an error
_LONG = (
    *("halma.cli.arena.play", "halma.learn.train", "halma.solve.solver.solve"),
    *(
        "halma.solve.truth.examine",
        "halma.learn.grading.grade_agents",
        "halma.agents.player_of",
        "halma.cli.live_game.LiveGame.play",
    ),
    *("halma.games.conformance.check", "halma.arena.calibration.calibrate"),
    *("halma.lab.workspace.Workspace.run_all", "halma.tune.tuning.tune"),
)
#: allowed lines of output on standard error, and characters of each: a usage, or a note
_MOST_LINES, _LONGEST_LINE = 12, 2000


def _reached(*_: object, **__: object) -> None:
    raise HalmaError("The arguments have been read.")


@contextmanager
def nothing_long() -> Iterator[None]:
    """Replace what verbs do for long, once their arguments are read."""
    with ExitStack() as stack:
        for name in _LONG:
            stack.enter_context(patch(name, _reached))
        stack.enter_context(patch("halma.cli.perft._count", lambda position, depth: depth))
        yield


def command_target(folder: Path) -> Target:
    """Run command lines in this process, without what takes long."""
    (folder / "games.pdn").write_text(pdn_text(random.Random(1)), encoding="utf-8")
    (folder / "games.jsonl").write_text(saved_text(random.Random(1)), encoding="utf-8")
    (folder / "recipe.toml").write_text('extends = "quick"\n', encoding="utf-8")

    command = typer.main.get_command(app)

    def read(text: str) -> None:
        words = as_arguments(text)
        status, lines = _run(command, words)
        assert status in (0, 1, 2), status
        assert len(lines) <= _MOST_LINES + len(words), lines
        for line in lines:
            assert line.isprintable() and len(line) <= _LONGEST_LINE, line[:300]
        if status == 2 and not lines[0].startswith("Usage:"):
            assert lines[-1].startswith(("halma: ", "Error: ")), lines[-1]
            assert lines[-1].endswith((".", "?")), lines[-1]

    return Target("command lines", [GAP.join(words) for words in _COMMANDS], read)


def _run(command: Any, words: list[str]) -> tuple[int, list[str]]:
    """Run a command line; return its exit status and the lines on standard error."""
    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
    errors = io.StringIO()
    with nothing_long(), redirect_stdout(screen), redirect_stderr(errors):
        try:
            command.main(words, prog_name="halma")
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else 0
    return status, errors.getvalue().splitlines()


def as_arguments(text: str) -> list[str]:
    """Return words as a system can pass them: no NUL, no surrogates but those of odd bytes."""
    words = re.sub("[\ud800-\udc7f\udd00-\udfff]", "\udcff", text.replace("\0", "")).split(GAP)
    return [os.fsdecode(os.fsencode(word)) for word in words]


def memory_target() -> Target:
    """Read texts as amounts of memory."""
    seeds = ["8G", "500M", "1.5g", "12KiB", "100", "0.001TB"]
    return Target("amounts of memory", seeds, lambda text: _bytes(text) >= 0)


def typed_target() -> Target:
    """Read texts as lines that a person types during a game."""
    game = halma.game("cdc-2x4-KPPP")
    record = Record(game)
    record.roll(random.Random(1))
    seeds = ["help", "moves", "moves a1", "?", "a1", "A1 \n", "quit", "exit", "undo", "x\na1"]

    def read(text: str) -> None:
        human = HumanAgent(commands={"undo": lambda rest: f"undone {rest[:5]}", "hint": str})
        screen = io.StringIO()
        typed = patch.object(sys, "stdin", io.StringIO(text))
        with typed, redirect_stderr(screen), suppress(LeftError):
            assert human.choose(record, random.Random(1)) in record.position.legal_moves
        assert all(line.isprintable() for line in screen.getvalue().splitlines())

    return Target("lines of a game", seeds, read)


def use_target() -> Target:
    """Read each character of a text as something that is done to a record, at any time."""
    names = (
        "ewn-3x3-3",
        "cdc-2x4-KPPP",
        "draughts-8x8",
        "frogs-2-1",
        "star-37-3p",
        "rhombus-4x4-3",
    )
    games = [halma.game(name) for name in names]
    letters = "".join(_USES)

    def read(text: str) -> None:
        rng = random.Random(len(text))
        records = [Record(game) for game in games]
        refusals = [HalmaError("Nothing was refused.")]
        for number, letter in enumerate(text[:20]):
            record, other = records[number % 3 * 2], rng.choice(records)
            try:
                _USES[letters[ord(letter) % len(letters)]](record, other, rng)
            except HalmaError as error:
                refusals.append(error)
        for record in records:
            record.core.state()
            assert Record(record.game, record.start).position == record.start
        raise refusals[-1]

    return Target("uses of a record", ["rprprprp", "ppppuuuuu", "rprpmMoOsS", "tktdtaA"], read)


def _play(record: Record, other: Record, rng: random.Random) -> None:
    moves = record.position.legal_moves
    record.play(rng.choice(moves) if moves else "a1-a2")


def _undo_all(record: Record, other: Record, rng: random.Random) -> None:
    for _ in range(len(record) + 1):
        record.undo()


def _play_to_the_end(record: Record, other: Record, rng: random.Random) -> None:
    for _ in range(40):
        record.roll(rng)
        if record.is_over:
            break
        record.play(rng.choice(record.position.legal_moves))


def _play_of_other(record: Record, other: Record, rng: random.Random) -> None:
    moves = other.position.legal_moves or [Move(0, "a1")]
    record.play(rng.choice(moves))


def _forged(record: Record, other: Record, rng: random.Random) -> None:
    value = rng.choice((-1, 0, 2**31, 2**64, 10**30))
    texts = [move.text for move in record.position.legal_moves] or ["a1-b2"]
    record.play(Move(value, rng.choice(texts)))


def _outcome_of_other(record: Record, other: Record, rng: random.Random) -> None:
    outcomes = other.position.outcomes or [Outcome(10**20, 1.0, "7")]
    record.resolve(rng.choice(outcomes))


def _ask(record: Record, other: Record, rng: random.Random) -> None:
    position = record.position
    for action in (-1, 0, position.game.actions, 2**31, 2**63, 10**30, rng.randrange(10**4)):
        position.move_of(action)
    assert record.encode().shape == position.game.shape
    _ = (
        record.texts,
        record.positions,
        record.result,
        record.end,
        position.legal_moves,
        str(position),
    )


def _draw_of_other(record: Record, other: Record, rng: random.Random) -> None:
    moves = other.position.legal_moves or [Move(0, "a1")]
    record.position.svg(rng.choice(moves))


def _search(record: Record, other: Record, rng: random.Random) -> None:
    TreeSearch(record.game).search(record, simulations=3)


def _search_other(record: Record, other: Record, rng: random.Random) -> None:
    TreeSearch(record.game).search(other, simulations=3)


def _start_elsewhere(record: Record, other: Record, rng: random.Random) -> None:
    Record(record.game, other.position)


def _other_state(record: Record, other: Record, rng: random.Random) -> None:
    state = rng.choice((b"", other.position.state[:-1], record.position.state + b"\0"))
    if len(state) != len(record.position.state):
        _ = Position(record.game, state).legal_moves


def _pickle(record: Record, other: Record, rng: random.Random) -> None:
    again = pickle.loads(pickle.dumps(record))
    assert again.positions == record.positions


def _other_text(record: Record, other: Record, rng: random.Random) -> None:
    record.game.position(other.position.text)


_USES: dict[str, Callable[[Record, Record, random.Random], Any]] = {
    "p": _play,
    "r": lambda record, other, rng: record.roll(rng),
    "u": lambda record, other, rng: record.undo(),
    "U": _undo_all,
    "e": _play_to_the_end,
    "m": _play_of_other,
    "M": _forged,
    "o": _outcome_of_other,
    "O": lambda record, other, rng: record.resolve(rng.choice("16Kk-?\0")),
    "a": _ask,
    "d": _draw_of_other,
    "s": _search,
    "S": _search_other,
    "w": _start_elsewhere,
    "b": _other_state,
    "k": _pickle,
    "t": _other_text,
    "f": lambda record, other, rng: record.forfeited_by(0),
}


def command_targets(folder: Path) -> list[Target]:
    """Return all targets of this file; they read and write files in a folder, which is current."""
    return [command_target(folder), memory_target(), typed_target(), use_target()]
