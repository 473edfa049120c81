"""Replay of a stored game."""

from __future__ import annotations

from dataclasses import dataclass

from halma.arena.games import PlayedGame
from halma.arena.store import GameStore
from halma.errors import HalmaError, StoreError
from halma.games import Game, Move, Outcome, Position
from halma.games.registry import load


@dataclass(frozen=True)
class Replay:
    """A game with the position before each of its moves and outcomes."""

    #: ids of game and match in the store
    id: int
    match: int
    game: Game
    played: PlayedGame
    steps: list[tuple[Position, Move | Outcome]]
    last: Position

    @property
    def plies(self) -> int:
        """Number of moves, without chance outcomes."""
        return self.played.plies

    def at_ply(self, ply: int | None) -> Position:
        """Return the decision position after this number of moves; the last position for None."""
        decisions = [before for before, _ in self.steps if not before.is_chance]
        return self.last if ply is None or ply >= len(decisions) else decisions[ply]


def replay_game(store: GameStore, identifier: int) -> Replay:
    """Play a stored game again; raise a `StoreError` if its moves cannot be played."""
    match, played = store.game(identifier)
    plan = next(stored.plan for stored in store.matches() if stored.id == match)
    game = load(plan["game"])
    steps: list[tuple[Position, Move | Outcome]] = []
    try:
        position = game.position(played.start)
        for text in played.moves:
            if position.is_chance:
                outcome = position.find_outcome(text)
                steps.append((position, outcome))
                position = position.resolve(outcome)
            else:
                move = position.find(text)
                steps.append((position, move))
                position = position.play(move)
    except HalmaError as error:
        raise StoreError(f"Game {identifier} cannot be replayed: {error}") from None
    return Replay(identifier, match, game, played, steps, position)
