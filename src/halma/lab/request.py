"""What is asked of a paper's module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Request:
    """Which experiment is to be run, how much of it, and where it is kept."""

    folder: Path
    note: Callable[[str], None]
    #: one of the paper's; all of them if left out
    experiment: str | None = None
    quick: bool = False
    #: the paper's own settings
    full: bool = False
    seed: int = 0
    #: those of the figure if left out
    variants: Sequence[str] = ()
    #: processes; one a core if left out
    workers: int | None = None
    #: directories of finished runs that need not be run again
    adopt: Sequence[Path] = ()
    #: train only runs whose names have all of these parts, such as "simulations=6"
    only: Sequence[str] = ()
    #: run nothing, draw what there is
    draw_only: bool = False
