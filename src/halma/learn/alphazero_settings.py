"""What can be set of learning with a network, beside what papers used."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from halma import _core
from halma.agents.registry import agent
from halma.errors import HalmaError, RecipeError
from halma.games import Game
from halma.learn.sections import CheckpointSettings, SearchSettings
from halma.learn.settings import setting, varied
from halma.networks.network_file import new_network


@dataclass(frozen=True)
class NeuralSearchSettings(SearchSettings):
    """How self-play looks for moves."""

    rule: str = varied(
        SearchSettings,
        "rule",
        "gumbel",
        papers="liu2019, hsueh2023: puct",
        help="How moves are chosen on the way down. Gumbel improves a policy with few simulations.",
    )
    simulations: int = varied(
        SearchSettings,
        "simulations",
        32,
        papers="liu2019: 175, hsueh2023: 800, and 6 to 800 in figure 24",
    )
    count_root: bool = varied(
        SearchSettings, "count_root", False, papers="hsueh2023: true (footnote 12)"
    )
    c: float = varied(
        SearchSettings, "c", 1.0, papers="liu2019: 3.5, hsueh2023: 1, and 1/64 to 64 in figure 24"
    )
    untried: str = varied(
        SearchSettings,
        "untried",
        "parent",
        papers="hsueh2023: loss (+0), and draw (+0.5), win (+1), infinite in figure 24",
    )
    noise: float = varied(SearchSettings, "noise", 0.25, papers="liu2019, hsueh2023: 0.25")
    alpha: float = varied(SearchSettings, "alpha", 0.3, papers="liu2019: 0.03, hsueh2023: 1.5")
    value_scale: float = setting(
        1.0,
        "How much a difference in value weighs against the policy; gumbel only.",
        low=0.001,
        high=1000,
    )
    loops: bool = setting(
        False,
        "Whether a position that stood before counts as if the game were stopped there.",
        papers="schulte2021: true",
    )


@dataclass(frozen=True)
class NeuralSelfPlaySettings:
    """How the games are played that the network learns from."""

    games: int = setting(
        1000,
        "Games in an iteration.",
        low=1,
        high=10_000_000,
        papers="liu2019: 180, hsueh2023: 1000",
    )
    slots: int = setting(
        256,
        "Games that are played at the same time, so that the network judges many positions at "
        "once.",
        low=1,
        high=1_000_000,
    )
    carry_over: bool = setting(
        False,
        "Whether games that are not over go on in the next iteration, with the new network. No "
        "slot then waits for the longest game, but a run that was interrupted does not repeat "
        "itself exactly.",
    )
    plies: int = setting(
        0,
        "A game of self-play is stopped after so many moves; 0 leaves it to the game.",
        low=0,
        high=1_000_000,
        papers="liu2019: 100",
    )
    stopped: str = setting(
        "rules",
        "What a game counts as that was stopped so: what the rules say, a draw mostly, or a win "
        "for whom the family's own features find ahead.",
        choices=("rules", "judged"),
        papers="liu2019: judged by forward distance where it learns from nothing",
    )
    temperature: float = setting(
        1.0,
        "Moves are drawn with this temperature at first; 0 plays the best.",
        low=0,
        high=100,
        papers="liu2019: 2, hsueh2023: 1",
    )
    temperature_plies: int = setting(
        16,
        "So many moves of a game, all players' together, are drawn like that.",
        low=0,
        high=1_000_000,
        papers="liu2019: 10, hsueh2023: all",
    )
    late_temperature: float = setting(
        0.0, "The temperature after that.", low=0, high=100, papers="liu2019: 0.01, hsueh2023: 1"
    )
    random_least: int = setting(
        0,
        "Every game begins with at least so many random moves, which nothing is learnt from.",
        low=0,
        high=10_000,
        papers="liu2019: 6",
    )
    random_most: int = setting(
        0, "And with at most so many.", low=0, high=10_000, papers="liu2019: 6"
    )
    full_share: float = setting(
        1.0,
        "Share of searches that are full. The others make `fast_simulations` and only move the "
        "game on; their policies are not learnt.",
        low=0.01,
        high=1,
    )
    fast_simulations: int = setting(
        8, "Simulations of a search that is not full.", low=1, high=1_000_000
    )
    resign_below: float = setting(
        0.0,
        "A player whose chances are below this several times in a row gives up; 0: nobody does.",
        low=0,
        high=0.5,
    )
    resign_after: int = setting(4, "How often in a row.", low=1, high=10_000)
    resign_never: float = setting(
        0.1,
        "Share of games in which nobody gives up, to see who would have been wrong to.",
        low=0,
        high=1,
    )


@dataclass(frozen=True)
class NeuralLearningSettings:
    """How the network learns from games."""

    window: int = setting(
        20_000,
        "Learn from the newest so many games, and always from those of the last iteration.",
        low=1,
        high=100_000_000,
        papers="liu2019: 360, hsueh2023: 40,000",
    )
    share: float = setting(
        1.0,
        "Share of all positions that are learnt from; the others are left out for good, since "
        "neighbours say much the same.",
        low=0.001,
        high=1,
        papers="liu2019: 0.5, and 0.04 at the start",
    )
    replay: float = setting(
        4.0,
        "How many positions are learnt for every new one: the number of steps follows from it.",
        low=0.001,
        high=10_000,
        papers="liu2019: 5 passes over all",
    )
    batch: int = setting(
        256,
        "Positions in a step.",
        low=1,
        high=1_000_000,
        papers="liu2019: 32, hsueh2023: 256",
    )
    mirrors: bool = setting(
        True,
        "Whether positions are learnt as they look in a mirror drawn at random, where the game "
        "has any.",
        papers="liu2019: true",
    )
    optimiser: str = setting(
        "adamw",
        "sgd is with Nesterov's momentum.",
        choices=("sgd", "adamw"),
        papers="liu2019, hsueh2023: sgd",
    )
    schedule: str = setting(
        "cosine",
        "How the rate falls: in one step, or along a cosine over all iterations.",
        choices=("step", "cosine"),
        papers="hsueh2023: step",
    )
    rate: float = setting(
        0.002,
        "Learning rate at first.",
        low=0,
        high=100,
        papers="liu2019: 0.0001, hsueh2023: 0.1",
    )
    late_rate: float = setting(
        0.0002, "Learning rate later, or in the end.", low=0, high=100, papers="hsueh2023: 0.01"
    )
    late_from: float = setting(
        0.5,
        "The share of all iterations after which it is later; step only.",
        low=0,
        high=1,
        papers="hsueh2023: 0.48, which is from the 25th of 50",
    )
    warmup: int = setting(
        100, "The rate rises from nothing during the first so many steps.", low=0, high=1_000_000
    )
    momentum: float = setting(0.9, "Of sgd.", low=0, high=0.9999, papers="hsueh2023: 0.9")
    decay: float = setting(
        0.0001,
        "Weight decay: L2 regularisation with sgd, apart from the gradient with adamw.",
        low=0,
        high=10,
        papers="liu2019: 0.0001 at the start and 0.005 later, hsueh2023: 0.0001",
    )
    value_loss: str = setting(
        "cross-entropy",
        "How values are compared with results, player by player.",
        choices=("squared", "cross-entropy"),
        papers="liu2019, hsueh2023: squared",
    )
    value_weight: float = setting(
        1.0, "Weight of that beside the policy's cross-entropy.", low=0, high=1000
    )
    clip: float = setting(
        1.0, "Longest gradient; a longer one is cut. 0: none is.", low=0, high=1_000_000
    )


@dataclass(frozen=True)
class OpeningSettings:
    """Games of a heuristic that a run may begin with."""

    agent: str = setting(
        "greedy:stochastic",
        "Who plays them; every move counts as the policy to learn.",
        papers="liu2019: greedy",
    )
    games: int = setting(
        1000, "How many.", low=1, high=10_000_000, papers="liu2019: 15,000 in each of 100 epochs"
    )
    random_plies: int = setting(
        4,
        "Every game begins with up to so many random moves.",
        low=0,
        high=10_000,
        papers="liu2019: none",
    )
    replay: float = setting(
        4.0, "How often each of their positions is learnt.", low=0.001, high=10_000
    )


@dataclass(frozen=True)
class GateSettings:
    """Whether a network has to beat the best one before it takes its place."""

    games: int = setting(
        0,
        "Games of the match; 0: every new network is the best.",
        low=0,
        high=1_000_000,
        papers="liu2019: 24, hsueh2023: 0",
    )
    threshold: float = setting(
        0.55,
        "The share of points it takes.",
        low=0,
        high=1,
        papers="liu2019: 0.58",
    )
    simulations: int = setting(0, "Simulations a move; 0: as in self-play.", low=0, high=1_000_000)


@dataclass(frozen=True)
class EvaluationSettings:
    """Matches against players who stay the same."""

    every: int = setting(
        5,
        "After every so many iterations, and after the last; 0: never.",
        low=0,
        high=10_000_000,
    )
    opponents: str = setting("random greedy", "Agents, with spaces between them.")
    games: int = setting(40, "Games against each.", low=2, high=1_000_000, papers="liu2019: 20")
    simulations: int = setting(
        0,
        "Simulations a move; 0: as in self-play.",
        low=0,
        high=1_000_000,
    )


@dataclass(frozen=True)
class TruthSettings:
    """How far the network is from the truth, where that is known."""

    every: int = setting(
        0,
        "Grade after every so many iterations, and after the last; 0: never.",
        low=0,
        high=10_000_000,
    )
    games: int = setting(
        1000,
        "Games of the likeliest moves against the optimal player, for WR_p.",
        low=2,
        high=1_000_000,
        papers="hsueh2023: 10,000",
    )
    plies: int = setting(
        0,
        "ERR_p and MAE_v look at all decisions within so many moves of the start.",
        low=0,
        high=4,
        papers="hsueh2023: 1 for dark chess",
    )


@dataclass(frozen=True)
class NeuralSettings:
    """AlphaZero with a network."""

    game: str = setting("rhombus-7x7-6", "The variant that is learnt.")
    network: str = setting(
        "modern:size=s",
        "The network's architecture.",
        papers="liu2019: liu2019, hsueh2023: hsueh2023",
    )
    iterations: int = setting(
        50,
        "How often self-play and learning follow each other.",
        low=1,
        high=10_000_000,
        papers="hsueh2023: 50",
    )
    start: str = setting(
        "nothing",
        "What is known at first: nothing but the rules, or games of a heuristic.",
        choices=("nothing", "heuristic"),
        papers="liu2019: heuristic, hsueh2023: nothing",
    )
    seed: int = setting(0, "Everything drawn at random follows from it.", low=0, high=2**62)
    search: NeuralSearchSettings = field(default_factory=NeuralSearchSettings)
    selfplay: NeuralSelfPlaySettings = field(default_factory=NeuralSelfPlaySettings)
    learning: NeuralLearningSettings = field(default_factory=NeuralLearningSettings)
    opening: OpeningSettings = field(default_factory=OpeningSettings)
    gate: GateSettings = field(default_factory=GateSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    truth: TruthSettings = field(default_factory=TruthSettings)
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)


def check(settings: NeuralSettings, game: Game) -> None:
    """Raise a `RecipeError` if settings that are fine by themselves do not go together."""
    search, play = settings.search, settings.selfplay
    try:
        new_network(game, settings.network)
    except HalmaError as error:
        raise RecipeError(f"'network' cannot be '{settings.network[:60]}': {error}") from None
    if search.count_root and search.simulations < 2:
        raise RecipeError(
            "'search.simulations' cannot be 1 if 'search.count_root' is true: "
            "that one would be the position itself."
        )
    if search.solver and game.players != 2:
        raise RecipeError(
            f"'search.solver' cannot be true: it is for two players, and '{game.name}' has "
            f"{game.players}."
        )
    if play.stopped == "judged" and not _core.default_weights(game.core):
        raise RecipeError(
            f"'selfplay.stopped' cannot be \"judged\": '{game.name}' has no features to judge by."
        )
    if play.random_most < play.random_least:
        raise RecipeError("'selfplay.random_most' cannot be less than 'selfplay.random_least'.")
    named = {"opening.agent": [settings.opening.agent], "evaluation.opponents": opponents(settings)}
    for key, names in named.items():
        for name in names:
            try:
                agent(name)
            except HalmaError as error:
                raise RecipeError(f"'{key}' cannot have '{name[:60]}': {error}") from None
    if settings.evaluation.every and not opponents(settings):
        raise RecipeError("'evaluation.opponents' is empty: set 'evaluation.every' to 0 instead.")


def opponents(settings: NeuralSettings) -> list[str]:
    """Return the agents that a network is measured against."""
    return settings.evaluation.opponents.split()


def learning_rate(settings: NeuralSettings, iteration: int) -> float:
    """Return the learning rate of an iteration; they count from 1."""
    learning, total = settings.learning, settings.iterations
    if learning.schedule == "step":
        late = iteration > learning.late_from * total
        return learning.late_rate if late else learning.rate
    done = (iteration - 1) / max(1, total - 1)
    height = (1 + math.cos(math.pi * done)) / 2
    return learning.late_rate + (learning.rate - learning.late_rate) * height
