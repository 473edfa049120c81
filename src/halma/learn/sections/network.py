"""What methods that train a network have in common in their settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halma.agents import quick_agents
from halma.errors import HalmaError, RecipeError
from halma.games import Game
from halma.games import game as game_named
from halma.learn.sections.common import AUTO
from halma.networks.architectures import architecture

if TYPE_CHECKING:
    from halma.learn.sections.common import EvaluationSettings
    from halma.learn.sections.dqn import DqnEvaluationSettings, NetworkSettings


def named_opponents(evaluation: EvaluationSettings | DqnEvaluationSettings, game: str) -> list[str]:
    """Return the agents of an evaluation; none where there is no evaluation."""
    if not evaluation.every:
        return []
    if evaluation.opponents == AUTO:
        return ["random", quick_agents(game_named(game))[0]]
    return evaluation.opponents.split()


def check_opponents(evaluation: EvaluationSettings | DqnEvaluationSettings) -> None:
    """Raise a `RecipeError` if an evaluation has no opponents."""
    if evaluation.every and not evaluation.opponents.strip():
        raise RecipeError("'evaluation.opponents' is empty: set 'evaluation.every' to 0 instead.")


def check_network(settings: NetworkSettings, game: Game) -> None:
    """Raise a `RecipeError` if an architecture does not exist or does not fit game or batches."""
    try:
        chosen = architecture(settings.network_info(game).architecture).architecture
    except HalmaError as error:
        raise RecipeError(f"'network' cannot be '{settings.network[:60]}': {error}") from None
    if settings.learning.batch_size < chosen.min_batch:
        raise RecipeError(
            f"'learning.batch_size' cannot be {settings.learning.batch_size}: '{chosen.name}' is "
            f"trained on batches of at least {chosen.min_batch}."
        )
