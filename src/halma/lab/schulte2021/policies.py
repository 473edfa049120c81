"""Sections 9.5 and 9.7: what networks say without a search, of illegal moves and of the opening."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from halma.arena.games import MatchGame
from halma.arena.plan import Plan
from halma.executors import ReportProgress
from halma.files import replace_file
from halma.games import game
from halma.lab.experiment import ExperimentPage
from halma.lab.jobs import GameBlocks, Job
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.schulte2021.networks import (
    StarNetwork,
    VersionExperiment,
    every_network,
    final_networks,
    run_versions,
)
from halma.lab.schulte2021.settings import OPENING_PLIES, VARIANT, scale
from halma.lab.trained import NOT_RUN
from halma.lab.workspace import Workspace
from halma.networks import PositionNetwork, load_on, read_info
from halma.statistics import ratio_of_sums
from halma.structure import Check, fields, list_of, real, tuple_of, whole

#: Shares of policy on illegal moves that the thesis states: of version 1, less than; of the last.
PAPER_FIRST, PAPER_LAST = 0.04, 0.0045
#: What the thesis gives two of the opening moves at most.
PAPER_AVOIDED = 1e-7
#: The two steps of the middle piece of the front row, as seen by player 1.
MIDDLE_STEPS = ("d3-d4", "d3-e4")
#: What `measure_illegal` returns for a game: the sum of illegal shares, and positions.
_ILLEGAL = tuple_of(real(0, 1e6), whole(0, 1_000_000))
_SHARES = PlotStyle("version", "policy on illegal moves", percent=True, ylim=(0.0, 0.0))


@lru_cache(maxsize=2)
def _network(file: Path, device: str) -> PositionNetwork:
    found = game(VARIANT)
    return PositionNetwork(found, read_info(file), load_on(device, file, found))


def measure_illegal(
    file: Path, device: str, numbers: Sequence[int], seed: int, report: ReportProgress
) -> list[tuple[float, int]]:
    """Play games of a network against itself without search, its most probable legal moves.

    Return for each the sum over positions of the policy on illegal moves, and positions.
    """
    network = _network(file, device)
    plan = Plan(VARIANT, ("network",), network.game.players, seed, OPENING_PLIES)
    games = [MatchGame(network.game, plan, number) for number in numbers]
    found = {one: (0.0, 0) for one in games}
    while going := [one for one in games if not one.is_over]:
        outputs = network.evaluate_all([one.record for one in going])
        for one, output in zip(going, outputs, strict=True):
            total, positions = found[one]
            found[one] = total + output.illegal, positions + 1
            one.play(output.best)
        report(1 - len(going) / len(games))
    return list(found.values())


class IllegalMoves(VersionExperiment):
    """Figure 9.5.70."""

    def blocks(self, workspace: Workspace) -> Mapping[str, GameBlocks]:
        """Return games of each network whose policy was trained on all actions, by label."""
        games = scale(workspace).illegal_games
        return {
            label: GameBlocks(
                f"illegal,{one.network.part()},total={games}",
                partial(measure_illegal, one.network.file, workspace.device),
                games,
                _ILLEGAL,
                cost=0.1,
                together=True,
            )
            for label, one in every_network(workspace).items()
            if one.recipe.settings.learning.policy_loss == "all"
        }

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Draw shares by version, and compare the first and the last with the thesis."""
        about, read = self.about(workspace), workspace.measurements.read
        shares = {}
        for label, blocks in self.blocks(workspace).items():
            games = blocks.results(read)
            if len(games) == blocks.games:
                sums, positions = zip(*games, strict=True)
                shares[label] = ratio_of_sums(sums, positions)
        if not shares:
            return ExperimentPage([ReportSection(self.title, NOT_RUN)], about)
        labels = {one.label: number for number, one in run_versions(workspace).items()}
        versions = {labels[label]: share for label, share in shares.items() if label in labels}
        rows = list(_illegal_rows(versions)) if versions else []
        rows += [_last_row(x, share) for x, share in shares.items() if x not in labels]
        text = (
            f"{scale(workspace).illegal_games} games of each network against itself without "
            "search, as in the thesis. The share is that of a softmax over all 320 actions, the "
            "mean over all positions after the openings; the interval is that of independent games."
        )
        section = ReportSection(self.title, text, rows, self._images(workspace, versions))
        data = {label: list(share) for label, share in shares.items()}
        return ExperimentPage([section], about, data)

    def _images(
        self, workspace: Workspace, versions: Mapping[int, tuple[float, float]]
    ) -> list[ReportFigure]:
        """Draw shares by version, where there are several."""
        if len(versions) < 2:
            return []
        low, middle, high = (
            [max(share + sign * width, 0.0) for share, width in versions.values()]
            for sign in (-1, 0, 1)
        )
        file = f"{self.file}.png"
        panel = PlotPanel("", [PlotLine("share", list(versions), middle, low, high)])
        plot_lines(workspace.pages / file, [panel], _SHARES)
        caption = "Share of the policy on illegal moves by version, 95% intervals"
        return [ReportFigure(file, caption)]


