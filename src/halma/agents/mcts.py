"""The agent that grows a tree of simulations."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from halma.agents.agent import Agent
from halma.agents.kind import Kind
from halma.agents.knowledge import ENDINGS, NO_KNOWLEDGE, Knowledge
from halma.errors import OptionError
from halma.games import Move, Record
from halma.names import Option, Value
from halma.search.analysis import Analysis, MoveReport
from halma.search.mcts import EVALUATORS, RULES, UNTRIED, TreeOptions, TreeSearch


@dataclass
class TreeAgent:
    """Plays what a tree search finds best, or draws among what it tried.

    With `reuse` it keeps one tree, which is of use only while the same record goes on.
    """

    name: str
    simulations: int | None = None
    seconds: float | None = None
    options: TreeOptions = field(default_factory=TreeOptions)
    reuse: bool = False
    #: 0 plays the best; 1 draws by visits; the higher, the more alike all moves are
    temperature: float = 0.0
    #: plies of the game for which the temperature holds; 0 for all
    temperature_plies: int = 0
    knowledge: Knowledge = NO_KNOWLEDGE
    _kept: TreeSearch | None = field(default=None, repr=False, compare=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the best move, or while it is hot one drawn by the search's policy."""
        analysis = self._search(record, rng, line_length=1)
        hot = not self.temperature_plies or record.plies < self.temperature_plies
        if self.temperature > 0 and hot and not analysis.proven:
            return draw_move(analysis.moves, self.temperature, rng)
        return analysis.best

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return all that the search found."""
        return self._search(record, rng, line_length=8)

    def _search(self, record: Record, rng: random.Random, line_length: int) -> Analysis:
        seed = rng.getrandbits(63)
        tree = self._kept
        if tree is None or tree.game != record.game or not tree.follows(record):
            oracle = self.knowledge.oracle(record.game)
            tree = TreeSearch(record.game, self.options, seed, self.reuse, oracle)
        self._kept = tree if self.reuse else None
        return tree.search(record, self.simulations, self.seconds, line_length)


def draw_move(reports: tuple[MoveReport, ...], temperature: float, rng: random.Random) -> Move:
    """Draw a move with a probability proportional to its policy to the power 1 / temperature."""
    # Relative to the largest, so that a low temperature does not make all of them zero.
    most = max(report.policy or 0.0 for report in reports)
    weights = [((report.policy or 0.0) / most) ** (1.0 / temperature) for report in reports]
    return rng.choices(reports, weights)[0].move


def tree_options(given: Mapping[str, Value]) -> TreeOptions:
    """Return the dials of a search from an agent's options, or say what does not go together."""
    rule, noise = str(given["rule"]), float(given.get("noise", 0.0))
    if rule != "puct" and given["untried"] != "loss":
        raise OptionError(f"'untried' is for 'rule=puct'; '{rule}' has a rule of its own.")
    if rule == "gumbel" and given["c"] != "own":
        raise OptionError("'rule=gumbel' has no 'c'.")
    if given["plies"] and not given["temperature"]:
        raise OptionError("'plies' says how long a temperature holds, and none is given.")
    if rule in ("uct", "pluska") and noise:
        raise OptionError(f"'noise' changes priors, which 'rule={rule}' does not look at.")
    return TreeOptions(
        rule=rule,
        c=None if given["c"] == "own" else float(given["c"]),
        untried=str(given["untried"]),
        evaluator=str(given.get("evaluator", "uniform")),
        scale=float(given.get("scale", 0.0)),
        solver=given["solver"] == "on",
        cut_loops=given["loops"] == "cut",
        noise=noise,
        noise_alpha=float(given.get("alpha", 0.3)),
        considered=int(given["considered"]),
    )


def _build(name: str, given: Mapping[str, Value]) -> Agent:
    simulations, seconds = int(given["sims"]) or None, float(given["time"]) or None
    if simulations is None and seconds is None:
        raise OptionError("'mcts' needs a limit: sims=800 or time=0.5, say.")
    if given["rule"] == "gumbel" and simulations is None:
        raise OptionError(
            "'rule=gumbel' shares out its simulations in advance, so it needs 'sims'."
        )
    if given["scale"] and given["evaluator"] != "linear":
        raise OptionError("'scale' is for 'evaluator=linear'.")
    if given["alpha"] != 0.3 and not given["noise"]:
        raise OptionError("'alpha' shapes noise, and none is asked for.")
    # A solution has an answer for everything, so nothing is left to judge.
    solution = given["evaluator"] == "solution"
    judged = {**given, "evaluator": "uniform"} if solution else given
    return TreeAgent(
        name,
        simulations,
        seconds,
        tree_options(judged),
        reuse=given["reuse"] == "on",
        temperature=float(given["temperature"]),
        temperature_plies=int(given["plies"]),
        knowledge=Knowledge(int(given["endings"]), solution),
    )


KIND = Kind(
    "mcts",
    "Monte-Carlo tree search",
    _build,
    options=(
        Option("sims", 0, "simulations a move", low=1, high=10**9),
        Option("time", 0, "seconds a move", low=0.001, high=86_400, decimal=True),
        Option("rule", "uct", "how moves are chosen on the way down", choices=RULES),
        Option("c", "own", "weight of exploration", low=0, high=1000, decimal=True),
        Option("untried", "loss", "what puct takes a move for before its trial", choices=UNTRIED),
        Option(
            "evaluator",
            "rollout",
            "how a new position is judged",
            choices=(*EVALUATORS, "solution"),
        ),
        Option(
            "scale",
            0.0,
            "of the linear evaluator; 0 for the game's own",
            low=0,
            high=1000,
            decimal=True,
        ),
        Option("solver", "off", "prove wins, draws and losses", choices=("off", "on")),
        Option(
            "loops",
            "ignore",
            "cut positions that stood before (schulte2021)",
            choices=("ignore", "cut"),
        ),
        Option("reuse", "off", "keep the tree from move to move", choices=("off", "on")),
        Option("temperature", 0.0, "0 plays the best", low=0, high=100, decimal=True),
        Option("plies", 0, "of the game for which the temperature holds", low=1, high=10**6),
        Option("noise", 0.0, "share of Dirichlet noise at the root", low=0, high=1, decimal=True),
        Option("alpha", 0.3, "of that noise", low=0.001, high=1000, decimal=True),
        Option("considered", 16, "root moves gumbel draws", low=1, high=512),
        ENDINGS,
    ),
    main="sims",
    example="mcts:sims=100",
)
