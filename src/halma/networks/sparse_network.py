"""Evaluator files: small networks that the core evaluates (`core/search/sparse_network.hpp`).

A file is safetensors with the variant, the version of its inputs and a checksum. Values are whole
numbers in ranges that cannot overflow the core's sums; a file with others is refused.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halma import _core
from halma.errors import ArgumentError, NetworkError, TensorFileError, suggestion
from halma.games import Game
from halma.games.registry import short_name
from halma.networks.finding import MODELS
from halma.networks.network_file import refusal
from halma.structure import ArrayKind, fields, plain, text, whole
from halma.tensors import SUFFIX, open_tensors, write_tensors

if TYPE_CHECKING:
    from halma.tensors import Arrays

FORMAT = 1
_KIND = "evaluator"
_MOST_VERSIONS = 1 << 20
_STRUCTURE = fields(
    {"game": text(500), "version": whole(0, _MOST_VERSIONS), "about": plain},
)
_LARGEST_FILE = 1 << 24


def has_inputs(game: Game) -> bool:
    """Whether a game offers the inputs of such a network."""
    return bool(_core.capabilities(game.core)["inputs"]) and game.players == 2


def array_kinds(game: Game) -> dict[str, ArrayKind]:
    """Return what the arrays of a file for a game must be."""
    network = _core.SparseNetwork
    units, hidden = network.ACCUMULATOR, network.HIDDEN
    weight, bias = network.MAX_WEIGHT, network.MAX_BIAS
    return {
        "input_weights": ArrayKind("int16", (_core.input_count(game.core), units)),
        "input_biases": ArrayKind("int16", (units,)),
        "hidden_weights": ArrayKind("int16", (hidden, units), -weight, weight),
        "hidden_biases": ArrayKind("int32", (hidden,), -bias, bias),
        "output_weights": ArrayKind("int16", (hidden,), -weight, weight),
        "output_bias": ArrayKind("int32", (1,), -bias, bias),
    }


def make_network(game: Game, arrays: Arrays) -> _core.SparseNetwork:
    """Return the network of a file's arrays; raise an `ArgumentError` if sums could overflow."""
    named = {name: arrays[name] for name in array_kinds(game) if name != "output_bias"}
    return _core.SparseNetwork(game.core, **named, output_bias=int(arrays["output_bias"][0]))


def write_evaluator(path: Path, game: Game, arrays: Arrays, about: Mapping[str, Any]) -> None:
    """Write an evaluator atomically, with remarks such as how it was trained."""
    make_network(game, arrays)
    description = {
        "kind": _KIND,
        "format": FORMAT,
        "game": game.identity,
        "version": game.core.version,
        "about": dict(about),
    }
    write_tensors(path, arrays, description)


def read_evaluator(path: Path, game: Game) -> _core.SparseNetwork:
    """Return the evaluator in a file, or raise a `NetworkError` in one sentence."""
    if not has_inputs(game):
        raise NetworkError(
            f"'{short_name(game.name)}' has no inputs for an evaluator in the core: leave out "
            "'evaluator'."
        )
    with suppress(OSError):
        if os.path.getsize(path) > _LARGEST_FILE:
            raise refusal(path, "it is too large for an evaluator")
    try:
        file = open_tensors(
            path, {"kind": _KIND, "format": FORMAT}, _STRUCTURE, lambda _: _kinds_for(path, game, _)
        )
        return make_network(game, file.arrays())
    except (TensorFileError, ArgumentError) as error:
        said = str(error)
        raise (
            NetworkError(said) if said.startswith(f"'{path}'") else refusal(path, said.rstrip("."))
        ) from None


def _kinds_for(path: Path, game: Game, file: Any) -> dict[str, ArrayKind]:
    """Return the arrays wanted, after checking that the file is for this game."""
    about = file.description
    if about["game"] != game.identity:
        there, here = short_name(str(about["game"])), short_name(game.identity)
        raise refusal(path, f"it evaluates '{there}', not '{here}'; halma fit {here} trains one")
    if about["version"] != game.core.version:
        raise refusal(path, "it was made for another version of the game's inputs")
    return array_kinds(game)


def shipped_evaluators() -> dict[str, Path]:
    """Return the evaluators that come with halma by name."""
    return {path.stem: path for path in sorted(MODELS.glob(f"*{SUFFIX}"))}


def shipped_evaluator_for(game: Game) -> str | None:
    """Return the name of the evaluator that comes with halma for this variant, if there is one."""
    return next((name for name, known in _variants(MODELS).items() if known == game.identity), None)


def shipped_evaluator_variants() -> set[str]:
    """Return the variants that evaluators come with halma for."""
    return set(_variants(MODELS).values())


@cache
def _variants(folder: Path) -> dict[str, str]:
    """Return the variants of the shipped evaluators by their names; damaged files are left out."""
    found = {}
    for name, path in shipped_evaluators().items():
        with suppress(TensorFileError):
            found[name] = str(open_tensors(path, {"kind": _KIND}, _STRUCTURE).description["game"])
    return found


def find_evaluator(name: str) -> Path:
    """Return the file that a name means: one that comes with halma, or one on disk."""
    shipped = shipped_evaluators()
    if name in shipped:
        return shipped[name]
    path = Path(name)
    if path.suffix == SUFFIX or len(path.parts) > 1 or os.path.exists(path):
        return path
    listed = f" Those are {', '.join(shipped)}." if shipped else ""
    raise NetworkError(
        f"There is no evaluator '{name[:60]}': it is neither a file nor one that comes with "
        f"halma.{suggestion(name, shipped)}{listed}"
    )
