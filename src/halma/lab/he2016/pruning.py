"""Table I: nodes and time with and without pruning."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from itertools import product
from typing import Any

from halma.games import game
from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.he2016.settings import LARGE, PAPER_TUNED, VARIANT, core_weights
from halma.lab.report import Claim, ReportSection
from halma.lab.workspace import Workspace
from halma.search.minimax import Minimax
from halma.structure import fields, real, whole

#: What `count_nodes` returns.
_COUNTED = fields({"seconds": real(1e-12, 1e12), "nodes": whole(), "leaves": whole()})

#: depth -> seconds and nodes without pruning and with it; the paper has no third search
PAPER_TABLE = {
    2: ((4.07, 196), (0.85, 27), (0, 0)),
    3: ((84.39, 4032), (7.31, 301), (0, 0)),
    4: ((1763, 82944), (30.68, 848), (0, 0)),
}
#: The paper's two searches, and all that ours can do: transposition table, cheaper ordering.
SEARCHES: Mapping[str, Mapping[str, Any]] = {
    "all": {"pruning": "none", "ordering": "listed", "table_bits": 0},
    "pruned": {"pruning": "windows", "ordering": "score", "table_bits": 0},
    "with table and cheaper ordering": {},
}

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
    engine = Minimax(chosen, weights=weights, deepen=False, **SEARCHES[search])
    seconds = math.inf
    for _ in range(5):
        began = time.perf_counter()
        found = engine.search(chosen.start(), depth=depth)
        seconds = min(seconds, time.perf_counter() - began)
    return {"seconds": seconds, "nodes": found.nodes, "leaves": found.leaves}


class PruningTable(Experiment):
    """Table I. It has no jobs: `page` measures times, when no other job disturbs them."""

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Count and time the searches, and compare them with the paper."""
        rows, data = [], {}
        for variant, depth in product((LARGE, VARIANT), PAPER_TABLE):
            for search, (seconds, nodes) in zip(SEARCHES, PAPER_TABLE[depth], strict=True):
                what = f"{variant.partition(':')[0]}, depth {depth}, {search}"
                name = f"nodes,{variant},depth={depth},{search}"
                measured = workspace.measurements
                if name not in measured:
                    if workspace.draw_only:
                        continue
                    measured[name] = count_nodes(variant, depth, search)
                data[what] = ours = measured.read(name, _COUNTED)
                counts = f"{ours['leaves']:,} leaves of {ours['nodes']:,} nodes"
                row = Claim(what, "", f"{counts}, {1000 * ours['seconds']:.3f} ms")
                if nodes:
                    faster = f"{seconds / ours['seconds']:,.0f} times as fast"
                    row = row._replace(paper=f"{nodes:,} nodes, {seconds:g} s", remark=faster)
                rows.append(row)
        return ExperimentPage([ReportSection(self.title, _TEXT, rows)], data=data)


EXPERIMENTS = (
    PruningTable(
        name="table1", title="Table I: nodes and time with and without pruning", libraries=()
    ),
)
