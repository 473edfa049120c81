"""A run in few small files, to travel from one machine to the next.

    state.tar         recipe, meta, metrics and the newest checkpoint
    best.safetensors  the best network
    games-N.gz        the newest games, fewer of them where a file would grow too large

Whoever unpacks them goes on where the run was, with a smaller window of games for a while.
"""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from pathlib import Path

from halma.errors import RunError, TableError
from halma.files import replace_file
from halma.games import Game
from halma.learn.checkpoint import list_checkpoints
from halma.learn.metrics import NAME as METRICS
from halma.learn.replay_buffer import FOLDER as GAMES
from halma.learn.replay_buffer import GameFiles
from halma.learn.run import META, RECIPE, WEIGHTS
from halma.learn.selfplay import part

STATE = "state.tar"
#: what a file may have, and how many hold games
LARGEST_FILE = 16 * 1024 * 1024
_GAME_FILES = 3
#: files with games are aimed this much below the limit
_MARGIN = 0.9


def pack(run: Path, parcel: Path, game: Game) -> None:
    """Write a run that has a checkpoint into a folder; each file is replaced in one step."""
    parcel.mkdir(parents=True, exist_ok=True)
    (iteration, checkpoint), *_ = list_checkpoints(run / "checkpoints")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in (RECIPE, META, METRICS):
            tar.add(run / name, name)
        tar.add(checkpoint, f"checkpoints/{checkpoint.name}")
    _write(parcel / STATE, buffer.getvalue())
    _write(parcel / WEIGHTS, (run / WEIGHTS).read_bytes())
    files = GameFiles(run, game)
    newest = [number for number in reversed(files.kept()) if number <= iteration][:_GAME_FILES]
    for number in newest:
        path = parcel / f"games-{number:06}.gz"
        if not path.exists():
            _write(path, _small_enough(files, number, run))
    for path in parcel.glob("games-*.gz"):
        if path.name not in {f"games-{number:06}.gz" for number in newest}:
            path.unlink()


def unpack(parcel: Path, run: Path) -> None:
    """Make a run directory of what `pack` wrote; there must be none, or an empty one."""
    if not (parcel / STATE).is_file():
        raise RunError(f"There is no '{parcel / STATE}' to go on from.")
    if run.exists() and any(run.iterdir()):
        raise RunError(f"'{run}' is not empty, so nothing is unpacked into it.")
    (run / GAMES).mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(parcel / STATE) as tar:
            tar.extractall(run, filter="data")
    except (tarfile.TarError, EOFError) as error:
        raise RunError(f"'{parcel / STATE}' is damaged: {error}.") from None
    shutil.copyfile(parcel / WEIGHTS, run / WEIGHTS)
    for path in sorted(parcel.glob("games-*.gz")):
        number = path.name.removeprefix("games-").removesuffix(".gz")
        target = run / GAMES / f"iteration-{number}.table"
        with gzip.open(path) as packed, target.open("wb") as file:
            shutil.copyfileobj(packed, file)


def _small_enough(files: GameFiles, number: int, run: Path) -> bytes:
    """Return an iteration's games, the last of them left out where they are too many."""
    whole = gzip.compress(files.path(number).read_bytes(), compresslevel=1)
    if len(whole) <= _MARGIN * LARGEST_FILE:
        return whole
    try:
        samples, about = files.read(number)
    except TableError as error:
        raise RunError(str(error)) from None
    share = _MARGIN * LARGEST_FILE / len(whole) * 0.9
    cut = part(samples, 0, max(1, int(share * len(samples["numbers"]))))
    aside = GameFiles(run / "checkpoints", files.game)
    aside.write(number, cut, {key: value for key, value in about.items() if key != "iteration"})
    data = gzip.compress(aside.path(number).read_bytes(), compresslevel=1)
    shutil.rmtree(aside.folder)
    return data


def _write(path: Path, data: bytes) -> None:
    if len(data) > LARGEST_FILE:
        raise RunError(
            f"'{path}' would have {len(data):,} bytes, and no more than {LARGEST_FILE:,} travel: "
            "choose a smaller network."
        )
    replace_file(path, data)
