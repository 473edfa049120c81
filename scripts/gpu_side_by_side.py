"""Train several recipes side by side on one GPU machine, which needs what gpu_train.py needs.

    python scripts/gpu_side_by_side.py plan.toml --minutes 9 --to out
    python scripts/gpu_side_by_side.py plan.toml --minutes 9 --from out --to more

A run with few games at a time waits for the GPU most of the time, so others can use it meanwhile;
NVIDIA's MPS, which is started where it is installed, lets their kernels run at the same time. Give
runs no more threads than there are cores, all together. The plan names them:

    [first]
    recipe = "liu2019"
    threads = 2
    set = ["seed=1", "evaluation.every=0"]

    [second]
    recipe = "star-121/6p"
    threads = 8
    compile = false

The folder of --to gets the bundles of all runs as parts of one tar file, of 15 MiB each. The next
call, here or elsewhere, goes on from them; runs that are still on the machine go on from there.
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import gpu_train

_PART_BYTES = 15 * 1024 * 1024
_KEYS = {"recipe", "threads", "set", "compile"}


def main() -> None:
    """Build, train all runs of the plan, and write their bundles."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan", type=Path, help="a file.toml with a table for each run")
    parser.add_argument("--minutes", type=float, default=8.0, help="of training, after building")
    parser.add_argument("--from", dest="source", type=Path, help="a folder of an earlier call")
    parser.add_argument("--to", type=Path, required=True, help="the folder to fill")
    parser.add_argument(
        "--runs",
        type=Path,
        default=gpu_train.ROOT / "build" / "gpu-runs" / "side-by-side",
        help="the folder of the runs on this machine",
    )
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument(
        "--compile", action="store_true", help="use torch.compile, unless the plan says no"
    )
    parser.add_argument("--built", action="store_true", help="the core is there already")
    given = parser.parse_args()
    plan = read_plan(given.plan)
    if not given.built:
        gpu_train.build(native=True)
    if given.source is not None:
        unpack(given.source, given.runs)
    given.runs.mkdir(parents=True, exist_ok=True)
    start_mps()
    processes = {name: start(name, run, given) for name, run in plan.items()}
    failed = [name for name, process in processes.items() if process.wait()]
    pack(given.runs, given.to)
    for name in plan:
        last = (given.runs / f"{name}.log").read_text().splitlines()[-1:] or [""]
        print(f"{name}: {'failed: ' if name in failed else ''}{last[0]}")
    if failed:
        raise SystemExit(1)


def read_plan(path: Path) -> dict[str, dict[str, object]]:
    """Return the runs of a plan by name."""
    plan = tomllib.loads(path.read_text(encoding="utf-8"))
    for name, run in plan.items():
        if not isinstance(run, dict) or "recipe" not in run or not run.keys() <= _KEYS:
            raise SystemExit(
                f"'{path}': '{name}' needs 'recipe', and may have 'threads', 'set' and 'compile'."
            )
    return plan


def start_mps() -> None:
    """Start NVIDIA's multi-process service, where it is installed."""
    if shutil.which("nvidia-cuda-mps-control"):
        subprocess.run(["nvidia-cuda-mps-control", "-d"], check=False)


def start(name: str, run: dict[str, object], given: argparse.Namespace) -> subprocess.Popen[bytes]:
    """Start the training of a run, whose output goes into a log beside it."""
    bundle = given.runs / "bundles" / name
    command = [sys.executable, str(gpu_train.ROOT / "scripts" / "gpu_train.py"), str(run["recipe"])]
    command += ["--built", "--minutes", str(given.minutes), "--device", given.device]
    command += ["--threads", str(run.get("threads", 2)), "--run", str(given.runs / name)]
    command += ["--to", str(bundle)]
    # A run that saved nothing has no bundle, and begins again.
    command += ["--from", str(bundle)] if (bundle / "state.tar").exists() else []
    command += ["--compile"] if run.get("compile", given.compile) else []
    for change in run.get("set", []):  # type: ignore[attr-defined]
        command += ["--set", change]
    with (given.runs / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env=gpu_train.environment()
        )


def pack(runs: Path, folder: Path) -> None:
    """Write the bundles of all runs into parts of a tar file."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as tar:
        for bundle in sorted(runs.glob("bundles/*")):
            tar.add(bundle, f"bundles/{bundle.name}")
    data = buffer.getvalue()
    folder.mkdir(parents=True, exist_ok=True)
    for number, first in enumerate(range(0, len(data), _PART_BYTES)):
        (folder / f"bundles.tgz.{number}").write_bytes(data[first : first + _PART_BYTES])


def unpack(folder: Path, runs: Path) -> None:
    """Put the bundles of an earlier call where runs look for them."""
    parts = sorted(folder.glob("bundles.tgz.*"), key=lambda path: int(path.suffix[1:]))
    if not parts:
        raise SystemExit(f"There is nothing in '{folder}' to go on from.")
    data = io.BytesIO(b"".join(part.read_bytes() for part in parts))
    with tarfile.open(fileobj=data, mode="r:gz") as tar:
        tar.extractall(runs, filter="data")


if __name__ == "__main__":
    main()
