"""The sections of recipes for deep Q-learning; liu2019's values are beside ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from halma.agents import quick_agents
from halma.errors import RecipeError
from halma.games import Game
from halma.games import game as game_named
from halma.learn.sections.alphazero import AlphaZeroSettings
from halma.learn.sections.common import AUTO, MANY, ArchiveSettings, CheckpointSettings
from halma.learn.sections.network import check_network, check_opponents, named_opponents
from halma.learn.sections.training import LearningSettings
from halma.learn.settings import SearchRange, setting
from halma.networks.network_file import Q_VALUES, NetworkInfo


@dataclass(frozen=True)
class DqnPlaySettings:
    """The games of an iteration, against a fixed opponent."""

    games: int = setting(1000, "Games in an iteration. liu2019: 10,000.", (1, MANY))
    parallel_games: int = setting(
        64,
        "Games played at the same time, so that the network evaluates their positions in one "
        "batch; learning steps follow once they are over. liu2019: 1.",
        (1, 100_000),
    )
    opponent: str = setting(
        AUTO,
        "The agent that the network plays against; they take turns in moving first. auto: greedy, "
        "or where that does not play the game, a shallow search. liu2019: greedy.",
    )
    move_limit: int = setting(
        40,
        "Stop a game after this many moves of the network; its last move is no transition then. "
        "liu2019: 40.",
        (1, 1_000_000),
    )


@dataclass(frozen=True)
class ExplorationSettings:
    """Epsilon, the share of the network's moves that are random; it falls linearly."""

    first: float = setting(1.0, "Epsilon of the first game. liu2019: 1.", (0, 1))
    last: float = setting(0.1, "Epsilon in the end. liu2019: 0.1.", (0, 1), SearchRange(0.01, 0.3))
    share: float = setting(
        0.5,
        "Share of all games during which epsilon falls; then it stays the same.",
        (0, 1),
        SearchRange(0.1, 0.9),
    )


@dataclass(frozen=True)
class RewardSettings:
    """Rewards of the network's moves."""

    advance: float = setting(
        0.01,
        "For each row that a move brings its piece forward, and the negative of it backward; "
        "nothing in games whose moves do not advance. liu2019: 0.01.",
        (-1000, 1000),
        SearchRange(0.001, 0.1, log=True),
    )
    win: float = setting(10.0, "For the last move of a game that is won. liu2019: 10.", (0, 1e6))
    loss: float = setting(0.0, "For the last move of a game that is lost. liu2019: 0.", (-1e6, 0))


@dataclass(frozen=True)
class DqnLearningSettings:
    """The replay buffer and the training of the network."""

    replay_buffer: int = setting(
        1_000_000, "Transitions in the replay buffer, the newest. liu2019: 1,000,000.", (1, 10**8)
    )
    prefill: int = setting(
        5000, "Transitions in the replay buffer before the first step. liu2019: 5000.", (1, 10**8)
    )
    steps_per_move: float = setting(
        1.0,
        "Learning steps for each new transition. liu2019: 1.",
        (0.0001, 100),
        SearchRange(0.25, 4, log=True, changes_cost=True),
    )
    batch_size: int = setting(
        32,
        "Transitions in a step. liu2019: 32.",
        (1, 1_000_000),
        SearchRange(16, 512, log=True, changes_cost=True),
    )
    discount: float = setting(
        0.99, "Discount of the next move's Q-value.", (0, 1), SearchRange(0.9, 0.999)
    )
    target_period: int = setting(
        1000,
        "Steps after which the target network takes over the weights.",
        (1, MANY),
        SearchRange(100, 10_000, log=True),
    )
    symmetry: bool = setting(
        True, "Draw every position in a random symmetry of the board, where the game has any."
    )
    optimiser: str = setting(
        "adamw",
        "sgd is with Nesterov's momentum.",
        ("sgd", "adamw"),
        SearchRange(values=("sgd", "adamw"), only_at_start=True),
    )
    rate: float = setting(0.0001, "Learning rate.", (0, 100), SearchRange(1e-5, 1e-2, log=True))
    warmup_steps: int = setting(
        0, "Steps during which the rate rises linearly from 0.", (0, 1_000_000)
    )
    momentum: float = setting(
        0.9, "Of sgd.", (0, 0.9999), SearchRange(0.8, 0.98, only_with=("optimiser", ("sgd",)))
    )
    weight_decay: float = setting(
        0.0,
        "L2 regularisation with sgd, decoupled from the gradient with adamw.",
        (0, 10),
        SearchRange(1e-6, 1e-2, log=True),
    )
    decay_all: bool = setting(
        True,
        "Whether all parameters decay, or the weights of convolutions and dense layers alone.",
    )
    gradient_clip: float = setting(
        0.0,
        "Largest norm of the gradient; 0: no limit.",
        (0, 1_000_000),
        SearchRange(0.1, 10, log=True),
    )
    deterministic: bool = setting(
        False,
        "Train on one thread of a CPU, so that the run is the same with any number of threads.",
    )


