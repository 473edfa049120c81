"""The replay buffer: the newest games in memory, and the files that it is filled from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from halma import _core
from halma.errors import TensorFileError
from halma.files import remove_file
from halma.games import Game
from halma.learn.checkpoint import identity
from halma.learn.value_targets import ValueTargets
from halma.selfplay import FinishedGames
from halma.selfplay.games import Array, array_kinds
from halma.structure import fields, map_of, optional, real, whole
from halma.tensors import SUFFIX, iteration_file, list_iterations, open_tensors, write_tensors

#: The folder of games in a run directory.
FOLDER = "games"
_KIND = "self-play games"
#: Begins the suffix of files that hold some games of an iteration.
_PART = ".part-"
_STRUCTURE = fields({"iteration": whole(), "metrics": map_of(optional(real()))})


class GameFiles:
    """The games of a run, a file for every iteration; iteration 0 is the warm start."""

    def __init__(self, run: Path, game: Game) -> None:
        self.folder = run / FOLDER
        self.game = game
        #: numbers of games in files that were read or written
        self._counts: dict[int, int] = {}

    def path(self, iteration: int) -> Path:
        """Return the file of an iteration."""
        return iteration_file(self.folder, iteration)

    def has(self, iteration: int) -> bool:
        """Tell whether an iteration's games were played already."""
        return self.path(iteration).exists()

    def write(self, iteration: int, games: FinishedGames, metrics: Mapping[str, Any]) -> None:
        """Write the games of an iteration atomically, with the metrics of playing them."""
        self._write(self.path(iteration), iteration, games, metrics)
        self._counts[iteration] = len(games)

        self.remove_parts(iteration)

    def write_part(self, iteration: int, games: FinishedGames, metrics: Mapping[str, Any]) -> None:
        """Write some games of an iteration atomically, in a file beside those written before."""
        numbers = [number for number, _ in self._parts(iteration)]
        path = iteration_file(
            self.folder, iteration, f"{_PART}{max(numbers, default=0) + 1:06}{SUFFIX}"
        )
        self._write(path, iteration, games, metrics)

    def read_parts(
        self, iteration: int, note: Callable[[str], None]
    ) -> list[tuple[FinishedGames, dict[str, Any]]]:
        """Return the parts of an iteration; a damaged one is removed with a note."""
        found = []
        for _, path in self._parts(iteration):
            try:
                found.append(self._read(path, iteration))
            except TensorFileError as error:
                note(f"{error} The games in it are played again.")
                remove_file(path)
        return found

    def remove_parts(self, iteration: int) -> None:
        """Remove the parts of an iteration."""
        for _, path in self._parts(iteration):
            remove_file(path)

    def _parts(self, iteration: int) -> list[tuple[int, Path]]:
        """Return the numbers and files of an iteration's parts, in order."""
        start = iteration_file(self.folder, iteration, _PART).name
        found = []
        for path in self.folder.glob(f"{start}*{SUFFIX}"):
            digits = path.name.removeprefix(start).removesuffix(SUFFIX)
            if digits.isdecimal():
                found.append((int(digits), path))
        return sorted(found)

    def _write(
        self, path: Path, iteration: int, games: FinishedGames, metrics: Mapping[str, Any]
    ) -> None:
        arrays = {name: np.ascontiguousarray(array) for name, array in games.arrays().items()}
        description = {**identity(self.game, _KIND), "iteration": iteration, "metrics": metrics}
        write_tensors(path, arrays, description)

    def read(self, iteration: int) -> tuple[FinishedGames, dict[str, Any]]:
        """Return an iteration's games, checked by the rules, and the metrics of playing them."""
        games, metrics = self._read(self.path(iteration), iteration)
        self._counts[iteration] = len(games)
        return games, metrics

    def _read(self, path: Path, iteration: int) -> tuple[FinishedGames, dict[str, Any]]:
        expected = {**identity(self.game, _KIND), "iteration": iteration}
        found = open_tensors(path, expected, _STRUCTURE, lambda file: array_kinds(self.game))
        games = FinishedGames(**found.arrays())
        if fault := games.fault(self.game):
            raise TensorFileError(f"'{path}' is not used: it {fault}.")
        return games, found.description["metrics"]

    def read_or_remove(self, iteration: int, note: Callable[[str], None]) -> FinishedGames | None:
        """Return an iteration's games; a damaged file is removed with a note."""
        try:
            return self.read(iteration)[0]
        except TensorFileError as error:
            note(f"{error} Going on without the games in it.")
            self.remove(iteration)
            return None

    def iterations(self) -> list[int]:
        """Return the iterations whose games are on disk, newest first."""
        return [iteration for iteration, _ in list_iterations(self.folder)]

    def remove(self, iteration: int) -> None:
        """Remove an iteration's games."""
        self.remove_parts(iteration)
        remove_file(self.path(iteration))

    def tell_counts(self, counts: Mapping[int, int]) -> None:
        """Tell the numbers of games of iterations, so that their files need not be read."""
        self._counts.update(counts)

    def remove_old(self, iteration: int, capacity: int) -> None:
        """Remove games that a replay buffer at an iteration, or later, does not need."""
        counts = {i: self._counts.get(i, 0) for i in self.iterations() if i <= iteration}
        for old in _beyond(counts, capacity):
            self.remove(old)


