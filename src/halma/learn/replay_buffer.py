"""Games on disk, a file for every iteration, and the window of them that is learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from halma import _core
from halma.games import Game
from halma.learn.selfplay import Samples, joined
from halma.storage import SUFFIX, ArrayFile, load_arrays, save_arrays

#: the folder in a run directory
FOLDER = "games"
KIND = "games to learn from"
_PREFIX = "iteration-"
#: arrays that are tables themselves: their number of columns, by the game
_WIDE = {"states": "state_size", "outcomes": "players", "scores": "players"}


class GameFiles:
    """The games of a run: iteration 0 holds those of a heuristic."""

    def __init__(self, run: Path, game: Game) -> None:
        self.folder = run / FOLDER
        self.game = game

    def path(self, iteration: int) -> Path:
        """Return where the games of an iteration belong."""
        return self.folder / f"{_PREFIX}{iteration:06}{SUFFIX}"

    def has(self, iteration: int) -> bool:
        """Tell whether an iteration's games were played already."""
        return self.path(iteration).exists()

    def write(self, iteration: int, samples: Samples, about: Mapping[str, Any]) -> None:
        """Keep the games of an iteration; either all of them or none."""
        flat = {name: np.ascontiguousarray(array).reshape(-1) for name, array in samples.items()}
        save_arrays(self.path(iteration), self.game, KIND, {**about, "iteration": iteration}, flat)

    def read(self, iteration: int) -> tuple[Samples, dict[str, Any]]:
        """Return an iteration's games, checked to be whole."""
        found: ArrayFile = load_arrays(self.path(iteration), self.game, KIND)
        samples = {
            name: np.array(array).reshape(-1, getattr(self.game.core, _WIDE[name]))
            if name in _WIDE
            else np.array(array)
            for name, array in found.arrays.items()
        }
        return samples, found.about

    def kept(self) -> list[int]:
        """Return the iterations whose games are on disk, oldest first."""
        found = []
        for path in self.folder.glob(f"{_PREFIX}*{SUFFIX}"):
            digits = path.name.removeprefix(_PREFIX).removesuffix(SUFFIX)
            if digits.isdigit():
                found.append(int(digits))
        return sorted(found)

    def remove(self, iteration: int) -> None:
        """Remove an iteration's games."""
        self.path(iteration).unlink(missing_ok=True)


class Window:
    """The newest games in memory: whole iterations, as few as hold `games` of them."""

    def __init__(self, game: Game, games: int, share: float, seed: int) -> None:
        self.game = game
        self._games = games
        self._share = share
        self._seed = seed
        self._parts: dict[int, Samples] = {}
        #: rows of each part that are learnt from
        self._chosen: dict[int, np.ndarray[Any, np.dtype[np.int64]]] = {}
        self._keys: dict[int, np.ndarray[Any, np.dtype[np.uint64]]] = {}
        self.rows: Samples = {}
        self.learnt = np.zeros(0, np.int64)

    @property
    def iterations(self) -> list[int]:
        """The iterations in it, oldest first."""
        return sorted(self._parts)

    @property
    def games(self) -> int:
        """How many games are in it."""
        return sum(len(part["numbers"]) for part in self._parts.values())

    def add(self, iteration: int, samples: Samples) -> None:
        """Take an iteration's games in and let go of those that are too old."""
        self._parts[iteration] = samples
        with_policy = np.flatnonzero(np.diff(samples["policy_offsets"]) > 0)
        if self._share < 1:
            rng = np.random.default_rng((self._seed, iteration, 1))
            with_policy = with_policy[rng.random(len(with_policy)) < self._share]
        self._chosen[iteration] = with_policy
        self._keys[iteration] = _core.key_many(self.game.core, samples["states"][with_policy])
        for old in self.too_old():
            for store in (self._parts, self._chosen, self._keys):
                store.pop(old, None)

    def too_old(self) -> list[int]:
        """Return iterations that are not needed for a window of this size."""
        held, old = 0, []
        for iteration in reversed(self.iterations):
            if held >= self._games:
                old.append(iteration)
            held += len(self._parts[iteration]["numbers"])
        return old

    def close(self) -> None:
        """Join what was added, ready to be learnt from."""
        self.rows = joined([self._parts[i] for i in self.iterations])
        starts = np.cumsum([0, *(len(self._parts[i]["moves"]) for i in self.iterations)])
        self.learnt = np.concatenate(
            [self._chosen[i] + start for i, start in zip(self.iterations, starts, strict=False)]
        )

    def new(self, iteration: int) -> int:
        """Return how many positions of an iteration are learnt from."""
        return len(self._chosen[iteration])

    @property
    def duplicates(self) -> float:
        """The share of positions that stood in the window before."""
        keys = np.concatenate([self._keys[i] for i in self.iterations])
        return 1 - len(np.unique(keys)) / len(keys) if len(keys) else 0.0
