"""Self-play of many games at once: the Python face of `core/selfplay`.

The core plays; whoever judges positions answers in batches through buffers, one for each group of
games. A buffer has an array `planes` to be filled, `start(number)` to begin judging the first so
many rows, and `finish()` to get logits and values. While one group's buffer is at work, another
group's trees run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from halma import _core
from halma.errors import OptionError
from halma.games import Game
from halma.networks.callback_buffer import CallbackBuffer
from halma.search.evaluator import InferenceBuffer
from halma.search.options import search_options

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


def selfplay_options(game: Game, search: Mapping[str, Any], **values: Any) -> _core.SelfPlayOptions:
    """Return options of self-play, with options of tree search by name.

    `core/selfplay/options.hpp` declares them; `temperatures` are (ply, temperature) pairs.
    """
    options = _core.SelfPlayOptions()
    options.search = search_options(game, **search)
    try:
        for name, value in values.items():
            setattr(options, name, value)
    except (ValueError, TypeError) as error:
        raise OptionError(f"Options of self-play: {error}.") from None
    return options


@dataclass(frozen=True)
class Games:
    """Finished games as arrays: a row for every decision, an entry for every game.

    Rows of a game are in order and complete, so what stood before a position is found in the
    rows above it, down to the game's first.
    """

    # Rows.
    #: uint8 (rows, bytes of a state)
    states: Array
    #: what was played; NO_MOVE where the game was given up
    moves: Array
    #: how it came about: _core.Choice by number, FULL, FAST or RANDOM
    choices: Array
    plies: Array
    movers: Array
    #: earlier occurrences of the position, and the share of the no-progress limit used
    repetitions: Array
    no_progress: Array
    #: the mover's value as the search found it; NaN where the move was random
    values: Array
    simulations: Array
    #: policy targets: row i has the entries offsets[i] to offsets[i + 1], none without a target
    policy_offsets: Array
    policy_actions: Array
    policy_weights: Array
    #: float32 (rows, players): the game's scores from 0 to 1, the mover's first
    outcomes: Array
    #: number of the row's game
    game_numbers: Array

    # Games.
    numbers: Array
    lengths: Array
    #: _core.End by number; NONE: given up
    ends: Array
    #: whether the game might have been given up
    may_resign: Array
    #: when giving up was due, -1 for never, and whether that would have been wrong
    resign_plies: Array
    resign_wrong: Array
    #: float32 (games, players), from 0 to 1
    scores: Array
    #: game i has the rows offsets[i] to offsets[i + 1], and likewise events
    row_offsets: Array
    event_offsets: Array
    #: moves and outcomes in order, for replaying
    event_chance: Array
    event_values: Array

    def __len__(self) -> int:
        return len(self.numbers)

    def encode(self, game: Game, rows: Array) -> Array:
        """Return the planes of some rows: float32 (rows, planes, rows, columns)."""
        import numpy as np

        rows = np.ascontiguousarray(rows, np.int64)
        games = np.searchsorted(self.row_offsets, rows, side="right") - 1
        planes = np.empty((len(rows), *game.shape), np.float32)
        _core.encode_rows(
            game.core,
            self.states,
            self.repetitions,
            self.no_progress,
            rows,
            np.ascontiguousarray(self.row_offsets[games]),
            planes,
        )
        return planes

    def events(self, game: int) -> list[tuple[bool, int]]:
        """Return the moves and outcomes of a game; True marks an outcome."""
        part = slice(self.event_offsets[game], self.event_offsets[game + 1])
        pairs = zip(self.event_chance[part], self.event_values[part], strict=True)
        return [(bool(chance), int(value)) for chance, value in pairs]


class Pool:
    """Many games of self-play. The same seed, and the same judgements, give the same games."""

    def __init__(
        self,
        game: Game,
        options: _core.SelfPlayOptions,
        *,
        slots: int,
        groups: int = 2,
        threads: int = 0,
        seed: int = 0,
        first: int = 0,
        games: int | None = None,
        limits: _core.Limits | None = None,
    ) -> None:
        """Prepare games `first`, `first` + 1 and so on, `games` of them or without end.

        `slots` of them are played at a time, in so many groups, by so many threads (0: one per
        core). `limits` end games early; without them the variant's own do.
        """
        self.game = game
        end = {} if games is None else {"end": first + games}
        try:
            self.core = _core.Pool(
                game.core,
                options,
                game.limits if limits is None else limits,
                slots,
                groups,
                threads or os.cpu_count() or 1,
                seed,
                first,
                **end,
            )
        except ValueError as error:
            raise OptionError(f"This self-play does not fit '{game.name}': {error}.") from None

    def buffer_shape(self, group: int) -> tuple[int, int, int, int]:
        """Return the shape a group's array of planes must have."""
        return (self.core.capacity(group), *self.game.shape)

    def callback_buffers(
        self, judge: Callable[[Array], tuple[Array, Array]], dtype: str = "float32"
    ) -> list[CallbackBuffer]:
        """Return buffers that call a function from planes to (logits, values)."""
        groups = range(self.core.groups)
        return [CallbackBuffer(judge, self.buffer_shape(group), dtype) for group in groups]

    def play(self, buffers: Sequence[InferenceBuffer]) -> Iterator[Games]:
        """Play with one buffer per group, yielding games as they finish, to the last of them.

        It may be left at any time and called again with the same buffers: nothing is lost.
        """
        core = self.core
        for group, buffer in enumerate(buffers):
            if number := core.pending(group) or core.collect(group, buffer.planes):
                buffer.start(number)
        while True:
            busy = False
            for group, buffer in enumerate(buffers):
                if core.pending(group):
                    number = core.step(group, *buffer.finish(), buffer.planes)
                elif core.active(group):
                    number = core.collect(group, buffer.planes)
                else:
                    continue
                busy = True
                if number:
                    buffer.start(number)
            if core.finished:
                yield self.take()
            elif not busy:
                return

    def take(self) -> Games:
        """Return the games that were finished since the last call, by their numbers."""
        return Games(**self.core.take_finished())

    @property
    def totals(self) -> dict[str, int]:
        """Sums so far: leaves, games, plies, and how resigning went."""
        return self.core.totals

    @property
    def bytes(self) -> int:
        """Memory of all slots, trees included, and of finished games that were not taken."""
        return self.core.bytes