class ReplayBuffer:
    """The newest games in memory: whole iterations, as few as hold `capacity` games.

    `position_share` of the positions with a policy target become training samples, those of drawn
    games only with `keep_draws`.
    """

    def __init__(
        self,
        game: Game,
        capacity: int,
        position_share: float,
        seed: int,
        value_targets: ValueTargets | None = None,
        keep_draws: bool = True,
    ) -> None:
        self.game = game
        self._capacity = capacity
        self._position_share = position_share
        self._seed = seed
        self._keep_draws = keep_draws
        self._targets_of = value_targets or ValueTargets()
        self._parts: dict[int, FinishedGames] = {}
        #: rows of each part that are training samples
        self._chosen: dict[int, np.ndarray[Any, np.dtype[np.int64]]] = {}
        #: value targets of each part
        self._targets: dict[int, Array] = {}
        #: all games, once `gather` was called
        self.games: FinishedGames
        #: their value targets, the mover's score first: float32 (rows, players)
        self.value_targets: Array
        #: the rows of them that are training samples: int64 (samples,)
        self.samples = np.zeros(0, np.int64)

    @property
    def iterations(self) -> list[int]:
        """The iterations in it, oldest first."""
        return sorted(self._parts)

    @property
    def parts(self) -> list[FinishedGames]:
        """The games of its iterations, oldest first."""
        return [self._parts[iteration] for iteration in self.iterations]

    def __len__(self) -> int:
        """Return the number of games."""
        return sum(map(len, self._parts.values()))

    def fill(self, files: GameFiles, last: int, note: Callable[[str], None]) -> None:
        """Add the newest games on disk, up to those of iteration `last`."""
        for iteration in files.iterations():
            if iteration <= last and len(self) < self._capacity:
                games = files.read_or_remove(iteration, note)
                if games is not None:
                    self.add(iteration, games)

    def add(self, iteration: int, games: FinishedGames) -> None:
        """Add an iteration's games and drop those that are too old."""
        self._parts[iteration] = games
        chosen = np.flatnonzero(np.diff(games.policy_offsets) > 0)
        if self._position_share < 1:
            rng = np.random.default_rng((self._seed, iteration, 1))
            chosen = chosen[rng.random(len(chosen)) < self._position_share]
        if not self._keep_draws:
            chosen = chosen[np.ptp(games.outcomes[chosen], axis=1) > 0]
        self._chosen[iteration] = chosen
        self._targets[iteration] = self._targets_of(games)
        counts = {number: len(part) for number, part in self._parts.items()}
        for old in _beyond(counts, self._capacity):
            del self._parts[old], self._chosen[old], self._targets[old]

    def gather(self) -> None:
        """Join what was added, ready for training."""
        self.games = FinishedGames.join(self.parts)
        self.value_targets = np.concatenate([self._targets[i] for i in self.iterations])
        starts = np.cumsum([0, *(len(self._parts[i].moves) for i in self.iterations)])
        self.samples = np.concatenate(
            [self._chosen[i] + start for i, start in zip(self.iterations, starts, strict=False)]
        )

    def new_samples(self, iteration: int) -> int:
        """Return the number of training samples of an iteration."""
        return len(self._chosen[iteration])

    @property
    def duplicates(self) -> float:
        """The share of gathered samples whose position is in the buffer more than once."""
        keys = _core.key_many(self.game.core, self.games.states[self.samples])
        return 1 - len(np.unique(keys)) / len(keys) if len(keys) else 0.0


def _beyond(games: Mapping[int, int], capacity: int) -> list[int]:
    """Return the iterations that a buffer does not need; `games` has the number of each."""
    held, old = 0, []
    for iteration in sorted(games, reverse=True):
        if held >= capacity:
            old.append(iteration)
        held += games[iteration]
    return old
