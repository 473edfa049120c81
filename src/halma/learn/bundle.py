"""A run in few small files, to travel from one machine to the next.

    state.tar         recipe, meta, metrics and the newest checkpoint
    best.safetensors  the best network
    games-N.gz        the newest games, fewer of them where a file would grow too large

A run that is unpacked continues where it was, with fewer games in its replay buffer for a while.
"""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from halma.errors import RunError, TensorFileError
from halma.files import atomic_folder, atomic_write, make_folder, remove_file, replace_file
from halma.games import Game
from halma.learn.metrics import NAME as METRICS
from halma.learn.replay_buffer import GameFiles
from halma.learn.run import CHECKPOINTS, META, RECIPE, WEIGHTS
from halma.tensors import list_iterations

STATE = "state.tar"
#: Largest file of a bundle in bytes, and number of files that hold games.
LARGEST_FILE = 16 * 1024 * 1024
_GAME_FILES = 3
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
    with atomic_folder(run) as folder:
        try:
            with tarfile.open(bundle / STATE) as tar:
                tar.extractall(folder, filter="data")
        except (tarfile.TarError, EOFError) as error:
            raise RunError(f"'{bundle / STATE}' is damaged: {error}.") from None
        replace_file(folder / WEIGHTS, (bundle / WEIGHTS).read_bytes())
        files = GameFiles(folder, game)
        for path in sorted(bundle.glob("games-*.gz")):
            number = int(path.name.removeprefix("games-").removesuffix(".gz"))
            with gzip.open(path) as packed, atomic_write(files.path(number)) as file:
                shutil.copyfileobj(packed, file)


def _compressed_games(files: GameFiles, number: int) -> bytes:
    """Return an iteration's games, the last of them left out where they are too many."""
    whole = gzip.compress(files.path(number).read_bytes(), compresslevel=1)
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
        return gzip.compress(aside.path(number).read_bytes(), compresslevel=1)


def _write(path: Path, data: bytes) -> None:
    if len(data) > LARGEST_FILE:
        raise RunError(
            f"'{path}' would have {len(data):,} bytes, and no more than {LARGEST_FILE:,} travel: "
            "choose a smaller network."
        )
    replace_file(path, data)
