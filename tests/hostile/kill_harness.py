"""Kills commands at failpoints, and checks that nothing is lost and that they can be repeated.

A command is run once to count the places that it passes, and then again and again: each time it
is killed with SIGKILL at one of them, its files are checked, the same command runs to its end, and
the files are compared with those of the first run. Commands run in forks of one process that has
imported everything, so that a kill takes a fraction of a second.

    python tests/hostile/kill_harness.py --kills 100 --commands match solve
"""

import argparse
import json
import mmap
import multiprocessing
import os
import random
import select
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import resource_tracker
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hostile.contents import metrics_lines, read_folder, stored_games
from hostile.kill_commands import COMMANDS, SMALL_PAPER, Command, Work, execute, write_recipes

from halma import files, lab
from halma.errors import StoreError
from halma.learn import run
from halma.solve import solver

#: Seconds after which a command hangs.
_PATIENCE = 120
#: Share of kills that are followed by another one, while the command is repeated.
_TWICE = 0.25
#: Stands before the place of a kill.
_KILLED = "killed "
#: One count for a command and its workers.
_COUNT = struct.Struct("Q")


@dataclass(frozen=True)
class Passed:
    """A failpoint that a command passed."""

    place: str
    path: str

    @property
    def kind(self) -> tuple[str, str]:
        """The place and the kind of file, which are covered together."""
        path = Path(self.path)
        kind = path.suffix or path.name
        return self.place, f"{path.stem}{kind}" if path.stem in ("best", "recipe") else kind


@dataclass
class Outcome:
    """How a command ended."""

    status: int
    output: str
    passed: list[Passed]
    #: the place of the kill
    struck: Passed | None


@dataclass
class Findings:
    """What the harness did and found."""

    kills: Counter = field(default_factory=Counter)
    places: set = field(default_factory=set)
    faults: list[str] = field(default_factory=list)


def run_forked(work: Work, folder: Path, kill_at: int = 0) -> Outcome:
    """Run a command in a fork; it, or a worker of it, is killed at the place of this number."""
    log = folder.parent / f"{folder.name}.log"
    log.write_bytes(b"")
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        _be_the_command(work, folder, log, writing, kill_at)
    os.close(writing)
    output = _read_to_end(reading, process)
    _, status = os.waitpid(process, 0)
    lines = log.read_text(encoding="utf-8").splitlines()
    passed = [Passed(*line.removeprefix(_KILLED).split("\t")) for line in lines]
    # Other processes of the command may have gone on after the kill.
    struck = next((i for i, line in enumerate(lines) if line.startswith(_KILLED)), None)
    ended = os.waitstatus_to_exitcode(status)
    return Outcome(ended, output, passed, None if struck is None else passed[struck])


def _be_the_command(work: Work, folder: Path, log: Path, output: int, kill_at: int) -> None:
    """Run the command in this fork, and end."""
    status = 70
    try:
        os.chdir(folder)
        for stream in (1, 2):
            os.dup2(output, stream)
        os.close(output)
        _arm(log, kill_at)
        execute(work)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def _arm(log: Path, kill_at: int) -> None:
    """Log every failpoint in this process and its workers, and kill the one that gets there."""
    count = mmap.mmap(-1, _COUNT.size)
    handle = os.open(log, os.O_WRONLY | os.O_APPEND)

    def strike(place: str, path: Path) -> None:
        (number,) = _COUNT.unpack(count[:])
        count[:] = _COUNT.pack(number + 1)
        dead = _KILLED if number + 1 == kill_at else ""
        os.write(handle, f"{dead}{place}\t{os.path.abspath(path)}\n".encode())
        if dead:
            os.kill(os.getpid(), signal.SIGKILL)

    files.on_failpoint = strike


def _read_to_end(pipe: int, process: int) -> str:
    """Return the output of a command and its workers, once the last of them has ended."""
    parts, until = [], time.monotonic() + _PATIENCE
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            os.kill(process, signal.SIGKILL)
            parts.append(b"\nIt hangs, or a worker has outlived it.")
            break
        part = os.read(pipe, 1 << 16)
        if not part:
            break
        parts.append(part)
    os.close(pipe)
    return b"".join(parts).decode(errors="replace")


