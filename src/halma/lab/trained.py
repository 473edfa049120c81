"""Experiments with networks: training runs, and games of those that are finished."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.jobs import GameBlocks, Job
from halma.lab.matches import Match, MatchScore
from halma.lab.report import ReportSection
from halma.lab.workspace import Workspace
from halma.learn import Recipe

NOT_RUN = "Not run yet."
#: What training needs beyond a plain install, and drawing.
TRAINING = ("matplotlib", "torch", "onnx")


@dataclass(frozen=True, kw_only=True)
class NetworkExperiment(Experiment):
    """Training runs, and games of their networks once they are finished."""

    libraries: tuple[str, ...] = TRAINING

    @abstractmethod
    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the runs that it needs, by what they are called."""

    def blocks(self, workspace: Workspace) -> Mapping[Any, GameBlocks]:
        """Return the games of the networks that there are, by label."""
        return {}

    def recipes(self, workspace: Workspace) -> Iterable[Recipe]:
        """Return the runs."""
        return self.runs(workspace).values()

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield the runs that are neither finished nor adopted, and games of the others."""
        runs = workspace.runs
        own = [one for one in self.runs(workspace).values() if not runs.is_adopted(one)]
        yield from runs.jobs(own, cost)
        for blocks in self.blocks(workspace).values():
            yield from blocks.jobs(workspace.seed)

    def about(self, workspace: Workspace) -> dict[str, str]:
        """Return the sizes of the runs and how far they got."""
        found = {}
        for label, recipe in self.runs(workspace).items():
            state = unfinished(workspace, recipe)
            found[label] = describe(recipe) + (f"; {state} are done" if state else "")
        if not workspace.full:
            found["reduced"] = (
                "runs of a few minutes, which learn a fraction of what the paper's do; --full has "
                "the paper's settings"
            )
        return found


@dataclass(frozen=True, kw_only=True)
class MatchExperiment(NetworkExperiment):
    """Training runs, and matches between their networks once they are finished."""

    @abstractmethod
    def matches(self, workspace: Workspace) -> Mapping[Any, Match]:
        """Return the matches between networks that there are, by label."""

    @abstractmethod
    def sections(
        self, workspace: Workspace, scores: Mapping[Any, MatchScore]
    ) -> Sequence[ReportSection]:
        """Draw the figures; return the sections of what was played."""

    def blocks(self, workspace: Workspace) -> Mapping[Any, GameBlocks]:
        """Return the games of the matches."""
        return {x: match.blocks for x, match in self.matches(workspace).items()}

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Compare the matches that were played to their end."""
        matches = self.matches(workspace)
        played = {x: match.score(workspace.measurements.read) for x, match in matches.items()}
        scores = {x: score for x, score in played.items() if score is not None}
        sections = self.sections(workspace, scores) or [ReportSection(self.title, NOT_RUN)]
        about = self.about(workspace)
        return ExperimentPage(sections, about, {str(x): s.as_dict() for x, s in scores.items()})


def unfinished(workspace: Workspace, recipe: Recipe) -> str:
    """Return how far a run got; nothing if it is finished."""
    runs = workspace.runs
    if runs.is_finished(recipe):
        return ""
    return f"{runs.iterations(recipe):,} of {recipe.settings.iterations:,} iterations"


def describe(recipe: Recipe) -> str:
    """Return the sizes of a run in words."""
    settings = recipe.settings
    if recipe.method == "dqn":
        games = f"{settings.play.games:,} games against {settings.play.opponent}"
        return f"{settings.iterations:,} iterations of {games}"
    warm, play = settings.warm_start, settings.selfplay
    what = "games of an agent" if warm.source == "games" else "random positions"
    epochs = "1 epoch" if warm.epochs == 1 else f"{warm.epochs:,} epochs"
    first = f"{epochs} of {warm.games:,} {what}, then " if warm.games else ""
    return (
        f"{first}{settings.iterations:,} iterations of {play.games:,} games with "
        f"{settings.search.simulations:,} simulations"
    )


#: Seconds of a core for a step with a batch of 32, an evaluation in self-play, a game of an agent,
#: and a move of a Q network with the reply to it.
_STEP, _EVALUATION, _AGENT_GAME, _MOVE = 0.01, 6e-5, 1e-4, 1e-3
_PLIES = 50


def cost(recipe: Recipe) -> float:
    """Return about how many seconds of one core a run takes."""
    settings = recipe.settings
    if recipe.method == "dqn":
        moves = settings.iterations * settings.play.games * settings.play.move_limit
        return float(moves * (_MOVE + settings.learning.steps_per_move * _STEP))
    warm, play, learning = settings.warm_start, settings.selfplay, settings.learning
    first = warm.games * _PLIES * warm.position_share * warm.samples_per_new / learning.batch_size
    games = play.games * _PLIES
    steps = games * learning.position_share * learning.samples_per_new / learning.batch_size
    played = games * settings.search.simulations * _EVALUATION
    return float(
        warm.epochs * (first * _STEP + warm.games * _AGENT_GAME)
        + settings.iterations * (played + steps * _STEP)
    )
