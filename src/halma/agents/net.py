"""The agent whose tree search evaluates leaves by a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from halma.agents.agent import Agent
from halma.agents.mcts import TEMPERATURE_OPTIONS, TreeAgent, tree_options
from halma.agents.spec import AgentSpec, declared_option
from halma.errors import NameSyntaxError
from halma.games import Game
from halma.names import Option, Value
from halma.networks import OnnxEvaluator, find_network, load
from halma.search.options import DECLARED, POLICY_RULES


@dataclass
class NetAgent(TreeAgent):
    """Plays the best move of a tree search whose leaves a network evaluates."""

    file: Path = Path()
    threads: int = 1
    _network: OnnxEvaluator | None = field(default=None, repr=False, compare=False)
    #: the variant that the network was checked to be for
    _checked: Game | None = field(default=None, repr=False, compare=False)

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
        temperature_plies=int(given["temperature_plies"]),
        file=find_network(str(given["file"])),
        threads=int(given["threads"]),
    )


SPEC = AgentSpec(
    "net",
    "tree search with a network",
    _build,
    options=(
        Option("file", "", "A network file, or the name of one that comes with halma.", text=True),
        Option("sims", 100, "Simulations a move.", low=1, high=10**7),
        *(
            declared_option(info, **({"choices": POLICY_RULES} if name == "rule" else {}))
            for name, info in DECLARED.items()
        ),
        *TEMPERATURE_OPTIONS,
        Option("threads", 1, "Threads of the network.", low=1, high=64),
    ),
    main="file",
    example="net:network.onnx,sims=400",
)
