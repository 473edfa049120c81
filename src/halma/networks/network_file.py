"""Network files: what each says of itself, and why one is not used.

There are two kinds. Weights are kept as safetensors, for learning; a network to play with
is kept as ONNX. Both hold the same description in JSON, with a checksum of what they are
the description of, so that a file that is cut short, damaged, foreign or meant for another
game is found out before it is used. Reading one needs neither torch nor onnxruntime; weights
need safetensors, and writing ONNX needs onnx.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halma.errors import NetworkError
from halma.extras import require
from halma.files import replace_file
from halma.games import Game
from halma.networks import onnx_file
from halma.networks.architectures import architecture

if TYPE_CHECKING:
    import numpy.typing as npt

    Arrays = Mapping[str, npt.NDArray[Any]]

FORMAT = 1
WEIGHTS_SUFFIX, MODEL_SUFFIX = ".safetensors", ".onnx"
#: the key of the description in a file's metadata
KEY = "halma"
#: no network here comes near
LARGEST_FILE = 1 << 28
_LONGEST_DESCRIPTION = 1 << 16
_LONGEST_NAME = 500
#: types of weights and counts: safetensors' names -> numpy's
_TYPES = {"F32": "<f4", "I64": "<i8"}


@dataclass(frozen=True)
class NetworkInfo:
    """What a network is for and how it is built."""

    #: the variant's name, options included
    game: str
    #: of the meaning of the variant's planes and policy indices
    version: int
    players: int
    #: planes, rows and columns
    shape: tuple[int, int, int]
    actions: int
    #: `name:key=value`
    architecture: str
    #: plain values for people, such as how it was trained; two networks that differ in
    #: nothing else can take each other's weights
    about: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def check(self, game: Game, path: Path | str) -> None:
        """Raise a `NetworkError` unless the network in this file is for this variant."""
        if self.game != game.name:
            raise NetworkError(f"'{path}' is not used: it plays '{self.game}', not '{game.name}'.")
        ours = describe(game, self.architecture)
        if self.version != ours.version:
            raise NetworkError(
                f"'{path}' is not used: it knows version {self.version} of how '{self.game}' is "
                f"shown to a network, and this is version {ours.version}."
            )
        for what, theirs, wanted in (
            ("players", self.players, ours.players),
            ("planes, rows and columns", self.shape, ours.shape),
            ("policy indices", self.actions, ours.actions),
        ):
            if theirs != wanted:
                raise NetworkError(
                    f"'{path}' is not used: '{self.game}' has {wanted} {what}, not {theirs}."
                )


def describe(game: Game, architecture: str, about: Mapping[str, Any] | None = None) -> NetworkInfo:
    """Return the description of a network for a variant."""
    return NetworkInfo(
        game=game.name,
        version=game.core.version,
        players=game.players,
        shape=game.shape,
        actions=game.actions,
        architecture=architecture,
        about=dict(about or {}),
    )


def new_network(game: Game, name: str, about: Mapping[str, Any] | None = None) -> NetworkInfo:
    """Describe a network to be made for a variant, or say why it cannot be.

    `name` is an architecture such as `modern:size=s`.
    """
    chosen = architecture(name)
    chosen.check_fits(game.name, game.players, game.shape)
    return describe(game, chosen.name, about)


def read_info(path: Path | str) -> NetworkInfo:
    """Return what a network file of either kind says of itself, having checked all of it."""
    data = _contents(Path(path))
    return _read_weights(path)[0] if _holds_weights(data) else _read_model(path, data)


def read_weights(path: Path | str) -> tuple[NetworkInfo, Arrays]:
    """Return a file of weights: its description and its arrays by name."""
    data = _contents(Path(path))
    if _holds_weights(data):
        return _read_weights(path)
    if onnx_file.looks_like_it(data):
        raise NetworkError(
            f"'{path}' is for playing; weights to learn with are in {WEIGHTS_SUFFIX} files."
        )
    raise _foreign(path)


def read_model(path: Path | str) -> tuple[NetworkInfo, bytes]:
    """Return a file to play with: its description and all of it, for onnxruntime."""
    data = _contents(Path(path))
    if _holds_weights(data):
        raise NetworkError(
            f"'{path}' holds weights to learn with; to play, export it to {MODEL_SUFFIX} "
            "with halma.networks.export.export_file."
        )
    return _read_model(path, data), data


def write_weights(path: Path | str, info: NetworkInfo, arrays: Arrays) -> None:
    """Write weights; whoever looks at `path` sees the old file or the whole new one."""
    require("safetensors")
    import numpy as np
    from safetensors.numpy import save

    if any(array.dtype.str not in _TYPES.values() for array in arrays.values()):
        raise NetworkError(f"'{path}' is not written: weights are float32 and counts int64.")
    # The library takes an array's memory as it lies.
    in_order = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    description = _write_description(info, _checksum_of_arrays(in_order))
    replace_file(Path(path), save(in_order, {KEY: description}))


def write_model(path: Path | str, info: NetworkInfo, model: bytes) -> None:
    """Write an ONNX model in the same way; the description replaces its metadata."""
    require("onnx")
    import onnx

    whole = onnx.load_model_from_string(model)
    _, graph = onnx_file.look_through(whole.SerializeToString(deterministic=True))
    onnx.helper.set_model_props(whole, {KEY: _write_description(info, _checksum(graph))})
    replace_file(Path(path), whole.SerializeToString(deterministic=True))


def _contents(path: Path) -> bytes:
    """Read a file that is not absurdly large and is no program in disguise."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise NetworkError(f"There is no file '{path}'.") from None
    except OSError as error:
        raise NetworkError(f"'{path}' cannot be read: {error.strerror}.") from None
    if len(data) > LARGEST_FILE:
        raise NetworkError(f"'{path}' is not used: it is too large for a network of halma.")
    if data.startswith((b"PK\x03\x04", b"\x80")) and not _holds_weights(data):
        raise NetworkError(
            f"'{path}' is not used: it is a pickle or an archive, which could run programs."
        )
    return data


