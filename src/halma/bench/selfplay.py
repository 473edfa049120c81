"""`halma bench selfplay`: how much of a network's speed is left during self-play.

First what the pool does with a judge that costs nothing; then, where torch is, what a real
network does alone, in self-play, for a single move, and while it learns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from halma.bench.harness import Report, Row, Settings, Work, rates
from halma.games import Game, game
from halma.selfplay import Pool, selfplay_options

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

#: from planes to logits and values
Judge = Callable[["Array"], tuple["Array", "Array"]]


@dataclass(frozen=True)
class Setting:
    """A game and how it is searched."""

    variant: str
    search: dict[str, Any]
    simulations: int

    def options(self, variant: Game) -> _core.SelfPlayOptions:
        """Return how games are played."""
        return selfplay_options(
            variant,
            self.search,
            simulations=self.simulations,
            temperatures=[(0, 1.0), (30, 0.0)],
        )


#: liu2019's view and simulations, our own board with Gumbel, dice, flips and their context
SETTINGS = (
    Setting("rhombus-7x7-6:liu2019", {"rule": "puct", "c": 1.5, "dirichlet_weight": 0.25}, 175),
    Setting("rhombus-7x7-6", {"rule": "gumbel", "gumbel_scale": 1.0}, 32),
    Setting("ewn-5x5-6", {"rule": "gumbel", "gumbel_scale": 1.0}, 32),
    Setting("cdc-2x4-PPPP", {"rule": "puct", "dirichlet_weight": 0.25}, 100),
)
#: leaves a second and core: 16 such cores feed 0.6 of an H200 with liu2019's network
LEAVES_GOAL = 180e3
SLOTS = 512


def measure_selfplay(settings: Settings, seed: int, note: Callable[[str], None]) -> Report:
    """Measure everything, telling `note` how it goes."""
    report = Report()

    def add(row: Row) -> None:
        report.rows.append(row)
        note(f"{row.name}: {row.value:,.4g} {row.unit}")

    for setting in SETTINGS:
        variant = game(setting.variant)
        pool = _pool(setting, variant, seed, threads=1)
        best = rates({"free": _leaves(pool, free_judge(variant))}, settings)["free"]
        # Only liu2019's setting has a goal; the others are there to be compared with it.
        goal = LEAVES_GOAL if setting is SETTINGS[0] else None
        add(Row(f"{setting.variant} pool", best, "leaves/s", goal))
        add(Row(f"{setting.variant} memory", pool.bytes / SLOTS, "bytes/game"))
    add(_short_games(settings, seed))
    if find_spec("torch") is None:
        report.notes.append("A real network is measured where torch is installed.")
    else:
        from halma.bench.network import measure_network

        for row in measure_network(settings, seed):
            add(row)
    return report


def free_judge(variant: Game) -> Judge:
    """Return a judge that costs nothing: random answers, made beforehand."""
    import numpy as np

    rng = np.random.default_rng(0)
    logits = rng.normal(size=(SLOTS, variant.actions)).astype(np.float32)
    values = rng.dirichlet(np.full(variant.players, 4.0), SLOTS).astype(np.float32)
    return lambda planes: (logits[: len(planes)], values[: len(planes)])


def _pool(setting: Setting, variant: Game, seed: int, threads: int) -> Pool:
    return Pool(variant, setting.options(variant), slots=SLOTS, threads=threads, seed=seed)


def _leaves(pool: Pool, judge: Judge) -> Work:
    """Return work whose units are judged leaves; a portion is one batch of each group."""
    buffers = pool.callback_buffers(judge)
    core = pool.core
    for group, buffer in enumerate(buffers):
        buffer.start(core.collect(group, buffer.planes))

    def run(times: int) -> float:
        judged = 0
        for _ in range(times):
            for group, buffer in enumerate(buffers):
                judged += core.pending(group)
                buffer.start(core.step(group, *buffer.finish(), buffer.planes))
        core.take_finished()
        return float(judged)

    return run


def _short_games(settings: Settings, seed: int) -> Row:
    """Return games a second of a game that is over soon, with a judge that costs nothing."""
    setting = Setting("ewn-3x3-3", {"rule": "gumbel", "gumbel_scale": 1.0}, 16)
    variant = game(setting.variant)
    pool = _pool(setting, variant, seed, threads=1)
    buffers = pool.callback_buffers(free_judge(variant))
    best = 0.0
    for _ in range(settings.rounds):
        began, before = time.perf_counter(), pool.totals["games"]
        for _games in pool.play(buffers):
            if time.perf_counter() - began > settings.seconds:
                break
        best = max(best, (pool.totals["games"] - before) / (time.perf_counter() - began))
    return Row(f"{setting.variant} games", best, "games/s")
