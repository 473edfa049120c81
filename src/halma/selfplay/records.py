"""Played games as the arrays that self-play gives, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halma import _core
from halma.files import atomic_write
from halma.games import Game, Record
from halma.games.record import END_TEXT
from halma.games.saved import SavedGame
from halma.selfplay.games import Array, FinishedGames, mover_first


def finished_game(
    record: Record,
    number: int = 0,
    *,
    scores: Sequence[float] | None = None,
    random_plies: int = 0,
    end: _core.End | None = None,
    policies: Sequence[Mapping[int, float]] | None = None,
) -> FinishedGames:
    """Return a record as the core's pool would, with its moves as policy targets.

    The first `random_plies` moves have no target. `policies` has other targets for all moves, by
    the numbers of moves. `scores` and `end` are the record's own unless given.
    """
    game, core = record.game, record.game.core
    limit = game.limits.no_progress
    rows: list[tuple[Any, ...]] = []
    again = Record(game, record.start)
    for chance, value in record.events:
        if chance:
            again.core.resolve(value)
            continue
        state, ply = again.core.state(), again.plies
        at_random = ply < random_plies
        target = {} if at_random else {value: 1.0} if policies is None else policies[ply]
        rows.append(
            (
                np.frombuffer(state, np.uint8),
                value,
                (_core.Choice.RANDOM if at_random else _core.Choice.FULL).value,
                core.mover(state),
                again.repetitions,
                min(1.0, again.halfmove_clock / limit) if limit else 0.0,
                [(core.action(state, move), share) for move, share in target.items()],
            )
        )
        again.core.play(value)
    columns = zip(*rows, strict=True) if rows else [()] * 7
    states, moves, choices, movers, repetitions, no_progress, targets = columns
    shares = np.array(record.result if scores is None else scores, np.float32) / core.max_score
    entries = [entry for target in targets for entry in target]
    return FinishedGames(
        states=np.array(states, np.uint8).reshape(len(rows), core.state_size),
        moves=np.array(moves, np.uint32),
        choices=np.array(choices, np.uint8),
        plies=np.arange(len(rows), dtype=np.int32),
        movers=np.array(movers, np.uint8),
        repetitions=np.array(repetitions, np.int32),
        no_progress=np.array(no_progress, np.float32),
        values=np.full(len(rows), np.nan, np.float32),
        simulations=np.zeros(len(rows), np.int32),
        outcomes=mover_first(shares, movers),
        policy_actions=np.array([action for action, _ in entries], np.uint16),
        policy_weights=np.array([share for _, share in entries], np.float32),
        policy_offsets=np.cumsum([0, *map(len, targets)], dtype=np.int64),
        numbers=np.array([number], np.uint64),
        lengths=np.array([len(rows)], np.int32),
        ends=np.array([int((end or record.core.end).value)], np.uint8),
        may_resign=np.zeros(1, np.uint8),
        resign_plies=np.full(1, -1, np.int32),
        resign_wrong=np.zeros(1, np.uint8),
        scores=shares[None],
        row_offsets=np.array([0, len(rows)], np.int64),
        event_chance=np.array([chance for chance, _ in record.events], np.uint8),
        event_values=np.array([value for _, value in record.events], np.uint32),
        event_offsets=np.array([0, len(record.events)], np.int64),
    )


def from_saved(games: Sequence[SavedGame]) -> FinishedGames:
    """Return games of files as arrays; scores that a file does not give are NaN."""
    unknown = [np.nan] * games[0].record.game.players
    return FinishedGames.join(
        [
            finished_game(saved.record, number, scores=saved.result or unknown)
            for number, saved in enumerate(games)
        ]
    )


def saved_games(games: FinishedGames, game: Game, **facts: Any) -> Iterator[SavedGame]:
    """Yield games of self-play as saved games, with what the search found at each decision."""
    for i in range(len(games)):
        record = Record(game, games.start(game, i))
        for chance, value in games.events(i):
            (record.core.resolve if chance else record.core.play)(value)
        rows = slice(*games.row_offsets[[i, i + 1]])
        scores = games.scores[i] * game.core.max_score
        end = _core.End(int(games.ends[i]))
        yield SavedGame(
            record,
            result=tuple(round(float(score), 6) for score in scores),
            end=END_TEXT.get(end, "by resignation"),
            facts={
                **facts,
                "number": int(games.numbers[i]),
                "choices": [_core.Choice(int(c)).name.lower() for c in games.choices[rows]],
                "simulations": games.simulations[rows].tolist(),
                "values": [
                    None if np.isnan(value) else round(float(value), 4)
                    for value in games.values[rows]
                ],
            },
            number=i + 1,
        )


def write_npz(
    path: Path, games: FinishedGames, game: Game, planes: bool = False, **more: Array
) -> None:
    """Write games to a compressed npz file; `docs/game-files.md` describes its arrays."""
    actions = [
        -1 if move == _core.NO_MOVE else game.core.action(state.tobytes(), int(move))
        for state, move in zip(games.states, games.moves, strict=True)
    ]
    arrays: dict[str, Any] = {
        "variant": np.array(game.name),
        "rules_version": np.array(game.core.version),
        "actions": np.array(actions, np.int32),
        **games.arrays(),
        **more,
    }
    if planes:
        arrays["planes"] = games.encode(game, np.arange(len(games.moves)))
    with atomic_write(path) as file:
        np.savez_compressed(file, **arrays)
