"""Agents that play by tree search: `mcts`, and `net`, whose leaves a network evaluates."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from weakref import ReferenceType, ref

from halma import _core
from halma.agents.agent import Agent, AgentSpec
from halma.agents.oracles import ENDGAMES, NO_ORACLE, OracleChoice
from halma.errors import NameSyntaxError, OptionError
from halma.games import Game, Move, Record
from halma.names import Option, Value
from halma.networks import OnnxEvaluator, find_network, load, shipped_file
from halma.search.analysis import Analysis, MoveReport
from halma.search.evaluator import Evaluator
from halma.search.options import (
    DECLARED,
    NETWORK_RULES,
    RULES,
    check_rule,
    reads_all,
    search_options,
)
from halma.search.tree_search import EVALUATORS, TreeSearch


@dataclass
class TreeAgent:
    """Plays the best move of a tree search, or samples among the moves it visited.

    With `reuse` it keeps the tree of one game, as long as the same record goes on.
    """

    name: str
    simulations: int | None = None
    seconds: float | None = None
    #: of tree search, by name; see `core/search/options.hpp`
    options: Mapping[str, Any] = field(default_factory=dict)
    #: of the core; auto: rollouts that race where the game finds its furthest moves quickly
    core_evaluator: str = "auto"
    #: of the linear evaluator; 0 for the game's own
    scale: float = 0.0
    reuse: bool = False
    #: 0 plays the best move; otherwise moves are sampled by policy^(1 / temperature)
    temperature: float = 0.0
    #: plies of the game during which moves are sampled; 0 for all
    temperature_plies: int = 0
    oracles: OracleChoice = NO_ORACLE
    _tree: TreeSearch | None = field(default=None, repr=False, compare=False)
    _record: ReferenceType[Record] | None = field(default=None, repr=False, compare=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return the best move, or one sampled by the search's policy."""
        analysis = self._search(record, rng, line_length=1)
        samples = not self.temperature_plies or record.plies < self.temperature_plies
        if self.temperature > 0 and samples and not analysis.proven:
            return sample_move(analysis.moves, self.temperature, rng)
        return analysis.best

    def analyse(self, record: Record, rng: random.Random) -> Analysis:
        """Return everything the search found."""
        return self._search(record, rng, line_length=8)

    def growing(self) -> TreeAgent:
        """Return the agent for an analysis that goes on with its tree until it is stopped.

        Where its rule may leave moves of the root without a visit, all of them get some.
        """
        fresh: dict[str, Any] = {"temperature": 0.0, "_tree": None, "_record": None}
        agent = replace(self, simulations=None, reuse=True, **fresh)
        settings = agent.search_settings
        if settings.get("rule") not in DECLARED["wide_root"].rules or settings.get("wide_root"):
            return agent
        return replace(agent, options={**settings, "wide_root": _WIDE_ROOT})

    def evaluator(self, game: Game) -> str | Evaluator:
        """Return what evaluates leaves."""
        if self.core_evaluator != "auto":
            return self.core_evaluator
        return "race" if _core.capabilities(game.core)["furthest"] else "rollout"

    def check(self, game: Game) -> None:
        """Raise an error if the search, its evaluator or its tables do not fit a game."""
        self._make_tree(game, seed=0)

    @property
    def search_settings(self) -> Mapping[str, Any]:
        """The options of its search, by name."""
        return self.options

    @property
    def tree_bytes(self) -> int:
        """The size of the tree that is kept; 0 where none is."""
        return 0 if self._tree is None else self._tree.bytes

    def _make_tree(self, game: Game, seed: int) -> TreeSearch:
        return TreeSearch(
            game,
            search_options(game, **self.search_settings),
            evaluator=self.evaluator(game),
            scale=self.scale,
            seed=seed,
            reuse=self.reuse,
            oracle=self.oracles.oracle(game),
        )

    def _search(self, record: Record, rng: random.Random, line_length: int) -> Analysis:
        seed = rng.getrandbits(63)
        tree = self._tree
        # A tree of another record would make moves depend on the games played before.
        if tree is None or self._record is None or self._record() is not record:
            tree = self._make_tree(record.game, seed)
        self._tree, self._record = (tree, ref(record)) if self.reuse else (None, None)
        return tree.search(record, self.simulations, self.seconds, line_length)


