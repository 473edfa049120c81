"""Table I: nodes and time with and without pruning."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

from halma.games import game
from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.he2016.settings import LARGE, PAPER_TUNED, VARIANT, core_weights
from halma.lab.jobs import Job
from halma.lab.report import Claim, ReportSection
from halma.lab.workspace import Workspace
from halma.search.minimax import Minimax

#: depth -> seconds and nodes without pruning, seconds and nodes with it
PAPER_TABLE = {2: (4.07, 196, 0.85, 27), 3: (84.39, 4032, 7.31, 301), 4: (1763, 82944, 30.68, 848)}
#: The paper's two searches, and all that ours can do: transposition table, cheaper ordering.
SEARCHES = ("all", "pruned", "with table and cheaper ordering")

_TEXT = (
    "The paper shows a board with six pieces a side, which has 10 first moves, but its counts "
    "begin with 14 moves, as on boards with ten pieces: 196 = 14 x 14. They are counts of "
    "leaves: 4032 = 14 x 288 and 82,944 = 288 x 288, 288 being the ways to move twice on its "
    "board (340 on ours), and 27 = 14 + 14 - 1 and 301 = 288 + 14 - 1 are the fewest leaves "
    "alpha-beta can do with. Both boards are given. Moves are ordered as in the paper, by "
    "the evaluation of the resulting board."
)


def count_nodes(variant: str, depth: int, search: str) -> dict[str, float]:
    """Search the start position in one of three ways; the time is the best of five."""
    chosen, weights = game(variant), core_weights(PAPER_TUNED[2])
    if search == SEARCHES[2]:
        engine = Minimax(chosen, weights=weights, deepen=False)
    else:
        engine = Minimax(
            chosen,
            weights=weights,
            pruning="windows" if search == "pruned" else "none",
            ordering="score" if search == "pruned" else "listed",
            table_bits=0,
            deepen=False,
        )
    seconds = math.inf
    for _ in range(5):
        began = time.perf_counter()
        found = engine.search(chosen.start(), depth=depth)
        seconds = min(seconds, time.perf_counter() - began)
    return {"seconds": seconds, "nodes": found.nodes, "leaves": found.leaves}


class PruningTable(Experiment):
    """Table I."""

    def jobs(self, workspace: Workspace) -> Iterable[Job]:
        """Return nothing: times are measured by `page`, when no other job disturbs them."""
        return ()

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Count and time the searches, and compare them with the paper."""
        rows, data = [], {}
        for variant in (LARGE, VARIANT):
            for depth, paper in PAPER_TABLE.items():
                for i, search in enumerate(SEARCHES):
                    what = f"{variant.partition(':')[0]}, depth {depth}, {search}"
                    name = f"nodes,{variant},depth={depth},{search}"
                    if name not in workspace.measurements:
                        if workspace.draw_only:
                            continue
                        workspace.measurements[name] = count_nodes(variant, depth, search)
                    data[what] = ours = workspace.measurements[name]
                    seconds, nodes = paper[2 * i : 2 * i + 2] or (0.0, 0)
                    rows.append(
                        Claim(
                            what,
                            f"{nodes:,} nodes, {seconds:g} s" if nodes else "",
                            f"{ours['leaves']:,} leaves of {ours['nodes']:,} nodes, "
                            f"{1000 * ours['seconds']:.3f} ms",
                            f"{seconds / ours['seconds']:,.0f} times as fast" if nodes else "",
                        )
                    )
        return ExperimentPage([ReportSection(self.title, _TEXT, rows)], data=data)


EXPERIMENTS = (
    PruningTable(name="table1", title="Table I: nodes and time with and without pruning"),
)
