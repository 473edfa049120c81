"""The evaluation of a whole game: chances move by move, mistakes, and puzzles made of them."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from halma.games import Record

#: Smallest losses of winning chance that are told, with what they are called.
_KINDS = ((0.15, "blunder"), (0.1, "mistake"), (0.05, "inaccuracy"))
#: A move that loses no more than this is as good as the best one.
_TOLERANCE = 0.02
#: Visits of a tree search below which the value of a move is not trusted.
_FEW_VISITS = 30


def decisions(record: Record) -> list[tuple[int, Record]]:
    """Return the index of every move of a record, with the record before it."""
    found = []
    walk = Record(record.game, record.start)
    for index, (chance, value) in enumerate(record.events):
        if not chance:
            found.append((index, copy.copy(walk)))
        (walk.core.resolve if chance else walk.core.play)(value)
    return found


def entry(index: int, move: str, analysis: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an analysis says of a move that was played."""
    reports = analysis["moves"]
    played = next((report for report in reports if report["move"] == move), None)
    value = None if played is None else played["value"]
    if played is not None and played["visits"] is not None and played["visits"] < _FEW_VISITS:
        value = value if played["proven"] else None
    best = reports[0]
    return {
        "index": index,
        "player": analysis["mover"],
        "move": move,
        "best": best["move"],
        "line": best["line"],
        "value": analysis["value"],
        "values": analysis["values"],
        "proven": analysis["proven"],
        "value_after": value,
        "loss": _loss(best["value"], value, move == best["move"]),
        "accepted": [
            report["move"]
            for report in reports
            if report["value"] is not None
            and best["value"] is not None
            and report["value"] >= best["value"] - _TOLERANCE
            and (report["visits"] is None or report["proven"] or report["visits"] >= _FEW_VISITS)
        ]
        or [best["move"]],
    }


def complete(entries: Sequence[dict[str, Any]], sides: Sequence[Sequence[int]]) -> None:
    """Fill in the values of moves that a search hardly looked at, by what came next.

    That is the chance of the same player before the next decision of the game; a roll in between
    makes it a sample.
    """
    for now, following in pairwise(entries):
        if now["value_after"] is None and following["values"] is not None and len(sides) == 2:
            now["value_after"] = following["values"][now["player"]]
            now["loss"] = _loss(now["value"], now["value_after"], now["move"] == now["best"])


def mistakes(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the moves that cost winning chances, each as a puzzle with its right answers."""
    found = []
    for one in entries:
        kind = kind_of(one["loss"])
        if kind and one["move"] not in one["accepted"]:
            keys = ("index", "player", "move", "loss", "best", "line", "accepted", "proven")
            found.append({**{key: one[key] for key in keys}, "kind": kind})
    return found


def kind_of(loss: float | None) -> str:
    """Return what a loss of winning chance is called; nothing where it is small."""
    return next((name for least, name in _KINDS if loss is not None and loss >= least), "")


def summary(entries: Sequence[dict[str, Any]], players: int) -> list[dict[str, Any]]:
    """Return for each player the mean loss of a move, and how often each kind of mistake."""
    found = []
    for player in range(players):
        losses = [
            one["loss"] for one in entries if one["player"] == player and one["loss"] is not None
        ]
        kinds = [kind_of(loss) for loss in losses]
        found.append(
            {
                "player": player,
                "moves": len(losses),
                "mean_loss": sum(losses) / len(losses) if losses else None,
                **{name: kinds.count(name) for _, name in _KINDS},
            }
        )
    return found


def _loss(best: float | None, after: float | None, is_best: bool) -> float | None:
    if is_best:
        return 0.0
    return None if best is None or after is None else max(0.0, best - after)
