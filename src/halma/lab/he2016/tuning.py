"""Algorithm 1: weights tuned by self-play, as the text has it and as the program does it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from halma import _core
from halma.executors import ReportProgress
from halma.games import Record, game
from halma.lab.he2016.program import ProgramBoard, ProgramPlayer
from halma.lab.he2016.settings import (
    INITIAL,
    PAPER_TUNED,
    PROGRAM,
    READINGS,
    REJECTED,
    TEXT,
    settings,
    unit,
)
from halma.lab.jobs import Job
from halma.lab.workspace import Workspace
from halma.structure import fields, list_of, real

#: depth -> initial weights -> what `tune` returns
Tunings = Mapping[int, Mapping[str, Mapping[str, Any]]]
#: features of turns, and their minimax scores
Fit = tuple[list[list[float]], list[float]]

#: Scores beyond this are of decided games, which say nothing of weights.
_LARGEST_SCORE = 1000.0
#: The program's average: of all games from the sixth on, and of about the last 25 after the 30th.
_FIRST_AVERAGED, _LAST_AVERAGED = 6, 30


def step_size(iteration: int) -> float:
    """Return the decreasing step of Algorithm 1; the paper does not say how it decreases."""
    return 0.3 / (1 + iteration / 5)


def tune(
    reading: str,
    initial: Sequence[float],
    depth: int,
    games: int,
    extra: str,
    report: ReportProgress,
) -> dict[str, list[Any]]:
    """Tune weights by self-play.

    Return `trace`, the weights before and after each game at length 1, and `wanted`, the distance
    of each game's fit from the weights. `extra` names a rejected feature that is fitted as well.
    """
    import numpy as np

    play = _text_game if reading == TEXT.name else _program_game
    average = _step if reading == TEXT.name else _ProgramAverage()
    weights = [*initial, *([0.0] if extra else [])]
    trace, wanted = [unit(weights)], []
    for iteration in range(games):
        rows, scores = play(weights, depth, extra)
        fitted = np.linalg.lstsq(np.array(rows), np.array(scores), rcond=None)[0].tolist()
        wanted.append(math.dist(unit(fitted), unit(weights)))
        weights = average(iteration, weights, fitted)
        trace.append(unit(weights))
        report((iteration + 1) / games)
    return {"trace": trace, "wanted": wanted}


def _step(iteration: int, weights: Sequence[float], fitted: Sequence[float]) -> list[float]:
    """Go from the weights towards the fit, as the text says."""
    step = step_size(iteration)
    return [w + step * (new - w) for w, new in zip(weights, fitted, strict=True)]


class _ProgramAverage:
    """The program's rule: fits at length 1, taken as they are at first, then averaged."""

    def __init__(self) -> None:
        self._sum: list[float] = []

    def __call__(
        self, iteration: int, weights: Sequence[float], fitted: Sequence[float]
    ) -> list[float]:
        new, number = unit(fitted), iteration + 1
        if number < _FIRST_AVERAGED:
            return new
        if number <= _LAST_AVERAGED:
            self._sum = [a + b for a, b in zip(self._sum or [0.0] * len(new), new, strict=True)]
            return unit(self._sum)
        share = _LAST_AVERAGED - _FIRST_AVERAGED + 1
        return unit([share * w + n for w, n in zip(weights, new, strict=True)])


def _text_game(weights: Sequence[float], depth: int, extra: str) -> Fit:
    """Play one game to its end; return features (turns x 3) and scores, both for player 1.

    It ends when a position repeats, as deterministic players would repeat it forever.
    """
    core = game(TEXT.variant).core
    options = _core.MinimaxOptions()
    options.weights = list(TEXT.core_weights(weights))
    options.deepen = options.quiescence = False
    options.limits = "rules"
    search = _core.Minimax(core, options)
    record = _core.Record(core, _core.Limits(repetitions=2), core.initial())
    rows, scores = [], []
    while record.end == _core.End.NONE:
        state = record.state()
        found = search.search(record, depth=depth)
        if abs(found.value) < _core.MINIMAX_DECIDED:
            own, other = (_core.features(core, state, player) for player in (0, 1))
            rows.append([other[0] - own[0], other[1] - own[1], own[2] - other[2]])
            scores.append(found.value if core.mover(state) == 0 else -found.value)
        record.play(found.best)
    return rows, scores