@dataclass
class NetAgent(TreeAgent):
    """Plays the best move of a tree search whose leaves a network evaluates.

    Options without a rule leave it to the limit of the search: `search_settings`.
    """

    #: the network; None for the one that comes with halma for the variant that is played
    file: Path | None = None
    threads: int = 1
    #: whether it also plays variants that differ in rules alone
    any_rules: bool = False
    _network: OnnxEvaluator | None = field(default=None, repr=False, compare=False)
    #: the variant that the network was checked to be for
    _checked: Game | None = field(default=None, repr=False, compare=False)

    @property
    def search_settings(self) -> Mapping[str, Any]:
        """The options of its search; unless a rule is set, the one for how it is limited.

        Gumbel plans a number of simulations in advance, and makes more of them than PUCT does
        (docs/results/strength.md). PUCT can stop at any time, and go on with its tree.
        """
        if "rule" in self.options:
            return self.options
        is_planned = self.simulations and not self.seconds and not self.reuse
        return {**self.options, "rule": _PLANNED if is_planned else _ANYTIME}

    def evaluator(self, game: Game) -> OnnxEvaluator:
        """Return the network, checked to be for this variant."""
        if self._network is None or self._checked != game:
            self._network = load(self.path(game), game, self.threads, self.any_rules)
            self._checked = game
        return self._network

    def path(self, game: Game) -> Path:
        """Return the file of the network that plays a variant."""
        return self.file or shipped_file(game)


def sample_move(reports: tuple[MoveReport, ...], temperature: float, rng: random.Random) -> Move:
    """Sample a move with a probability proportional to policy^(1 / temperature)."""
    # Relative to the largest, so that a low temperature does not make all of them zero.
    most = max(report.policy or 0.0 for report in reports)
    weights = [((report.policy or 0.0) / most) ** (1.0 / temperature) for report in reports]
    return rng.choices(reports, weights)[0].move


def _declared(**changed: Mapping[str, Any]) -> Iterator[Option]:
    """Yield the options that the core declares, some fields of those named replaced.

    Booleans are off and on, and None is auto.
    """
    for name, info in DECLARED.items():
        default: Any = "auto" if info.default is None else info.default
        choices = tuple(info.choices)
        if info.type == "bool":
            default, choices = "on" if default else "off", ("off", "on")
        decimal = info.type == "float"
        option = Option(name, default, info.about, choices, info.low, info.high, decimal)
        yield replace(option, **changed.get(name, {}))


#: of analyses that go on: the share of simulations that all moves get in equal parts
_WIDE_ROOT = 0.1
#: Rules of `net` where none is given: for a number of simulations, and without one.
_PLANNED, _ANYTIME = "gumbel", "puct"
#: of `net` where neither simulations nor time are given
_NET_SIMULATIONS = 100
_TIME = Option("time", 0, "Seconds a move.", low=0.001, high=86_400, decimal=True)
_TEMPERATURE = (
    Option("temperature", 0.0, "0 plays the best move.", low=0, high=100, decimal=True),
    Option("temperature_plies", 0, "Plies during which moves are sampled.", low=1, high=10**6),
)


def _tree_settings(given: Mapping[str, Value]) -> dict[str, Any]:
    """Return the fields of an agent that every tree search has, checked against the rule."""
    values: dict[str, Any] = {}
    for name, info in DECLARED.items():
        value = given[name]
        if info.type == "bool":
            values[name] = value == "on"
        else:
            values[name] = None if value == "auto" else value
    values = _with_rule(values)
    alpha = values["dirichlet_alpha"] != DECLARED["dirichlet_alpha"].default
    if alpha and not values["dirichlet_weight"]:
        raise OptionError("'dirichlet_alpha' needs a 'dirichlet_weight'.")
    if given["temperature_plies"] and not given["temperature"]:
        raise OptionError("'temperature_plies' needs a 'temperature'.")
    return {
        "options": values,
        "simulations": int(given["sims"]) or None,
        "temperature": float(given["temperature"]),
        "temperature_plies": int(given["temperature_plies"]),
    }


