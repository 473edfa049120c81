"""Errors of the user: every message is a sentence that says what is wrong.

All are subclasses of `HalmaError`, which is a `ValueError`. The command line prints the
message and exits with status 2. Long messages are shortened here, where they are made.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

#: Longest message, and longest quotation of what somebody typed.
_MOST, _MOST_QUOTED = 1000, 120
_QUOTED = re.compile(rf"(?<!\w)'[^']{{{_MOST_QUOTED},}}'(?!\w)")

#: Longest part of an error message of another library or of the user's code.
_MOST_OTHERS = 300


class HalmaError(ValueError):
    """A request that cannot be carried out; the message says why."""

    def __str__(self) -> str:
        return brief(super().__str__())


class NameSyntaxError(HalmaError):
    """A name does not follow `name:key=value,key=value`."""


class UnknownVariantError(HalmaError):
    """No game variant has this name."""


class UnknownAgentError(HalmaError):
    """No agent has this name, or it does not play this game."""


class PluginError(HalmaError):
    """A game or an agent of the user cannot be loaded."""


class AgentError(HalmaError):
    """An agent of the user raised an error, or chose a move that is not legal."""


class EngineError(AgentError):
    """Another program that plays did not start, ended, answered too late or wrongly."""


class ArgumentError(HalmaError):
    """A number, a state, a move or an array that the core cannot work with."""


class OutOfMemoryError(HalmaError, MemoryError):
    """There is too little memory, or too few threads may be started."""


class OptionError(HalmaError):
    """An option is unknown, or its value is out of range."""


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
    """A move at a chance node, or an outcome that is not possible there."""


class RecordError(HalmaError):
    """A game record cannot be read or replayed."""


class GameReadError(RecordError):
    """A game of a file cannot be read: its number and, in a text, the line."""

    def __init__(self, number: int, line: int, message: str) -> None:
        self.number, self.line, self.message = number, line, message
        super().__init__(f"Game {number}{f', line {line}' if line else ''}: {message}")

    def __reduce__(self) -> tuple[type[GameReadError], tuple[int, int, str]]:
        return type(self), (self.number, self.line, self.message)


class StoreError(HalmaError):
    """A file of stored games cannot be read or written."""


class WorkerError(HalmaError):
    """A worker process died, or its task failed in an unexpected way."""


class ClusterError(HalmaError):
    """A cluster does not answer, or a node of it cannot be used."""


class TableError(HalmaError):
    """A table of exact values cannot be read, written or computed."""


class TensorFileError(HalmaError):
    """A file of arrays cannot be used."""


class RecipeError(HalmaError):
    """A recipe has an unknown key, or a value of the wrong type or range."""


class RunError(HalmaError):
    """A run directory cannot be used, or a training run cannot continue."""


class NetworkError(HalmaError):
    """A network file cannot be used."""


class NetworkOutputError(NetworkError, AgentError):
    """A network's output is not finite or out of range; in a match its player loses the game."""


class MissingLibraryError(HalmaError, ImportError):
    """A library is not installed that a plain install leaves out."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` for the known word closest to `word`, or an empty string."""
    near = difflib.get_close_matches(word[:100], list(known), n=1, cutoff=0.5)
    return f" Did you mean '{near[0]}'?" if near else ""


def error_text(error: BaseException) -> str:
    """Return the type and message of an exception in a line, without a full stop at the end."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text[:_MOST_OTHERS].rstrip(".: ")


def printable(text: str) -> str:
    """Return a text as one line that is safe to print: spaces and question marks for the rest."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)


def brief(text: str) -> str:
    """Return a message as one printable line of moderate length.

    Long quotations, and then the message itself, lose their middle.
    """
    return _without_middle(_QUOTED.sub(_shorter, printable(text)), _MOST)


def _shorter(quoted: re.Match[str]) -> str:
    return _without_middle(quoted[0], _MOST_QUOTED)


def _without_middle(text: str, most: int) -> str:
    """Return a text of at most this length, with dots for its middle."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 5]} ... {text[-end:]}"
