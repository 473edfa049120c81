"""`halma bench selfplay`: the speed of the self-play pool, alone and with a network.

The pool is measured with an evaluator that takes no time. Where torch is installed, a real
network is measured alone, in self-play, for a single move, and in training.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from halma.bench.harness import Effort, Measurement, Work, measure_rate
from halma.games import Game, game
from halma.learn.agent_games import agent_games
from halma.learn.recipe import load
from halma.machine import is_installed, missing_library
from halma.networks import FunctionEvaluator
from halma.selfplay import Pool, selfplay_options


@dataclass(frozen=True)
class PoolCase:
    """A game and how it is searched."""

    variant: str
    search: dict[str, Any]
    simulations: int

    def pool(self, seed: int) -> Pool:
        """Return a self-play pool on one thread."""
        variant = game(self.variant)
        options = selfplay_options(
            variant,
            self.search,
            simulations=self.simulations,
            temperatures=[(0, 1.0), (30, 0.0)],
        )
        evaluators = [free_evaluator(variant)] * 2
        return Pool(variant, options, evaluators, slots=SLOTS, threads=1, seed=seed)


#: liu2019's planes and simulations, our own boards with Gumbel, dice, and face-down pieces
CASES = (
    PoolCase("rhombus-7x7-6:liu2019", {"rule": "puct", "c": 1.5, "dirichlet_weight": 0.25}, 175),
    PoolCase("rhombus-7x7-6", {"rule": "gumbel", "gumbel_scale": 1.0}, 32),
    PoolCase("star-121-2p", {"rule": "gumbel", "gumbel_scale": 1.0}, 32),
    PoolCase("star-121-6p", {"rule": "gumbel", "gumbel_scale": 1.0}, 32),
    PoolCase("ewn-5x5-6", {"rule": "gumbel", "gumbel_scale": 1.0}, 32),
    PoolCase("cdc-2x4-PPPP", {"rule": "puct", "dirichlet_weight": 0.25}, 100),
)
SHORT_GAMES = PoolCase("ewn-3x3-3", {"rule": "gumbel", "gumbel_scale": 1.0}, 16)
#: leaves per second and core: 16 such cores feed 0.6 of an H200 with liu2019's network
LEAVES_GOAL = 500e3
SLOTS = 512
#: games of liu2019's first stage, and the goal on two threads: an epoch's 15,000 in three seconds
WARM_START: dict[str, Any] = {
    "game": "rhombus-7x7-6:liu2019",
    "warm_start.games": 1000,
    "warm_start.agent": "greedy:ties=random",
    "warm_start.targets": "policy",
    "warm_start.random_starts": 0.5,
    "warm_start.random_openings": 0.3,
    "warm_start.random_plies_min": 6,
    "warm_start.random_plies_max": 6,
    "warm_start.draws": "discard",
}
WARM_START_GOAL = 5e3


def measure_selfplay(effort: Effort, seed: int) -> Iterator[Measurement | str]:
    """Measure the pool alone, then with a network where torch is installed."""
    for case in CASES:
        pool = case.pool(seed)
        # Only liu2019's case has a goal; the others are there for comparison.
        goal = LEAVES_GOAL if case is CASES[0] else None
        yield measure_rate(f"{case.variant} pool", "leaves/s", effort, _leaves(pool), goal)
        yield Measurement(f"{case.variant} memory", pool.bytes / SLOTS, "bytes/game")
    pool = SHORT_GAMES.pool(seed)
    yield measure_rate(f"{SHORT_GAMES.variant} games", "games/s", effort, _games(pool))
    yield measure_rate(
        f"{WARM_START['game']} warm start", "games/s", effort, _warm_start(seed), WARM_START_GOAL
    )
    if not is_installed("torch"):
        yield f"No network is measured. {missing_library('torch')}"
        return
    from halma.bench.network import measure_network

    yield from measure_network(effort, seed)


def free_evaluator(variant: Game) -> FunctionEvaluator:
    """Return an evaluator that takes no time: random outputs, drawn beforehand."""
    import numpy as np

    rng = np.random.default_rng(0)
    logits = rng.normal(size=(SLOTS, variant.actions)).astype(np.float32)
    values = rng.dirichlet(np.full(variant.players, 4.0), SLOTS).astype(np.float32)
    return FunctionEvaluator(
        variant.shape, lambda planes: (logits[: len(planes)], values[: len(planes)])
    )


def _leaves(pool: Pool) -> Work:
    """Return work that counts evaluated leaves; a portion is one batch of each group."""
    core, buffers = pool.core, pool.buffers
    for group, buffer in enumerate(buffers):
        buffer.start(core.collect(group, buffer.planes, buffer.legal))

    def run(times: int) -> float:
        evaluated = 0
        for _ in range(times):
            for group, buffer in enumerate(buffers):
                evaluated += core.pending(group)
                buffer.start(core.step(group, *buffer.finish(), buffer.planes, buffer.legal))
        core.take_finished()
        return float(evaluated)

    return run


def _warm_start(seed: int) -> Work:
    """Return work that plays games of the greedy player as training samples, on two threads."""
    recipe = load("quick", {"seed": seed, **WARM_START})

    def run(times: int) -> float:
        for epoch in range(1, times + 1):
            agent_games(recipe.game, recipe.settings, epoch, threads=2)
        return float(times * WARM_START["warm_start.games"])

    return run


def _games(pool: Pool) -> Work:
    """Return work that counts finished games; a portion is as many as there are slots."""

    def run(times: int) -> float:
        before = pool.totals["games"]
        for _ in range(times):
            pool.play(games=SLOTS)
        return float(pool.totals["games"] - before)

    return run
