"""The sections of AlphaZero that say how the network is trained."""

from __future__ import annotations

from dataclasses import dataclass

from halma.learn.sections.common import AUTO, MANY
from halma.learn.settings import SearchRange, setting


@dataclass(frozen=True)
class LearningSettings:
    """The training of the network."""

    replay_buffer: int = setting(
        20_000,
        "Games in the replay buffer, in whole iterations; always those of the newest. "
        "liu2019: 360, hsueh2023: 40,000.",
        (1, 100_000_000),
        SearchRange(500, 100_000, log=True),
    )
    position_share: float = setting(
        1.0,
        "Share of positions that become training samples, since neighbours are much alike. "
        "liu2019: 0.5, and 0.04 at the start.",
        (0.001, 1),
        SearchRange(0.1, 1),
    )
    draws: str = setting(
        "keep",
        "What becomes of self-play games in which all players score the same: their positions are "
        "training samples, or not. liu2019: discard.",
        ("keep", "discard"),
    )
    samples_per_new: float = setting(
        4.0,
        "Samples drawn for every new one in the replay buffer; the number of steps follows. "
        "liu2019: 20, which is 5 passes over two episodes in both mirror images.",
        (0.001, 10_000),
        SearchRange(1, 16, log=True, only_with=("epochs", (0.0,)), changes_cost=True),
    )
    epochs: float = setting(
        0.0,
        "Passes over the whole replay buffer in an iteration; they replace 'samples_per_new'. "
        "0: none. schulte2021: 5.",
        (0, 10_000),
    )
    batch_size: int = setting(
        256,
        "Samples in a step. liu2019: 32, hsueh2023: 256, schulte2021: 64.",
        (1, 1_000_000),
        SearchRange(32, 1024, log=True, changes_cost=True),
    )
    symmetry: bool = setting(
        True,
        "Draw every sample in a random symmetry of the board, where the game has any. "
        "liu2019: true.",
    )
    optimiser: str = setting(
        "adamw",
        "sgd is with Nesterov's momentum; adamw without weight decay is Adam. "
        "liu2019, hsueh2023: sgd, schulte2021: Adam.",
        ("sgd", "adamw"),
        SearchRange(values=("sgd", "adamw"), only_at_start=True),
    )
    schedule: str = setting(
        "cosine",
        "How the rate falls: in one step, or along a cosine over all iterations. hsueh2023: step.",
        ("step", "cosine"),
        SearchRange(values=("step", "cosine")),
    )
    rate: float = setting(
        0.002,
        "Learning rate at first. liu2019: 0.0001, hsueh2023: 0.1, schulte2021: 0.001.",
        (0, 100),
        SearchRange(1e-4, 3e-2, log=True),
    )
    late_rate: float = setting(
        0.0002,
        "Learning rate later, or in the end. hsueh2023: 0.01.",
        (0, 100),
        SearchRange(1e-5, 3e-3, log=True),
    )
    late_from: float = setting(
        0.5,
        "Share of all iterations after which the later rate holds; step only. hsueh2023: 0.48, "
        "which is from the 25th of 50.",
        (0, 1),
        SearchRange(0.1, 0.9, only_with=("schedule", ("step",))),
    )
    warmup_steps: int = setting(
        100,
        "Steps during which the rate rises linearly from 0.",
        (0, 1_000_000),
        SearchRange(0, 500, only_at_start=True),
    )
    momentum: float = setting(
        0.9,
        "Of sgd. hsueh2023: 0.9.",
        (0, 0.9999),
        SearchRange(0.8, 0.98, only_with=("optimiser", ("sgd",))),
    )
    weight_decay: float = setting(
        0.0001,
        "L2 regularisation with sgd, decoupled from the gradient with adamw. liu2019: 0.0001 at "
        "the start and 0.005 later, hsueh2023: 0.0001.",
        (0, 10),
        SearchRange(1e-6, 1e-2, log=True),
    )
    decay_all: bool = setting(
        True,
        "Whether all parameters decay, or the weights of convolutions and dense layers alone: not "
        "biases, and not those of batch normalisation. liu2019: false.",
    )
    policy_loss: str = setting(
        "legal",
        "Cross-entropy between policy and its targets: over legal moves alone, over all actions, "
        "so that illegal moves lose their share and 'illegal_share' can be measured, or over the "
        "moves whose target is above 0, so that a target of one move teaches nothing. "
        "schulte2021: all, liu2019's program: target.",
        ("legal", "all", "target"),
    )
    td_lambda: float = setting(
        1.0,
        "TD(lambda): a value's target is this much of the target one decision later, and for the "
        "rest the value that the search found. 1: the result of the game, 0: the search value. "
        "pluska2022: 0.9.",
        (0, 1),
        SearchRange(0.5, 1),
    )
    search_value_weight: float = setting(
        0.0,
        "Weight of the search value beside that in the target.",
        (0, 1),
        SearchRange(0, 0.75),
    )
    value_loss: str = setting(
        "cross-entropy",
        "Loss between values and their targets, player by player. liu2019, hsueh2023, schulte2021: "
        "squared.",
        ("squared", "cross-entropy"),
        SearchRange(values=("squared", "cross-entropy")),
    )
    value_weight: float = setting(
        1.0,
        "Weight of that beside the policy's cross-entropy. schulte2021: 1 on scores from 0 to 3, "
        "which is 9.",
        (0, 1000),
        SearchRange(0.25, 10, log=True),
    )
    gradient_clip: float = setting(
        1.0,
        "Largest norm of the gradient; 0: no limit.",
        (0, 1_000_000),
        SearchRange(0.1, 10, log=True),
    )
    deterministic: bool = setting(
        False,
        "Train on one thread of a CPU, so that the run is the same with any number of threads.",
    )


