"""`halma export`: a trained network as a file to play with, to start from, or to give away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halma.cli.verb import JsonFlag, note, print_answer, program
from halma.errors import HalmaError


def export(
    source: Annotated[
        Path, typer.Argument(help="The directory of a run, or a file of weights (.safetensors).")
    ],
    out: Annotated[
        Path, typer.Option(help="The file to write: .onnx, or .safetensors to train on.")
    ],
    version: Annotated[
        int | None, typer.Option(min=0, help="Of a run: this version of its archive.")
    ] = None,
    half: Annotated[
        bool, typer.Option("--half", help="Store weights as float16, in half of the space.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --out.")] = False,
    json: JsonFlag = False,
) -> None:
    """Write a trained network as an ONNX file, or its weights.

    It is that of a run or of a file of weights; an ONNX file is checked against torch. The file
    knows its game and rules. `net:FILE` plays an ONNX file, without torch, and a run may start from
    weights (`warm_start.weights`).
    """
    from halma.games.registry import short_name
    from halma.machine import in_bytes
    from halma.networks.export import export_file
    from halma.networks.network_file import MODEL_SUFFIX, WEIGHTS_SUFFIX, read_info
    from halma.networks.weights import load_weights, save_weights

    if out.suffix not in (MODEL_SUFFIX, WEIGHTS_SUFFIX):
        raise HalmaError(
            f"'{out}' cannot be written: the name of a network ends in {MODEL_SUFFIX}, or for "
            f"training in {WEIGHTS_SUFFIX}."
        )
    if out.exists() and not force:
        raise HalmaError(f"'{out}' exists already: --force replaces it.")
    weights, difference = _weights_of(source, version), None
    if out.suffix == MODEL_SUFFIX:
        difference = export_file(weights, out, half)
    else:
        network = load_weights(weights)
        save_weights(network, out, network.info.about, half)
    info, size = read_info(out), out.stat().st_size
    answer = {
        "file": str(out),
        "bytes": size,
        "game": info.game,
        "architecture": info.architecture,
        "about": dict(info.about),
        "difference": difference,
    }

    def show() -> None:
        variant = short_name(info.game)
        print(f"{out}: {info.architecture} for {variant}, {in_bytes(size)}")
        if out.suffix == MODEL_SUFFIX:
            note(f"To play against it: {program()} play human net:{out} --game {variant}")

    print_answer(json, answer, show)


def _weights_of(source: Path, version: int | None) -> Path:
    """Return the file of weights that is meant."""
    from halma.learn.run import WEIGHTS
    from halma.networks.finding import find_network
    from halma.networks.network_file import WEIGHTS_SUFFIX

    if version is not None:
        return find_network(str(source), str(version)).with_suffix(WEIGHTS_SUFFIX)
    if not source.is_dir():
        return source
    if not (source / WEIGHTS).exists():
        raise HalmaError(
            f"'{source}' has no {WEIGHTS}: it is not the directory of a run with a network, or has "
            "no checkpoint yet."
        )
    return source / WEIGHTS
