"""Stored games of matches as saved games."""

from __future__ import annotations

from collections.abc import Iterator

from halma.arena.store import GameStore
from halma.errors import GameReadError, HalmaError, StoreError
from halma.games import Game
from halma.games.registry import load
from halma.games.saved import SavedGame, replay


def saved_games(
    store: GameStore, match: int | None = None, game: Game | None = None
) -> Iterator[SavedGame | GameReadError]:
    """Yield the games of one match or of all, an error in the place of each that cannot be read.

    With a game, matches of other variants are left out.
    """
    matches = [stored for stored in store.matches() if match in (None, stored.id)]
    if not matches and match is not None:
        raise StoreError(f"There is no match {match} in '{store.path}'.")
    for stored in matches:
        rules = load(stored.plan["game"])
        if game is not None and rules != game:
            continue
        tags = {"Event": f"match {stored.id}", "Date": stored.begun[:10].replace("-", ".")}
        for identifier, played in store.games(stored.id):
            try:
                record = replay(rules, played.start, played.moves)
            except HalmaError as error:
                yield GameReadError(identifier, 0, str(error))
                continue
            facts = {
                "match": stored.id,
                "id": identifier,
                "opening": played.opening,
                "seed": played.seed,
                "seconds": played.seconds,
                "tags": {**tags, "Round": str(played.number + 1)},
            }
            scores = tuple(played.result)
            yield SavedGame(record, played.agents, scores, played.end, facts, identifier)
