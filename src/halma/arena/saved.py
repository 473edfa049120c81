"""Stored games of matches as saved games."""

from __future__ import annotations

from collections.abc import Iterator

from halma.arena.games import PlayedGame
from halma.arena.store import GameStore, StoredMatch
from halma.errors import GameReadError, HalmaError, RecordError, StoreError
from halma.games import Game
from halma.games import game as find_game
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
        rules = find_game(stored.plan["game"])
        for identifier, played in store.games(stored.id) if game in (None, rules) else ():
            try:
                yield _saved(stored, identifier, played, rules)
            except HalmaError as error:
                yield GameReadError(identifier, 0, str(error))


def saved_game(store: GameStore, identifier: int) -> SavedGame:
    """Return the game with this id; raise a `StoreError` if its moves cannot be played."""
    match, played = store.game(identifier)
    stored = next((stored for stored in store.matches() if stored.id == match), None)
    if stored is None:
        raise StoreError(f"'{store.path}' is damaged: game {identifier} is of no match.")
    try:
        return _saved(stored, identifier, played, find_game(stored.plan["game"]))
    except HalmaError as error:
        raise StoreError(f"Game {identifier} cannot be replayed: {error}") from None


def _saved(stored: StoredMatch, identifier: int, played: PlayedGame, rules: Game) -> SavedGame:
    facts = {
        "match": stored.id,
        "id": identifier,
        "number": played.number,
        "opening": played.opening,
        "seed": played.seed,
        "seconds": played.seconds,
        "tags": {
            "Event": f"match {stored.id}",
            "Date": stored.begun[:10].replace("-", "."),
            "Round": str(played.number + 1),
        },
    }
    record = replay(rules, played.start, played.moves)
    if not len(played.agents) == len(played.result) == rules.players:
        raise RecordError(f"it does not have {rules.players} players.")
    return SavedGame(record, played.agents, played.result, played.end, facts, identifier)
