"""Runs made elsewhere: run directories, and bundles, which are unpacked first."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from halma.errors import HalmaError
from halma.files import read_file
from halma.learn.bundle import STATE, unpack
from halma.learn.run import MODEL, RECIPE, WEIGHTS, run_recipe
from halma.networks.finding import VERSIONS
from halma.networks.network_file import MODEL_SUFFIX
from halma.tensors import list_iterations

_MOST_BYTES = 1 << 28


def find_runs(place: Path, unpacked: Path) -> list[Path]:
    """Return the run directories of a place: itself, those in it, and its bundles, unpacked.

    Bundles are unpacked into a folder of the folder `unpacked`.
    """
    runs = [path.parent for path in _here_or_below(place, RECIPE)]
    runs += [_unpack(path.parent, unpacked) for path in _here_or_below(place, STATE)]
    if not runs:
        raise HalmaError(f"There is no run in '{place}' to adopt.")
    return runs


def _here_or_below(place: Path, name: str) -> Iterator[Path]:
    if (place / name).is_file():
        yield place / name
    yield from sorted(place.glob(f"*/{name}"))


def _unpack(bundle: Path, folder: Path) -> Path:
    """Unpack a bundle, once for each state of it, and write the models that do not travel."""
    digest = hashlib.sha256(read_file(bundle / STATE, _MOST_BYTES)).hexdigest()
    run = folder / f"{bundle.resolve().name}-{digest[:8]}"
    if not run.exists():
        unpack(bundle, run)
    models = {number for number, _ in list_iterations(run / VERSIONS, MODEL_SUFFIX)}
    lacks_versions = any(number not in models for number, _ in list_iterations(run / VERSIONS))
    lacks_best = (run / WEIGHTS).exists() and not (run / MODEL).exists()
    if lacks_versions or lacks_best:
        # They import torch.
        from halma.learn.archive import RunNetworks
        from halma.networks.export import export_file

        RunNetworks(run, run_recipe(run)).complete_archive()
        if lacks_best:
            export_file(run / WEIGHTS, run / MODEL)
    return run
