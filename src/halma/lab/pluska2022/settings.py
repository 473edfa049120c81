"""The game, the training runs and the scale of pluska2022's experiments.

With `--full` a run is a recipe of the package as it is, or with one setting changed, so that
`halma train pluska2022/long` makes a run that `--adopt` takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from halma.lab.matches import Match, MatchPlayer
from halma.lab.network_files import NetworkFile
from halma.lab.run_store import base_recipe
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.learn.settings import Plain

#: The paper's rules: a position that recurs is a draw.
VARIANT = "draughts-8x8:pluska2022"
PAPER_RUN, LONG_RUN = "pluska2022", "pluska2022/long"
#: The iterations after which the paper's agents were taken.
STAGES: Mapping[str, int] = {
    "bootstrapped": 0,
    "endgame": 10,
    "100 games": 20,
    "200 games": 30,
    "300 games": 40,
}
#: What plays in place of the engine "easy", which beginners can beat with some effort.
RANDOM, EASY = MatchPlayer("random"), MatchPlayer("alphabeta:depth=3")
#: Random plies of both players together at the beginning of games; the paper does not say.
OPENING_PLIES = 4
#: One thing changed in the paper's run.
VARIATIONS: Mapping[str, Mapping[str, Plain]] = {
    "the paper's run": {},
    "one pass over each batch": {"learning.epochs": 1.0},
    "replay buffer of 400 games": {"learning.replay_buffer": 400},
    "one linear layer": {"network": "linear"},
}


class Pluska2022Scale(NamedTuple):
    """How much is run."""

    #: games of each pair of the table, and expansions a move
    table_games: int
    expansions: int
    #: games of a version against the bootstrapped agent, and iterations between versions
    curve_games: int
    curve_step: int
    #: games of the long run's stages, and against random
    stage_games: int
    random_games: int


FULL = Pluska2022Scale(100, 50, 100, 10, 1000, 1000)
QUICK = Pluska2022Scale(20, 20, 20, 10, 40, 40)

#: Changes of the reduced runs.
_REDUCED: Mapping[str, Plain] = {
    "warm_start.games": 20_000,
    "search.simulations": 10,
    "evaluation.every": 0,
}
_REDUCED_LONG: Mapping[str, Plain] = {**_REDUCED, "selfplay.games": 50}


def scale(workspace: Workspace) -> Pluska2022Scale:
    """Return the whole scale or the reduced one."""
    return FULL if workspace.full else QUICK


def paper_runs(workspace: Workspace) -> dict[str, Recipe]:
    """Return the paper's run and its variations; a version is kept of every iteration."""
    common: dict[str, Plain] = {"seed": workspace.seed, "archive.every": 1}
    common |= {} if workspace.full else _REDUCED
    return {
        label: base_recipe(PAPER_RUN).changed({**common, **changes})
        for label, changes in VARIATIONS.items()
    }


def paper_run(workspace: Workspace) -> Recipe:
    """Return the paper's run."""
    return next(iter(paper_runs(workspace).values()))


def long_run(workspace: Workspace) -> Recipe:
    """Return the run with the cure that the paper names."""
    reduced = {} if workspace.full else _REDUCED_LONG
    changes = {"seed": workspace.seed, "archive.every": 1, **reduced}
    return base_recipe(LONG_RUN).changed(changes)


@dataclass(frozen=True)
class Version:
    """The network of a run after an iteration, with the paper's search."""

    label: str
    iteration: int
    network: NetworkFile

    def player(self, expansions: int) -> MatchPlayer:
        """Return the network with its search."""
        digest, file = self.network
        return MatchPlayer(
            f"net:{file.name},rule=expansion,sims={expansions},limits=game", file, digest
        )


def versions(workspace: Workspace, recipe: Recipe) -> dict[int, Version]:
    """Return the versions of a run that there are, by iteration."""
    names = {number: label for label, number in STAGES.items()}
    return {
        number: Version(names.get(number, str(number)), number, network)
        for number, network in workspace.runs.versions(recipe).items()
    }


def match(
    what: str, players: tuple[MatchPlayer, MatchPlayer], games: int, expansions: int
) -> Match:
    """Return a match; `what` begins the name of its measurements."""
    parts = [what]
    for place, player in zip(("network", "opponent"), players, strict=True):
        parts.append(f"{place}={player.digest}" if player.digest else player.name)
    parts += [f"expansions={expansions}", f"total={games}"]
    # About 70 plies of a game, ten evaluations in an expansion.
    seconds = 0.002 * expansions + 0.05
    return Match(",".join(parts), VARIANT, players, games, OPENING_PLIES, cost=seconds)