@dataclass(frozen=True)
class WarmStartSettings:
    """What comes before the first iteration: weights, and games of an agent or positions."""

    weights: str = setting(
        "",
        "Weights that the network starts from: a run's directory or its best.safetensors. The game "
        "may be another one with the same planes and policy, and with modern:seats=6 one with "
        "another number of players. Empty: random weights.",
    )
    epochs: int = setting(
        1,
        "Epochs: each plays new games and trains on them alone. Fewer than it takes to converge "
        "leave more to self-play. liu2019: 100.",
        (1, MANY),
    )
    source: str = setting(
        "games",
        "What it is trained on: games of the agent, or random positions, whose values are the "
        "game's linear evaluation. pluska2022: positions.",
        ("games", "positions"),
    )
    games: int = setting(
        0,
        "Games, or positions, in an epoch; 0: start from random weights. liu2019: 15,000, "
        "hsueh2023: 0, schulte2021: 500, pluska2022: 100,000.",
        (0, MANY),
        SearchRange(
            100, 20_000, log=True, only_with=("games", ()), changes_cost=True, only_at_start=True
        ),
    )
    pieces: str = setting(
        "2-24", "Of random positions: pieces, all players' together; each number is as likely."
    )
    evaluation_weights: str = setting(
        "",
        "Of random positions: weights of the linear evaluation's features, with spaces between "
        "them. Empty: the game's own. pluska2022: material alone.",
    )
    evaluation_scale: float = setting(
        0.0,
        "Of random positions: a lead times this is the logarithm of the odds to win. 0: the game's "
        "own.",
        (0, 1000),
    )
    agent: str = setting(
        AUTO,
        "The agent. The core plays the games of greedy ones. auto: greedy:stochastic, or where "
        "that does not play the game, a shallow search. liu2019: greedy:ties=random, "
        "schulte2021: initialize.",
    )
    targets: str = setting(
        "played",
        "Policy targets: the move played, or the agent's policy, the probabilities of all moves "
        "that it draws from; greedy shares it equally among its best moves. liu2019, schulte2021: "
        "policy.",
        ("played", "policy"),
    )
    random_starts: float = setting(
        0.0,
        "Share of games that start from a random placement of all pieces, in games that have one. "
        "liu2019: 0.5.",
        (0, 1),
    )
    random_openings: float = setting(
        1.0, "Share of games that start with random moves. liu2019: 0.3.", (0, 1)
    )
    random_plies_min: int = setting(
        0, "Fewest random moves of those; they are no training samples. liu2019: 6.", (0, 10_000)
    )
    random_plies_max: int = setting(4, "Most random moves of those. liu2019: 6.", (0, 10_000))
    draws: str = setting(
        "keep",
        "What becomes of games in which all players score the same. liu2019: discard.",
        ("keep", "discard"),
    )
    position_share: float = setting(
        1.0, "Share of positions that become training samples. liu2019: 0.04.", (0.001, 1)
    )
    samples_per_new: float = setting(
        4.0,
        "Samples drawn for every one of those. liu2019: 4, which is 2 passes over positions and "
        "their mirror images.",
        (0.001, 10_000),
        SearchRange(
            1, 16, log=True, only_with=("games", ()), changes_cost=True, only_at_start=True
        ),
    )
    rate: float = setting(
        0.002,
        "Learning rate. liu2019: 0.0001.",
        (0, 100),
        SearchRange(1e-4, 3e-2, log=True, only_with=("games", ()), only_at_start=True),
    )
    weight_decay: float = setting(
        0.0001,
        "As in [learning]. Optimiser and learning rate begin anew with the first iteration. "
        "liu2019: 0.0002, since its L2 term has no factor of a half.",
        (0, 10),
    )
    replay: bool = setting(
        True,
        "Keep the games of the last epoch in the replay buffer of the first iterations. "
        "liu2019, schulte2021: false.",
    )
