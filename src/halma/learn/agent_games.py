"""Games of an agent against itself, for a network to be trained on first (liu2019, section 3.5)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from halma import _core
from halma.agents import Agent, PolicyAgent, agent
from halma.agents.racing import GreedyAgent
from halma.errors import RunError
from halma.games import Game, Position, Record
from halma.interrupt import Interrupted
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.selfplay import limits
from halma.search.racing import races_in_core
from halma.selfplay import FinishedGames
from halma.selfplay.records import finished_game

#: Games that the core plays between two looks at whether to stop.
_PORTION = 1000
#: ... and that each thread plays where the core does not.
_GAMES_OF_A_THREAD = 4
#: Purpose of seeds.
_GAMES = 3


def agent_games(
    game: Game,
    settings: AlphaZeroSettings,
    epoch: int = 1,
    threads: int = 1,
    watch: Callable[[int], None] = lambda games: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> FinishedGames:
    """Return an epoch's games as `[warm_start]` asks for them, without draws that are discarded.

    They are played on several threads, and depend on seed and epoch alone; the core plays those of
    greedy agents.
    """
    warm, chosen = settings.warm_start, agent(settings.warm_start_agent)
    first, parts = (epoch - 1) * warm.games, []
    play: Callable[[range], list[FinishedGames]]
    if isinstance(chosen, GreedyAgent) and races_in_core(game):
        portion, options = _PORTION, _core_options(game, settings, chosen, threads)

        def play(numbers: range) -> list[FinishedGames]:
            samples = _core.greedy_samples(first=numbers[0], games=len(numbers), **options)
            return [FinishedGames(**samples)]
    else:
        portion = _GAMES_OF_A_THREAD * threads
        # A search belongs to one thread, and leaves Python to the others while it runs.
        agents = [chosen, *(agent(settings.warm_start_agent) for _ in range(threads - 1))]
        play = partial(_play_side_by_side, game, settings, agents)

    for done in range(0, warm.games, portion):
        if is_stopped():
            raise Interrupted
        last = min(done + portion, warm.games)
        parts += play(range(first + done, first + last))
        watch(last)
    if not sum(map(len, parts)):
        raise RunError(
            f"None of {warm.games:,} games of the warm start was kept: all were drawn. Try "
            "another 'warm_start.agent', a larger 'selfplay.max_plies', or "
            "'warm_start.draws' = \"keep\"."
        )
    return FinishedGames.join(parts)


def _core_options(
    game: Game, settings: AlphaZeroSettings, chosen: GreedyAgent, threads: int
) -> dict[str, Any]:
    """Return the arguments of `_core.greedy_samples` beside the numbers of games."""
    warm = settings.warm_start
    seed = np.random.SeedSequence((settings.seed, _GAMES)).generate_state(1, np.uint64)[0]
    return {
        "game": game.core,
        "limits": limits(game, settings),
        "seed": int(seed),
        "stochastic": chosen.stochastic,
        "prefer_trailing": chosen.prefer_trailing,
        "policy_targets": warm.targets == "policy",
        "keep_draws": warm.draws == "keep",
        "random_starts": warm.random_starts,
        "random_openings": warm.random_openings,
        "random_plies_min": warm.random_plies_min,
        "random_plies_max": warm.random_plies_max,
        "threads": threads,
    }


def _play_side_by_side(
    game: Game, settings: AlphaZeroSettings, agents: Sequence[Agent], numbers: range
) -> list[FinishedGames]:
    """Return games in the order of their numbers; each agent plays a share of them in a thread."""

    def share(which: int) -> list[FinishedGames | None]:
        return [_play(game, settings, agents[which], n) for n in numbers[which :: len(agents)]]

    with ThreadPoolExecutor(len(agents)) as pool:
        shares = [*pool.map(share, range(len(agents)))]
    played = (shares[i % len(agents)][i // len(agents)] for i in range(len(numbers)))
    return [one for one in played if one is not None]


def _play(
    game: Game, settings: AlphaZeroSettings, chosen: Agent, number: int
) -> FinishedGames | None:
    """Return one game as the core's pool would; None for a draw that is discarded."""
    warm, max_plies = settings.warm_start, limits(game, settings).plies
    rng = random.Random(f"{settings.seed}/opening {number}")
    start, random_plies, kind = None, 0, rng.random()
    if kind < warm.random_starts:
        start = Position(game, game.core.random_start(rng.getrandbits(63)))
    elif kind < warm.random_starts + warm.random_openings:
        random_plies = rng.randint(warm.random_plies_min, warm.random_plies_max)
    record, policies = Record(game, start), []
    while True:
        if not record.is_over:
            record.roll(rng)
        if record.is_over or (max_plies and record.plies >= max_plies):
            break
        at_random = record.plies < random_plies
        if warm.targets == "policy":
            assert isinstance(chosen, PolicyAgent)
            policies.append({} if at_random else chosen.policy(record))
        moves = record.position.legal_moves
        record.play(rng.choice(moves) if at_random else chosen.choose(record, rng))
    if warm.draws == "discard" and len(set(record.result)) == 1:
        return None
    return finished_game(
        record,
        number,
        random_plies=random_plies,
        end=record.core.end if record.is_over else _core.End.PLIES,
        policies=policies if warm.targets == "policy" else None,
    )
