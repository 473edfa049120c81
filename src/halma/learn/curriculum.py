"""Curricula: where the games of self-play start, stage by stage, and random positions.

A stage is `start`, the start of the rules; `random:4-8`, random positions with 4 to 8 pieces, in
games that have them; or `file:PATH`, positions of a file, one a line. ` until 10` makes it end with
iteration 10. After the last stage games begin at the start of the rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halma.arena.openings import read_book
from halma.errors import HalmaError, RecipeError
from halma.games import Game

_UNTIL = re.compile(r"(.+?)\s+until\s+([0-9]{1,8})")
_COUNTS = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")
#: Purpose of seeds.
_STARTS = 5


@dataclass(frozen=True)
class PieceRange:
    """Numbers of pieces, all players' together."""

    low: int
    high: int

    def states(self, game: Game, number: int, seed: tuple[int, ...]) -> list[bytes]:
        """Return random positions; each number of pieces is as likely as the others."""
        rng = np.random.default_rng(seed)
        pieces = rng.integers(self.low, self.high + 1, number).tolist()
        seeds = rng.integers(0, 2**63, number).tolist()
        place = game.core.random_position
        return [place(one, count) for one, count in zip(seeds, pieces, strict=True)]


@dataclass(frozen=True)
class StartStage:
    """A stage of a curriculum: random positions, positions of a file, or neither."""

    #: its last iteration; 0: all that are left
    last: int = 0
    pieces: PieceRange | None = None
    file: Path | None = None

    def states(self, game: Game, number: int, seed: int, iteration: int) -> list[bytes]:
        """Return what an iteration's games start from, in turn; nothing for the usual start."""
        if self.pieces is not None:
            return self.pieces.states(game, number, (seed, iteration, _STARTS))
        if self.file is None:
            return []
        book = [game.position(text) for text in read_book(self.file, game)]
        if any(position.is_chance for position in book):
            raise HalmaError(f"'{self.file}' has a position where no player is to move.")
        return [position.state for position in book]


def read_pieces(text: str, game: Game, key: str) -> PieceRange:
    """Read numbers of pieces such as `4-8` or `6`; raise a `RecipeError` that names the key."""
    low, high = game.core.piece_counts
    if not high:
        raise RecipeError(f"'{key}' cannot be used: '{game.name}' has no random positions.")
    match = _COUNTS.fullmatch(text.strip())
    if match:
        found = PieceRange(int(match[1]), int(match[2] or match[1]))
        if low <= found.low <= found.high <= high:
            return found
    raise RecipeError(
        f"'{key}' cannot have '{text[:40]}': pieces of '{game.name}' are numbers from {low} to "
        f"{high}, such as {low}-{min(high, low + 6)}."
    )


def read_curriculum(texts: Sequence[str], game: Game) -> list[StartStage]:
    """Read the stages of `selfplay.curriculum`, or raise a `RecipeError`; no file is opened."""
    key, stages, before = "selfplay.curriculum", [], 0
    for number, text in enumerate(texts, start=1):
        match = _UNTIL.fullmatch(text.strip())
        where, last = (match[1], int(match[2])) if match else (text.strip(), 0)
        kind, _, rest = where.partition(":")
        if kind == "random" and rest:
            stage = StartStage(last, pieces=read_pieces(rest, game, key))
        elif kind == "file" and rest:
            stage = StartStage(last, file=Path(rest.strip()))
        elif where == "start":
            stage = StartStage(last)
        else:
            raise RecipeError(
                f"'{key}' cannot have '{text[:60]}': a stage is start, random:4-8 or file:PATH, "
                "and ' until 10' makes it end with iteration 10."
            )
        if (last <= before) if match else number < len(texts):
            raise RecipeError(
                f"'{key}' cannot have '{text[:60]}' there: every stage but the last needs ' until "
                "N', with an iteration N after that of the stage before."
            )
        before = last
        stages.append(stage)
    return stages


def stage_of(stages: Sequence[StartStage], iteration: int) -> StartStage:
    """Return the stage that an iteration belongs to."""
    for stage in stages:
        if not stage.last or iteration <= stage.last:
            return stage
    return StartStage()
