"""Reads forged network files, and fails if anything but a result or our own error comes out."""

import math
import random
import resource
import time
from pathlib import Path

import numpy as np
from hostile.network_forger import GAME, INFO, forge_model, forge_weights, models

from halma.errors import HalmaError
from halma.networks import load

MOST_SECONDS, MOST_BYTES = 2.0, 200 << 20


def check_models(
    folder: Path, rng: random.Random, number: float = math.inf, seconds: float = math.inf
) -> int:
    """Read a number of forged models, or as many as there is time for; return how many."""
    originals, path = models(), folder / "forged.onnx"
    planes = np.random.default_rng(0).random((3, *GAME.shape), np.float32)

    def read() -> None:
        path.write_bytes(forge_model(rng, originals))
        network = load(path, GAME)
        for rows in (1, 3):
            policy, values = network.evaluate(planes[:rows])
            assert np.isfinite(policy).all() and ((values >= 0) & (values <= 1)).all()

    return _repeat(read, path, number, seconds)


def check_weights(
    folder: Path, rng: random.Random, number: float = math.inf, seconds: float = math.inf
) -> int:
    """The same with weights."""
    from halma.networks.architectures.build import build
    from halma.networks.weights import load_weights

    path = folder / "forged.safetensors"
    arrays = {name: t.numpy() for name, t in build(INFO, seed=0).state_dict().items()}

    def read() -> None:
        forge_weights(path, rng, arrays)
        network = load_weights(path)
        assert all(bool(p.isfinite().all()) for p in network.parameters())

    return _repeat(read, path, number, seconds)


def _repeat(read, path: Path, number: float, seconds: float) -> int:
    """Call `read`; keep the file of a failure beside the tests' other files."""
    began, done, memory = time.perf_counter(), 0, _most_memory()
    while done < number and time.perf_counter() - began < seconds:
        started = time.process_time()  # other processes do not count
        try:
            read()
        except HalmaError as error:
            sentence = str(error)
            assert sentence.endswith(".") and sentence.isprintable(), sentence
        took = time.process_time() - started
        assert took < MOST_SECONDS, f"{path} took {took:.1f} s"
        done += 1
        if done == 20:
            memory = _most_memory()  # libraries are loaded by now
    assert _most_memory() - memory < MOST_BYTES
    return done


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