def _illegal_rows(shares: Mapping[int, tuple[float, float]]) -> Iterator[Claim]:
    first, last = min(shares), max(shares)
    for number, (share, width) in shares.items():
        label = f"version {number}"
        if number == 1:
            remark = "agrees" if share < PAPER_FIRST else "differs"
            paper = f"less than {PAPER_FIRST:.0%}"
            yield Claim(label, paper, f"{share:.3%} ± {width:.3%}", remark)
        elif number == last:
            yield _last_row(label, (share, width))
        else:
            yield Claim(label, "", f"{share:.3%} ± {width:.3%}")
    if first < last:
        ours = f"{shares[first][0]:.2%} to {shares[last][0]:.2%}"
        fell = shares[last][0] < shares[first][0]
        claim = '"learned to exclude illegal moves"'
        yield Claim("from the first to the last", claim, ours, "agrees" if fell else "differs")


def _last_row(label: str, found: tuple[float, float]) -> Claim:
    """Compare the share of a trained network with that of the thesis' last version."""
    share, width = found
    agrees = abs(share - PAPER_LAST) <= width
    remark = "agrees" if agrees else "less" if share < PAPER_LAST else "more"
    return Claim(label, f"{PAPER_LAST:.2%}", f"{share:.3%} ± {width:.3%}", remark)


# The start.


@cache
def _start_check() -> Check:
    """Check what `measure_start` returns: scores of the players, and probabilities of moves."""
    moves = [move.text for move in game(VARIANT).start().legal_moves]
    policy = fields(dict.fromkeys(moves, real(0, 1)))
    return fields({"scores": list_of(real(0, 1000), 3), "policy": policy})


def measure_start(file: Path, device: str, report: ReportProgress) -> dict[str, Any]:
    """Return the scores that a network expects at the start, and its policy there."""
    network = _network(file, device)
    output = network.evaluate(network.game.start())
    most = network.game.core.max_score
    report(1.0)
    return {"scores": [most * value for value in output.values], "policy": dict(output.policy)}


def start_job(workspace: Workspace, one: StarNetwork) -> Job:
    """Return the job that asks a network about the start."""
    arguments = one.network.file, workspace.device
    return Job(f"start,{one.network.part()}", measure_start, arguments, cost=0.1)


def read_start(workspace: Workspace, one: StarNetwork) -> Mapping[str, Any] | None:
    """Return what a network says of the start, the most probable move first, once it is there."""
    name = start_job(workspace, one).name
    found: dict[str, Any] | None = workspace.measurements.read(name, _start_check())
    if found is None:
        return None
    ordered = sorted(found["policy"].items(), key=lambda item: -item[1])
    return {**found, "policy": dict(ordered)}


@dataclass(frozen=True, kw_only=True)
class OpeningMoves(VersionExperiment):
    """Figures 9.7.72 and 9.7.73."""

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield the run, and then the questions about the start."""
        yield from super().jobs(workspace)
        yield from (start_job(workspace, one) for one in final_networks(workspace))

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Draw the policies at the start on the board."""
        networks = final_networks(workspace)
        found = {one.label: read_start(workspace, one) for one in networks}
        policies = {label: start["policy"] for label, start in found.items() if start}
        about = self.about(workspace)
        if not policies:
            return ExperimentPage([ReportSection(self.title, NOT_RUN)], about)
        images: list[ReportFigure] = []
        rows: list[Claim] = []
        position = game(VARIANT).start()
        for number, (label, policy) in enumerate(policies.items()):
            file = f"{self.file}-{number}.svg"
            best = next(iter(policy))
            replace_file(workspace.pages / file, position.svg(best, size=320, policy=policy))
            caption = f"{label}: its most probable move {best}, and where its moves start and end"
            images.append(ReportFigure(file, caption))
            rows += _opening_rows(label, policy)
        section = ReportSection(self.title, _OPENING_TEXT, rows, images)
        return ExperimentPage([section], about, policies)


def _opening_rows(label: str, policy: Mapping[str, float]) -> Iterator[Claim]:
    moves = ", ".join(f"{move} {share:.2%}" for move, share in policy.items())
    yield Claim(f"{label}: policy at the start", "a bar chart without numbers", moves)
    best, second = list(policy)[:2]
    clear = policy[best] > 2 * policy[second]
    paper = '"clearly suggests" one'
    ours = f"{best} {policy[best]:.1%}, then {second} {policy[second]:.1%}"
    yield Claim(f"{label}: best move", paper, ours, "agrees" if clear else "differs")
    share = max(policy[move] for move in MIDDLE_STEPS)
    rare = sum(one < PAPER_AVOIDED for one in policy.values())
    remark = "agrees" if share < PAPER_AVOIDED else "differs"
    ours = f"{' and '.join(MIDDLE_STEPS)}: at most {share:.1e}; {rare} moves are below 1e-7"
    yield Claim(f"{label}: two direct moves", "smaller than 1e-7", ours, remark)


_OPENING_TEXT = (
    "What the network says of the start without a search. The thesis shows its opening moves in "
    "three figures, which the text does not describe; the two direct moves of the middle figure "
    "are taken to be the steps of the middle piece of the front row."
)

EXPERIMENTS = (
    IllegalMoves(name="illegal", title="Section 9.5: the policy on illegal moves"),
    OpeningMoves(name="opening", title="Section 9.7: the opening"),
)
