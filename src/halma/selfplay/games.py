"""Finished games of self-play as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from halma import _core
from halma.errors import ArgumentError
from halma.games import Game, Position
from halma.structure import ArrayKind

Array = np.ndarray[Any, np.dtype[Any]]


#: rounding of values and policies
_MARGIN = 1e-3
#: what arrays have an entry for; offsets have one more, and begin with 0
_ROW, _POLICY, _GAME, _EVENT = ({"per": what} for what in ("row", "policy", "game", "event"))
_ROW_OFFSETS, _GAME_OFFSETS = ({**per, "offsets": True} for per in (_ROW, _GAME))


@dataclass(frozen=True)
class FinishedGames:
    """Finished games: a row for every decision, an entry for every game.

    The rows of a game are in order and complete, so the history of a position is in the rows
    above it, up to the game's first.
    """

    #: uint8 (rows, bytes of a state)
    states: Array = field(metadata=_ROW)
    #: uint32 (rows): the move played; NO_MOVE where a player resigned
    moves: Array = field(metadata=_ROW)
    #: uint8 (rows): how the move was chosen, a `_core.Choice`: FULL, FAST, RANDOM, OPPONENT
    choices: Array = field(metadata=_ROW)
    #: int32 (rows)
    plies: Array = field(metadata=_ROW)
    #: uint8 (rows)
    movers: Array = field(metadata=_ROW)
    #: int32 (rows): earlier occurrences of the position
    repetitions: Array = field(metadata=_ROW)
    #: float32 (rows): halfmove clock as a share of the no-progress limit
    no_progress: Array = field(metadata=_ROW)
    #: float32 (rows): the mover's value found by the search; NaN for random moves
    values: Array = field(metadata=_ROW)
    #: int32 (rows)
    simulations: Array = field(metadata=_ROW)
    #: float32 (rows, players): the game's scores from 0 to 1, the mover's first
    outcomes: Array = field(metadata=_ROW)
    #: int64 (rows + 1): row i has policy entries offsets[i] to offsets[i + 1]; none without target
    policy_offsets: Array = field(metadata=_ROW_OFFSETS)
    #: uint16 (policy entries): policy indices
    policy_actions: Array = field(metadata=_POLICY)
    #: float32 (policy entries): policy targets
    policy_weights: Array = field(metadata=_POLICY)

    #: uint64 (games): the games' numbers
    numbers: Array = field(metadata=_GAME)
    #: int32 (games): plies
    lengths: Array = field(metadata=_GAME)
    #: uint8 (games): a `_core.End`; NONE for a resignation
    ends: Array = field(metadata=_GAME)
    #: uint8 (games): whether players could resign
    may_resign: Array = field(metadata=_GAME)
    #: int32 (games): the ply at which resignation was due, -1 for never
    resign_plies: Array = field(metadata=_GAME)
    #: uint8 (games): whether that resignation would have been a mistake
    resign_wrong: Array = field(metadata=_GAME)
    #: float32 (games, players), from 0 to 1
    scores: Array = field(metadata=_GAME)
    #: int64 (games + 1): game i has rows offsets[i] to offsets[i + 1]
    row_offsets: Array = field(metadata=_GAME_OFFSETS)
    #: int64 (games + 1), likewise for events
    event_offsets: Array = field(metadata=_GAME_OFFSETS)
    #: uint8 (events): 1 for an outcome of chance, 0 for a move
    event_chance: Array = field(metadata=_EVENT)
    #: uint32 (events): moves and outcomes in order
    event_values: Array = field(metadata=_EVENT)

    def __len__(self) -> int:
        return len(self.numbers)

    def fault(self, game: Game) -> str:
        """Return what the games of a file have that no games of self-play have, as a clause."""
        policies = self.policy_offsets
        if len(policies) != len(self.moves) + 1 or len(self.row_offsets) != len(self) + 1:
            return "has offsets that do not fit its rows and games"
        if policies[0] or policies[-1] != len(self.policy_actions) or (np.diff(policies) < 0).any():
            return "has policy targets that do not fit its rows"
        try:
            illegal = _core.find_illegal_game(
                game.core,
                self.states,
                self.moves,
                self.movers,
                self.plies,
                self.row_offsets,
                self.event_chance,
                self.event_values,
                self.event_offsets,
            )
        except ArgumentError as error:
            return f"has games that cannot be replayed: {str(error).rstrip('.')}"
        return "" if illegal is None else f"has a game {illegal + 1} that does not follow the rules"

    def arrays(self) -> dict[str, Array]:
        """Return all arrays by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def join(cls, parts: Sequence[FinishedGames]) -> FinishedGames:
        """Return the games of all parts, in order."""
        found = {}
        for each in fields(cls):
            arrays = [getattr(part, each.name) for part in parts]
            if "offsets" in each.metadata:
                ends = np.cumsum([0, *(array[-1] for array in arrays)])
                arrays = [array[1:] + end for array, end in zip(arrays, ends, strict=False)]
                arrays.insert(0, np.zeros(1, np.int64))
            found[each.name] = np.concatenate(arrays)
        return cls(**found)

    def part(self, first: int, last: int) -> FinishedGames:
        """Return the games from position `first` to before `last`."""
        last = min(last, len(self))
        rows = slice(*self.row_offsets[[first, last]])
        places = {
            "game": slice(first, last),
            "row": rows,
            "policy": slice(*self.policy_offsets[[rows.start, rows.stop]]),
            "event": slice(*self.event_offsets[[first, last]]),
        }
        found = {}
        for each in fields(self):
            array, place = getattr(self, each.name), places[each.metadata["per"]]
            if "offsets" in each.metadata:
                found[each.name] = array[place.start : place.stop + 1] - array[place.start]
            else:
                found[each.name] = array[place]
        return FinishedGames(**found)

    def take(self, places: Array) -> FinishedGames:
        """Return the games at these positions, in this order; `places` is int64 (number)."""
        rows = _expanded(self.row_offsets, places)
        entries = {
            "game": places,
            "row": rows,
            "policy": _expanded(self.policy_offsets, rows),
            "event": _expanded(self.event_offsets, places),
        }
        found = {}
        for each in fields(self):
            array, chosen = getattr(self, each.name), entries[each.metadata["per"]]
            if "offsets" in each.metadata:
                found[each.name] = np.concatenate([[0], np.cumsum(np.diff(array)[chosen])])
            else:
                found[each.name] = array[chosen]
        return FinishedGames(**found)

    def split(self, games: int) -> tuple[FinishedGames, FinishedGames]:
        """Return the first games, and the others."""
        return self.part(0, games), self.part(games, len(self))

    def encode(self, game: Game, rows: Array) -> Array:
        """Return the planes of some rows: float32 (number, planes, rows, columns)."""
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

    def start(self, game: Game, number: int) -> Position:
        """Return the position that a game began with: a random one is the game's first row."""
        row, end = self.row_offsets[[number, number + 1]]
        event, last = self.event_offsets[[number, number + 1]]
        if row == end or (event < last and self.event_chance[event]):
            return game.start()
        return Position(game, self.states[row].tobytes())

    def events(self, game: int) -> list[tuple[bool, int]]:
        """Return the moves and outcomes of a game; True marks an outcome."""
        place = slice(*self.event_offsets[[game, game + 1]])
        pairs = zip(self.event_chance[place], self.event_values[place], strict=True)
        return [(bool(chance), int(value)) for chance, value in pairs]


