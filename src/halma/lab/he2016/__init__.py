"""he2016, "Playing Chinese Checkers with Reinforcement Learning", run again as a whole.

The paper tunes the three weights of a linear judgement by self-play with minimax, counts
what alpha-beta saves, and lets its players meet a greedy player who looks two moves ahead.
Weights here are the paper's (w1, w2, w3), all positive where more is better for the owner:
a judgement is w1 (A2 - A1) + w2 (B2 - B1) + w3 (C1 - C2).
"""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any

from halma import __version__, _core
from halma.agents import agent, play_game
from halma.errors import HalmaError
from halma.games import Record, game
from halma.lab.notebook import Notebook
from halma.lab.report import Report
from halma.lab.request import Request
from halma.search.minimax import Minimax
from halma.statistics import Z, standard_error

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


@dataclass(frozen=True)
class Player:
    """One of the players who meet the benchmark."""

    #: "untuned", "tuned" (ours) or "paper" (the paper's), and how A and B are read
    weights: str
    depth: int
    #: the three-phase variant
    phases: bool

    def __str__(self) -> str:
        return f"{self.weights}, depth {self.depth}" + (", modified" if self.phases else "")


# Weights.


def core_weights(weights: Sequence[float]) -> tuple[float, ...]:
    """Turn the paper's weights into those of a player's own features."""
    return (-weights[0], -weights[1], weights[2])


def unit(weights: Sequence[float]) -> list[float]:
    """Scale weights to length 1, as the paper gives them; a judgement's scale is idle."""
    length = math.hypot(*weights) or 1.0
    return [weight / length for weight in weights]


def written(weights: Sequence[float]) -> str:
    """Write weights as the paper does."""
    return f"[{', '.join(f'{weight:.3f}' for weight in weights)}]"


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


def known_weights(tuned: Mapping[int, Sequence[float]], depth: int) -> dict[str, Sequence[float]]:
    """Return all weights that play at a depth.

    "means" reads A and B as means over the six pieces. The paper calls both a "squared
    sum", but its tuned weights fit ours only in this reading; see the report.
    """
    paper = PAPER_TUNED[depth]
    return {
        "untuned": EQUAL,
        "tuned": tuned[depth],
        "paper": paper,
        "untuned, means": as_means(EQUAL),
        "paper, means": as_means(paper),
    }


def as_means(weights: Sequence[float]) -> list[float]:
    """Turn weights of means over six pieces into those of sums, at length 1."""
    return unit((weights[0] / 6, weights[1] / 6, weights[2]))


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
) -> list[tuple[int, str]]:
    """Play games of these numbers, the first move changing hands.

    Return the winning steps of each, and the moves as text to tell games apart.
    """
    players = [agent(name), agent(opponent)]
    chosen = game(variant)
    played = []
    for number in numbers:
        side = number % 2
        record = Record(chosen)
        seats = players if side == 0 else players[::-1]
        for _ in play_game(record, seats, random.Random(f"{seed}/{number}").getrandbits(32)):
            pass
        played.append((winning_steps(record, side), " ".join(record.texts)))
    return played


def summary(steps: Sequence[int]) -> dict[str, float]:
    """Return wins, draws, losses and the mean of winning steps with its 95% interval."""
    number = len(steps)
    mean = sum(steps) / number
    return {
        "games": number,
        "wins": sum(s > 0 for s in steps),
        "draws": sum(s == 0 for s in steps),
        "losses": sum(s < 0 for s in steps),
        "mean": mean,
        "error": Z * standard_error(steps),
    }


# The whole.


def reproduce(request: Request) -> Report:
    """Run everything, write the report and its pictures into a folder, and return it."""
    from halma.lab.he2016.pages import build_report

    chosen = request.experiment or request.variants or request.adopt or request.only
    if chosen or request.draw_only:
        raise HalmaError("he2016 is run as a whole: it has no experiments to choose from.")
    folder, quick, seed, note = request.folder, request.quick, request.seed, request.note
    workers = request.workers or os.cpu_count()
    settings = Settings(**{**asdict(QUICK if quick else Settings()), "seed": seed})
    folder.mkdir(parents=True, exist_ok=True)
    notebook = Notebook(
        folder / "measured.json", {**asdict(settings), "variant": VARIANT, "version": __version__}
    )
    began = time.perf_counter()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            table = _measure_table(notebook, note)
            tunings = _measure_tunings(notebook, pool, settings, note)
            tuned = {depth: _middle(tunings[depth]) for depth in tunings}
            steps, distinct = _measure_games(notebook, pool, settings, tuned, note)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    note(f"Measured in {time.perf_counter() - began:.0f} s.")
    measured = Measured(settings, table, tunings, tuned, steps, distinct)
    command = "halma reproduce he2016" + (" --quick" if quick else "")
    report = build_report(folder, measured, command + (f" --seed {seed}" if seed else ""))
    report.write(folder)
    return report


@dataclass(frozen=True)
class Measured:
    """Everything the report is made of."""

    settings: Settings
    #: "table VARIANT DEPTH PRUNING" -> seconds, nodes, leaves
    table: Mapping[str, Mapping[str, float]]
    #: depth -> where it began -> what `tune` returns
    tunings: Mapping[int, Mapping[str, Any]]
    #: depth -> the middle between the two ends
    tuned: Mapping[int, Sequence[float]]
    steps: Mapping[Player, Sequence[int]]
    distinct: Mapping[Player, int]


def _middle(tunings: Mapping[str, Any]) -> list[float]:
    ends = [found["trace"][-1] for found in tunings.values()]
    return unit([sum(weights) for weights in zip(*ends, strict=True)])


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
            note(f"Tuned at depth {depth} from {label} weights: {written(found['trace'][-1])}.")
    return tunings


def _result(waiting: Future[Any] | None) -> Any:
    assert waiting is not None  # only what is not in the notebook is asked for
    return waiting.result()


def _measure_games(
    notebook: Notebook,
    pool: ProcessPoolExecutor,
    settings: Settings,
    tuned: Mapping[int, Sequence[float]],
    note: Note,
) -> tuple[dict[Player, list[int]], dict[Player, int]]:
    """Let every player meet the benchmark; return winning steps and numbers of distinct games."""
    steps, distinct = {}, {}
    for depth in PAPER_TUNED:
        for label, weights in known_weights(tuned, depth).items():
            for phases in (False, True):
                player = Player(label, depth, phases)
                name = player_name(weights, depth, phases)
                played = notebook.measure(f"games {name}", _play_on_all_cores, pool, name, settings)
                steps[player] = played["steps"]
                distinct[player] = played["distinct"]
                told = summary(steps[player])
                note(
                    f"{player}: {told['wins']} wins, {told['draws']} draws, "
                    f"{told['losses']} losses, {told['mean']:+.2f} steps, "
                    f"{distinct[player]} distinct games."
                )
    return steps, distinct


def _play_on_all_cores(
    pool: ProcessPoolExecutor, name: str, settings: Settings
) -> dict[str, list[int] | int]:
    """Play one player's games in blocks; the blocks do not change what comes of them."""
    blocks = [
        list(range(first, min(first + 10, settings.games)))
        for first in range(0, settings.games, 10)
    ]
    waiting = [
        pool.submit(play_games, VARIANT, name, BENCHMARK, block, settings.seed) for block in blocks
    ]
    played = [one for block in waiting for one in block.result()]
    return {
        "steps": [steps for steps, _ in played],
        "distinct": len({moves for _, moves in played}),
    }