def _program_game(weights: Sequence[float], depth: int, extra: str) -> Fit:
    """Play one game until the endgame; return features (turns x 3 or 4) and scores of the midgame.

    Features are the program's: each is what its weight is multiplied with.
    """
    chosen = game(PROGRAM.variant)
    board, record = ProgramBoard(chosen), Record(chosen)
    player = ProgramPlayer("tuning", PROGRAM.core_weights(weights, extra), depth)
    # A weight of 1 alone: the features of that weight in the units of the core.
    units = [
        PROGRAM.core_weights([float(i == k) for k in range(len(weights))], extra)
        for i in range(len(weights))
    ]
    rows, scores = [], []
    while not record.is_over:
        state = record.position.state
        stage = board.stage(state)
        if stage == "endgame":
            break
        if stage == "opening":
            record.play(player.open(record, depth // 2))
            continue
        found = player.search(record)
        if abs(found.value) <= _LARGEST_SCORE:
            own, other = (_core.features(board.core, state, who) for who in (0, 1))
            lead = [a - b for a, b in zip(own, other, strict=True)]
            rows.append([sum(u * x for u, x in zip(one, lead, strict=True)) for one in units])
            scores.append(found.value if record.position.mover == 0 else -found.value)
        record.play(found.best)
    return rows, scores


def tuning_jobs(workspace: Workspace, reading: str) -> dict[tuple[int, str], Job]:
    """Return the tunings of a reading: both depths and both initial weights."""
    games = settings(workspace).tuning[reading]
    jobs = {}
    for depth, (label, initial) in product(PAPER_TUNED, INITIAL.items()):
        name = f"tuning,{reading},depth={depth},initial={label},games={games}"
        arguments = (reading, initial, depth, games, "")
        jobs[depth, label] = Job(name, tune, arguments, cost=10.0**depth)
    return jobs


def find_tunings(workspace: Workspace, reading: str) -> Tunings | None:
    """Return what was tuned, once all four tunings of a reading are done."""
    jobs, read = tuning_jobs(workspace, reading), _reader(workspace, reading, 3)
    if not all(job.name in workspace.measurements for job in jobs.values()):
        return None
    return {d: {x: read(jobs[d, x].name) for x in INITIAL} for d in PAPER_TUNED}


def extra_job(workspace: Workspace, extra: str) -> Job:
    """Return the tuning of the program's three features and a rejected one, at depth 2."""
    games = settings(workspace).tuning[PROGRAM.name]
    name = f"tuning,{PROGRAM.name},depth=2,extra={extra},games={games}"
    return Job(name, tune, (PROGRAM.name, INITIAL["equal"], 2, games, extra), cost=100.0)


def find_extra(workspace: Workspace, extra: str) -> list[float] | None:
    """Return the four weights tuned with a rejected feature, if they were."""
    found = _reader(workspace, PROGRAM.name, 4)(extra_job(workspace, extra).name)
    return None if found is None else list(found["trace"][-1])


def _reader(workspace: Workspace, reading: str, number: int) -> Callable[[str], Any]:
    games, weights = settings(workspace).tuning[reading], list_of(real(-1e6, 1e6), number)
    check = fields({"trace": list_of(weights, games + 1), "wanted": list_of(real(0, 1e6), games)})
    return lambda name: workspace.measurements.read(name, check)


def all_jobs(workspace: Workspace) -> list[Job]:
    """Return all tunings, those with rejected features left out."""
    return [job for reading in READINGS for job in tuning_jobs(workspace, reading).values()]


def extra_jobs(workspace: Workspace) -> list[Job]:
    """Return the tunings with rejected features."""
    return [extra_job(workspace, extra) for extra in REJECTED]


def final_weights(tunings: Tunings) -> dict[int, dict[str, list[float]]]:
    """Return the final weights by depth and initial weights."""
    return {d: {x: found["trace"][-1] for x, found in both.items()} for d, both in tunings.items()}


def tuned_weights(tunings: Tunings) -> dict[int, list[float]]:
    """Return the mean of both final weights, by depth."""
    ends = final_weights(tunings)
    return {d: unit([sum(w) for w in zip(*both.values(), strict=True)]) for d, both in ends.items()}
