"""Network files: descriptions, checks, reading and writing.

There are two kinds: weights for training, as safetensors, and networks for playing, as ONNX.
Both hold the same description in JSON with a checksum of the contents, so that a file that is
truncated, damaged, foreign or for another game is refused before it is used. Reading a
description needs neither torch nor onnxruntime. Weights need safetensors, and writing ONNX
needs onnx.
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
#: key of the description in a file's metadata
KEY = "halma"
#: far above the size of any network here
LARGEST_FILE = 1 << 28
_LONGEST_DESCRIPTION = 1 << 16
_LONGEST_NAME = 500
#: types of weights and counters: safetensors' names -> numpy's
_TYPES = {"F32": "<f4", "I64": "<i8"}


@dataclass(frozen=True)
class NetworkInfo:
    """The game a network is for, and its architecture."""

    #: the variant's name, options included
    game: str
    #: version of the variant's planes and policy indices
    version: int
    players: int
    #: planes, rows and columns
    shape: tuple[int, int, int]
    actions: int
    #: `name:key=value`
    architecture: str
    #: remarks as plain values, such as how it was trained; not compared, since networks that
    #: differ only in them can exchange weights
    about: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def for_game(cls, game: Game, name: str, about: Mapping[str, Any] | None = None) -> NetworkInfo:
        """Describe a network of an architecture, such as `modern:size=s`, for a variant.

        Raise an `OptionError` if the architecture does not fit the variant.
        """
        chosen = architecture(name)
        chosen.check_fits(game.name, game.players, game.shape)
        return cls(
            game=game.name,
            version=game.core.version,
            players=game.players,
            shape=game.shape,
            actions=game.actions,
            architecture=chosen.name,
            about=dict(about or {}),
        )

    def check(self, game: Game, path: Path | str) -> None:
        """Raise a `NetworkError` unless the network in this file is for this variant."""
        if self.game != game.name:
            raise NetworkError(f"'{path}' is not used: it plays '{self.game}', not '{game.name}'.")
        for what, found, wanted in (
            ("encoding version", self.version, game.core.version),
            ("number of players", self.players, game.players),
            ("planes, rows and columns", self.shape, game.shape),
            ("number of policy indices", self.actions, game.actions),
        ):
            if found != wanted:
                raise NetworkError(
                    f"'{path}' is not used: {what}: it has {found}, and '{self.game}' has {wanted}."
                )


def read_info(path: Path | str) -> NetworkInfo:
    """Return the description in a network file of either kind, after checking all of the file."""
    data = _contents(Path(path))
    return _read_weights(path)[0] if _holds_weights(data) else _read_model(path, data)


def read_weights(path: Path | str) -> tuple[NetworkInfo, Arrays]:
    """Return the description and the arrays by name of a file of weights."""
    data = _contents(Path(path))
    if _holds_weights(data):
        return _read_weights(path)
    if onnx_file.may_be_onnx(data):
        raise NetworkError(
            f"'{path}' is for playing; weights for training are in {WEIGHTS_SUFFIX} files."
        )
    raise _foreign(path)


def read_model(path: Path | str) -> tuple[NetworkInfo, bytes]:
    """Return the description of an ONNX file, and its bytes for onnxruntime."""
    data = _contents(Path(path))
    if _holds_weights(data):
        raise NetworkError(
            f"'{path}' holds weights for training; to play, export it to {MODEL_SUFFIX} "
            "with halma.networks.export.export_file."
        )
    return _read_model(path, data), data


def write_weights(path: Path | str, info: NetworkInfo, arrays: Arrays) -> None:
    """Write weights, replacing the file in one step."""
    require("safetensors")
    import numpy as np
    from safetensors.numpy import save

    if any(array.dtype.str not in _TYPES.values() for array in arrays.values()):
        raise NetworkError(f"'{path}' is not written: weights are float32 and counters int64.")
    # safetensors writes an array's memory as it is, whatever its strides.
    in_order = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    description = _write_description(info, _checksum_of_arrays(in_order))
    replace_file(Path(path), save(in_order, {KEY: description}))


def write_model(path: Path | str, info: NetworkInfo, model: bytes) -> None:
    """Write an ONNX model in the same way; the description replaces its metadata."""
    require("onnx")
    import onnx

    whole = onnx.load_model_from_string(model)
    _, graph = onnx_file.validate(whole.SerializeToString(deterministic=True))
    onnx.helper.set_model_props(whole, {KEY: _write_description(info, _checksum(graph))})
    replace_file(Path(path), whole.SerializeToString(deterministic=True))


def _contents(path: Path) -> bytes:
    """Return the contents of a file that is not too large, and no pickle or archive."""
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
    """Return whether a file may be safetensors: a length in eight bytes, then JSON.

    To be called first, since the length may look like the start of any other format.
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
            known = types <= _TYPES.keys()
            arrays = {name: file.get_tensor(name) for name in names} if known else {}
            metadata = file.metadata() or {}
    except (SafetensorError, OSError, ValueError):  # the last is numpy's, about shapes
        raise NetworkError(f"'{path}' is not used: it is truncated or damaged.") from None
    if not known:
        raise NetworkError(f"'{path}' is not used: its weights are neither float32 nor int64.")
    return _read_description(path, metadata, _checksum_of_arrays(arrays)), arrays


def _read_model(path: Path | str, data: bytes) -> NetworkInfo:
    if not onnx_file.may_be_onnx(data):
        raise _foreign(path)
    try:
        metadata, graph = onnx_file.validate(data)
    except onnx_file.OnnxError as error:
        raise NetworkError(f"'{path}' is not used: {error}.") from None
    return _read_description(path, metadata, _checksum(graph))


def with_about(info: NetworkInfo, about: Mapping[str, Any] | None) -> NetworkInfo:
    """Return a description with these remarks, if any are given."""
    return info if about is None else replace(info, about=dict(about))


def _write_description(info: NetworkInfo, checksum: str) -> str:
    return json.dumps({"format": FORMAT, "checksum": checksum, **asdict(info)})


def _read_description(path: Path | str, metadata: Mapping[str, str], checksum: str) -> NetworkInfo:
    written = metadata.get(KEY)
    if written is None:
        raise NetworkError(f"'{path}' is not used: it has no description by halma.")
    try:
        found = json.loads(written) if len(written) <= _LONGEST_DESCRIPTION else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise NetworkError(f"'{path}' is not used: its description is damaged.")
    if found.get("format") != FORMAT:
        raise NetworkError(
            f"'{path}' is not used: its format is not {FORMAT}, the one that this "
            "version of halma reads."
        )
    if found.get("checksum") != checksum:
        raise NetworkError(f"'{path}' is not used: it is damaged: its checksum is wrong.")
    info = _parse(found)
    if info is None:
        raise NetworkError(f"'{path}' is not used: its description is damaged.")
    return info


def _parse(found: Mapping[str, Any]) -> NetworkInfo | None:
    """Return a description if every part of it has the right type and a plausible value."""
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
    """Return the checksum of names, types, shapes and contents, in the order of names."""
    parts: list[bytes] = []
    for name, array in sorted(arrays.items()):
        parts.append(json.dumps([name, array.dtype.str, array.shape]).encode())
        parts.append(array.tobytes())
    return _checksum(*parts)
