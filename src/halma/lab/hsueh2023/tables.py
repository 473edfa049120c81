"""Table 1, the variants and the course of games; and how runs of the default setting ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from halma.games import Record, game
from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.hsueh2023.figures import ERRORS
from halma.lab.hsueh2023.positions import count_positions
from halma.lab.hsueh2023.runs import VariantRuns
from halma.lab.hsueh2023.settings import ALL_VARIANTS, VARIANTS, Planner
from halma.lab.hsueh2023.training import TrainingExperiment
from halma.lab.jobs import GameBlocks, Job, play_numbered
from halma.lab.report import Claim, ReportSection
from halma.lab.workspace import Workspace
from halma.statistics import ratio_of_sums
from halma.structure import list_of, tuple_of, whole

#: variant -> actions and chance events of a position, plies of a game, positions
PAPER = {
    "ewn-3x3-3": (2.9, 3, 5.3, 367_956),
    "ewn-3x3-4": (2.4, 4, 5.3, 6_316_032),
    "ewn-3x4-3": (2.7, 3, 7.8, 3_268_620),
    "cdc-2x4-PPPP": (4.8, 1.3, 15.5, 194_933),
    "cdc-2x4-KPPP": (4.6, 1.6, 16.8, 1_934_199),
    "cdc-2x4-GGCC": (4.4, 1.7, 18.3, 4_032_500),
}
_COUNTED = ("actions", "chance events", "game length")
#: games, and simulations of a move
FULL, QUICK = (1000, 10_000), (60, 1000)
_UNCLEAR = {"chance events": "; the paper does not say how it counts them"}
_ANOTHER_READING = "another way to count"

_TEXT = (
    "A tree search with random playouts plays against itself. The chance events of a position are "
    "the outcomes of the chance node just before it: the sides of the die, the kinds of pieces "
    "that could have been turned over, or one after a move without chance. The first flip of dark "
    "chess decides the colours; rows of another way to count have it as one event.\n\n"
    "Positions that are not terminal are counted by enumerating all that can be reached. "
    "Any count that treats the colours alike is odd, the start and as many positions with red as "
    "with black to move; the paper's 4,032,500 for CDC_GGCC is even. Terminal positions in which "
    "the player to move has pieces but no move are counted apart."
)

_TEXT_LINES = (
    "The same games of dark chess by a search whose lines end neither by repetition nor by the "
    "40-ply rule: the games do, as always."
)
_POSITIONS = tuple_of(whole(), whole())

#: plies, and the sums of actions and of chance events over the positions of a game
GameCounts = tuple[int, int, int]


def play_and_count(
    variant: str, simulations: int, limits: str, number: int, seed: int
) -> GameCounts:
    """Play a game and count it; `limits` is where lines of the search end."""
    agent = f"mcts:sims={simulations},limits={limits}"
    return count(play_numbered(variant, [agent] * 2, number, seed))


def count(record: Record) -> GameCounts:
    """Count plies, legal moves and chance events of a game.

    The chance events of a position are the outcomes of the chance node just before it; one if
    there is none.
    """
    plies = actions = events = 0
    before = 1
    for position in record.positions:
        if position.is_chance:
            before = len(position.outcomes)
        elif plies < record.plies:
            plies += 1
            actions += len(position.legal_moves)
            events += before
            before = 1
    return plies, actions, events


def kinds_at_first(variant: str) -> int:
    """Return how many kinds of pieces the first move can turn over; 0 where it turns over none."""
    start = game(variant).start()
    if start.is_chance:
        return 0
    after = start.play(start.legal_moves[0])
    return len(after.outcomes) if after.is_chance else 0


def compare(
    variant: str, counted: Sequence[GameCounts], positions: tuple[int, int] | None
) -> tuple[list[Claim], dict[str, Any]]:
    """Compare a variant with the paper; return the rows and the numbers behind them.

    `positions` are those that can be reached, and those in which the mover is stuck.
    """
    name = VARIANTS[variant]
    data: dict[str, Any] = {"games": len(counted), "positions": positions}
    rows = []
    if counted:
        plies, actions, events = zip(*counted, strict=True)
        parts = (actions, plies), (events, plies), (plies, [1] * len(plies))
        for what, sums, paper in zip(_COUNTED, parts, PAPER[variant], strict=False):
            value, error = data[what] = ratio_of_sums(*sums)
            # The paper rounds to a tenth.
            agrees = abs(value - paper) <= 0.05 + error + 0.02 * paper
            remark = "agrees" if agrees else "differs" + _UNCLEAR.get(what, "")
            ours = f"{value:.2f} ± {error:.2f}"
            rows.append(Claim(f"{name}: {what}", f"{paper:g}", ours, remark))
        if kinds := kinds_at_first(variant):
            # Every game begins with such a flip, so it can be taken off the sums.
            value, error = ratio_of_sums([sum_ - (kinds - 1) for sum_ in events], plies)
            what, paper = f"{name}: chance events, the first flip as one", PAPER[variant][1]
            rows.append(Claim(what, f"{paper:g}", f"{value:.2f} ± {error:.2f}", _ANOTHER_READING))
    if positions:
        (reached, stuck), paper = positions, int(PAPER[variant][3])
        ours = f"{reached:,}"
        if stuck:
            ours += f", or {reached + stuck:,} with {stuck} where the mover is stuck"
        remark = "agrees" if reached == paper else "differs; see above"
        rows.append(Claim(f"{name}: non-terminal positions", f"{paper:,}", ours, remark))
    return rows, data


@dataclass(frozen=True, kw_only=True)
class VariantTable(Experiment):
    """Table 1."""

    #: where lines of the search end beside the rules; the option of `mcts`
    limits: str = "game"

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield counts of positions and blocks of games."""
        for variant in self.variants:
            if self.in_paper:
                yield Job(f"positions,{variant}", count_positions, (variant,))
            yield from self._blocks(workspace, variant).jobs(workspace.seed)

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Compare the games that were played and the numbers of positions."""
        rows: list[Claim] = []
        data = {}
        for variant in self.variants:
            read = workspace.measurements.read
            counted = self._blocks(workspace, variant).results(read)
            positions = read(f"positions,{variant}", _POSITIONS) if self.in_paper else None
            found, data[variant] = compare(variant, counted, positions)
            rows += found
        games, simulations = FULL if workspace.full else QUICK
        about = {"games": f"{games:,} a variant", "simulations": f"{simulations:,} a move"}
        if not workspace.full:
            about["reduced"] = "the paper has 1,000 games with 10,000 simulations, as --full"
        text = _TEXT if self.in_paper else _TEXT_LINES
        return ExperimentPage([ReportSection(self.title, text, rows)], about, data)

    def _blocks(self, workspace: Workspace, variant: str) -> GameBlocks:
        games, simulations = FULL if workspace.full else QUICK
        limited = "" if self.limits == "game" else f",limits={self.limits}"
        return GameBlocks(
            f"table1,{variant},sims={simulations}{limited}",
            partial(play_and_count, variant, simulations, self.limits),
            games,
            list_of(whole(0, 10**9), 3),
            cost=PAPER[variant][2] * simulations / 10_000,
        )


class DefaultTable(TrainingExperiment):
    """The runs of figure 25, row by row."""

    def sections(self, folder: Path, runs: Sequence[VariantRuns]) -> list[ReportSection]:
        """Return a row for every run that was graded."""
        ordered = sorted(runs, key=lambda one: one.variant)
        rows = [_default_row(one, seed) for one in ordered for seed in one.labels]
        if not rows:
            return [ReportSection(self.title, "Not run yet.")]
        cells = [tuple(row.values()) for row in rows]
        return [ReportSection(self.title, rows=cells, columns=tuple(rows[0]))]


def _default_row(runs: VariantRuns, seed: int) -> dict[str, str]:
    """Return the last grades of a run; an unfinished one has those of where it is."""
    last = runs.last(seed) or {}
    iterations = runs.planner.run(runs.variant).settings.iterations
    reached = f"{last['iteration']:,}"
    return {
        "variant": runs.variant,
        "seed": str(seed),
        "iterations": reached
        if last["iteration"] == iterations
        else f"{reached} of {iterations:,}",
        "WR_p (95% interval)": runs.with_interval(seed),
        **{title: f"{last[key]:.4f}" for key, title in ERRORS.items()},
        "updated ≥ 1": f"{last['updated_1']:,}",
        "≥ 4": f"{last['updated_4']:,}",
        "≥ 16": f"{last['updated_16']:,}",
        "seconds": f"{runs.metrics[seed][-1]['seconds']:,.0f}",
    }


EXPERIMENTS = (
    VariantTable(name="table1", title="Table 1: the variants", variants=ALL_VARIANTS, libraries=()),
    VariantTable(
        name="lines",
        title="Table 1, with lines of the search that end by the rules alone",
        variants=tuple(name for name in ALL_VARIANTS if name.startswith("cdc")),
        limits="rules",
        libraries=(),
        in_paper=False,
    ),
    DefaultTable(
        name="default",
        title="The default setting: how its runs ended",
        libraries=(),
        variants=ALL_VARIANTS,
        plan=Planner.trials,
        in_paper=False,
    ),
)
