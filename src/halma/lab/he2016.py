"""he2016, "Playing Chinese Checkers with Reinforcement Learning", run again as a whole.

The paper tunes the three weights of a linear judgement by self-play with minimax, counts
what alpha-beta saves, and lets its players meet a greedy player who looks two moves ahead.
Weights here are the paper's (w1, w2, w3), all positive where more is better for the owner:
a judgement is w1 (A2 - A1) + w2 (B2 - B1) + w3 (C1 - C2).
"""

from __future__ import annotations

import math
import os
import platform
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from halma import __version__, _core
from halma.agents import agent, play_game
from halma.games import Record, game
from halma.lab import plots
from halma.lab.notebook import Notebook
from halma.lab.report import Figure, Report, Row, Section
from halma.search.minimax import Minimax

Note = Callable[[str], None]

#: The paper's board and rules. Two searching players may block each other for ever, so a
#: game is stopped undecided after 200 plies, five times an ordinary game.
VARIANT = "rhombus-6x6-6:rules=he2016,plies=200"
#: The board with 14 first moves, as in the paper's Table I.
LARGE = "star-121-2p:rules=he2016"
BENCHMARK = "lookahead:depth=2"
EQUAL = (0.577, 0.577, 0.577)
TILTED = (0.990, 0.099, 0.099)
PAPER_TUNED = {2: (0.911, 0.140, 0.388), 4: (0.902, 0.004, 0.431)}
#: depth -> seconds and nodes without pruning, seconds and nodes with it
PAPER_TABLE = {2: (4.07, 196, 0.85, 27), 3: (84.39, 4032, 7.31, 301), 4: (1763, 82944, 30.68, 848)}


@dataclass(frozen=True)
class Settings:
    """How much of everything."""

    #: self-play games of each tuning
    tuning: int = 60
    #: against the benchmark, for each player
    games: int = 200
    seed: int = 0


QUICK = Settings(tuning=4, games=6)


# Weights.


def core_weights(weights: Sequence[float]) -> tuple[float, ...]:
    """Turn the paper's weights into those of a player's own features."""
    return (-weights[0], -weights[1], weights[2])


def unit(weights: Sequence[float]) -> list[float]:
    """Scale weights to length 1, as the paper gives them; a judgement's scale is idle."""
    length = math.hypot(*weights) or 1.0
    return [weight / length for weight in weights]


def step_size(iteration: int) -> float:
    """Return Algorithm 1's decreasing step; the paper does not say how it decreases."""
    return 0.3 / (1 + iteration / 5)


def tune(
    variant: str, initial: Sequence[float], depth: int, games: int
) -> dict[str, list[list[float]] | list[float]]:
    """Tune weights by Algorithm 1; return them and how far each game wanted to move them.

    Each game is played by two minimax players with the same weights. It ends early when
    a position comes back, because two players without chance would repeat it for ever.
    Positions whose value is a forced win or loss say nothing about weights.
    """
    import numpy as np

    core = game(variant).core
    weights = list(initial)
    trace, wanted = [unit(weights)], []
    for iteration in range(games):
        rows, scores = _self_play(core, weights, depth)
        fitted = np.linalg.lstsq(np.array(rows), np.array(scores), rcond=None)[0].tolist()
        wanted.append(math.dist(unit(fitted), unit(weights)))
        step = step_size(iteration)
        weights = [w + step * (new - w) for w, new in zip(weights, fitted, strict=True)]
        trace.append(unit(weights))
    return {"trace": trace, "wanted": wanted}


