"""Networks that play: those of finished training runs, and the one that comes with halma."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from halma.lab.liu2019.settings import (
    MAIN,
    OPENING_PLIES,
    VARIANT,
    C,
    main_runs,
)
from halma.lab.matches import Match, MatchPlayer, MatchScore
from halma.lab.network_files import OPPONENT, NetworkFile
from halma.lab.report import Claim
from halma.lab.trained import unfinished
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.networks import shipped_networks

GREEDY = MatchPlayer("greedy")


@dataclass(frozen=True)
class Contender:
    """A network with what tables call it."""

    label: str
    network: NetworkFile
    #: it has Q-values, and plays its best move without a search
    is_q: bool = False
    #: how far its run got; nothing if that is finished
    state: str = ""

    def player(self, simulations: int, c: float = C) -> MatchPlayer:
        """Return the network with the paper's search.

        Values lie in [0, 1] here and in [-1, 1] there, so the paper's c is halved, and its value
        of unvisited moves, 0, is that of a draw.
        """
        digest, file = self.network
        if self.is_q:
            return MatchPlayer(f"q:{file.name}", file, digest)
        options = f"sims={simulations},rule=puct,c={c / 2:g},fpu=draw,limits=game"
        return MatchPlayer(f"net:{file.name},{options}", file, digest)

    def match(
        self, what: str, games: int, simulations: int, c: float = C, opponent: MatchPlayer = GREEDY
    ) -> Match:
        """Return a match of the network; `what` begins the name of its measurements."""
        parts = [what, self.network.part(), f"simulations={simulations}", f"c={c:g}"]
        if opponent.digest:
            parts.append(f"{OPPONENT}={opponent.digest}")
        players = self.player(simulations, c), opponent
        # About 25 moves of a game, a tenth of a millisecond for each evaluation.
        seconds = 0.0025 * simulations + 0.1
        name = ",".join((*parts, f"total={games}"))
        return Match(name, VARIANT, players, games, OPENING_PLIES, cost=seconds)


def trained(workspace: Workspace, label: str, recipe: Recipe) -> Contender | None:
    """Return the best network of a run, once it can be used; an unfinished run's label says so."""
    network = workspace.runs.best(recipe)
    if network is None:
        return None
    state = unfinished(workspace, recipe)
    shown = f"{label}, {state}" if state else label
    return Contender(shown, network, recipe.method == "dqn", state)


def main_contenders(workspace: Workspace) -> list[Contender]:
    """Return the main agents that there are: those of our runs, and the one that is shipped."""
    runs = (trained(workspace, label, recipe) for label, recipe in main_runs(workspace).items())
    found = [one for one in runs if one is not None]
    shipped = shipped_networks().get(MAIN)
    return [*found, Contender(f"net:{MAIN}", NetworkFile.at(shipped))] if shipped else found


def undecided(rows: Iterable[Claim], state: str) -> list[Claim]:
    """Return rows; none of them decides a claim if the run of their network is not finished."""
    remark = f"not decided: {state}"
    return [row._replace(remark=remark) if state and row.verdict else row for row in rows]


def verdict(paper: float, score: MatchScore) -> str:
    """Return how the paper's share of points lies to our interval."""
    interval = score.points.interval
    if interval is None:
        return ""
    if interval[0] > paper:
        return "differs: better than the paper's"
    return "differs: worse than the paper's" if interval[1] < paper else "agrees"
