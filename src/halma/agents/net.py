"""The agent whose tree search a network guides."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from halma.agents import mcts
from halma.agents.agent import Agent
from halma.agents.kind import Kind
from halma.agents.mcts import TreeAgent, tree_options
from halma.errors import NameSyntaxError, NetworkError, suggestion
from halma.games import Game, Record
from halma.names import Option, Value
from halma.search.analysis import Analysis

if TYPE_CHECKING:
    from halma.networks.onnx_evaluator import OnnxEvaluator

#: options it has in common with `mcts`
_SHARED = ("c", "untried", "solver", "loops", "temperature", "plies", "considered")
#: networks that come with the package
MODELS = Path(__file__).parents[1] / "networks" / "models"


@dataclass
class NetAgent(TreeAgent):
    """Plays what a search finds best that asks a network about every new position."""

    file: Path = Path()
    threads: int = 1
    _network: OnnxEvaluator | None = field(default=None, repr=False, compare=False)
    #: the variant that the network was checked to be for
    _checked: Game | None = field(default=None, repr=False, compare=False)

    def _search(self, record: Record, rng: random.Random, line_length: int) -> Analysis:
        from halma.search.guided import GuidedSearch

        seed = rng.getrandbits(63)
        search = GuidedSearch(record.game, self.evaluator(record.game), self.options, seed)
        return search.search(record, self.simulations or 1, line_length)

    def evaluator(self, game: Game) -> OnnxEvaluator:
        """Return the network, once it is known to be for this variant."""
        from halma.networks.network_file import read_model
        from halma.networks.onnx_evaluator import OnnxEvaluator

        if self._network is None or self._checked != game:
            info, model = read_model(self.file)
            info.check(game, self.file)
            self._network = OnnxEvaluator(
                model, info.shape, info.actions, info.players, self.threads, f"'{self.file}'"
            )
            self._checked = game
        return self._network


def find_network(name: str) -> Path:
    """Return the file that a name means: one that comes with halma, or one on disk."""
    shipped = {path.stem: path for path in sorted(MODELS.glob("*.onnx"))}
    if name in shipped:
        return shipped[name]
    path = Path(name)
    # A name with a folder or an ending is a file's, and reading it says what is wrong.
    if path.suffix in (".onnx", ".safetensors") or len(path.parts) > 1 or path.exists():
        return path
    have = f"Those are {', '.join(shipped)}." if shipped else "None do so far."
    raise NetworkError(
        f"There is no network '{name[:60]}': it is neither a file nor one that comes with halma."
        f"{suggestion(name, shipped)} {have}"
    )


def _build(name: str, given: Mapping[str, Value]) -> Agent:
    if not given["file"]:
        raise NameSyntaxError("'net' plays from a file: write net:FILE, or net:FILE,sims=400.")
    return NetAgent(
        name,
        int(given["sims"]),
        options=tree_options(given),
        temperature=float(given["temperature"]),
        temperature_plies=int(given["plies"]),
        file=find_network(str(given["file"])),
        threads=int(given["threads"]),
    )


KIND = Kind(
    "net",
    "tree search that a network guides",
    _build,
    options=(
        Option("file", "", "a network file, or the name of one that comes with halma", text=True),
        Option("sims", 100, "simulations a move", low=1, high=10**7),
        Option("rule", "puct", "how moves are chosen on the way down", choices=("puct", "gumbel")),
        *(option for option in mcts.KIND.options if option.key in _SHARED),
        Option("threads", 1, "that judge a position together", low=1, high=64),
    ),
    main="file",
    example="net:network.onnx,sims=400",
)