def _self_play(
    core: _core.AnyGame, weights: Sequence[float], depth: int
) -> tuple[list[list[float]], list[float]]:
    """Play one game; return a row of features and a minimax score per turn, for player 1."""
    options = _core.MinimaxOptions()
    options.weights = list(core_weights(weights))
    options.deepen = options.quiescence = False
    search = _core.Minimax(core, options)
    state, seen = core.initial(), set()
    rows, scores = [], []
    while not core.terminal(state) and core.key(state) not in seen:
        seen.add(core.key(state))
        found = search.search(state, depth=depth)
        if abs(found.value) < _core.MINIMAX_DECIDED:
            own, other = (_core.features(core, state, player) for player in (0, 1))
            rows.append([other[0] - own[0], other[1] - own[1], own[2] - other[2]])
            scores.append(found.value if core.mover(state) == 0 else -found.value)
        state = core.play(state, found.best)
    return rows, scores


# Table I.


def count_nodes(variant: str, depth: int, pruning: bool) -> dict[str, float]:
    """Search the start position as the paper does; the time is the best of five."""
    chosen = game(variant)
    search = Minimax(
        chosen,
        weights=core_weights(PAPER_TUNED[2]),
        pruning="windows" if pruning else "none",
        ordering="score" if pruning else "listed",
        table_bits=0,
        deepen=False,
    )
    return _timed(search, depth)


def best_time(variant: str, depth: int) -> dict[str, float]:
    """Search the start position with everything this package has."""
    return _timed(Minimax(game(variant), weights=core_weights(PAPER_TUNED[2]), deepen=False), depth)


def _timed(search: Minimax, depth: int) -> dict[str, float]:
    start = search.game.start()
    seconds = math.inf
    for _ in range(5):
        began = time.perf_counter()
        found = search.search(start, depth=depth)
        seconds = min(seconds, time.perf_counter() - began)
    return {"seconds": seconds, "nodes": found.nodes, "leaves": found.leaves}


# Games against the benchmark.


def player_name(weights: Sequence[float], depth: int, phases: bool) -> str:
    """Return the agent that plays like this."""
    written = "/".join(f"{weight:.4g}" for weight in core_weights(weights))
    return f"minimax:depth={depth},weights={written}" + (",phases=on" if phases else "")


def winning_steps(record: Record, side: int) -> int:
    """Return how many moves the loser still needs, negative if `side` is the loser.

    It is the fewest moves found in which the loser could finish if the winner's pieces
    stood still. A game without a winner counts 0.
    """
    result = record.result
    if result[side] == result[1 - side]:
        return 0
    loser = 1 - side if result[side] > result[1 - side] else side
    needed = _core.moves_alone(record.game.core, record.position.state, loser)
    return needed if loser != side else -needed


def play_games(
    variant: str, name: str, opponent: str, numbers: Sequence[int], seed: int
) -> list[int]:
    """Play games of these numbers, the first move changing hands, and return winning steps."""
    players = [agent(name), agent(opponent)]
    chosen = game(variant)
    steps = []
    for number in numbers:
        side = number % 2
        record = Record(chosen)
        seats = players if side == 0 else players[::-1]
        for _ in play_game(record, seats, random.Random(f"{seed}/{number}").getrandbits(32)):
            pass
        steps.append(winning_steps(record, side))
    return steps


def summary(steps: Sequence[int]) -> dict[str, float]:
    """Return wins, draws, losses and the mean of winning steps with its 95% interval."""
    number = len(steps)
    mean = sum(steps) / number
    spread = math.sqrt(sum((s - mean) ** 2 for s in steps) / max(number - 1, 1))
    return {
        "games": number,
        "wins": sum(s > 0 for s in steps),
        "draws": sum(s == 0 for s in steps),
        "losses": sum(s < 0 for s in steps),
        "mean": mean,
        "error": 1.96 * spread / math.sqrt(number),
    }


# The whole.


