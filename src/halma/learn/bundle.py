"""A run in few small files, to travel from one machine to the next.

    state.tar         recipe, meta, metrics and the newest checkpoint, or that of the warm start;
                      without the optimiser's memory where that would be too large
    best.safetensors  the best network, once there is one
    games-N.gz        the newest games, fewer of them where a file would grow too large
    versions-N.tar    weights of the archive; where they are too many, some, evenly spaced

A run that is unpacked continues where it was, with fewer games in its replay buffer for a while.
It then writes the archive's models, which do not travel.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from halma.errors import RunError, TensorFileError
from halma.files import atomic_folder, make_folder, read_file, remove_file, replace_file
from halma.games import Game
from halma.learn.checkpoint import OPTIMISER
from halma.learn.metrics import EPOCHS
from halma.learn.metrics import NAME as METRICS
from halma.learn.recipe import load
from halma.learn.replay_buffer import GameFiles
from halma.learn.run import CHECKPOINTS, META, RECIPE, WARM_START, WEIGHTS
from halma.networks.finding import VERSIONS
from halma.tensors import SUFFIX, list_iterations, open_tensors, write_tensors

STATE = "state.tar"
#: Largest file of a bundle in bytes, and numbers of files that hold games and versions.
LARGEST_FILE = 16 * 1024 * 1024
_GAME_FILES, _VERSION_FILES = 3, 2
#: Largest file of games once it is unpacked: games are compressed to about a tenth.
_LARGEST_GAMES = 64 * LARGEST_FILE
#: Largest file of a bundle that is read.
_MOST_BYTES = 4 * LARGEST_FILE
#: Files of a run that travel where they are there, beside a checkpoint.
_STATE_FILES = (RECIPE, META, METRICS, EPOCHS, WARM_START)
_ITERATION = r"iteration-\d{6,18}\.safetensors"
#: What may be in the tar files of a bundle.
_STATE_NAMES = re.compile("|".join((*map(re.escape, _STATE_FILES), f"{CHECKPOINTS}/{_ITERATION}")))
_VERSION_NAMES = re.compile(f"{VERSIONS}/{_ITERATION}")
#: Share of the largest size that files of games aim at.
_MARGIN = 0.9


def pack(run: Path, bundle: Path, game: Game) -> None:
    """Write a run that has saved something into a folder; each file is replaced atomically."""
    saved = list_iterations(run / CHECKPOINTS)[:1]
    if not saved and not (run / WARM_START).exists():
        raise RunError(f"'{run}' has saved nothing yet that could travel.")
    make_folder(bundle)
    iteration = saved[0][0] if saved else 0
    state = [path for name in _STATE_FILES if (path := run / name).exists()]
    state += [path for _, path in saved]
    whole = _tar(run, state)
    _write(bundle / STATE, whole if len(whole) <= LARGEST_FILE else _without_memory(run, state))
    if (run / WEIGHTS).exists():
        _write(bundle / WEIGHTS, (run / WEIGHTS).read_bytes())
    files = GameFiles(run, game)
    newest = [number for number in files.iterations() if number <= iteration][:_GAME_FILES]
    for number in newest:
        path = bundle / f"games-{number:06}.gz"
        if not path.exists():
            _write(path, _compressed_games(files, number))
    for path in bundle.glob("games-*.gz"):
        if path.name not in {f"games-{number:06}.gz" for number in newest}:
            remove_file(path)
    for number, paths in enumerate(_chosen_versions(run, iteration), start=1):
        _write(bundle / f"versions-{number}.tar", _tar(run, paths))


def unpack(bundle: Path, run: Path, game: Game | None = None) -> None:
    """Make a run directory of what `pack` wrote; `run` must not exist, or be empty.

    Without a `game`, it is that of the run's recipe.
    """
    if not (bundle / STATE).is_file():
        raise RunError(f"There is no '{bundle / STATE}' to go on from.")
    if run.exists() and any(run.iterdir()):
        raise RunError(f"'{run}' is not empty, so nothing is unpacked into it.")
    with atomic_folder(run) as folder:
        _extract(bundle / STATE, folder, _STATE_NAMES)
        for path in sorted(bundle.glob("versions-*.tar")):
            _extract(path, folder, _VERSION_NAMES)
        if (bundle / WEIGHTS).exists():
            replace_file(folder / WEIGHTS, read_file(bundle / WEIGHTS, _MOST_BYTES, RunError))
        files = GameFiles(folder, game or load(str(folder / RECIPE)).game)
        for path in sorted(bundle.glob("games-*.gz")):
            number = path.name.removeprefix("games-").removesuffix(".gz")
            if number.isdecimal():
                replace_file(files.path(int(number)), _unpacked_games(path))


def check_size(network_bytes: int, copies: int) -> None:
    """Raise a `RunError` if a checkpoint with copies of a network of this size cannot travel."""
    if copies * network_bytes > LARGEST_FILE:
        raise RunError(
            f"The network has {network_bytes:,} bytes, and with {copies} in a checkpoint no more "
            f"than {LARGEST_FILE // copies:,} travel: choose a smaller one, or train with "
            "'halma train', which packs nothing."
        )


def _tar(run: Path, paths: Iterable[Path]) -> bytes:
    """Return files of a run as a tar file."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path in paths:
            tar.add(path, str(path.relative_to(run)))
    return buffer.getvalue()


