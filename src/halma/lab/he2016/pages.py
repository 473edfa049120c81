"""The report on he2016: the paper's figures and ours side by side."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halma import __version__
from halma.lab import he2016, plots
from halma.lab.he2016 import Measured, Player
from halma.lab.report import Figure, Report, Row, Section

Steps = Mapping[Player, Sequence[int]]


def build_report(folder: Path, measured: Measured, command: str) -> Report:
    """Draw the pictures into a folder and return the report."""
    settings = measured.settings
    return Report(
        title="he2016: Playing Chinese Checkers with Reinforcement Learning",
        command=command,
        about={
            "halma": __version__,
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "board": he2016.VARIANT,
            "games per player": settings.games,
            "distinct games per player": f"{min(measured.distinct.values())} or more",
            "self-play games per tuning": settings.tuning,
            "seed": settings.seed,
        },
        sections=[
            _section_features(),
            _section_tuning(folder, measured.tunings, measured.tuned),
            _section_table(measured.table),
            *_sections_games(folder, measured.steps),
        ],
        data={
            "tuned": {str(depth): weights for depth, weights in measured.tuned.items()},
            "tunings": {
                str(depth): {label: found["trace"][-1] for label, found in both.items()}
                for depth, both in measured.tunings.items()
            },
            "table": dict(measured.table),
            "games": [
                {**vars(player), **he2016.summary(found), "distinct": measured.distinct[player]}
                for player, found in measured.steps.items()
            ],
        },
    )


def _section_features() -> Section:
    return Section(
        "Features",
        "A is the sum of the squared distances of a player's pieces to the far corner of the "
        "target, counted in steps; B the sum of the squared distances to the line from corner to "
        "corner, counted in holes; C the sum of the rows each piece could advance in one move. "
        "The paper does not state its units, and weights depend on them.",
    )


def _section_tuning(
    folder: Path, tunings: Mapping[int, Mapping[str, Any]], tuned: Mapping[int, Sequence[float]]
) -> Section:
    plots.draw_lines(
        folder / "fig3.png",
        [
            (
                f"depth {depth}",
                {f"from {label} weights": found["wanted"] for label, found in both.items()},
            )
            for depth, both in tunings.items()
        ],
        "game",
        "distance of the fit from the weights",
        log=True,
    )
    plots.draw_lines(
        folder / "weights.png",
        [
            (
                f"depth {depth}, from {label} weights",
                {f"w{i + 1}": [weights[i] for weights in found["trace"]] for i in range(3)},
            )
            for depth, both in tunings.items()
            for label, found in both.items()
        ],
        "game",
        "weight",
    )
    rows = []
    for depth, both in tunings.items():
        ends = [found["trace"][-1] for found in both.values()]
        for label, end in zip(both, ends, strict=True):
            initial = he2016.EQUAL if label == "equal" else he2016.TILTED
            rows.append(
                Row(
                    f"depth {depth}, from {he2016.written(initial)}",
                    he2016.written(he2016.PAPER_TUNED[depth]),
                    he2016.written(end),
                )
            )
        rows.append(
            Row(
                f"depth {depth}, distance between the two",
                '"very close"',
                f"{math.dist(*ends):.3f}",
                _verdict_distance(math.dist(*ends)),
            )
        )
        # The same judgement, if the paper's A and B were means over the six pieces.
        w1, w2, w3 = he2016.PAPER_TUNED[depth]
        rows.append(
            Row(
                f"depth {depth}, the paper's if A and B are means over six pieces",
                he2016.written(he2016.as_means((w1, w2, w3))),
                he2016.written(tuned[depth]),
                "a guess at the paper's units that would explain the weight of C",
            )
        )
    return Section(
        "Weight tuning (Algorithm 1, figure 3)",
        "Both players search to the given depth with the same weights; the features of every "
        "turn are fitted to its minimax score by least squares, and the weights move towards the "
        "fit by a decreasing step, 0.3 / (1 + game / 5). The paper's step is not given. Weights "
        "are shown at length 1.\n\n"
        "The two beginnings end at the same weights. The fit itself never comes to rest: players "
        "without chance repeat a few games in turn, and each game wants slightly other weights, "
        "which the decreasing step evens out. The paper saw the same: \"the algorithm didn't "
        'necessarily converge".\n\n'
        "Our fits give C, what the next move can gain, more weight than the paper's. This "
        "follows from the fit: one row of advance is worth several units of A, and a search "
        "turns what C promises into A. In units six times as large for A and B, as if they were "
        "means over the pieces, the paper's weights of A and C are near ours. The text alone does "
        "not settle it, so the games below are played in both readings.",
        rows,
        [
            Figure("fig3.png", "Distance between fitted and current weights, game by game"),
            Figure("weights.png", "The weights themselves"),
        ],
    )


def _verdict_distance(distance: float) -> str:
    if distance < 0.1:
        return "close: the start does not matter"
    return "similar, not close" if distance < 0.3 else "apart: the start matters"


def _section_table(table: Mapping[str, Mapping[str, float]]) -> Section:
    rows = []
    for variant in (he2016.LARGE, he2016.VARIANT):
        for depth, (slow, all_nodes, quick, few_nodes) in he2016.PAPER_TABLE.items():
            for pruning, seconds, nodes in ((False, slow, all_nodes), (True, quick, few_nodes)):
                ours = table[f"table {variant} {depth} {pruning}"]
                rows.append(
                    Row(
                        f"{variant.partition(':')[0]}, depth {depth}, "
                        + ("pruned" if pruning else "all"),
                        f"{nodes:,} nodes, {seconds:g} s",
                        f"{ours['leaves']:,} leaves of {ours['nodes']:,} nodes, "
                        f"{1000 * ours['seconds']:.3f} ms",
                        f"{seconds / ours['seconds']:,.0f} times as fast",
                    )
                )
            best = table[f"table {variant} {depth} best"]
            rows.append(
                Row(
                    f"{variant.partition(':')[0]}, depth {depth}, with table and cheaper ordering",
                    "",
                    f"{best['leaves']:,} leaves of {best['nodes']:,} nodes, "
                    f"{1000 * best['seconds']:.3f} ms",
                )
            )
    return Section(
        "Table I: nodes and time with and without pruning",
        "The paper shows a board with six pieces a side, which has 10 first moves, but its counts "
        "begin with 14 moves, as on boards with ten pieces: 196 = 14 x 14. They are counts of "
        "leaves: 4032 = 14 x 288 and 82,944 = 288 x 288, 288 being the ways to move twice on its "
        "board (340 on ours), and 27 = 14 + 14 - 1 and 301 = 288 + 14 - 1 are the fewest leaves "
        "alpha-beta can do with. Both boards are given. Moves are ordered as in the paper, by "
        "the judgement of the resulting board.",
        rows,
    )


def _sections_games(folder: Path, steps: Steps) -> list[Section]:
    depths = list(he2016.PAPER_TUNED)
    ours_and_paper = ("tuned", "paper", "paper, means")
    untuned = {"tuned": "untuned", "paper": "untuned", "paper, means": "untuned, means"}
    tuning = [
        (Player(untuned[label], d, False), Player(label, d, False))
        for label in ours_and_paper
        for d in depths
    ]
    deepening = [(Player(label, 2, False), Player(label, 4, False)) for label in ours_and_paper]
    modifying = {
        d: [(Player(label, d, False), Player(label, d, True)) for label in ours_and_paper]
        for d in depths
    }
    all_modified = [
        pair for label in range(3) for pair in (modifying[2][label], modifying[4][label])
    ]
    _draw_games(folder / "fig4.png", steps, tuning)
    _draw_games(folder / "fig5.png", steps, deepening)
    _draw_games(folder / "fig6.png", steps, all_modified)
    number = max(len(found) for found in steps.values())
    return [
        Section(
            "Figure 4: effects of weights",
            f"{number} games each against {he2016.BENCHMARK}, the first move changing hands. "
            "Winning steps are the moves the loser still needs: the fewest found in which it could "
            "finish if the winner's pieces stood still, negative where the benchmark wins. Games "
            "that block are stopped after 200 plies and count 0. In brackets: wins, draws and "
            "losses. 'tuned' are our weights, 'paper' the paper's; 'means' reads A and B as means "
            "over six pieces. The paper has histograms and no numbers.",
            _compare(steps, tuning, '"tuned performs significantly better than untuned"', True),
            [Figure("fig4.png", "Winning steps with untuned and tuned weights")],
        ),
        Section(
            "Figure 5: effects of search depth",
            "The same players, depth 2 beside depth 4.",
            _compare(steps, deepening, '"depth 4 outperforms depth 2"', True),
            [Figure("fig5.png", "Winning steps at depth 2 and 4")],
        ),
        Section(
            "Figure 6: effects of the modified strategy",
            "The modified player searches only while the armies are in contact; before, it takes "
            "the best next position, and afterwards the best advance in two moves.",
            [
                *_compare(
                    steps,
                    modifying[2],
                    '"improves the performance tremendously for depth 2"',
                    True,
                ),
                *_compare(steps, modifying[4], '"no significant improvement for depth 4"', False),
            ],
            [Figure("fig6.png", "Winning steps of the basic and the modified strategy")],
        ),
    ]


def _draw_games(path: Path, steps: Steps, pairs: Sequence[tuple[Player, Player]]) -> None:
    """Draw a panel per pair, named by what the two share."""
    panels = []
    for pair in pairs:
        shared, names = [], ["", ""]
        for part in ("weights", "depth", "phases"):
            told = [_part(player, part) for player in pair]
            if told[0] == told[1]:
                shared.append(told[0])
            else:
                names = told
        series = {name: steps[player] for name, player in zip(names, pair, strict=True)}
        panels.append((", ".join(shared), series))
    plots.draw_histograms(path, panels, "winning steps", "games")


def _part(player: Player, part: str) -> str:
    if part == "weights":
        return player.weights
    if part == "depth":
        return f"depth {player.depth}"
    return "modified" if player.phases else "basic"


def _compare(
    steps: Steps,
    pairs: Sequence[tuple[Player, Player]],
    claim: str,
    more: bool,
) -> list[Row]:
    """Return a row per pair; `more` tells whether the paper finds the second one better."""
    rows = []
    for before, after in pairs:
        first, second = he2016.summary(steps[before]), he2016.summary(steps[after])
        gain = second["mean"] - first["mean"]
        error = math.hypot(first["error"], second["error"])
        if gain > error:
            verdict = "better, " + ("as in the paper" if more else "unlike the paper")
        elif gain < -error:
            verdict = "worse, unlike the paper"
        else:
            verdict = "no clear difference, " + ("unlike the paper" if more else "as in the paper")
        rows.append(
            Row(
                f"{before} -> {after}",
                claim,
                f"{_told(first)} -> {_told(second)}; gain {gain:+.2f} ± {error:.2f}",
                verdict,
            )
        )
    return rows


def _told(found: dict[str, float]) -> str:
    return (
        f"{found['mean']:+.2f} ± {found['error']:.2f} "
        f"({found['wins']:g}-{found['draws']:g}-{found['losses']:g})"
    )