def _expanded(offsets: Array, which: Array) -> Array:
    """Return the places from offsets[i] to before offsets[i + 1] for each i of `which`."""
    starts, lengths = offsets[which], (offsets[1:] - offsets[:-1])[which]
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


def array_kinds(game: Game) -> dict[str, ArrayKind]:
    """Return what the arrays of `FinishedGames` must be in a file; offsets are checked later."""
    core, players = game.core, game.players
    rows, games, events, policies = ("rows",), ("games",), ("events",), ("policy entries",)
    return {
        "states": ArrayKind("uint8", ("rows", core.state_size)),
        "moves": ArrayKind("uint32", rows),
        "choices": ArrayKind("uint8", rows, 0, max(one.value for one in _core.Choice)),
        "plies": ArrayKind("int32", rows, 0),
        "movers": ArrayKind("uint8", rows, 0, players - 1),
        "repetitions": ArrayKind("int32", rows, 0),
        "no_progress": ArrayKind("float32", rows, 0, 1),
        "values": ArrayKind("float32", rows, -_MARGIN, 1 + _MARGIN, nan=True),
        "simulations": ArrayKind("int32", rows, 0),
        "outcomes": ArrayKind("float32", ("rows", players), 0, 1),
        "policy_offsets": ArrayKind("int64", ("rows and one",)),
        "policy_actions": ArrayKind("uint16", policies, 0, core.actions - 1),
        "policy_weights": ArrayKind("float32", policies, 0, 1 + _MARGIN),
        "numbers": ArrayKind("uint64", games),
        "lengths": ArrayKind("int32", games, 0),
        "ends": ArrayKind("uint8", games, 0, max(one.value for one in _core.End)),
        "may_resign": ArrayKind("uint8", games, 0, 1),
        "resign_plies": ArrayKind("int32", games, -1),
        "resign_wrong": ArrayKind("uint8", games, 0, 1),
        "scores": ArrayKind("float32", ("games", players), 0, 1),
        "row_offsets": ArrayKind("int64", ("games and one",)),
        "event_offsets": ArrayKind("int64", ("games and one",)),
        "event_chance": ArrayKind("uint8", events, 0, 1),
        "event_values": ArrayKind("uint32", events),
    }


def mover_first(scores: Array, movers: Sequence[int] | Array) -> Array:
    """Return a game's scores (players,) as each mover sees them: (movers, players)."""
    players = len(scores)
    turns = (np.asarray(movers, np.int64)[:, None] + np.arange(players)) % players
    return np.asarray(scores[turns], np.float32).reshape(-1, players)
