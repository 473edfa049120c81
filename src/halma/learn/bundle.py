"""A run in few small files, to travel from one machine to the next.

    state.tar         recipe, meta, metrics and the newest checkpoint
    best.safetensors  the best network
    games-N.gz        the newest games, fewer of them where a file would grow too large

A run that is unpacked continues where it was, with fewer games in its replay buffer for a while.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

from halma.errors import RunError, TensorFileError
from halma.files import atomic_folder, make_folder, read_file, remove_file, replace_file
from halma.games import Game
from halma.learn.metrics import NAME as METRICS
from halma.learn.replay_buffer import GameFiles
from halma.learn.run import CHECKPOINTS, META, RECIPE, WEIGHTS
from halma.tensors import list_iterations

STATE = "state.tar"
#: Largest file of a bundle in bytes, and number of files that hold games.
LARGEST_FILE = 16 * 1024 * 1024
_GAME_FILES = 3
#: Largest file of games once it is unpacked: games are compressed to about a tenth.
_LARGEST_GAMES = 64 * LARGEST_FILE
#: Largest file of a bundle that is read.
_MOST_BYTES = 4 * LARGEST_FILE
_CHECKPOINT = re.compile(r"checkpoints/iteration-\d{6,18}\.safetensors")
#: Share of the largest size that files of games aim at.
_MARGIN = 0.9


def pack(run: Path, bundle: Path, game: Game) -> None:
    """Write a run that has a checkpoint into a folder; each file is replaced atomically."""
    make_folder(bundle)
    (iteration, checkpoint), *_ = list_iterations(run / CHECKPOINTS)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in (RECIPE, META, METRICS):
            tar.add(run / name, name)
        tar.add(checkpoint, f"{CHECKPOINTS}/{checkpoint.name}")
    _write(bundle / STATE, buffer.getvalue())
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


def unpack(bundle: Path, run: Path, game: Game) -> None:
    """Make a run directory of what `pack` wrote; `run` must not exist, or be empty."""
    if not (bundle / STATE).is_file():
        raise RunError(f"There is no '{bundle / STATE}' to go on from.")
    if run.exists() and any(run.iterdir()):
        raise RunError(f"'{run}' is not empty, so nothing is unpacked into it.")
    state = io.BytesIO(read_file(bundle / STATE, _MOST_BYTES, RunError))
    with atomic_folder(run) as folder:
        try:
            with tarfile.open(fileobj=state, mode="r:") as tar:
                for member in tar.getmembers():
                    if not _is_state(member):
                        raise ValueError(f"'{member.name[:60]}' does not belong there")
                tar.extractall(folder, filter="data")
        except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
            raise RunError(f"'{bundle / STATE}' is damaged: {error}.") from None
        replace_file(folder / WEIGHTS, read_file(bundle / WEIGHTS, _MOST_BYTES, RunError))
        files = GameFiles(folder, game)
        for path in sorted(bundle.glob("games-*.gz")):
            number = path.name.removeprefix("games-").removesuffix(".gz")
            if number.isdecimal():
                replace_file(files.path(int(number)), _unpacked_games(path))


def _is_state(member: tarfile.TarInfo) -> bool:
    """Whether a member of state.tar is a file that `pack` writes; sparse ones may be huge."""
    known = member.name in (RECIPE, META, METRICS) or _CHECKPOINT.fullmatch(member.name)
    return bool(known) and member.isreg() and not member.issparse()


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
    whole = gzip.compress(files.path(number).read_bytes(), compresslevel=1, mtime=0)
    if len(whole) <= _MARGIN * LARGEST_FILE:
        return whole
    try:
        games, metrics = files.read(number)
    except TensorFileError as error:
        raise RunError(str(error)) from None
    share = _MARGIN * LARGEST_FILE / len(whole) * 0.9
    cut = games.part(0, max(1, int(share * len(games))))
    with TemporaryDirectory() as folder:
        aside = GameFiles(Path(folder), files.game)
        aside.write(number, cut, metrics)
        return gzip.compress(aside.path(number).read_bytes(), compresslevel=1, mtime=0)


def _write(path: Path, data: bytes) -> None:
    if len(data) > LARGEST_FILE:
        raise RunError(
            f"'{path}' would have {len(data):,} bytes, and no more than {LARGEST_FILE:,} travel: "
            "choose a smaller network."
        )
    replace_file(path, data)
