"""Why a first-play urgency of +0.5 fails with a network and c_puct = 1/64 (figure 24).

With so low a c_puct the values of moves decide alone. A move without visits counts half a point,
so a search leaves its first move only if the network gives the mover less than that. An untrained
network has an arbitrary value for each player. Where both are above a half, every line looks good
to whoever moves, and the search tries one move of each position.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from statistics import fmean
from typing import Any

from halma.games import Position, game
from halma.lab.experiment import ExperimentPage
from halma.lab.hsueh2023.runs import VariantRuns, percent
from halma.lab.hsueh2023.settings import CS, FPU_KEY, NETWORK, Planner
from halma.lab.hsueh2023.training import TrainingExperiment
from halma.lab.jobs import GameBlocks, Job
from halma.lab.report import ReportSection
from halma.lab.run_store import base_recipe
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.learn.settings import Plain
from halma.search.evaluator import Evaluator
from halma.structure import fields, real

VARIANT = "cdc-2x4-PPPP"
SEEDS = range(6)
#: What is changed in a run with c_puct = 1/64 and +0.5.
AS_IT_IS, EVEN = "as it is", "values begin at even chances"
FEWER_POSITIONS = "replay buffer of 40,000 positions"
CHANGES = (AS_IT_IS, EVEN, FEWER_POSITIONS)
#: Positions of the replay buffer in the third change, and of a game, about.
_BUFFER, _PLIES = 40_000, 16
#: The reduced runs, shorter than those of the figure.
_SHORT: dict[str, Plain] = {
    "iterations": 8,
    "selfplay.games": 100,
    "selfplay.parallel_games": 100,
    "truth.every": 8,
}
#: Positions that an untrained network searches, and simulations of each search.
_POSITIONS, _SIMULATIONS = 12, 800
#: What `search_untrained` returns.
_RESULT = fields({"sum": real(0, 2), "visited": real(0, 1), "most": real(0, 1)})
_COLUMNS = (
    "",
    "seed",
    "values of both players, sum",
    "moves visited",
    "visits of the most visited",
    "sum in reduced runs",
    "games drawn at the end",
    "WR_p",
)
_TEXT = (
    "In the paper +0.5 is close to 50% with c_puct = 1/64. For each seed: the sum of the values "
    f"that the untrained network gives the two players, a mean over {_POSITIONS} positions of "
    "random games; what share of their moves a search with 800 simulations and noise at the root "
    "visits, and what share of visits the most visited move gets. A sum above 1 means that lines "
    "look good to both sides. Then how training ends: the share of drawn games in the last "
    "iteration, and WR_p. Reduced runs have a smaller network, whose values have another sum."
)


def changed(planner: Planner, change: str, seed: int) -> Recipe:
    """Return a run of figure 24 with c_puct = 1/64 and +0.5, and one thing changed."""
    low: dict[str, Plain] = {"search.c": CS[0], FPU_KEY: "draw", "seed": seed}
    if not planner.full:
        low |= _SHORT
    recipe = planner.run(NETWORK, low)
    if change == EVEN:
        name = recipe.settings.network
        low["network"] = f"{name},even=on" if ":" in name else f"{name}:even=on"
    elif change == FEWER_POSITIONS:
        # A reduced run has too few games to fill it; its buffer has the same share of all games.
        games = _BUFFER // _PLIES
        whole = base_recipe(f"hsueh2023/{NETWORK}").settings
        share = games / (whole.iterations * whole.selfplay.games)
        settings = recipe.settings
        low["learning.replay_buffer"] = round(share * settings.iterations * settings.selfplay.games)
    return planner.run(NETWORK, low)


def plan(planner: Planner, variant: str) -> dict[tuple[str, int], Recipe]:
    """Return the runs by what is changed and by seed."""
    return {(change, seed): changed(planner, change, seed) for change in CHANGES for seed in SEEDS}


def search_untrained(even: bool, number: int, seed: int) -> dict[str, float]:
    """Search positions with the untrained network of a seed, which is `number`."""
    import torch

    from halma.learn.sections.common import search_values
    from halma.search import TreeSearch, search_options

    torch.set_num_threads(1)
    change = EVEN if even else AS_IT_IS
    recipe = changed(Planner(full=True, seed=0), change, number)
    evaluator = untrained_network(recipe)
    options = search_options(recipe.game, **search_values(recipe.settings.search))
    sums, visited = [], []
    for index, position in enumerate(random_positions(seed)):
        sums.append(sum_of_values(evaluator, position))
        search = TreeSearch(recipe.game, options, evaluator=evaluator, seed=index)
        found = search.search(position, simulations=_SIMULATIONS)
        visited.append([move.visits or 0 for move in found.moves])
    return {
        "sum": fmean(sums),
        "visited": fmean(fmean(map(bool, moves)) for moves in visited),
        "most": fmean(max(moves) / sum(moves) for moves in visited),
    }


def untrained_network(recipe: Recipe) -> Evaluator:
    """Return the network with which a run begins."""
    from halma.networks.architectures.build import build
    from halma.networks.torch_evaluator import TorchEvaluator

    info = recipe.settings.network_info(recipe.game)
    return TorchEvaluator(build(info, seed=recipe.settings.seed))


def sum_of_values(evaluator: Evaluator, position: Position) -> float:
    """Return the sum of the values of both players."""
    _, values = evaluator.evaluate(position.encode()[None])
    return float(values.sum())


def sum_of_reduced(even: bool, number: int, seed: int) -> float:
    """Return the mean sum of the values of the network of a reduced run."""
    change = EVEN if even else AS_IT_IS
    evaluator = untrained_network(changed(Planner(full=False, seed=0), change, number))
    return fmean(sum_of_values(evaluator, position) for position in random_positions(seed))


def random_positions(seed: int) -> Iterator[Position]:
    """Yield positions of random games in which the mover has several moves."""
    generator, found, chosen = random.Random(seed), 0, game(VARIANT)
    while True:
        position = chosen.start()
        for _ in range(generator.randrange(8)):
            if position.is_terminal:
                break
            if position.is_chance:
                position = position.resolve(generator.choice(position.outcomes))
            else:
                position = position.play(generator.choice(position.legal_moves))
        if not position.is_terminal and not position.is_chance and len(position.legal_moves) > 1:
            yield position
            found += 1
            if found == _POSITIONS:
                return


class UntrainedNetworks(TrainingExperiment):
    """Untrained networks, and short runs that begin with them."""

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield searches of untrained networks, and runs that are not finished."""
        for blocks in (*self._blocks().values(), *self._reduced_blocks().values()):
            yield from blocks.jobs(workspace.seed)
        yield from super().jobs(workspace)

    def page(self, workspace: Workspace) -> ExperimentPage:
        """List what untrained networks do, and how their runs end."""
        page = super().page(workspace)
        return ExperimentPage([self._table(workspace)], page.about, page.data)

    def sections(self, folder: Any, runs: Any) -> list[ReportSection]:
        """Return none: the table needs measurements too."""
        return []

    def _table(self, workspace: Workspace) -> ReportSection:
        runs: VariantRuns = self._find(workspace, VARIANT).finished()
        read = workspace.measurements.read
        rows = []
        for change in CHANGES:
            measured = self._blocks()[change == EVEN].results(read)
            reduced = self._reduced_blocks()[change == EVEN].results(read)
            for seed in SEEDS:
                found = measured[seed] if seed < len(measured) else None
                last = runs.last((change, seed))
                start: tuple[str, ...] = ("–",) * 3
                if found:
                    shares = (f"{found[key]:.0%}" for key in ("visited", "most"))
                    start = (f"{found['sum']:.2f}", *shares)
                own = f"{reduced[seed]:.2f}" if seed < len(reduced) else "–"
                end = [percent(last[key]) for key in ("draws", "wr_p")] if last else ["–", "–"]
                if last or (found and change != FEWER_POSITIONS):
                    rows.append((change, str(seed), *start, own, *end))
        return ReportSection(self.title, _TEXT, rows, columns=_COLUMNS)

    def _reduced_blocks(self) -> dict[bool, GameBlocks]:
        return {
            even: GameBlocks(
                f"untrained-reduced,even={even}",
                partial(sum_of_reduced, even),
                len(SEEDS),
                real(0, 2),
            )
            for even in (False, True)
        }

    def _blocks(self) -> dict[bool, GameBlocks]:
        return {
            even: GameBlocks(
                f"untrained,even={even}", partial(search_untrained, even), len(SEEDS), _RESULT, 30.0
            )
            for even in (False, True)
        }


EXPERIMENTS = (
    UntrainedNetworks(
        name="untrained",
        title="Figure 24, c_puct = 1/64 and +0.5: the untrained network",
        libraries=("torch", "onnx"),
        group="",
        variants=(VARIANT,),
        fixed_variants=True,
        recipe=NETWORK,
        plan=plan,
        in_paper=False,
    ),
)
