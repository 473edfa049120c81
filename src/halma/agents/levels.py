"""The levels of `best` with their measured strength, for people who choose one."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from halma.agents.best import TOP, best_name
from halma.games import Game, Record

_FILE = Path(__file__).with_suffix(".toml")
_RATED_ZERO = "rated_zero"


@dataclass(frozen=True)
class Level:
    """A level of `best` in one variant."""

    level: int
    #: the name of the agent, and of the one that it stands for
    agent: str
    player: str
    #: relative to the agent that is rated 0; None where it was not measured
    elo: float | None = None
    #: half of the 95% interval; None where the rating is between those of measured levels
    error: float | None = None


def levels_of(game: Game) -> list[Level]:
    """Return the levels of a variant, the weakest first.

    Between two measured levels the rating is interpolated.
    """
    measured = _measured(game)
    record = Record(game)
    return [
        Level(level, f"best:level={level}", best_name(record, level), *_rating(measured, level))
        for level in range(1, TOP + 1)
    ]


def rated_zero(game: Game) -> str | None:
    """Return the agent that the levels of a variant are rated against, if they are rated."""
    found: str | None = _table().get(game.name, {}).get(_RATED_ZERO)
    return found


def rated_variants() -> list[str]:
    """Return the variants whose levels are rated."""
    return list(_table())


def _measured(game: Game) -> dict[int, tuple[float, float]]:
    rows = _table().get(game.name, {})
    return {int(key): (value[0], value[1]) for key, value in rows.items() if key != _RATED_ZERO}


def _rating(
    measured: dict[int, tuple[float, float]], level: int
) -> tuple[float | None, float | None]:
    if level in measured:
        return measured[level]
    below = max((known for known in measured if known < level), default=None)
    above = min((known for known in measured if known > level), default=None)
    if below is None or above is None:
        return None, None
    share = (level - below) / (above - below)
    return measured[below][0] + share * (measured[above][0] - measured[below][0]), None


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
