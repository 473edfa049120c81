"""A game in progress at the terminal: played, taken back, resigned, saved and continued."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from halma.agents import Agent, HumanAgent, LeftError, Step, play_game
from halma.agents.human import recent
from halma.cli.verb import note, program
from halma.errors import AgentError, GameReadError, HalmaError, RecordError
from halma.files import read_file, replace_file
from halma.games import Game, Record
from halma.games.saved import SavedGame, read_json_lines

#: Larger files are not one game.
_MOST_BYTES = 10_000_000


class _Undone(Exception):
    """A person took moves back."""


class _Resigned(Exception):
    """A person resigned."""


class LiveGame:
    """A game in progress, and the file that keeps it, if any."""

    def __init__(
        self, record: Record, players: Sequence[Agent], seed: int, path: Path | None
    ) -> None:
        self.record, self.seed, self.path = record, seed, path
        self.names = [player.name for player in players]
        self.persons = [isinstance(player, HumanAgent) for player in players]
        #: why the game is over or was left, as a clause
        self.end = ""
        #: scores; None while the game can go on
        self.result: tuple[float, ...] | None = None
        self.interrupted = False
        commands = {"undo": self._undo, "save": self._save}
        if record.game.players == 2:
            commands["resign"] = self._resign
        self._players: list[Agent] = [
            replace(player, commands=commands) if isinstance(player, HumanAgent) else player
            for player in players
        ]

    def play(self, most_plies: int, watch: Callable[[Step], None]) -> None:
        """Play until the game is over, has `most_plies` plies, or a person leaves it."""
        self._write()
        try:
            while not self._played_on(most_plies, watch):
                self._write()
            self.end, self.result = self.record.end or "by the ply limit", self.record.result
        except LeftError:
            self.end = "because a player left"
        except KeyboardInterrupt:
            note("")  # the terminal has written ^C
            self.end, self.interrupted = "because it was interrupted", True
        except _Resigned:
            self._lose("by resignation")
        except AgentError as error:
            self._lose(f"by an error: {error}".rstrip("."))
        self._write()

    def _lose(self, end: str) -> None:
        """End the game with a loss of the player to move."""
        self.end = end
        self.result = self.record.forfeited_by(self.record.position.mover)

    def _played_on(self, most_plies: int, watch: Callable[[Step], None]) -> bool:
        """Play on; return False where moves were taken back."""
        try:
            for step in play_game(self.record, self._players, self.seed, most_plies):
                self._write()
                watch(step)
        except _Undone:
            return False
        return True

    @property
    def last_moves(self) -> list[str]:
        """What happened since the last move of a person, as lines."""
        movers = [p.mover for p in self.record.positions[:-1] if not p.is_chance]
        persons = [mover for mover in movers if self.persons[mover]]
        return recent(self.record, persons[-1])[0] if persons else []

    @property
    def continuation(self) -> str:
        """A sentence that says how to continue a game that was left."""
        words = ["play", *self.names, "--game", self.record.game.name]
        if self.path is None:
            told = "The game is not saved. To play on from this position"
            words += ["--position", self.record.position.text]
        else:
            told = f"The game is saved in '{self.path}'. To continue it"
            words += ["--save", str(self.path)]
        return f"{told}: {shlex.join([program(), *words])}"

    # Commands of a person.

    def _undo(self, _: str) -> str:
        before = self.record.positions[:-1]
        mine = [i for i, p in enumerate(before) if not p.is_chance and self.persons[p.mover]]
        if not mine:
            raise RecordError("There is no move of yours to take back.")
        while len(self.record) > mine[-1]:
            self.record.undo()
        raise _Undone

    def _resign(self, _: str) -> str:
        raise _Resigned

    def _save(self, name: str) -> str:
        path = Path(name) if name else self.path or _new_name(self.record.game)
        if path != self.path:
            check_name(path)
            if path.exists():
                raise HalmaError(f"'{path}' exists already: choose another name.")
        try:
            self._write(path)
        except OSError as error:
            raise HalmaError(f"'{path}' cannot be written: {error.strerror}.") from None
        self.path = path
        return f"The game is saved in '{path}', from now on after every move."

    def _write(self, path: Path | None = None) -> None:
        path = path or self.path
        if path is not None:
            end = self.end if self.result else ""
            facts = {"seed": self.seed}
            saved = SavedGame(self.record, tuple(self.names), self.result, end, facts)
            replace_file(path, saved.json_line())


def load_saved(path: Path, game: Game) -> SavedGame | None:
    """Return the unfinished game of a file, or None where there is no file yet."""
    check_name(path)
    if not path.exists():
        return None
    content = read_file(path, _MOST_BYTES)
    games = list(read_json_lines(content.decode(errors="replace"), game))
    if len(games) != 1 or isinstance(games[0], GameReadError):
        raise HalmaError(
            f"'{path}' exists and is not a saved game of '{game.name}': choose another name."
        )
    if games[0].result is not None:
        raise HalmaError(
            f"The game in '{path}' is over; 'halma replay {path} 1' shows it. Choose another name."
        )
    return games[0]


def check_name(path: Path) -> None:
    """Raise an error where no game can be saved: no folder, or a suffix of another format."""
    if not path.parent.is_dir():
        raise HalmaError(f"There is no folder '{path.parent}'.")
    if path.suffix in (".pdn", ".npz", ".db", ".svg", ".py"):
        raise HalmaError(
            f"A game is saved as JSON lines, not as '{path.suffix}': name the file "
            f"'{path.stem}.jsonl'; 'halma convert' writes other formats."
        )


def _new_name(game: Game) -> Path:
    """Return a file name that is not taken."""
    # A game of a file is named by its path.
    stem = re.sub(r"[^\w.-]+", "-", game.name.rpartition("/")[2]).strip("-.") or "game"
    numbers = ("", *(f"-{n}" for n in range(2, 10_000)))
    return next(path for n in numbers if not (path := Path(f"{stem}{n}.jsonl")).exists())
