"""`halma convert`: check files of games, and write them in another format."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from halma.cli.verb import JsonFlag, note, print_json
from halma.errors import GameReadError, HalmaError, brief

if TYPE_CHECKING:
    from halma.games.saved import SavedGame

#: number of bad games, and of warnings, that are printed
_MOST = 50


def convert(
    files: Annotated[list[Path], typer.Argument(help="Files of games, or run directories.")],
    out: Annotated[Path | None, typer.Option(help="Write .pdn, .jsonl or .npz.")] = None,
    to: Annotated[
        Literal["pdn", "jsonl", "npz"] | None,
        typer.Option(help="The format, if the suffix does not tell it; printed without --out."),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Only games of this variant; the rules of PDN games.")
    ] = None,
    match: Annotated[int | None, typer.Option(help="Only this match of a database.")] = None,
    planes: Annotated[
        bool, typer.Option("--planes", help="Add the input of networks to an npz file.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --out.")] = False,
    json: JsonFlag = False,
) -> None:
    """Check files of games, and convert them with --out.

    Reads PDN, JSON lines, match databases and the self-play games of training runs. Games that
    cannot be read are reported and left out; the exit status is then 1.
    """
    from halma.cli.game_files import read_games, write_arrays, write_text
    from halma.files import atomic_write
    from halma.games import game as find_game

    form = _format(out, to, planes, json, force)
    rules = None if game is None else find_game(game)
    report = _Findings()
    kept: list[SavedGame] = []
    text_out = form in ("pdn", "jsonl")
    opened: Any = nullcontext(sys.stdout.buffer)
    if text_out and out is not None:
        opened = atomic_write(out)
    with opened as file:
        for path in files:
            for found in read_games(path, rules, match):
                if isinstance(found, HalmaError):
                    report.fail(path, found)
                    continue
                try:
                    if text_out:
                        write_text(file, found, str(form))
                except HalmaError as error:
                    report.fail(path, GameReadError(found.number, 0, str(error)))
                    continue
                if form == "npz":
                    kept.append(found)
                report.count(path, found)
        report.refuse_nothing(files)
    if form == "npz" and out is not None:
        write_arrays(out, files, kept, planes)
    report.show(out, json, printed=text_out and out is None)
    if report.problems:
        raise SystemExit(1)


def _format(out: Path | None, to: str | None, planes: bool, json: bool, force: bool) -> str | None:
    """Return the format to write, None for a check alone, after checking the options."""
    from halma.cli.game_files import FORMATS

    form = to
    if out is not None:
        form = to or FORMATS.get(out.suffix.lower())
        if form is None:
            raise HalmaError(
                f"'{out}' must end in {', '.join(FORMATS)}, or --to must say what to write."
            )
        if out.exists() and not force:
            raise HalmaError(f"'{out}' exists already: choose another name, or add --force.")
    elif form == "npz":
        raise HalmaError("An npz file is not printed: name it with --out.")
    elif form is not None and json:
        raise HalmaError("--json prints a report, so name a file for the games with --out.")
    if planes and form != "npz":
        raise HalmaError("--planes adds to an npz file: write one with --out.")
    return form


class _Findings:
    """What was found in the files, and the report of it."""

    def __init__(self) -> None:
        self.problems: list[tuple[Path, HalmaError]] = []
        self._warnings: list[tuple[Path, str]] = []
        self._games: Counter[str] = Counter()
        self._plies: Counter[str] = Counter()
        self._results: dict[str, Counter[str]] = {}

    def count(self, path: Path, saved: SavedGame) -> None:
        """Count a game that was read."""
        game, scores = saved.record.game, saved.result
        self._games[game.name] += 1
        self._plies[game.name] += saved.record.plies
        if scores is None:
            result = "no result"
        elif scores.count(max(scores)) > 1:
            result = "drawn" if any(scores) else "lost by all"
        else:
            result = f"won by {game.player_names[scores.index(max(scores))]}"
        self._results.setdefault(game.name, Counter())[result] += 1
        self._warnings += [(path, text) for text in saved.warnings]

    def fail(self, path: Path, error: HalmaError) -> None:
        """Note a game that was left out."""
        self.problems.append((path, error))

    def refuse_nothing(self, files: list[Path]) -> None:
        """Raise an error if no game was read, so that no file is written."""
        if self._games:
            return
        names = ", ".join(f"'{path}'" for path in files[:5])
        if not self.problems:
            raise HalmaError(f"There are no games in {names}.")
        first = self.problems[0][1]
        if not isinstance(first, GameReadError):  # a whole file
            raise first
        raise HalmaError(f"No game of {names} can be used ({len(self.problems)} found). {first}")

    def show(self, out: Path | None, json: bool, printed: bool) -> None:
        """Print the report, on standard error if standard output has the games."""
        if json:
            print_json(self._as_dict(out))
            return
        texts = [(path, str(error)) for path, error in self.problems]
        for what, found in (("warning", self._warnings), ("left out", texts)):
            for path, text in found[:_MOST]:
                note(brief(f"{path}: {what}: {text}"))
            if len(found) > _MOST:
                note(f"... and {len(found) - _MOST} more ({what}).")
        for name, games in self._games.items():
            counts = ", ".join(f"{n} {what}" for what, n in sorted(self._results[name].items()))
            line = f"{name}: {games} games, {self._plies[name]} plies; {counts}"
            note(line) if printed else print(line)
        if self.problems:
            note(f"Read {self._games.total()} games, left out {len(self.problems)}.")
        if out is not None:
            note(f"Wrote {out}.")

    def _as_dict(self, out: Path | None) -> dict[str, Any]:
        return {
            "variants": {
                name: {
                    "games": games,
                    "plies": self._plies[name],
                    "results": dict(self._results[name]),
                }
                for name, games in self._games.items()
            },
            "left_out": [
                {
                    "file": str(path),
                    "game": getattr(error, "number", None),
                    "line": getattr(error, "line", None) or None,
                    "error": getattr(error, "message", str(error)),
                }
                for path, error in self.problems
            ],
            "warnings": [{"file": str(path), "warning": text} for path, text in self._warnings],
            "out": None if out is None else str(out),
        }
