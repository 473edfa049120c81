"""A stored game, played again."""

from __future__ import annotations

from dataclasses import dataclass

from halma.arena.store import Store
from halma.arena.table import Played
from halma.errors import HalmaError, StoreError
from halma.games import Game, Move, Outcome, Position
from halma.games.load import load


@dataclass(frozen=True)
class Replay:
    """A game with the position before each of its moves and outcomes."""

    #: numbers of game and match in the store
    id: int
    match: int
    game: Game
    played: Played
    steps: list[tuple[Position, Move | Outcome]]
    last: Position

    @property
    def plies(self) -> int:
        """Moves of players."""
        return self.played.plies

    def at_ply(self, ply: int | None) -> Position:
        """Return the position in which a player was to move after so many moves, or the last."""
        decisions = [before for before, _ in self.steps if not before.is_chance]
        return self.last if ply is None or ply >= len(decisions) else decisions[ply]


def replay_game(store: Store, identifier: int) -> Replay:
    """Play a stored game again, or say why it cannot be."""
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
