"""Random positions whose target is the game's linear evaluation: a warm start (pluska2022)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halma import _core
from halma.errors import RecipeError
from halma.games import Game
from halma.interrupt import Interrupted
from halma.learn.curriculum import read_pieces
from halma.learn.sections.training import WarmStartSettings
from halma.selfplay import FinishedGames
from halma.selfplay.games import Array

#: Positions between two looks at whether to stop.
_PORTION = 1000
#: Purpose of seeds.
_POSITIONS = 6


def check_positions(game: Game, warm: WarmStartSettings) -> None:
    """Raise a `RecipeError` if a warm start on random positions does not fit the game."""
    read_pieces(warm.pieces, game, "warm_start.pieces")
    own = _core.default_weights(game.core)
    if not own:
        raise RecipeError(
            "'warm_start.source' cannot be \"positions\": "
            f"'{game.name}' has no features to evaluate."
        )
    evaluation_weights(game, warm)


def evaluation_weights(game: Game, warm: WarmStartSettings) -> Array:
    """Return the weights of the linear evaluation: (features,)."""
    own = _core.default_weights(game.core)
    try:
        given = [float(text) for text in warm.evaluation_weights.split()] or own
    except ValueError:
        given = []
    if len(given) != len(own) or not np.isfinite(given).all():
        raise RecipeError(
            f"'warm_start.evaluation_weights' cannot be \"{warm.evaluation_weights[:60]}\": "
            f"'{game.name}' has {len(own)} features, so it is {len(own)} numbers with spaces "
            "between them, or nothing for the game's own."
        )
    return np.array(given)


def evaluated_positions(
    game: Game,
    warm: WarmStartSettings,
    seed: int,
    epoch: int = 1,
    watch: Callable[[int], None] = lambda positions: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> FinishedGames:
    """Return an epoch's random positions as games that ended at once.

    A player's score is the softmax of the linear evaluations, as that of the evaluator `linear`;
    the policy target of all moves is the same.
    """
    pieces = read_pieces(warm.pieces, game, "warm_start.pieces")
    weights = evaluation_weights(game, warm)
    scale = warm.evaluation_scale or _core.default_scale(game.core)
    core, number = game.core, warm.games
    states = pieces.states(game, number, (seed, epoch, _POSITIONS))
    scores = np.empty((number, game.players))
    actions: list[list[int]] = []
    for i, state in enumerate(states):
        if i % _PORTION == 0:
            if is_stopped():
                raise Interrupted
            watch(i)
        leads = [np.dot(weights, core_features(game, state, who)) for who in range(game.players)]
        scores[i] = scale * np.array(leads)
        actions.append([core.action(state, move) for move in core.legal(state)])
    watch(number)
    scores = np.exp(scores - scores.max(1, keepdims=True))
    scores = (scores / scores.sum(1, keepdims=True)).astype(np.float32)
    movers = np.array([core.mover(state) for state in states], np.uint8)
    turns = (movers.astype(np.int64)[:, None] + np.arange(game.players)) % game.players
    lengths = np.array([len(each) for each in actions])
    none, each = np.zeros(number, np.uint8), np.arange(number + 1, dtype=np.int64)
    return FinishedGames(
        states=np.frombuffer(b"".join(states), np.uint8).reshape(number, core.state_size),
        moves=np.full(number, _core.NO_MOVE, np.uint32),
        choices=np.full(number, _core.Choice.FULL.value, np.uint8),
        plies=np.zeros(number, np.int32),
        movers=movers,
        repetitions=np.zeros(number, np.int32),
        no_progress=np.zeros(number, np.float32),
        values=np.full(number, np.nan, np.float32),
        simulations=np.zeros(number, np.int32),
        outcomes=np.take_along_axis(scores, turns, 1),
        policy_actions=np.array([action for some in actions for action in some], np.uint16),
        policy_weights=np.repeat(1 / lengths, lengths).astype(np.float32),
        policy_offsets=np.cumsum([0, *lengths], dtype=np.int64),
        numbers=np.arange((epoch - 1) * number, epoch * number, dtype=np.uint64),
        lengths=np.zeros(number, np.int32),
        ends=np.full(number, _core.End.NONE.value, np.uint8),
        may_resign=none,
        resign_plies=np.full(number, -1, np.int32),
        resign_wrong=none,
        scores=scores,
        row_offsets=each,
        event_chance=np.zeros(0, np.uint8),
        event_values=np.zeros(0, np.uint32),
        event_offsets=np.zeros(number + 1, np.int64),
    )


def core_features(game: Game, state: bytes, player: int) -> list[float]:
    """Return the features of a player's position."""
    return list(_core.features(game.core, state, player))
