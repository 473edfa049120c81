"""A network as people ask it: positions in, probabilities of moves and values of players out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from halma.draw.notebook import beside, heading, share_table
from halma.errors import ChanceError, GameOverError, NetworkError
from halma.games import Game, Move, Position, Record
from halma.search.evaluator import Evaluator

if TYPE_CHECKING:
    from halma.networks.network_file import NetworkInfo

#: moves that a notebook shows
_MOST = 10


@dataclass(frozen=True)
class NetworkOutput:
    """What a network says about a position before any search."""

    position: Position
    #: probability of each legal move by its text, the most probable first
    policy: Mapping[str, float]
    #: expected score of each player, in the order of players, as a share of the highest score
    values: tuple[float, ...]
    #: share of a softmax over all actions that illegal moves have; it means something only if the
    #: network was trained on all of them (`learning.policy_loss = "all"`)
    illegal: float

    @property
    def value(self) -> float:
        """The value for the player to move, from 0 (a loss) to 1 (a win)."""
        return self.values[self.position.mover]

    @property
    def best(self) -> Move:
        """The most probable move."""
        return self.position.find(next(iter(self.policy)))

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {
            "position": self.position.text,
            "mover": self.position.mover,
            "policy": dict(self.policy),
            "values": list(self.values),
            "illegal": self.illegal,
        }

    def _repr_html_(self) -> str:
        names = self.position.game.player_names
        values = (f"{name} {value:.3f}" for name, value in zip(names, self.values, strict=True))
        rows = [
            ((text, f"{share:.1%}"), share) for text, share in list(self.policy.items())[:_MOST]
        ]
        table = share_table(("move", "probability"), rows)
        return beside(self.position.svg(policy=self.policy), heading(", ".join(values)), table)


class PositionNetwork:
    """A network with the game it plays; its `evaluator` takes planes and returns logits."""

    def __init__(self, game: Game, info: NetworkInfo, evaluator: Evaluator) -> None:
        self.game = game
        self.info = info
        self.evaluator = evaluator

    def __repr__(self) -> str:
        return f"<PositionNetwork {self.info.architecture} for {self.game.name}>"

    def evaluate(self, position: Position | Record) -> NetworkOutput:
        """Return policy and values of a position in which a player is to move.

        A record shows the network more than its last position does: earlier positions,
        repetitions and the moves since the last irreversible one, where the game encodes them.
        """
        return self.evaluate_all([position])[0]

    def evaluate_all(self, positions: Sequence[Position | Record]) -> list[NetworkOutput]:
        """Return policies and values of positions, evaluated as one batch."""
        import numpy as np

        if not positions:
            return []
        current = [each.position if isinstance(each, Record) else each for each in positions]
        for position in current:
            self._check(position)
        planes = np.stack([each.encode() for each in positions])
        logits, values = self.evaluator.evaluate(planes)
        return [self._output(*row) for row in zip(current, logits, values, strict=True)]

    def _check(self, position: Position) -> None:
        if position.game != self.game:
            raise NetworkError(
                f"This network plays '{self.game.name}', not '{position.game.name}'."
            )
        if position.is_chance:
            raise ChanceError(
                f"No player is to move in '{position.text}': an outcome of chance is next."
            )
        if position.is_terminal:
            raise GameOverError(f"No player is to move in '{position.text}': the game is over.")

    def _output(self, position: Position, logits: Any, values: Any) -> NetworkOutput:
        from halma.networks.lookup_table import softmax

        core, moves = self.game.core, position.legal_moves
        actions = [core.action(position.state, move.value) for move in moves]
        shares = zip((move.text for move in moves), softmax(logits[actions]).tolist(), strict=True)
        ordered = sorted(shares, key=lambda item: -item[1])
        # A network's values begin with the mover's.
        first, players = position.mover, self.game.players
        turned = tuple(float(values[(player - first) % players]) for player in range(players))
        illegal = softmax(logits)
        illegal[actions] = 0.0
        return NetworkOutput(position, dict(ordered), turned, float(illegal.sum()))
