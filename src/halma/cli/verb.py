"""Options, error handling and output that all verbs share."""

from __future__ import annotations

import functools
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer

from halma.cli import completion
from halma.errors import HalmaError, brief, printable
from halma.files import replace_file
from halma.interrupt import exit_status, raising_signals
from halma.machine import core_count, is_optional, missing_library, require
from halma.plugins import explain

if TYPE_CHECKING:
    from halma.cluster.connection import Cluster
    from halma.executors import Executor
    from halma.games import Move, Position

P = ParamSpec("P")

Variant = Annotated[
    str,
    typer.Argument(
        help="A variant, such as ewn-5x5-6, or FILE.py.", autocompletion=completion.variants
    ),
]
GameName = Annotated[
    str,
    typer.Option(
        help="A variant, such as ewn-5x5-6, or FILE.py.", autocompletion=completion.variants
    ),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def check_seed(seed: int | None) -> int | None:
    """Refuse a `--seed` that the random numbers cannot be made from."""
    if seed is not None and not 0 <= seed < 2**64:
        raise typer.BadParameter("a seed is a whole number from 0 to 2**64 - 1.")
    return seed


Seed = Annotated[int, typer.Option(callback=check_seed, help="Seed of the random numbers.")]

_USER_ERROR = 2


def verb(function: Callable[P, None]) -> Callable[P, None]:
    """Wrap a function so that an error becomes one line and an exit status."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with raising_signals():
                function(*args, **kwargs)
        except HalmaError as error:
            _exit(_USER_ERROR, str(error))
        except KeyboardInterrupt:
            _exit(exit_status(), "Stopped.")
        except MemoryError:
            _exit(_USER_ERROR, "There is not enough memory for this.")
        except OSError as error:
            file = f"'{error.filename}': " if error.filename else ""
            _exit(_USER_ERROR, f"{file}{error.strerror}.")
        except Exception as error:
            # Errors in a game or agent of the user are theirs; any other one is ours.
            if isinstance(error.__cause__, KeyboardInterrupt):  # in the body of a class
                _exit(exit_status(), "Stopped.")
            reason = explain(error)
            if reason is not None:
                _exit(_USER_ERROR, f"{reason}.")
            if isinstance(error, ModuleNotFoundError) and is_optional(error.name):
                _exit(_USER_ERROR, str(missing_library(str(error.name))))
            raise

    return run


def _exit(status: int, sentence: str) -> None:
    print(f"halma: {brief(sentence)}", file=sys.stderr)
    raise SystemExit(status)


def print_json(answer: dict[str, Any]) -> None:
    """Print the output of a verb under `--json`."""
    print(json.dumps(answer))


def print_answer(json: bool, answer: dict[str, Any], show: Callable[[], None]) -> None:
    """Print an answer as one JSON object, or show it as text."""
    if json:
        print_json(answer)
    else:
        show()


def drawing(position: Position, move: Move | None = None) -> str:
    """Return a position as text for standard output: in colour on a terminal."""
    from halma.draw.terminal import has_colour
    from halma.draw.text import draw_text

    scene = position.game.scene(position.state, None if move is None else move.value)
    return draw_text(scene, has_colour(sys.stdout))


def note(text: str) -> None:
    """Print a line, or several, on standard error."""
    print("\n".join(map(printable, text.split("\n"))), file=sys.stderr, flush=True)


def check_folder_of(path: Path) -> None:
    """Refuse a file to write whose folder does not exist; to be called before long work, too."""
    if not path.parent.is_dir():
        raise HalmaError(f"There is no folder '{path.parent}' to write '{path.name}' into.")


def write_file(path: Path, text: str) -> None:
    """Write a file that the user asked for, and report it."""
    check_folder_of(path)
    replace_file(path, text)
    note(f"Wrote {path}.")


def program() -> str:
    """Return the command that started this program, for commands to be copied."""
    called = sys.argv[0]
    # Outside the search path it has to be called by its path again.
    return called if os.path.basename(called) == "halma" and not shutil.which("halma") else "halma"


ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Run on a Ray cluster: auto, or HOST:PORT of its head.",
    ),
]


@contextmanager
def connected(address: str | None, libraries: Sequence[str]) -> Iterator[Cluster | None]:
    """Yield the connection to a cluster whose nodes have some libraries, or None."""
    if address is None:
        yield None
        return
    from halma.cluster.connection import Cluster

    with Cluster(address, libraries, note) as cluster:
        yield cluster


@contextmanager
def executor_for(
    address: str | None,
    workers: int | None,
    cores: int = 1,
    device: str = "cpu",
    libraries: Sequence[str] = (),
) -> Iterator[int | Executor]:
    """Yield where tasks run: on a cluster, or in this many processes, by default one per core.

    On a cluster a task takes some cores, and a quarter of a GPU; with the device `auto`, only where
    nodes have any.
    """
    if address is not None and workers is not None:
        raise HalmaError("It is either --workers or --cluster: nodes have as many as cores.")
    with connected(address, libraries) as cluster:
        if cluster is None:
            yield workers or core_count()
            return
        from halma.cluster.ray_executor import RayExecutor

        wants_gpu = device == "cuda" or (device == "auto" and any(n.gpus for n in cluster.nodes))
        executor = RayExecutor(cluster, cores, 0.25 if wants_gpu else 0.0)
        if not any(executor.slots(node) for node in cluster.nodes):
            needed = f"{cores} core{'' if cores == 1 else 's'}" + " and a GPU" * wants_gpu
            raise HalmaError(f"No node of the cluster has what a task takes: {needed}.")
        yield executor


def chosen_device(wanted: str) -> str:
    """Return `cpu` or `cuda`; torch is imported only where it is needed."""
    if wanted == "cpu":
        return wanted
    require("torch")
    from halma.networks.torch_evaluator import find_device

    return find_device(wanted)
