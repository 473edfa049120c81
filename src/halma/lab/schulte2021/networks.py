"""Networks that play: the versions of the training run, and the one that comes with halma."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halma.games import game
from halma.lab.experiment import ExperimentPage
from halma.lab.jobs import GameBlocks
from halma.lab.matches import MatchPlayer
from halma.lab.network_files import OPPONENT, NetworkFile
from halma.lab.report import ReportSection
from halma.lab.schulte2021.settings import (
    ALONE,
    GREEDY,
    OPENING_PLIES,
    SEARCH_OPTIONS,
    VARIANT,
    best_run,
    main_run,
    thesis_run,
)
from halma.lab.seat_matches import SeatedGame, SeatMatch, side_scores
from halma.lab.trained import NOT_RUN, NetworkExperiment
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.networks import shipped_for, shipped_networks


@dataclass(frozen=True)
class StarNetwork:
    """A network with what tables call it."""

    label: str
    network: NetworkFile
    #: that it was trained with
    recipe: Recipe
    #: options of its search
    options: str = SEARCH_OPTIONS

    def player(self, simulations: int) -> MatchPlayer:
        """Return the network with its search."""
        digest, file = self.network
        name = f"net:{file.name},sims={simulations},{self.options}"
        return MatchPlayer(name.rstrip(","), file, digest)

    def match(
        self,
        workspace: Workspace,
        what: str,
        games: int,
        simulations: int,
        opponent: tuple[StarNetwork, int] | str | None = GREEDY,
    ) -> SeatMatch:
        """Return a match against a network with simulations, an agent, or itself (None).

        `what` begins the name of its measurements.
        """
        players = [self.player(simulations)]
        parts = [what, self.network.part(), f"simulations={simulations}"]
        if isinstance(opponent, str):
            players.append(MatchPlayer(opponent))
            parts.append(opponent)
        elif opponent is not None:
            other, against = opponent
            players.append(other.player(against))
            parts += [other.network.part(OPPONENT), f"against={against}"]
        return SeatMatch(
            ",".join((*parts, f"total={games}")),
            VARIANT,
            tuple(players),
            games,
            OPENING_PLIES,
            # About 50 plies of a game, a millisecond for each evaluation.
            cost=0.05 * simulations + 0.1,
            device=workspace.device,
        )


def run_versions(workspace: Workspace) -> dict[int, StarNetwork]:
    """Return the versions of the run that there are, from 1 on, which is that before self-play.

    A version is a network that passed the gate. An archive that has travelled may lack some.
    """
    recipe = main_run(workspace)
    archived = workspace.runs.versions(recipe)
    return {
        number: StarNetwork(f"version {number}", archived[iteration], recipe)
        for number, iteration in enumerate(workspace.runs.promoted(recipe), start=1)
        if iteration in archived
    }


def final_networks(workspace: Workspace) -> list[StarNetwork]:
    """Return the networks that there are: the last version of the run, and our own.

    Those are of a run of our recipe, where there is one, and the network that comes with halma.
    """
    versions = run_versions(workspace)
    found = [versions[max(versions)]] if versions else []
    best = best_run(workspace)
    own = workspace.runs.best(best)
    if own is not None:
        found.append(StarNetwork(best.name, own, best, options="rule=puct,limits=game"))
    name = shipped_for(game(VARIANT))
    if name is not None:
        shipped = NetworkFile.at(shipped_networks()[name])
        found.append(StarNetwork(f"net:{name}", shipped, best, options="rule=puct,limits=game"))
    return found


def every_network(workspace: Workspace) -> dict[str, StarNetwork]:
    """Return all versions and the final networks, by label."""
    every = [*run_versions(workspace).values(), *final_networks(workspace)]
    return {one.label: one for one in every}


def how(simulations: int) -> str:
    """Return what tables call a number of simulations."""
    return "network alone" if simulations == ALONE else f"{simulations} simulations"


@dataclass(frozen=True, kw_only=True)
class VersionExperiment(NetworkExperiment):
    """An experiment with networks of the training run."""

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the run."""
        recipe = main_run(workspace)
        return {recipe.name: recipe}

    def recipes(self, workspace: Workspace) -> Iterable[Recipe]:
        """Return the thesis' run: without it an experiment is not complete."""
        return [thesis_run(workspace)]

    def extra_recipes(self, workspace: Workspace) -> Iterable[Recipe]:
        """Return a run that stands in for the thesis', and our own, whose network plays too."""
        run, best = main_run(workspace), best_run(workspace)
        return [best] if run == thesis_run(workspace) else [run, best]

    def about(self, workspace: Workspace) -> dict[str, str]:
        """Return the size of the run, how far it got, and its versions."""
        found = super().about(workspace)
        if numbers := list(run_versions(workspace)):
            found["versions"] = ", ".join(map(str, numbers))
        return found


@dataclass(frozen=True, kw_only=True)
class SeatMatchExperiment(VersionExperiment):
    """Matches of networks of the training run."""

    @abstractmethod
    def matches(self, workspace: Workspace) -> Mapping[Any, SeatMatch]:
        """Return the matches between networks that there are, by label."""

    @abstractmethod
    def sections(
        self, workspace: Workspace, played: Mapping[Any, Sequence[SeatedGame]]
    ) -> Sequence[ReportSection]:
        """Draw the figures; return the sections of what was played."""

    def blocks(self, workspace: Workspace) -> Mapping[Any, GameBlocks]:
        """Return the games of the matches."""
        return {x: match.blocks for x, match in self.matches(workspace).items()}

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Compare the matches that were played to their end."""
        read = workspace.measurements.read
        found = {x: match.played(read) for x, match in self.matches(workspace).items()}
        played = {x: games for x, games in found.items() if games}
        sections = self.sections(workspace, played) if played else []
        data = {
            f"{x}, {held} seats": score.as_dict()
            for x, games in played.items()
            for held, score in side_scores(games).items()
        }
        sections = sections or [ReportSection(self.title, NOT_RUN)]
        return ExperimentPage(sections, self.about(workspace), data)
