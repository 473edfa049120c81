"""The agent whose tree search a network guides."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from halma.agents import mcts
from halma.agents.agent import Agent
from halma.agents.kind import Kind
from halma.agents.mcts import TreeAgent, tree_options
from halma.errors import NameSyntaxError
from halma.games import Game, Record
from halma.names import Option, Value
from halma.networks import OnnxEvaluator, find_network, load
from halma.search.analysis import Analysis

#: options it has in common with `mcts`
_SHARED = ("c", "untried", "solver", "loops", "temperature", "plies", "considered")


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
        """Return the network, checked to be for this variant."""
        if self._network is None or self._checked != game:
            self._network = load(self.file, game, self.threads)
            self._checked = game
        return self._network


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
