"""The promises of `core/game.hpp`, each as a function that looks for a way it is broken."""

from halma.games.promises import play, learning, faces, kernels  # isort: skip
from halma.games.promises.promise import MAX_EVENTS, PROMISES, Promise, Sample, Try, name

__all__ = ["MAX_EVENTS", "PARTS", "PROMISES", "Promise", "Sample", "Try", "name"]

#: where promises are made; each part has registered its own, in this order
PARTS = (play, learning, faces, kernels)
