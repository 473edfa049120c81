"""Searches as a worker process runs them: a move, a slice of an analysis, a policy.

Every task has a limit in seconds, at which a search stops with what it has found.
"""

from __future__ import annotations

import random
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from halma import _core
from halma.agents import Agent
from halma.agents.mcts import TreeAgent
from halma.agents.minimax import MinimaxAgent
from halma.agents.play import mover_rng
from halma.engine.players import AgentCache, SearchLimits, analyst, decide, limited
from halma.errors import ChanceError, GameOverError, UnknownAgentError
from halma.executors import ReportProgress
from halma.games import Position, Record
from halma.search.analysis import Analysis, by_side
from halma.search.minimax import side_shares
from halma.search.options import RULES
from halma.search.outcomes import ChanceAnalysis, analyse_outcomes

#: Agents that a worker keeps, and analyses whose tree it keeps.
_MOST_AGENTS, _MOST_TREES = 6, 3
#: Outcomes of chance that are analysed one by one.
MOST_OUTCOMES = 24
#: Bytes at which a tree is not grown further.
_LARGEST_TREE = 128 << 20
#: Share of a task's time that a search gets.
_SEARCH_SHARE = 0.7


@dataclass(frozen=True)
class SearchTask:
    """A search of a position: the move to play, or what there is to say of all moves."""

    kind: Literal["choose", "analyse", "policy"]
    record: Record
    #: a name that the registry finds
    agent: str
    #: at which the search stops
    seconds: float
    seed: int = 0
    #: of an analysis in slices: slices of one key go on with one tree
    key: str = ""
    candidates: int = 10


#: of this process
_agents = AgentCache(_MOST_AGENTS)
_trees: OrderedDict[str, tuple[TreeAgent, Record]] = OrderedDict()


def run_task(task: SearchTask | None, report: ReportProgress) -> dict[str, Any]:
    """Run a task; called in a worker process. None is run first, to import what searches need."""
    if task is None:
        import numpy  # noqa: F401
        import onnxruntime  # noqa: F401

        return {}
    if task.record.is_over:
        raise GameOverError(f"The game is over {task.record.end}.")
    # What an agent loads or makes first does not count.
    player = _agents.player(task.agent, task.record, SearchLimits())
    with _stopped_after(task.seconds):
        return _RUN[task.kind](task, player)


def _choose(task: SearchTask, player: Agent) -> dict[str, Any]:
    record = task.record
    move, found = decide(player, record, mover_rng(record, task.seed))
    return {
        "move": move.text,
        "agent": player.name,
        "value": None if found is None else found.value,
    }


def _policy(task: SearchTask, player: Agent) -> dict[str, Any]:
    """Return the probabilities of moves before any search, or else after it."""
    if task.record.position.is_chance:
        raise ChanceError("An outcome of chance is next, not a move.")
    found = analyst(player).analyse(task.record, _rng(task))
    shares = {
        report.move.text: report.policy or 0.0 if report.prior is None else report.prior
        for report in found.moves
    }
    if not any(shares.values()):
        raise UnknownAgentError(f"'{player.name}' gives no probabilities to moves.")
    position = found.position
    moves = sorted(found.moves, key=lambda report: -shares[report.move.text])
    return {
        "agent": player.name,
        "value": found.value,
        "values": player_values(found),
        "heat": list(position.heat(shares)),
        "moves": [
            {
                "move": report.move.text,
                "share": shares[report.move.text],
                "cells": list(position.path(report.move)),
            }
            for report in moves[: task.candidates]
        ],
    }


def _analyse(task: SearchTask, base: Agent) -> dict[str, Any]:
    if task.record.position.is_chance:
        told = _analyse_chance(task, base)
        return {**told, "agent": base.name, "next": "again" if told["outcomes"] else "end"}
    if task.key and _keeps_tree(base):
        tree, record = _kept(task, base)
        found = tree.analyse(record, _rng(task))
        ended = found.proven or tree.tree_bytes > _LARGEST_TREE
        following = "end" if ended else "on"
    else:
        player = _timed(base, task.seconds)
        found = analyst(player).analyse(task.record, _rng(task))
        again = player is not base and not found.proven and task.record.position.legal_moves[1:]
        following = "again" if again else "end"
    return {**_told(found, task.candidates), "agent": base.name, "next": following}