def _with_rule(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with the rule that reads them; without one where it is open.

    It is open where none was given, and no option that only one of the two rules reads.
    """
    if values["rule"] is None:
        fitting = [one for one in (_PLANNED, _ANYTIME) if reads_all(one, values)]
        if len(fitting) > 1:
            return {name: value for name, value in values.items() if name != "rule"}
        values = {**values, "rule": fitting[0] if fitting else _ANYTIME}
    check_rule(values)
    return dict(values)


def _build(name: str, given: Mapping[str, Value]) -> Agent:
    if not given["sims"] and not given["time"]:
        raise OptionError("'mcts' needs a limit: sims=800 or time=0.5, say.")
    rule = str(given["rule"])
    if RULES[rule].needs_budget and not given["sims"]:
        raise OptionError(f"'rule={rule}' plans its simulations in advance, so it needs 'sims'.")
    if given["scale"] and given["evaluator"] != "linear":
        raise OptionError("'scale' is for 'evaluator=linear'.")
    if given["reuse"] == "on" and not RULES[rule].reuses_tree:
        raise OptionError(f"'rule={rule}' starts a new tree at every move.")
    # A solution has a value for every position, so nothing is left to evaluate.
    solution = given["evaluator"] == "solution"
    return TreeAgent(
        name,
        **_tree_settings(given),
        seconds=float(given["time"]) or None,
        core_evaluator="uniform" if solution else str(given["evaluator"]),
        scale=float(given["scale"]),
        reuse=given["reuse"] == "on",
        oracles=OracleChoice(int(given["endgames"]), solution),
    )


def _build_net(name: str, given: Mapping[str, Value]) -> Agent:
    settings = _tree_settings(given)
    seconds, rule = float(given["time"]) or None, settings["options"].get("rule", _ANYTIME)
    if seconds and RULES[rule].needs_budget:
        raise OptionError(f"'rule={rule}' plans its simulations in advance, so it takes no 'time'.")
    if not seconds and not given["sims"]:
        settings["simulations"] = _NET_SIMULATIONS
    file, version = str(given["file"]), str(given["version"])
    if version and not file:
        raise NameSyntaxError("'version' is of a training run: write net:RUN,version=40.")
    return NetAgent(
        name,
        **settings,
        seconds=seconds,
        file=find_network(file, version) if file else None,
        threads=int(given["threads"]),
        any_rules=given["any_rules"] == "on",
    )


SPEC = AgentSpec(
    "mcts",
    _build,
    options=(
        Option("sims", 0, "Simulations a move.", low=1, high=10**9),
        _TIME,
        *_declared(rule={"default": "uct"}),
        Option(
            "evaluator",
            "auto",
            "Evaluator of leaves; auto: rollouts, which race where the game has furthest moves.",
            choices=("auto", *EVALUATORS, "solution"),
        ),
        Option(
            "scale",
            0.0,
            "Scale of the linear evaluator; 0 for the game's own.",
            low=0,
            high=1000,
            decimal=True,
        ),
        Option("reuse", "off", "Keep the tree from move to move.", choices=("off", "on")),
        *_TEMPERATURE,
        ENDGAMES,
    ),
    main="sims",
    example="mcts:sims=100",
)
NET_SPEC = AgentSpec(
    "net",
    _build_net,
    options=(
        Option("file", "", "A file, a training run, or a network of halma's by name.", text=True),
        Option("version", "", "Of a run: an archived iteration, first or last.", text=True),
        Option(
            "sims",
            0,
            f"Simulations a move; {_NET_SIMULATIONS} where no time is given.",
            low=1,
            high=10**7,
        ),
        _TIME,
        *_declared(
            rule={
                "choices": ("auto", *NETWORK_RULES),
                "default": "auto",
                "help": f"Rule that selects moves in the tree; auto: {_PLANNED} for a number of "
                f"simulations, {_ANYTIME} with a time or with options that it alone reads.",
            },
            # A player who is ahead would go round in circles where no rule forbids it.
            limits={"default": "first-repetition"},
        ),
        *_TEMPERATURE,
        Option("threads", 1, "Threads of the network.", low=1, high=64),
        Option(
            "any_rules",
            "off",
            "Also play other rules whose planes and policy are alike.",
            choices=("off", "on"),
        ),
    ),
    main="file",
    example="net:network.onnx,sims=400",
)