def _holds_weights(data: bytes) -> bool:
    """Tell whether a file may be safetensors: a length in eight bytes, then JSON.

    Ask this first, since the length may look like the start of any other file.
    """
    return data[4:9] == b"\0\0\0\0{"


def _foreign(path: Path | str) -> NetworkError:
    return NetworkError(f"'{path}' is not used: it is not a network file of halma.")


def _read_weights(path: Path | str) -> tuple[NetworkInfo, Arrays]:
    require("safetensors")
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as file:
            names = file.keys()
            types = {file.get_slice(name).get_dtype() for name in names}
            ours = types <= _TYPES.keys()
            arrays = {name: file.get_tensor(name) for name in names} if ours else {}
            metadata = file.metadata() or {}
    except (SafetensorError, OSError, ValueError):  # the last is numpy's, about shapes
        raise NetworkError(f"'{path}' is not used: it is cut short or damaged.") from None
    if not ours:
        raise NetworkError(f"'{path}' is not used: no network of halma has numbers of its type.")
    return _read_description(path, metadata, _checksum_of_arrays(arrays)), arrays


def _read_model(path: Path | str, data: bytes) -> NetworkInfo:
    if not onnx_file.looks_like_it(data):
        raise _foreign(path)
    try:
        metadata, graph = onnx_file.look_through(data)
    except onnx_file.OnnxError as error:
        raise NetworkError(f"'{path}' is not used: {error}.") from None
    return _read_description(path, metadata, _checksum(graph))


def with_about(info: NetworkInfo, about: Mapping[str, Any] | None) -> NetworkInfo:
    """Return a description with other remarks, if any are given."""
    return info if about is None else replace(info, about=dict(about))


def _write_description(info: NetworkInfo, checksum: str) -> str:
    return json.dumps({"format": FORMAT, "checksum": checksum, **asdict(info)})


def _read_description(path: Path | str, metadata: Mapping[str, str], checksum: str) -> NetworkInfo:
    written = metadata.get(KEY)
    if written is None:
        raise NetworkError(f"'{path}' is not used: it does not say which game it is for.")
    try:
        found = json.loads(written) if len(written) <= _LONGEST_DESCRIPTION else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise NetworkError(f"'{path}' is not used: its description is damaged.")
    if found.get("format") != FORMAT:
        raise NetworkError(
            f"'{path}' is not used: this halma reads format {FORMAT} of network files, "
            f"and it is of another."
        )
    if found.get("checksum") != checksum:
        raise NetworkError(f"'{path}' is not used: it is damaged, its checksum is wrong.")
    info = _sensible(found)
    if info is None:
        raise NetworkError(f"'{path}' is not used: its description is damaged.")
    return info


def _sensible(found: Mapping[str, Any]) -> NetworkInfo | None:
    """Return the description if every part of it is what it should be."""
    names = [found.get(key) for key in ("game", "architecture")]
    numbers = [found.get(key) for key in ("version", "players", "actions")]
    shape, about = found.get("shape"), found.get("about")
    if not all(isinstance(n, str) and n.isprintable() and len(n) <= _LONGEST_NAME for n in names):
        return None
    if not isinstance(shape, list) or len(shape) != 3 or not isinstance(about, dict):
        return None
    if not all(type(n) is int and 0 < n < 1 << 31 for n in (*numbers, *shape)):
        return None
    return NetworkInfo(
        game=found["game"],
        version=found["version"],
        players=found["players"],
        shape=(shape[0], shape[1], shape[2]),
        actions=found["actions"],
        architecture=found["architecture"],
        about=about,
    )


def _checksum(*parts: bytes | memoryview) -> str:
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        found.update(part)
    return found.hexdigest()


def _checksum_of_arrays(arrays: Arrays) -> str:
    """Return the checksum of names, types, shapes and numbers, in the order of the names."""
    parts: list[bytes] = []
    for name, array in sorted(arrays.items()):
        parts.append(json.dumps([name, array.dtype.str, array.shape]).encode())
        parts.append(array.tobytes())
    return _checksum(*parts)
