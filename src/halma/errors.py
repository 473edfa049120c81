"""Every way a request can be wrong, as a sentence for a person.

All of them are `HalmaError`, which is a `ValueError`; the command line turns any of
them into one line and exit status 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class HalmaError(ValueError):
    """Something that was asked for cannot be done; the message says why."""


class NameSyntaxError(HalmaError):
    """A name does not follow `name:key=value,key=value`."""


class UnknownVariantError(HalmaError):
    """No game variant has this name."""


class UnknownAgentError(HalmaError):
    """No agent has this name, or it does not play this game."""


class OptionError(HalmaError):
    """An option is unknown, or its value is impossible."""


class PositionError(HalmaError):
    """A text is not a position of this variant."""


class MoveError(HalmaError):
    """A move cannot be played; the subclasses say in which way."""


class MoveSyntaxError(MoveError):
    """A text is not a move in this game's notation."""


class IllegalMoveError(MoveError):
    """A well-formed move that the rules do not allow here."""


class AmbiguousMoveError(MoveError):
    """A short form that fits more than one legal move."""


class GameOverError(MoveError):
    """The game has ended, so nothing more can be played."""


class ChanceError(HalmaError):
    """A move where chance has to speak first, or an outcome chance cannot have."""


class RecordError(HalmaError):
    """A written game cannot be read or replayed."""


class StoreError(HalmaError):
    """A file of stored games cannot be read or written."""


class WorkerError(HalmaError):
    """A worker process died, or its task failed in an unexpected way."""


class TableError(HalmaError):
    """A file of solved positions cannot be used, or a solution cannot be had."""


class RecipeError(HalmaError):
    """A recipe has a key, a type or a value that it cannot have."""


class RunError(HalmaError):
    """A run directory cannot be used, or a run cannot go on."""


class NetworkError(HalmaError):
    """A file with a network in it cannot be used."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` for the known word nearest to `word`, or nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f" Did you mean '{near[0]}'?" if near else ""


def said(error: Exception) -> str:
    """Return an exception of any kind as the end of a sentence, without the full stop."""
    return f"{type(error).__name__}: {error}".rstrip(".: ")