def reproduce(folder: Path, *, quick: bool, seed: int, note: Note) -> Report:
    """Run everything, write the report and its pictures into a folder, and return it."""
    settings = Settings(**{**asdict(QUICK if quick else Settings()), "seed": seed})
    folder.mkdir(parents=True, exist_ok=True)
    notebook = Notebook(
        folder / "measured.json", {**asdict(settings), "variant": VARIANT, "version": __version__}
    )
    began = time.perf_counter()
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        try:
            table = _measure_table(notebook, note)
            tunings = _measure_tunings(notebook, pool, settings, note)
            tuned = {
                depth: unit(
                    [
                        sum(pair)
                        for pair in zip(
                            *(tunings[depth][i]["trace"][-1] for i in tunings[depth]), strict=True
                        )
                    ]
                )
                for depth in tunings
            }
            steps = _measure_games(notebook, pool, settings, tuned, note)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    note(f"Measured in {time.perf_counter() - began:.0f} s.")
    report = _report(folder, settings, quick, table, tunings, tuned, steps)
    report.write(folder)
    return report


def _measure_table(notebook: Notebook, note: Note) -> dict[str, dict[str, float]]:
    table = {}
    for variant in (LARGE, VARIANT):
        for depth in PAPER_TABLE:
            for pruning in (False, True):
                name = f"table {variant} {depth} {pruning}"
                table[name] = notebook.measure(name, count_nodes, variant, depth, pruning)
            name = f"table {variant} {depth} best"
            table[name] = notebook.measure(name, best_time, variant, depth)
    note("Table I is counted.")
    return table


def _measure_tunings(
    notebook: Notebook, pool: ProcessPoolExecutor, settings: Settings, note: Note
) -> dict[int, dict[str, Any]]:
    """Tune at both depths from both beginnings, all four at the same time."""
    waiting: dict[str, Future[Any]] = {}
    for depth in PAPER_TUNED:
        for label, initial in (("equal", EQUAL), ("tilted", TILTED)):
            name = f"tuning {depth} {label}"
            if name not in notebook:
                waiting[name] = pool.submit(tune, VARIANT, initial, depth, settings.tuning)
    tunings: dict[int, dict[str, Any]] = {}
    for depth in PAPER_TUNED:
        tunings[depth] = {}
        for label in ("equal", "tilted"):
            name = f"tuning {depth} {label}"
            found = notebook.measure(name, _result, waiting.get(name))
            tunings[depth][label] = found
            note(f"Tuned at depth {depth} from {label} weights: {_written(found['trace'][-1])}.")
    return tunings


def _result(waiting: Future[Any] | None) -> Any:
    assert waiting is not None  # only what is not in the notebook is asked for
    return waiting.result()


def _measure_games(
    notebook: Notebook,
    pool: ProcessPoolExecutor,
    settings: Settings,
    tuned: dict[int, list[float]],
    note: Note,
) -> dict[tuple[str, int, bool], list[int]]:
    """Let every player meet the benchmark; the games of one player share the cores."""
    steps = {}
    for depth in PAPER_TUNED:
        for label, weights in (
            ("untuned", EQUAL),
            ("tuned", tuned[depth]),
            ("paper", PAPER_TUNED[depth]),
        ):
            for phases in (False, True):
                name = player_name(weights, depth, phases)

                steps[label, depth, phases] = notebook.measure(
                    f"games {name}", _play_on_all_cores, pool, name, settings
                )
                told = summary(steps[label, depth, phases])
                note(
                    f"{name}: {told['wins']} wins, {told['draws']} draws, "
                    f"{told['losses']} losses, {told['mean']:+.2f} steps."
                )
    return steps


def _play_on_all_cores(pool: ProcessPoolExecutor, name: str, settings: Settings) -> list[int]:
    """Play one player's games in blocks; the blocks do not change what comes of them."""
    blocks = [
        list(range(first, min(first + 10, settings.games)))
        for first in range(0, settings.games, 10)
    ]
    waiting = [
        pool.submit(play_games, VARIANT, name, BENCHMARK, block, settings.seed) for block in blocks
    ]
    return [steps for block in waiting for steps in block.result()]


# The report.


