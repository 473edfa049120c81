"""Stored games of matches as saved games."""

from __future__ import annotations

from collections.abc import Iterator

from halma.arena.games import PlayedGame
from halma.arena.store import GameStore, StoredMatch
from halma.errors import GameReadError, HalmaError, RecordError, StoreError
from halma.games import Game
from halma.games.saved import SavedGame, replay, rules_of


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
        rules = _rules(store, stored, game)
        if rules is None:
            continue
        for identifier, played in store.games(stored.id):
            try:
                yield _saved(stored, identifier, played, rules)
            except HalmaError as error:
                yield GameReadError(identifier, 0, str(error))


def saved_game(store: GameStore, identifier: int, game: Game | None = None) -> SavedGame:
    """Return the game with this id; raise a `StoreError` if its moves cannot be played.

    A game of the user must be given.
    """
    match, played = store.game(identifier)
    stored = next((stored for stored in store.matches() if stored.id == match), None)
    if stored is None:
        raise StoreError(f"'{store.path}' is damaged: game {identifier} is of no match.")
    rules = _rules(store, stored, game)
    if rules is None:
        raise StoreError(f"Game {identifier} is one of '{stored.plan['game']}'.")
    try:
        return _saved(stored, identifier, played, rules)
    except HalmaError as error:
        raise StoreError(f"Game {identifier} cannot be replayed: {error}") from None


def _rules(store: GameStore, stored: StoredMatch, game: Game | None) -> Game | None:
    """Return the rules of a match; None if `game` is given and is another one."""
    try:
        return rules_of(stored.plan["game"], game)
    except RecordError as error:
        raise StoreError(f"Match {stored.id} in '{store.path}' is not read: {error}") from None


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