def _without_memory(run: Path, paths: Iterable[Path]) -> bytes:
    """Return files of a run as a tar file, checkpoints without what the optimiser remembers."""
    with TemporaryDirectory() as folder:
        copies = []
        for path in paths:
            copies.append(Path(folder) / path.relative_to(run))
            make_folder(copies[-1].parent)
            if path.suffix != SUFFIX:
                replace_file(copies[-1], path.read_bytes())
                continue
            try:
                file = open_tensors(path, {})
            except TensorFileError as error:
                raise RunError(str(error)) from None
            kept = {name: file[name] for name in file.names if not name.startswith(OPTIMISER)}
            write_tensors(copies[-1], kept, file.description)
        return _tar(Path(folder), copies)


def _extract(path: Path, folder: Path, known: re.Pattern[str]) -> None:
    """Unpack a tar file that has regular files of these names alone; sparse ones may be huge."""
    data = io.BytesIO(read_file(path, _MOST_BYTES, RunError))
    try:
        with tarfile.open(fileobj=data, mode="r:") as tar:
            for member in tar.getmembers():
                if not known.fullmatch(member.name) or not member.isreg() or member.issparse():
                    raise ValueError(f"'{member.name[:60]}' does not belong there")
            tar.extractall(folder, filter="data")
    except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
        raise RunError(f"'{path}' is damaged: {error}.") from None


def _chosen_versions(run: Path, last: int) -> list[list[Path]]:
    """Return the versions that travel, for each file: all of them, or some, evenly spaced."""
    found = [path for number, path in reversed(list_iterations(run / VERSIONS)) if number <= last]
    if not found:
        return []
    largest = max(path.stat().st_size for path in found) + 2 * tarfile.BLOCKSIZE
    each = (LARGEST_FILE - tarfile.RECORDSIZE) // largest
    number = min(len(found), each * _VERSION_FILES)
    step = (len(found) - 1) / max(number - 1, 1)
    chosen = [found[round(step * index)] for index in range(number)]
    return [chosen[first : first + each] for first in range(0, number, each or 1)]


def _unpacked_games(path: Path) -> bytes:
    """Return what a file of games holds; a reader of the run checks it."""
    data = io.BytesIO(read_file(path, _MOST_BYTES, RunError))
    try:
        with gzip.open(data) as packed:
            games = packed.read(_LARGEST_GAMES + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise RunError(f"'{path}' is damaged: {error}.") from None
    if len(games) > _LARGEST_GAMES:
        raise RunError(f"'{path}' is not used: it unpacks to more than {_LARGEST_GAMES:,} bytes.")
    return games


def _compressed_games(files: GameFiles, number: int) -> bytes:
    """Return an iteration's games, the last of them left out where they are too many."""
    packed = gzip.compress(files.path(number).read_bytes(), compresslevel=1, mtime=0)
    most = _MARGIN * LARGEST_FILE
    if len(packed) <= most:
        return packed
    try:
        games, metrics = files.read(number)
    except TensorFileError as error:
        raise RunError(str(error)) from None
    left = len(games)
    with TemporaryDirectory() as folder:
        aside = GameFiles(Path(folder), files.game)
        # More than once: against opponents some games have many more samples than others.
        while len(packed) > most and left > 1:
            left = max(1, int(left * most / len(packed) * 0.9))
            aside.write(number, games.part(0, left), metrics)
            packed = gzip.compress(aside.path(number).read_bytes(), compresslevel=1, mtime=0)
    return packed


def _write(path: Path, data: bytes) -> None:
    if len(data) > LARGEST_FILE:
        raise RunError(
            f"'{path}' would have {len(data):,} bytes, and no more than {LARGEST_FILE:,} travel: "
            "choose a smaller network."
        )
    replace_file(path, data)