def _report(
    folder: Path,
    settings: Settings,
    quick: bool,
    table: dict[str, dict[str, float]],
    tunings: dict[int, dict[str, Any]],
    tuned: dict[int, list[float]],
    steps: dict[tuple[str, int, bool], list[int]],
) -> Report:
    command = "halma reproduce he2016" + (" --quick" if quick else "")
    if settings.seed:
        command += f" --seed {settings.seed}"
    return Report(
        title="he2016: Playing Chinese Checkers with Reinforcement Learning",
        command=command,
        about={
            "halma": __version__,
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "board": VARIANT,
            "games per player": settings.games,
            "self-play games per tuning": settings.tuning,
            "seed": settings.seed,
        },
        sections=[
            _section_features(),
            _section_tuning(folder, tunings, tuned),
            _section_table(table),
            *_sections_games(folder, steps),
        ],
        data={
            "tuned": {str(depth): weights for depth, weights in tuned.items()},
            "tunings": {
                str(depth): {label: found["trace"][-1] for label, found in both.items()}
                for depth, both in tunings.items()
            },
            "table": table,
            "games": [
                {"weights": label, "depth": depth, "phases": phases, **summary(found)}
                for (label, depth, phases), found in steps.items()
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
    folder: Path, tunings: dict[int, dict[str, Any]], tuned: dict[int, list[float]]
) -> Section:
    plots.draw_lines(
        folder / "fig3.png",
        {
            f"depth {depth}": {f"from {label} weights": both[label]["wanted"] for label in both}
            for depth, both in tunings.items()
        },
        "game",
        "how far a game moves the weights",
        log=True,
    )
    plots.draw_lines(
        folder / "weights.png",
        {
            f"depth {depth}, from {label} weights": {
                f"w{i + 1}": [weights[i] for weights in found["trace"]] for i in range(3)
            }
            for depth, both in tunings.items()
            for label, found in both.items()
        },
        "game",
        "weight",
    )
    rows = []
    for depth, both in tunings.items():
        ends = [found["trace"][-1] for found in both.values()]
        for label, end in zip(both, ends, strict=True):
            initial = EQUAL if label == "equal" else TILTED
            rows.append(
                Row(
                    f"depth {depth}, from {_written(initial)}",
                    _written(PAPER_TUNED[depth]),
                    _written(end),
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
        w1, w2, w3 = PAPER_TUNED[depth]
        rows.append(
            Row(
                f"depth {depth}, the paper's if A and B are means over six pieces",
                _written(unit((w1 / 6, w2 / 6, w3))),
                _written(tuned[depth]),
                "a guess at the paper's units that would explain the weight of C",
            )
        )
    return Section(
        "Weight tuning (Algorithm 1, figure 3)",
        "Both players search to the given depth with the same weights; the features of every "
        "turn are fitted to its minimax score by least squares, and the weights move towards the "
        "fit by a decreasing step, 0.3 / (1 + game / 5). The paper's step is not given. Weights "
        "are shown at length 1.\n\n"
        "Our fits give C, what can be gained by the next move, more weight than the paper's. "
        "This follows from the fit: one row of advance is worth several units of A, and a "
        "search that looks one own move ahead turns C into A.",
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


def _section_table(table: dict[str, dict[str, float]]) -> Section:
    rows = []
    for variant in (LARGE, VARIANT):
        for depth, (slow, all_nodes, quick, few_nodes) in PAPER_TABLE.items():
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


def _sections_games(folder: Path, steps: dict[tuple[str, int, bool], list[int]]) -> list[Section]:
    tested = "200 games" if all(len(s) == 200 for s in steps.values()) else "few games"
    _draw_games(
        folder / "fig4.png",
        steps,
        {
            f"depth {d}": [("untuned", d, False), ("tuned", d, False), ("paper", d, False)]
            for d in PAPER_TUNED
        },
    )
    _draw_games(
        folder / "fig5.png",
        steps,
        {
            f"{label} weights": [(label, 2, False), (label, 4, False)]
            for label in ("tuned", "paper")
        },
    )
    _draw_games(
        folder / "fig6.png",
        steps,
        {
            f"depth {d}, {label} weights": [(label, d, False), (label, d, True)]
            for label in ("tuned", "paper")
            for d in PAPER_TUNED
        },
    )
    method = (
        f"{tested} each against {BENCHMARK}, the first move changing hands. Winning steps are the "
        "moves the loser still needs: the fewest found in which it could finish if the winner's "
        "pieces stood still, negative where the benchmark wins. Games that block are stopped after "
        "200 plies and count 0. 'tuned' are our weights, 'paper' the paper's."
    )
    return [
        Section(
            "Figure 4: effects of weights",
            method,
            _compare(
                steps,
                [
                    (("untuned", d, False), (label, d, False))
                    for d in PAPER_TUNED
                    for label in ("tuned", "paper")
                ],
                '"tuned performs significantly better than untuned"',
                more=True,
            ),
            [Figure("fig4.png", "Winning steps with untuned and tuned weights")],
        ),
        Section(
            "Figure 5: effects of search depth",
            "The paper gives a histogram and no numbers.",
            _compare(
                steps,
                [((label, 2, False), (label, 4, False)) for label in ("untuned", "tuned", "paper")],
                '"depth 4 outperforms depth 2"',
                more=True,
            ),
            [Figure("fig5.png", "Winning steps at depth 2 and 4")],
        ),
        Section(
            "Figure 6: effects of the modified strategy",
            "The modified player searches only while the armies are in contact; before, it takes "
            "the best next position, and afterwards the best advance in two moves.",
            [
                *_compare(
                    steps,
                    [((label, 2, False), (label, 2, True)) for label in ("tuned", "paper")],
                    '"improves the performance tremendously for depth 2"',
                    more=True,
                ),
                *_compare(
                    steps,
                    [((label, 4, False), (label, 4, True)) for label in ("tuned", "paper")],
                    '"no significant improvement for depth 4"',
                    more=False,
                ),
            ],
            [Figure("fig6.png", "Winning steps of the basic and the modified strategy")],
        ),
    ]


def _draw_games(
    path: Path,
    steps: dict[tuple[str, int, bool], list[int]],
    panels: dict[str, list[tuple[str, int, bool]]],
) -> None:
    plots.draw_histograms(
        path,
        {title: {_called(key, keys): steps[key] for key in keys} for title, keys in panels.items()},
        "winning steps",
        "games",
    )


def _called(key: tuple[str, int, bool], among: list[tuple[str, int, bool]]) -> str:
    """Name a player by what sets it apart from the others in a panel."""
    label, depth, phases = key
    parts = []
    if len({k[0] for k in among}) > 1:
        parts.append(label)
    if len({k[1] for k in among}) > 1:
        parts.append(f"depth {depth}")
    if len({k[2] for k in among}) > 1:
        parts.append("modified" if phases else "basic")
    return ", ".join(parts)


def _compare(
    steps: dict[tuple[str, int, bool], list[int]],
    pairs: list[tuple[tuple[str, int, bool], tuple[str, int, bool]]],
    claim: str,
    *,
    more: bool,
) -> list[Row]:
    """Return a row per pair; `more` tells whether the paper finds the second one better."""
    rows = []
    for before, after in pairs:
        first, second = summary(steps[before]), summary(steps[after])
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
                f"{_player(before)} -> {_player(after)}",
                claim,
                f"{_told(first)} -> {_told(second)}; gain {gain:+.2f} ± {error:.2f}",
                verdict,
            )
        )
    return rows


def _player(key: tuple[str, int, bool]) -> str:
    label, depth, phases = key
    return f"{label}, depth {depth}" + (", modified" if phases else "")


def _told(found: dict[str, float]) -> str:
    return (
        f"{found['mean']:+.2f} ± {found['error']:.2f} "
        f"({found['wins']:g}-{found['draws']:g}-{found['losses']:g})"
    )


def _written(weights: Sequence[float]) -> str:
    return f"[{', '.join(f'{weight:.3f}' for weight in weights)}]"
