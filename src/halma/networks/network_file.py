"""Network files: descriptions, checks, reading and writing.

There are two kinds: weights for training, as safetensors, and networks for playing, as ONNX.
Both hold the same description in JSON with a checksum of the contents, so that a file that is
truncated, damaged, foreign or for another game is refused before it is used. Reading needs
neither torch nor onnxruntime; writing ONNX needs onnx.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halma.errors import NetworkError, TensorFileError
from halma.files import open_file, replace_file
from halma.games import Game
from halma.machine import require
from halma.networks import onnx_file, onnx_shapes
from halma.networks.architectures import architecture
from halma.networks.onnx_wire import OnnxError
from halma.tensors import KEY, open_tensors, write_tensors

if TYPE_CHECKING:
    import numpy.typing as npt

    Arrays = Mapping[str, npt.NDArray[Any]]

FORMAT = 1
WEIGHTS_SUFFIX, MODEL_SUFFIX = ".safetensors", ".onnx"
#: far above the size of any network here
LARGEST_FILE = 1 << 28
#: numbers in planes, policy indices, players: far above those of any game
_MOST = {"planes": 1 << 20, "actions": 1 << 20, "players": 64}
_LONGEST_REMARKS = 1 << 16
_LONGEST_NAME = 500
#: numpy's names of the types of weights and counters
_TYPES = ("<f4", "<f2", "<i8")

#: what the first output of a network may be
POLICY, Q_VALUES = "policy", "q"
#: why a network of one head is not used as another, and what plays it
_WRONG_HEAD = {
    POLICY: "it has a policy and values, not Q-values; play it with net:{}",
    Q_VALUES: "it is a Q network, which has neither policy nor values for a search; play it with "
    "q:{}",
}

#: reasons not to use a file
_FOREIGN = "it is not a network file of halma"
_DAMAGED = "its description is damaged"


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
    #: what its first output is: logits of a policy, or Q-values of actions
    head: str = POLICY
    #: remarks as plain values, such as how it was trained; not compared, since networks that
    #: differ only in them can exchange weights
    about: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def for_game(cls, game: Game, name: str, head: str = POLICY) -> NetworkInfo:
        """Describe a network of an architecture, such as `modern:size=s`, for a variant.

        Raise an `OptionError` if the architecture does not fit the variant.
        """
        chosen = architecture(name)
        chosen.check_fits(game.name, game.players, game.shape)
        return cls(
            game=game.identity,
            version=game.core.version,
            players=game.players,
            shape=game.shape,
            actions=game.actions,
            architecture=chosen.name,
            head=head,
        )

    def check_head(self, path: Path | str, wanted: str) -> None:
        """Raise a `NetworkError` unless the first output of this network is `wanted`."""
        if self.head != wanted:
            name = str(path).removeprefix("net:")  # of a network that comes with halma
            raise refusal(path, _WRONG_HEAD[self.head].format(name))

    def check_weights_for(self, wanted: NetworkInfo, path: Path | str) -> None:
        """Raise a `NetworkError` unless another network can start from weights of this one.

        Games may differ if their planes and policies do not; numbers of players as well if the
        architecture has values for more `seats`. Architectures may differ as `can_start_from` says.
        """
        self.check_head(path, wanted.head)
        chosen = architecture(wanted.architecture)
        fits = chosen.can_start_from(architecture(self.architecture))
        same = [
            ("architecture", wanted.architecture if fits else self.architecture, chosen.name),
            ("encoding version", self.version, wanted.version),
            ("planes, rows and columns", self.shape, wanted.shape),
            ("number of policy indices", self.actions, wanted.actions),
        ]
        if not chosen.values.get("seats"):
            same.append(("number of players", self.players, wanted.players))
        for what, found, needed in same:
            if found != needed:
                raise refusal(path, f"{what}: it has {found}, and '{wanted.game}' needs {needed}")

    def check_encoding(self, game: Game, path: Path | str) -> None:
        """Raise a `NetworkError` unless the network reads and answers as this variant encodes."""
        for what, found, wanted in (
            ("encoding version", self.version, game.core.version),
            ("number of players", self.players, game.players),
            ("planes, rows and columns", self.shape, game.shape),
            ("number of policy indices", self.actions, game.actions),
        ):
            if found != wanted:
                raise refusal(path, f"{what}: it has {found}, and '{game.identity}' has {wanted}")


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
    raise refusal(path, _FOREIGN)


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
    """Write weights atomically."""
    if any(array.dtype.str not in _TYPES for array in arrays.values()):
        raise NetworkError(
            f"'{path}' is not written: weights are float32 or float16, and counters int64."
        )
    contiguous = {name: array.copy(order="C") for name, array in arrays.items()}
    write_tensors(Path(path), contiguous, _description(info))


def write_model(path: Path | str, info: NetworkInfo, model: bytes) -> None:
    """Write an ONNX model atomically; the description replaces its metadata."""
    require("onnx")
    import onnx

    whole = onnx.load_model_from_string(model)
    try:
        graph = onnx_file.parse(whole.SerializeToString(deterministic=True))
        onnx_shapes.check_cost(graph, info.shape, (info.actions, info.players))
    except OnnxError as error:
        raise NetworkError(f"'{path}' is not written: {error}.") from None
    description = {**_description(info), "checksum": _checksum(graph.data)}
    onnx.helper.set_model_props(whole, {KEY: json.dumps(description)})
    replace_file(Path(path), whole.SerializeToString(deterministic=True))


def _contents(path: Path) -> bytes:
    """Return the contents of a file that is not too large, and no pickle or archive."""
    with open_file(path, NetworkError) as file:
        if os.fstat(file.fileno()).st_size > LARGEST_FILE:
            raise refusal(path, "it is too large for a network of halma")
        data = file.read(LARGEST_FILE)
    if data.startswith((b"PK\x03\x04", b"\x80")) and not _holds_weights(data):
        raise refusal(path, "it is a pickle or an archive, which could run programs")
    return data


def _holds_weights(data: bytes) -> bool:
    """Return whether a file may be safetensors: a length in eight bytes, then JSON.

    To be called first, since the length may look like the start of any other format.
    """
    return data[4:9] == b"\0\0\0\0{"


def refusal(path: Path | str, reason: object) -> NetworkError:
    """Return the error about a file that is not used."""
    return NetworkError(f"'{path}' is not used: {reason}.")


def _read_weights(path: Path | str) -> tuple[NetworkInfo, Arrays]:
    try:
        file = open_tensors(Path(path), {})
    except TensorFileError as error:
        raise NetworkError(str(error)) from None
    arrays = file.arrays()
    if any(array.dtype.str not in _TYPES for array in arrays.values()):
        raise refusal(path, "its weights are neither float32 nor float16 nor int64")
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not math.isfinite(array.sum(dtype="float64")):
            raise refusal(path, f"its weights {name[:60]!r} are not finite")
    return _parse_description(path, file.description), arrays


def _read_model(path: Path | str, data: bytes) -> NetworkInfo:
    if not onnx_file.may_be_onnx(data):
        raise refusal(path, _FOREIGN)
    try:
        graph = onnx_file.parse(data)
    except OnnxError as error:
        raise refusal(path, error) from None
    try:
        description = json.loads(graph.metadata.get(KEY, "null"))
    except (ValueError, RecursionError):
        raise refusal(path, _DAMAGED) from None
    if not isinstance(description, dict):
        raise refusal(path, "halma did not write it")
    if description.pop("checksum", None) != _checksum(graph.data):
        raise refusal(path, "it is damaged, its checksum is wrong")
    info = _parse_description(path, description)
    try:
        onnx_shapes.check_cost(graph, info.shape, (info.actions, info.players))
    except OnnxError as error:
        raise refusal(path, error) from None
    return info


def with_about(info: NetworkInfo, about: Mapping[str, Any] | None) -> NetworkInfo:
    """Return a description with these remarks, if any are given."""
    return info if about is None else replace(info, about=dict(about))


def _description(info: NetworkInfo) -> dict[str, Any]:
    return {"format": FORMAT, **asdict(info), "shape": list(info.shape)}


def _parse_description(path: Path | str, found: Mapping[str, Any]) -> NetworkInfo:
    """Return a description if every part of it has the right type and a plausible value."""
    if found.get("format") != FORMAT:
        reason = f"its format is not {FORMAT}, the one that this version of halma reads"
        raise refusal(path, reason)
    names = [found.get(key) for key in ("game", "architecture")]
    numbers = [found.get(key) for key in ("version", "players", "actions")]
    shape, about = found.get("shape"), found.get("about")
    if (
        not all(isinstance(n, str) and n.isprintable() and len(n) <= _LONGEST_NAME for n in names)
        or not isinstance(shape, list)
        or len(shape) != 3
        or not all(type(n) is int and 0 < n < 1 << 31 for n in (*numbers, *shape))
        or math.prod(shape) > _MOST["planes"]
        or any(found[key] > _MOST[key] for key in ("actions", "players"))
        or not isinstance(about, dict)
        or len(json.dumps(about)) > _LONGEST_REMARKS
    ):
        raise refusal(path, _DAMAGED)
    head = found.get("head", POLICY)  # files from before there were others
    if head not in _WRONG_HEAD:
        raise refusal(path, _DAMAGED)
    values = {each.name: found.get(each.name) for each in fields(NetworkInfo)}
    return NetworkInfo(**{**values, "shape": tuple(shape), "head": head})


def _checksum(data: bytes | memoryview) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
