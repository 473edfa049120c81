"""What all verbs share: how they fail, and how they print."""

from __future__ import annotations

import functools
import json
import os
import shutil
import sys
from collections.abc import Callable
from typing import Annotated, Any, ParamSpec, TypeVar

import typer

from halma.errors import HalmaError

P = ParamSpec("P")
T = TypeVar("T")

#: Options that several verbs have, so that they read the same everywhere.
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.")]

_REFUSED, _INTERRUPTED, _BROKEN_PIPE = 2, 130, 141


def verb(function: Callable[P, None]) -> Callable[P, None]:
    """Make a function a verb: what goes wrong becomes one line and an exit status."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
            sys.stdout.flush()
        except HalmaError as error:
            _leave(_REFUSED, str(error))
        except KeyboardInterrupt:
            _leave(_INTERRUPTED, "Stopped.")
        except BrokenPipeError:
            # Whoever read us has gone; what is still buffered must not complain either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(_BROKEN_PIPE) from None
        except OSError as error:
            what = f"'{error.filename}': " if error.filename else ""
            _leave(_REFUSED, f"{what}{error.strerror}.")

    return run


def _leave(status: int, sentence: str) -> None:
    print(f"halma: {sentence}", file=sys.stderr)
    raise SystemExit(status)


def print_json(answer: dict[str, Any]) -> None:
    """Print the one object a verb answers with under `--json`."""
    print(json.dumps(answer))


def note(text: str) -> None:
    """Tell how things are going, on standard error."""
    print(text, file=sys.stderr, flush=True)


def program() -> str:
    """Return how a person calls this program, for commands to be copied."""
    called = sys.argv[0]
    # What is not on the search path must be called the same way again.
    return called if os.path.basename(called) == "halma" and not shutil.which("halma") else "halma"
