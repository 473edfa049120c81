"""Table I: leaves and time with and without pruning."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from halma import _core
from halma.executors import ReportProgress
from halma.games import game
from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.he2016.settings import PAPER_TUNED, TABLE_BOARD, TEXT
from halma.lab.jobs import Job
from halma.lab.report import Claim, ReportSection
from halma.lab.workspace import Workspace
from halma.search.minimax import Minimax
from halma.structure import fields, real, whole

#: depth -> seconds and leaves without pruning and with it
PAPER_TABLE = {
    2: ((4.07, 196), (0.85, 27)),
    3: ((84.39, 4032), (7.31, 301)),
    4: ((1763, 82944), (30.68, 848)),
}
ALL, SHALLOW = "no pruning", "pruning by the parent's bound"
#: Searches of ours by their names.
SEARCHES: Mapping[str, Mapping[str, Any]] = {
    ALL: {"pruning": "none", "ordering": "listed", "table_bits": 0},
    "alpha-beta": {"pruning": "windows", "ordering": "score", "table_bits": 0},
    "alpha-beta, table and cheaper ordering": {},
}
_COUNTED = fields({"seconds": real(1e-12, 1e12), "leaves": whole()})

_TEXT = (
    "The paper counts leaves, on a board with ten pieces a side where pieces step forward and "
    f"backward but not along a row: `{TABLE_BOARD}`. Its search passes down the bound of the "
    "parent alone; a bound from further up, which alpha-beta passes down too, would cut more at "
    "depth 4. Moves are ordered by the evaluation of the resulting board. The times are those of "
    "two languages and two machines on the same tree. The last rows are of the board that the "
    "paper shows and plays on, of which it gives no counts."
)


def count_leaves(variant: str, depth: int, search: str, report: ReportProgress) -> dict[str, float]:
    """Search the start position in one of the ways; the time is the best of five."""
    chosen, weights = game(variant), TEXT.core_weights(PAPER_TUNED[2])
    if search == SHALLOW:
        began = time.perf_counter()
        leaves = shallow_search(chosen.core, chosen.core.initial(), weights, depth, math.inf)[1]
        return {"seconds": time.perf_counter() - began, "leaves": leaves}
    engine = Minimax(chosen, weights=weights, deepen=False, **SEARCHES[search])
    seconds = math.inf
    for _ in range(5):
        began = time.perf_counter()
        found = engine.search(chosen.start(), depth=depth)
        seconds = min(seconds, time.perf_counter() - began)
    return {"seconds": seconds, "leaves": found.leaves}


def shallow_search(
    core: _core.AnyGame, state: bytes, weights: Sequence[float], depth: int, bound: float
) -> tuple[float, int]:
    """Return the minimax value for the player to move and the leaves evaluated.

    A position is left once it is worth at least `bound`, what its parent has found already.
    """
    mover = core.mover(state)

    def lead(now: bytes, player: int) -> float:
        own, other = (_core.features(core, now, who) for who in (player, 1 - player))
        return sum(w * (a - b) for w, a, b in zip(weights, own, other, strict=True))

    if depth == 0:
        return lead(state, mover), 1
    children = [core.play(state, move) for move in core.legal(state)]
    best, leaves = -math.inf, 0
    for child in sorted(children, key=lambda now: -lead(now, mover)):
        value, visited = shallow_search(core, child, weights, depth - 1, -best)
        leaves += visited
        best = max(best, -value)
        if best >= bound:
            break
    return best, leaves


class PruningTable(Experiment):
    """Table I."""

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield the searches: one at a time, they take seconds in all."""
        for name, arguments in self._counts().items():
            yield Job(name, count_leaves, arguments)

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Compare leaves and times with the paper's."""
        measured = workspace.measurements
        found = {
            arguments: measured.read(name, _COUNTED)
            for name, arguments in self._counts().items()
            if name in measured
        }
        if not found:
            return ExperimentPage([ReportSection(self.title, "Not run yet.")])
        rows = [_row(*arguments, ours) for arguments, ours in found.items()]
        data = {", ".join(map(str, key)): ours for key, ours in found.items()}
        return ExperimentPage([ReportSection(self.title, _TEXT, rows)], data=data)

    def _counts(self) -> dict[str, tuple[str, int, str]]:
        searches = [ALL, SHALLOW, *(name for name in SEARCHES if name != ALL)]
        asked = [(TABLE_BOARD, depth, search) for search in searches for depth in PAPER_TABLE]
        asked += [(TEXT.variant, depth, search) for search in searches[:2] for depth in PAPER_TABLE]
        return {
            f"leaves,{board},depth={depth},{search}": (board, depth, search)
            for board, depth, search in asked
        }


def _row(variant: str, depth: int, search: str, found: Mapping[str, float]) -> Claim:
    what = f"{variant.partition(':')[0]}, depth {depth}, {search}"
    ours = f"{found['leaves']:,} leaves"
    # The search by the parent's bound is a few lines of Python, so its time says nothing.
    timed = f"{ours}, {1000 * found['seconds']:.3g} ms"
    if variant != TABLE_BOARD or search not in (ALL, SHALLOW):
        return Claim(what, "", ours if search == SHALLOW else timed)
    seconds, leaves = PAPER_TABLE[depth][search == SHALLOW]
    verdict = "agrees" if found["leaves"] == leaves else "differs"
    paper = f"{leaves:,} leaves, {seconds:g} s"
    return Claim(what, paper, ours if search == SHALLOW else timed, verdict)


EXPERIMENTS = (
    PruningTable(
        name="table1", title="Table I: leaves and time with and without pruning", libraries=()
    ),
)
