"""Figure 22 with several seeds: how often a policy begins with the wrong move, and for how long."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from halma.lab.hsueh2023.first_play import WATCHED_VALUES, watched_policy
from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import FPU, Planner
from halma.lab.hsueh2023.training import TrainingExperiment
from halma.lab.report import ReportSection
from halma.learn import Recipe

_SEEDS = 5
_SHOWN = (1, 5, 10, 20, 100)
_BEST = max(WATCHED_VALUES, key=lambda move: WATCHED_VALUES[move])
_COLUMNS = (
    "N_sim",
    "initial W/N",
    "seed",
    *(f"iteration {n}" for n in _SHOWN),
    f"{_BEST} leads from",
)
_TEXT = (
    "The most probable move of figure 22's position and its probability, by iteration, and the "
    f"iteration from which on {_BEST}, the best move, stays the most probable. The paper shows one "
    "run for each setting and no seed."
)


def plan(planner: Planner, variant: str) -> dict[tuple[int, str, int], Recipe]:
    """Return figure 22's runs by simulations, first-play urgency and seed."""
    return {
        (*label, seed): recipe
        for seed in range(planner.seed, planner.seed + _SEEDS)
        for label, recipe in Planner(planner.full, seed).watched(variant).items()
    }


class WatchedSeeds(TrainingExperiment):
    """Policies of one position, seed by seed."""

    def sections(self, folder: Path, runs: Sequence[VariantRuns]) -> list[ReportSection]:
        """Return a row for every run that is finished."""
        (one,) = runs
        rows = []
        for (n, fpu, seed), metrics in sorted(one.finished().metrics.items()):
            if not metrics:
                continue
            policies = {entry["iteration"]: watched_policy(entry) for entry in metrics}
            leaders = {i: max(p, key=lambda move: p[move]) for i, p in policies.items()}
            shown = [f"{leaders[i]} {policies[i][leaders[i]]:.0%}" for i in _SHOWN if i in policies]
            wrong = [i for i, move in leaders.items() if move != _BEST]
            since = max(wrong, default=0) + 1
            led = str(since) if since <= max(leaders) else "never"
            rows.append((str(n), FPU[fpu], str(seed), *shown, led))
        return [ReportSection(self.title, _TEXT, rows, columns=_COLUMNS)]


EXPERIMENTS = (
    WatchedSeeds(
        name="fig22-seeds",
        title="Figure 22 with several seeds",
        libraries=(),
        variants=("ewn-3x3-3",),
        fixed_variants=True,
        plan=plan,
        always_full=True,
        in_paper=False,
    ),
)
