"""What a recipe needs beyond its own values, checked before anything runs.

`recipe.checked` compares settings with each other and with the game. Here are the checks that
depend on where a run starts: agents, some of which are files, exact solutions, and memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halma import _core
from halma.agents import PolicyAgent, agent, check_agent, quick_agents
from halma.errors import HalmaError, NetworkError, RecipeError, TableError
from halma.games import Game
from halma.learn.curriculum import read_curriculum
from halma.learn.recipe import Recipe
from halma.learn.run import weights_file
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.sections.dqn import DqnSettings
from halma.learn.sections.tabular import TabularSettings
from halma.machine import free_memory, in_bytes
from halma.networks.network_file import read_weights
from halma.search import greedy_games
from halma.solve.engines import engine_for
from halma.solve.solver import largest_that_fits, plan
from halma.solve.tables import table_path

#: Random games that the length of games is estimated from, and their most plies.
_PLAYOUTS = 20
_MAX_PLIES = 1000
#: Bytes of an exact value with its distance, and of the numbering of rows, for each index.
_SOLUTION_ENTRY, _ROW_NUMBER = 9, 1
#: Bytes of a decision in a replay buffer of self-play, without its state and what varies.
_ROW_BYTES = 50
#: Bytes of a random position with its features and moves, while they are Python's.
_POSITION_BYTES = 1000
#: Bytes of a transition without its states.
_TRANSITION_BYTES = 40
#: Entries of an index for each position that games reach, at most.
_SPARSE = 8
#: Memory where the system does not say how much is free.
_UNKNOWN = 1 << 62


def check_recipe(recipe: Recipe, is_new: bool = True) -> None:
    """Raise a `RecipeError` if a run of this recipe would fail later on this machine.

    What only a new run needs is not checked for one that goes on.
    """
    game, settings = recipe.game, recipe.settings
    try:
        if isinstance(settings, TabularSettings):
            _check_memory(game, settings)
        elif isinstance(settings, DqnSettings):
            opponents = {"play.opponent": [settings.opponent]}
            _check_agents(game, {"evaluation.opponents": settings.opponents, **opponents})
            _check_transitions(game, settings)
            return
        else:
            named = {
                "evaluation.opponents": settings.opponents,
                "selfplay.opponents": settings.selfplay_agents,
            }
            from_agent = settings.warm_start.games and settings.warm_start.source == "games"
            if from_agent:
                named["warm_start.agent"] = [settings.warm_start_agent]
            _check_agents(game, named)
            if from_agent and settings.warm_start.targets == "policy":
                _check_policy(settings.warm_start_agent)
            _check_games(game, settings)
            _check_files(game, settings)
            if settings.warm_start.weights and is_new:
                _check_weights(game, settings)
        if settings.truth.every:
            _check_solvable(game, settings.truth.every)
    except RecipeError as error:
        raise RecipeError(f"Recipe '{recipe.name}': {error}") from None


def _check_agents(game: Game, named: Mapping[str, Sequence[str]]) -> None:
    """Refuse agents that do not exist or cannot play the game, with some that can.

    `named` has the agents of each setting.
    """
    for key, names in named.items():
        for name in names:
            try:
                chosen = agent(name)
            except HalmaError as error:
                raise RecipeError(f"'{key}' cannot have '{name[:60]}': {error}") from None
            if chosen.name == "human":
                raise RecipeError(f"'{key}' cannot have 'human': nobody is asked during training.")
            try:
                check_agent(chosen, game)
            except HalmaError as error:
                quick = quick_agents(game)
                instead = ", ".join(dict.fromkeys(("random", quick[0], quick[-1])))
                raise RecipeError(
                    f"'{key}' cannot have '{name[:60]}': {error} "
                    f"Agents that play '{game.name}': {instead}."
                ) from None


def _check_policy(name: str) -> None:
    """Refuse an agent that does not tell the probabilities of its moves."""
    if not isinstance(agent(name), PolicyAgent):
        raise RecipeError(
            f"'warm_start.targets' cannot be \"policy\": '{name[:60]}' does not tell the "
            "probabilities of its moves, as greedy, initialize, lookahead and random do."
        )


def _check_files(game: Game, settings: AlphaZeroSettings) -> None:
    """Refuse files of starting positions that cannot be read."""
    for stage in read_curriculum(settings.selfplay.curriculum, game):
        if stage.file is not None:
            try:
                stage.states(game, settings.selfplay.games, settings.seed, 1)
            except HalmaError as error:
                raise RecipeError(f"'selfplay.curriculum' cannot be used: {error}") from None


def _check_weights(game: Game, settings: AlphaZeroSettings) -> None:
    """Refuse weights that the network cannot start from."""
    path = weights_file(settings.warm_start.weights)
    try:
        found, _ = read_weights(path)
        found.check_weights_for(settings.network_info(game), path)
    except NetworkError as error:
        raise RecipeError(f"'warm_start.weights': {error}") from None


def _check_solvable(game: Game, every: int) -> None:
    """Refuse a comparison with exact values where there are none to be had."""
    if table_path(game).exists():
        return
    try:
        plan(game, free_memory() or _UNKNOWN)
    except TableError as error:
        raise RecipeError(f"'truth.every' cannot be {every}: {error}") from None


def _check_memory(game: Game, settings: TabularSettings) -> None:
    """Refuse a lookup table that does not fit into free memory."""
    free, engine = free_memory() or _UNKNOWN, engine_for(game)
    if engine is None:
        return
    size = game.core.index_size
    parts = tabular_memory(game, settings, size)
    # The index also counts positions that no game reaches, often several times as many; they are
    # counted only where it may decide.
    if sum(tabular_memory(game, settings, size // _SPARSE).values()) <= free < sum(parts.values()):
        parts = tabular_memory(game, settings, game.core.reachable()[0])
    needed = sum(parts.values())
    if needed > free:
        listed = ", ".join(f"{in_bytes(size)} for the {name}" for name, size in parts.items())
        raise RecipeError(
            f"'game' cannot be '{game.name}': training needs about {in_bytes(needed)} of memory "
            f"({listed}), and {in_bytes(free)} are free"
            f"{largest_that_fits(game, free * engine.bytes_needed // needed)}."
        )


def tabular_memory(game: Game, settings: TabularSettings, rows: int) -> dict[str, int]:
    """Estimate the bytes of a run, by what they are for; `rows` are those of its lookup table."""
    size, engine = game.core.index_size, engine_for(game)
    solution = size * _SOLUTION_ENTRY
    if engine is not None and not table_path(game).exists():
        solution = engine.bytes_needed
    return {
        "exact solution": solution,
        # A row has a logit of the value, one for each action, and a counter, of four bytes each.
        "lookup table": rows * 4 * (game.actions + 2) + size * _ROW_NUMBER,
        "replay buffer": _replay_bytes(game, settings),
    }


def _replay_bytes(game: Game, settings: TabularSettings) -> int:
    """Estimate the replay buffer from random games: 16 bytes a position and 6 a policy target."""
    plies, moves = _random_games(game)
    position = 16 + 6 * min(moves, settings.search.simulations)
    games = settings.learning.replay_buffer * settings.selfplay.games
    return int(games * position * plies)


def _check_games(game: Game, settings: AlphaZeroSettings) -> None:
    """Refuse a replay buffer, or games of a warm start, that do not fit into free memory."""
    free, warm = free_memory() or _UNKNOWN, settings.warm_start
    needs = {
        "learning.replay_buffer": (
            settings.learning.replay_buffer,
            alphazero_replay_bytes(game, settings),
        ),
        "warm_start.games": (
            warm.games,
            warm.games
            * (_bytes_per_game(game, settings) if warm.source == "games" else _POSITION_BYTES),
        ),
    }
    for key, (games, needed) in needs.items():
        if needed > free:
            raise RecipeError(
                f"'{key}' cannot be {games:,}: these games need about "
                f"{in_bytes(needed)} of memory, and {in_bytes(free)} are free; "
                f"{max(1, games * free // needed):,} would fit."
            )


def _check_transitions(game: Game, settings: DqnSettings) -> None:
    """Refuse a replay buffer of transitions that does not fit into free memory."""
    free, capacity = free_memory() or _UNKNOWN, settings.learning.replay_buffer
    size = 2 * game.core.history * game.core.state_size + _TRANSITION_BYTES
    if capacity * size > free:
        raise RecipeError(
            f"'learning.replay_buffer' cannot be {capacity:,}: these transitions need about "
            f"{in_bytes(capacity * size)} of memory, and {in_bytes(free)} are free; "
            f"{max(1, free // size):,} would fit."
        )


def alphazero_replay_bytes(game: Game, settings: AlphaZeroSettings) -> int:
    """Estimate the replay buffer."""
    games = min(
        settings.learning.replay_buffer + settings.selfplay.games,
        settings.iterations * settings.selfplay.games,
    )
    return games * _bytes_per_game(game, settings)


def _bytes_per_game(game: Game, settings: AlphaZeroSettings) -> int:
    """Estimate a game: of a decision the state, some fifty bytes and the policy target.

    Where pieces race, random games are many times as long as those of a network; those of
    greedy players are not.
    """
    plies, moves = _random_games(game)
    if _core.races(game.core):
        greedy = greedy_games(game, _PLAYOUTS, stochastic=range(game.players))
        plies = min(plies, greedy.plies / _PLAYOUTS)
    targets = 6 * min(moves, settings.search.simulations)
    position = game.core.state_size + _ROW_BYTES + 4 * game.players + targets
    return int(position * plies)


def _random_games(game: Game) -> tuple[float, float]:
    """Return the mean number of plies of random games, and of legal moves in them."""
    start, limits = game.start().state, game.limits
    most = limits.plies or _MAX_PLIES
    played = game.core.playouts(start, _PLAYOUTS, 0, most, limits.no_progress)
    states = game.core.sample_states(start, _PLAYOUTS, ply_limit=most)
    return played["plies"] / _PLAYOUTS, len(game.core.legal_many(states)[1]) / _PLAYOUTS