_RUN = {"choose": _choose, "analyse": _analyse, "policy": _policy}


def _told(found: Analysis, candidates: int) -> dict[str, Any]:
    """Return an analysis as plain values, with the cells of its moves."""
    answer, position = found.as_dict(), found.position
    shares = {report.move.text: report.policy or 0.0 for report in found.moves}
    answer["moves"] = [
        {**report.as_dict(), "cells": list(position.path(report.move))}
        for report in found.moves[:candidates]
    ]
    answer["heat"] = list(position.heat(shares)) if any(shares.values()) else []
    answer["values"] = player_values(found)
    return answer


def _analyse_chance(task: SearchTask, base: Agent) -> dict[str, Any]:
    position = task.record.position
    outcomes = position.outcomes
    if len(outcomes) > MOST_OUTCOMES:
        return _unanalysed(position)
    player = analyst(_timed(base, task.seconds / len(outcomes)))

    def look(at: Position) -> Analysis:
        if at.is_chance:
            raise ChanceError("Several outcomes of chance are next: choose the first one.")
        return player.analyse(Record(at.game, at), _rng(task))

    found = analyse_outcomes(position, look)
    told = {**found.as_dict(task.candidates), "values": _mean_values(found), "moves": []}
    return {**told, "outcome_count": len(outcomes)}


def _unanalysed(position: Position) -> dict[str, Any]:
    """Return what there is to say before more outcomes than are analysed one by one."""
    return {
        "position": position.text,
        "mover": position.mover,
        "value": None,
        "values": None,
        "proven": False,
        "outcomes": [],
        "outcome_count": len(position.outcomes),
        "moves": [],
    }


def _mean_values(found: ChanceAnalysis) -> list[float] | None:
    """Return each player's chance of winning before an outcome of chance."""
    means = [0.0] * found.position.game.players
    for report in found.outcomes:
        values = report.scores if report.analysis is None else player_values(report.analysis)
        if values is None:
            return None
        for player, value in enumerate(values):
            means[player] += report.outcome.probability * value
    return means


def _keeps_tree(player: Agent) -> bool:
    """Whether an analysis can go on where it stopped."""
    if not isinstance(player, TreeAgent):
        return False
    settings = player.growing().search_settings
    rule = RULES[settings.get("rule", _core.SearchOptions().rule)]
    return rule.reuses_tree and not rule.needs_budget


def _kept(task: SearchTask, base: Agent) -> tuple[TreeAgent, Record]:
    """Return the agent of an analysis with its tree, and the record that the tree is of."""
    assert isinstance(base, TreeAgent)
    found = _trees.pop(task.key, None)
    if found is None:
        found = base.growing(), task.record
    player, record = found
    player.seconds = task.seconds
    _trees[task.key] = player, record
    while len(_trees) > _MOST_TREES:
        _trees.popitem(last=False)
    return player, record


def _timed(player: Agent, seconds: float) -> Agent:
    """Return an agent that searches for a time; one whose search time does not limit, itself."""
    # Some of the time is for what an analysis asks after its search.
    part = SearchLimits(time=_SEARCH_SHARE * seconds)
    if isinstance(player, MinimaxAgent) or _keeps_tree(player):
        return limited(player, part)
    return player


def player_values(found: Analysis) -> list[float] | None:
    """Return each player's chance of winning.

    Where there are more than two sides and the search values one of them, the others divide the
    rest in proportion to what the game's linear evaluation gives them.
    """
    if found.value is None:
        return None
    position = found.position
    shares = side_shares(position) if found.values is None else None
    return list(found.values or by_side(position.game, position.mover, found.value, shares))


def _rng(task: SearchTask) -> random.Random:
    return random.Random(task.seed)


@contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    """Stop the searches of this block after a time; they return what they have found."""
    stop = _core.StopFlag()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        with stop:
            yield
    finally:
        timer.cancel()
