"""The long run: each stage against the one before, by a sequential test, and against random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from halma.arena.sprt import Sprt
from halma.lab.matches import Match, MatchScore
from halma.lab.pluska2022.settings import (
    EASY,
    RANDOM,
    STAGES,
    long_run,
    match,
    scale,
    versions,
)
from halma.lab.report import Claim, ReportSection
from halma.lab.trained import MatchExperiment
from halma.lab.workspace import Workspace
from halma.learn import Recipe

#: A stage that is 10 Elo stronger is told from one that is equal.
TEST = Sprt(0.0, 10.0)

_TEXT = (
    "Stages of the long run are the iterations of the paper's: 0, 10, 20, 30 and 40. Each "
    "plays the one before, paired games from openings of four random plies with {expansions} "
    "expansions a move; the sequential test has the bounds 0 and 10 Elo, with errors of 5%, "
    "and stops at its first decision."
)


class LongStages(MatchExperiment):
    """Whether training hurts with enough games."""

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the long run."""
        return {"the long run": long_run(workspace)}

    def matches(self, workspace: Workspace) -> Mapping[str, Match]:
        """Return each stage's match with the one before, and the last one's with two agents."""
        chosen, found = scale(workspace), versions(workspace, long_run(workspace))
        there = [found[number] for number in STAGES.values() if number in found]
        matches = {}
        for before, after in pairwise(there):
            label = f"iteration {after.iteration} against {before.iteration}"
            players = after.player(chosen.expansions), before.player(chosen.expansions)
            what = f"stages,version={after.iteration}"
            matches[label] = match(what, players, chosen.stage_games, chosen.expansions)
        for opponent in (RANDOM, EASY) if there else ():
            label = f"iteration {there[-1].iteration} against {opponent.name}"
            players = there[-1].player(chosen.expansions), opponent
            matches[label] = match("stages", players, chosen.random_games, chosen.expansions)
        return matches

    def sections(
        self, workspace: Workspace, scores: Mapping[str, MatchScore]
    ) -> Sequence[ReportSection]:
        """Return a row for each match."""
        if not scores:
            return []
        rows = [
            Claim(label, "", str(score), _remark(label, score)) for label, score in scores.items()
        ]
        text = _TEXT.format(expansions=scale(workspace).expansions)
        return [ReportSection(self.title, text, rows)]


def _remark(label: str, score: MatchScore) -> str:
    """Return what the match says: of the test between stages, or the games lost."""
    if not label.rpartition(" ")[2].isdigit():
        return f"{score.losses} games lost"
    accepted, games = score.sprt(TEST)
    low, high = score.elo_interval or (score.elo, score.elo)
    elo = f"Elo {score.elo:+.0f} [{low:+.0f}, {high:+.0f}]"
    what = {"elo1": "stronger", "elo0": "not stronger by 10 Elo", None: "undecided"}[accepted]
    return f"{elo}; the test says: {what}, after {games:,} games"


EXPERIMENTS = (LongStages(name="stages", title="The long run, stage by stage", in_paper=False),)
