"""Train on a machine that has compilers, cmake, ninja, nanobind, torch, numpy and safetensors.

    python scripts/gpu_train.py rhombus-7x7-6 --minutes 8 --to out
    python scripts/gpu_train.py rhombus-7x7-6 --minutes 8 --from out --to more

builds the core for that machine without installing anything, trains for the given time, and
keeps the folder of --to in step with the run: at most seven files of at most 16 MiB, from
which the next call, here or elsewhere, continues. Weights become ONNX where onnxruntime is:

    from halma.networks.export import export_file
    export_file("out/best.safetensors", "best.onnx")
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES, BUILD = ROOT / "src", ROOT / "build" / f"gpu-{sys.implementation.cache_tag}"
#: Seconds between two updates of the folder.
_PACK_SECONDS = 45.0


def build(native: bool) -> None:
    """Compile the core and put it where the sources are; an unchanged one takes a second."""
    import nanobind

    began = time.perf_counter()
    options = [
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DHALMA_NATIVE={'ON' if native else 'OFF'}",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-Dnanobind_DIR={nanobind.cmake_dir()}",
    ]
    for command in (
        ["cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", *options],
        ["cmake", "--build", str(BUILD), "--parallel"],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (module,) = BUILD.glob("_core.*.so")
    target = SOURCES / "halma" / module.name
    beside = target.with_suffix(".new")
    shutil.copyfile(module, beside)
    beside.replace(target)
    print(f"Built the core in {time.perf_counter() - began:.0f} s.", flush=True)


def environment() -> dict[str, str]:
    """Return the environment in which what was just built runs, and no installed version."""
    paths = [str(SOURCES), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def main() -> None:
    """Build, then train in a process that sees what was built."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recipe", help="a recipe's name, or a file.toml")
    parser.add_argument("--minutes", type=float, default=8.0, help="of training, after building")
    parser.add_argument(
        "--from", dest="source", type=Path, help="a folder that an earlier call filled"
    )
    parser.add_argument("--to", type=Path, required=True, help="the folder to fill")
    parser.add_argument(
        "--run", type=Path, help="directory of the run; build/gpu-runs/RECIPE if left out"
    )
    parser.add_argument(
        "--set", action="append", default=[], help="another value: search.simulations=64"
    )
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--compile", action="store_true", help="run the network through torch.compile"
    )
    parser.add_argument(
        "--portable", action="store_true", help="do not compile for this machine alone"
    )
    parser.add_argument("--built", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.built:
        build(native=not given.portable)
        os.execve(sys.executable, [sys.executable, *sys.argv, "--built"], environment())
    train(given)


def train(given: argparse.Namespace) -> None:
    """Continue the run where it is, or else its bundle, or start it."""
    import torch

    from halma import _core
    from halma.errors import HalmaError
    from halma.learn import train as run_training
    from halma.learn.bundle import check_size, pack, unpack
    from halma.learn.recipe import load, parse_changes
    from halma.learn.reports.console import Console
    from halma.learn.reports.events import Checkpoint, Finished, Handler, Report, Stopped
    from halma.learn.session import with_iterations
    from halma.networks.architectures.build import build as build_network
    from halma.tensors import list_iterations

    recipe = load(given.recipe)
    recipe = recipe.changed(parse_changes(recipe, given.set)) if given.set else recipe
    # With the folder of its name: there is more than one 'best'.
    parts = Path(given.recipe).with_suffix("").parts[-2:]
    run = given.run or ROOT.joinpath("build", "gpu-runs", *parts)
    network = build_network(recipe.settings.network_info(recipe.game))
    weights = sum(tensor.nbytes for tensor in network.state_dict().values())
    gate = getattr(recipe.settings, "gate", None)
    try:
        check_size(weights, copies=2 if gate is not None and gate.games else 1)
    except HalmaError as error:
        raise SystemExit(str(error)) from None
    print(f"{_core.build()}; torch {torch.__version__}", flush=True)
    if torch.cuda.is_available():
        print(torch.cuda.get_device_name(), flush=True)
    if given.source is not None and not list_iterations(run / "checkpoints"):
        shutil.rmtree(run, ignore_errors=True)
        try:
            unpack(given.source, run, recipe.game)
        except HalmaError as error:
            raise SystemExit(str(error)) from None
        print(f"Unpacked {given.source} into {run}.", flush=True)
    try:
        # A run that is there may have another length, which follows.
        recipe = with_iterations(recipe, run, recipe.settings.iterations)
    except HalmaError as error:
        raise SystemExit(str(error)) from None

    class Packer(Handler):
        """Keeps the folder in step."""

        packed_at = -_PACK_SECONDS

        def handle(self, report: Report) -> None:
            due = time.monotonic() - self.packed_at >= _PACK_SECONDS
            last = isinstance(report, Stopped | Finished)
            if (isinstance(report, Checkpoint) and due) or (
                last and list_iterations(run / "checkpoints")
            ):
                pack(run, given.to, recipe.game)
                self.packed_at = time.monotonic()

    try:
        metrics = run_training(
            recipe,
            run,
            [Console(), Packer()],
            threads=given.threads,
            device=given.device,
            seconds=60 * given.minutes,
            compiled=given.compile,
        )
    except HalmaError as error:
        raise SystemExit(str(error)) from None
    print("\n".join(f"{key:24} {value}" for key, value in metrics.items()))


if __name__ == "__main__":
    main()
