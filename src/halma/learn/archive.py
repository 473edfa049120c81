"""Network files of a run: the best network, and the archive of its versions.

    best.safetensors, best.onnx               the best network
    versions/iteration-N.safetensors, .onnx   the network in training after iteration N

Each network has two files: weights, to train and to evaluate on a GPU, and a model to play with.
The model is written last: once it is there, so are the weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halma.errors import NetworkError
from halma.learn.recipe import Recipe
from halma.learn.run import MODEL, WEIGHTS
from halma.networks.architectures.blocks import Network
from halma.networks.export import export, export_file
from halma.networks.finding import VERSIONS
from halma.networks.network_file import MODEL_SUFFIX, read_info
from halma.networks.weights import load_weights, save_weights
from halma.tensors import iteration_file, list_iterations


@dataclass(frozen=True)
class RunNetworks:
    """Reads and writes the network files of a run."""

    out: Path
    recipe: Recipe

    def write_best(self, network: Network, iteration: int) -> None:
        """Write the network that is the best since an iteration, unless it is there."""
        about = self._about(iteration)
        if not self.holds(WEIGHTS, iteration):
            save_weights(network, self.out / WEIGHTS, about)
        if not self.holds(MODEL, iteration):
            export(network, self.out / MODEL, about)

    def holds(self, name: str, iteration: int) -> bool:
        """Whether a file of the run holds the network of an iteration, undamaged."""
        try:
            found = read_info(self.out / name)
        except NetworkError:
            return False
        wanted = self.recipe.settings.network_info(self.recipe.game)
        return found == wanted and dict(found.about) == self._about(iteration)

    # The archive. A version is written before the checkpoint of its iteration, so a run that
    # goes on from there has it; after a kill before that, it is written again.

    @property
    def versions(self) -> Path:
        """The folder of versions."""
        return self.out / VERSIONS

    def is_due(self, iteration: int) -> bool:
        """Whether the network after an iteration is kept."""
        settings = self.recipe.settings
        every = settings.archive.every
        return bool(every) and (iteration % every == 0 or iteration == settings.iterations)

    def archive(self, network: Network, iteration: int) -> None:
        """Keep the network after an iteration, if it is due."""
        if self.is_due(iteration):
            about = self._about(iteration)
            save_weights(network, iteration_file(self.versions, iteration), about)
            export(network, iteration_file(self.versions, iteration, MODEL_SUFFIX), about)

    def version(self, iteration: int) -> Network:
        """Return a network of the archive, to evaluate or train."""
        return load_weights(iteration_file(self.versions, iteration))

    def has_version(self, iteration: int) -> bool:
        """Whether a network is in the archive."""
        return iteration_file(self.versions, iteration).exists()

    @property
    def without_model(self) -> list[tuple[int, Path]]:
        """Versions of which only the weights are there, as after unpacking a bundle."""
        models = {number for number, _ in list_iterations(self.versions, MODEL_SUFFIX)}
        return [found for found in list_iterations(self.versions) if found[0] not in models]

    def complete_archive(self) -> None:
        """Write the models that are missing."""
        for number, weights in self.without_model:
            export_file(weights, iteration_file(self.versions, number, MODEL_SUFFIX))

    def _about(self, iteration: int) -> dict[str, Any]:
        """Return the remarks in the files of a network."""
        return {"recipe": self.recipe.name, "iteration": iteration}
