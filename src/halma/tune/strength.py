"""Playing strength: matches between the players that two runs trained, ended by an SPRT.

Trials stand on one Elo scale, whose zero is the recipe as it is. Each plays the incumbent, the
best trial so far, and takes its place where the test accepts the higher Elo difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from halma.arena import GameStore, Sprt, Tally, make_plan, play_matches
from halma.files import copy_file, make_folder, replace_file
from halma.learn.recipe import Recipe
from halma.learn.run import MODEL, trained_agent
from halma.statistics import half_width
from halma.tune.folder import match_file, run_folder
from halma.tune.plan import TuningPlan

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

#: The attribute of a trial that holds its match.
MATCH = "match"
#: Seed of the matches that confirm a result, which no trial has.
_CONFIRMING = 1_000_003


def player(recipe: Recipe, run: Path) -> str:
    """Return the agent that a run has trained, which searches as in the recipe's evaluation."""
    if recipe.method != "alphazero":
        return trained_agent(run, recipe)[0]
    settings = recipe.settings
    sims = settings.evaluation.simulations or settings.search.simulations
    return f"net:{run / MODEL},sims={sims}"


def challenge(plan: TuningPlan, tuning: Path, number: int, opponent: int) -> dict[str, Any]:
    """Let a trial play another one until the test decides; return the match."""
    name = f"{number:04}-{opponent:04}"
    runs = [run_folder(tuning, trial) for trial in (number, opponent)]
    tally = _play(plan, runs, match_file(tuning, name), plan.seed + number, plan.sprt)
    return {"opponent": opponent, **summary(tally, plan.sprt)}


def compare(plan: TuningPlan, runs: Sequence[Path], games: Path, number: int) -> dict[str, Any]:
    """Let two runs play all games of a match, so that its interval is not one of a stopped test."""
    return summary(_play(plan, runs, games, plan.seed + _CONFIRMING + number, None))


def _play(
    plan: TuningPlan, runs: Sequence[Path], games: Path, seed: int, sprt: Sprt | None
) -> Tally:
    """Play a match, or the rest of it.

    SQLite is not made for network file systems, so the file is a local one while games are played.
    """
    make_folder(games.parent)
    agents = [player(plan.recipe, run) for run in runs]
    match = make_plan(plan.recipe.game.name, agents, seed)
    with TemporaryDirectory(prefix="halma-") as folder:
        local = Path(folder) / games.name
        if games.exists():
            copy_file(games, local)
        try:
            with GameStore(local) as store:
                return play_matches([match], plan.games, store=store, sprt=sprt)[0]
        finally:
            if local.exists():
                replace_file(games, local.read_bytes())


def summary(tally: Tally, sprt: Sprt | None = None) -> dict[str, Any]:
    """Return what is kept of a match, from the first player's side."""
    found = tally.as_dict(sprt)
    keys = ("games", "wins", "draws", "losses", "elo", "elo_interval", "pentanomial")
    return {
        **{key: found[key] for key in keys},
        "score": tally.score.value,
        "score_interval": tally.score.interval,
        "accepted": None if sprt is None else found["sprt"]["accepted"],
        "llr": None if sprt is None else found["sprt"]["llr"],
    }


def won(match: dict[str, Any]) -> bool:
    """Whether the test accepted that the first player is stronger."""
    return bool(match["accepted"] == "elo1")


def incumbent(trials: Sequence[FrozenTrial]) -> int:
    """Return the best trial: from the recipe as it is, each winner of a match with the last one."""
    winners = {
        trial.user_attrs[MATCH]["opponent"]: trial.number
        for trial in trials
        if MATCH in trial.user_attrs and won(trial.user_attrs[MATCH])
    }
    best = 0
    while best in winners:
        best = winners[best]
    return best


def elo_above_recipe(trials: Sequence[FrozenTrial], number: int) -> float:
    """Return the Elo of a trial: that of its opponent plus the difference in their match."""
    match = trials[number].user_attrs.get(MATCH)
    return 0.0 if match is None else match["elo"] + elo_above_recipe(trials, match["opponent"])


def match_text(match: dict[str, Any]) -> str:
    """Return a match as a sentence without a subject."""
    ends = match["elo_interval"]
    interval = f" ({ends[0]:+.0f} to {ends[1]:+.0f} with 95% confidence)" if ends else ""
    return (
        f"+{match['wins']} ={match['draws']} -{match['losses']} in {match['games']} games, "
        f"{match['score']:.1%} of points, Elo {match['elo']:+.0f}{interval}"
    )


def mean_score(matches: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Return the mean score of matches between runs with different seeds, and half its interval."""
    scores = [match["score"] for match in matches]
    return sum(scores) / len(scores), half_width(scores)