class CommandKiller:
    """One command: its prepared folder, its undisturbed end, and the kills of it."""

    def __init__(self, command: Command, place: Path, findings: Findings) -> None:
        self.command = command
        self._place, self._findings = place, findings
        self._prepared, self._struck = place / "prepared", place / "struck"
        self._prepared.mkdir(parents=True)
        write_recipes(self._prepared)
        for work in command.prepare:
            self._must_end(run_forked(work, self._prepared))
        shutil.copytree(self._prepared, place / "whole")
        whole = self._must_end(run_forked(command.work, place / "whole"))
        self.passed = whole.passed
        self._expected = read_folder(place / "whole")
        self._output = whole.output

    def _must_end(self, outcome: Outcome) -> Outcome:
        if outcome.status or " failed" in outcome.output:
            raise RuntimeError(f"{self.command.name}: status {outcome.status}\n{outcome.output}")
        return outcome

    def distinct_places(self, whatever_file: bool) -> list[int]:
        """Return the number of one place of every name, or of every name and kind of file."""
        first: dict[tuple[str, str], int] = {}
        for number, passed in enumerate(self.passed, start=1):
            first.setdefault((passed.place, "") if whatever_file else passed.kind, number)
        return list(first.values())

    def kill(self, number: int, rng: random.Random) -> None:
        """Kill the command at a place, perhaps again while it is repeated; check everything."""
        shutil.rmtree(self._struck, ignore_errors=True)
        shutil.copytree(self._prepared, self._struck)
        where = []
        try:
            outcome = run_forked(self.command.work, self._struck, kill_at=number)
            while (struck := outcome.struck) is not None:
                where.append(f"{struck.place} {Path(struck.path).name}")
                self._findings.kills[self.command.name] += 1
                self._findings.places.add((self.command.name, *struck.kind))
                self._check_kept(outcome.passed)
                twice = rng.random() < _TWICE
                kill_at = rng.randint(1, len(self.passed)) if twice else 0
                outcome = run_forked(self.command.work, self._struck, kill_at)
            self._check_end(outcome)
        except Exception as error:
            fault = f"{self.command.name}, killed {where}: {str(error) or traceback.format_exc()}"
            self._findings.faults.append(fault)
            print(fault, file=sys.stderr, flush=True)

    def _check_kept(self, passed: list[Passed]) -> None:
        """Check the files of a killed command: whole, and everything there that was saved."""
        for path, last in {one.path: one.place for one in passed if _settles(one)}.items():
            # A temporary folder has got its own name since, or is removed by the next command.
            if last == "after rename" and files.TEMPORARY + os.sep not in path:
                assert Path(path).exists(), f"{path} is lost"
        for path in self._struck.rglob("metrics.jsonl"):
            places = [one.place for one in passed if one.path == str(path)]
            since = (
                len(places) - places[::-1].index("after rename") if "after rename" in places else 0
            )
            # What was written for a rename that did not follow is not part of the file.
            saved = places[since:].count("after fsync") - places[since:].count("before rename")
            assert len(metrics_lines(path)) >= saved, "an iteration's metrics are lost"
        for path in self._struck.glob("*.db"):
            self._check_store(path, passed)
        if not any(self._struck.glob("*.db")):
            read_folder(self._struck)

    def _check_store(self, path: Path, passed: list[Passed]) -> None:
        """Check that a store has the first games of every match, and all that were committed."""
        committed = [one.place for one in passed if one.path == str(path)].count("after commit")
        try:
            found = stored_games(path)
        except StoreError:
            assert not committed, "the store cannot be read"
            return
        expected = self._expected[path.name]
        for match, games in found.items():
            assert games == expected[match][: len(games)], "other games are stored"
        # One commit made the tables, and one began each match.
        assert committed <= 1 + len(found) + sum(map(len, found.values())), "games are lost"

    def _check_end(self, outcome: Outcome) -> None:
        """Check that a repeated command leaves what an undisturbed one leaves."""
        if outcome.status:
            raise AssertionError(f"repeated: status {outcome.status}\n{outcome.output[-3000:]}")
        found = read_folder(self._struck)
        for name in sorted({*found, *self._expected}):
            if name not in found:
                raise AssertionError(f"{name} is missing")
            if name not in self._expected:
                raise AssertionError(f"{name} is left behind")
            if self.command.exact and found[name] != self._expected[name]:
                raise AssertionError(f"{name} is another one: {_difference(found, self, name)}")


def _settles(passed: Passed) -> bool:
    return passed.place in ("after rename", "before remove")


def _difference(found: dict, killer: CommandKiller, name: str) -> str:
    return f"{str(found[name])[:200]}\n  instead of {str(killer._expected[name])[:200]}"


def preload(commands: list[Command]) -> None:
    """Import what commands need, and make them start workers as forks."""
    for module in dict.fromkeys(name for command in commands for name in command.modules):
        import_module(module)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    with suppress(SystemExit), open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        execute("show ewn-3x3-2")
    resource_tracker.ensure_running()
    fork = multiprocessing.get_context("fork")
    multiprocessing.get_context = lambda method=None: fork
    run._revision = lambda: None  # asks git, which takes longer than a kill
    lab.find_paper = lambda name: SMALL_PAPER
    # A checkpoint after every step.
    original = solver._run
    solver._run = lambda engine, partial, seconds, *more: original(engine, partial, -1e9, *more)


def strike(commands: list[Command], kills: int | None, seed: int, place: Path) -> Findings:
    """Kill commands at every kind of place, and then at random ones until there were enough.

    Without a number of kills, once at every name of a place.
    """
    findings, rng = Findings(), random.Random(seed)
    killers = [
        CommandKiller(command, place / str(i), findings) for i, command in enumerate(commands)
    ]
    for killer in killers:
        for number in killer.distinct_places(whatever_file=kills is None):
            killer.kill(number, rng)
    weights = [killer.command.weight for killer in killers]
    while sum(findings.kills.values()) < (kills or 0):
        (killer,) = rng.choices(killers, weights)
        killer.kill(rng.randint(1, len(killer.passed)), rng)
    return findings


def main() -> None:
    """Kill commands as the options say; print what was found as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--kills", type=int, help="once at every name of a place if left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=[*COMMANDS])
    options = parser.parse_args()
    chosen = [COMMANDS[name] for name in options.commands]
    preload(chosen)
    fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=fast) as place:
        found = strike(chosen, options.kills, options.seed, Path(place))
    answer = {
        "kills": dict(found.kills),
        "places": sorted(" | ".join(one) for one in found.places),
        "faults": found.faults,
    }
    print(json.dumps(answer, indent=1))
    raise SystemExit(bool(found.faults))


if __name__ == "__main__":
    main()