@dataclass(frozen=True)
class DqnEvaluationSettings:
    """Games of the network's best moves, without random ones."""

    test_games: int = setting(
        1,
        "Games against the opponent after every iteration, whose accumulated reward is a metric; "
        "0: none. liu2019: 1.",
        (0, 1_000_000),
    )
    every: int = setting(
        5, "Iterations between matches with 'opponents'; also after the last. 0: never.", (0, MANY)
    )
    opponents: str = setting(
        AUTO,
        "Agents, with spaces between them. auto: random, and greedy, or where that does not play "
        "the game, a shallow search.",
    )
    games: int = setting(40, "Games against each.", (2, 1_000_000))


@dataclass(frozen=True)
class DqnSettings:
    """Deep Q-learning against a fixed opponent (liu2019, section 3.6)."""

    game: str = setting("rhombus-7x7-6", "The variant, for two players.")
    network: str = setting(
        "modern:size=s",
        "The network's architecture; its policy head gives the Q-value of every action. "
        "liu2019: liu2019.",
    )
    iterations: int = setting(
        50, "Iterations of games and learning steps. liu2019: 1,000.", (1, MANY)
    )
    seed: int = setting(0, "Everything drawn at random follows from it.", (0, 2**62))
    play: DqnPlaySettings = field(default_factory=DqnPlaySettings)
    exploration: ExplorationSettings = field(default_factory=ExplorationSettings)
    reward: RewardSettings = field(default_factory=RewardSettings)
    learning: DqnLearningSettings = field(default_factory=DqnLearningSettings)
    evaluation: DqnEvaluationSettings = field(default_factory=DqnEvaluationSettings)
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)

    @cached_property
    def opponents(self) -> list[str]:
        """The agents of matches; none where there are no matches."""
        return named_opponents(self.evaluation, self.game)

    @cached_property
    def opponent(self) -> str:
        """The agent that the network learns to play against."""
        chosen = self.play.opponent
        return quick_agents(game_named(self.game))[0] if chosen == AUTO else chosen

    def network_info(self, game: Game) -> NetworkInfo:
        """Return the description of the network."""
        return NetworkInfo.for_game(game, self.network, Q_VALUES)

    def check(self, game: Game) -> None:
        """Raise a `RecipeError` if settings do not fit the game or each other."""
        if game.players != 2:
            raise RecipeError(
                f"'game' cannot be '{game.name}': deep Q-learning is for two players, the network "
                "and its opponent."
            )
        check_network(self, game)
        check_opponents(self.evaluation)
        if self.learning.prefill > self.learning.replay_buffer:
            raise RecipeError(
                "'learning.prefill' cannot be more than 'learning.replay_buffer': the first step "
                "would never be made."
            )

    def epsilon(self, number: int) -> float:
        """Return the share of random moves in a game; games count from 0."""
        exploration = self.exploration
        falling = exploration.share * self.iterations * self.play.games
        done = min(1.0, number / falling) if falling else 1.0
        return exploration.first + (exploration.last - exploration.first) * done


#: Settings of methods that train a network, and their sections about learning steps.
NetworkSettings = AlphaZeroSettings | DqnSettings
OptimiserSettings = LearningSettings | DqnLearningSettings
