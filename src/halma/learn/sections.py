"""The sections of recipes, and the settings of `tabular` and `alphazero` that are made of them.

Defaults of `tabular` are hsueh2023's; those of `alphazero` are ours, beside what papers used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from halma import _core
from halma.agents import quick_agents
from halma.errors import HalmaError, RecipeError
from halma.games import Game
from halma.games import game as game_named
from halma.learn.network_settings import AUTO, check_network, check_opponents, named_opponents
from halma.learn.settings import Plain, section_from, setting
from halma.networks.network_file import NetworkInfo
from halma.search.options import POLICY_RULES

_MANY = 10_000_000
#: Opponents in self-play that are networks of the run: the best one, the first version of the
#: archive, and a version of it drawn at random.
BEST, FIRST, PAST = "best", "first", "past"
#: Sections that do not change what is learned, or only which games: a run may go on with other
#: values of theirs.
OBSERVING = ("evaluation", "truth", "checkpoints", "archive", "stages")
_TRUTH_GAMES = (
    "Games of the most probable moves against the optimal player, for WR_p. hsueh2023: 10,000."
)

#: Options that the core declares.
_SEARCH = _core.search_options()
_SELF_PLAY = [option for option in _core.selfplay_options() if option.name != "simulations"]
_TABULAR = {option.name: option for option in _core.tabular_options()}


def _search_section(**defaults: Plain) -> Any:
    """Return the options of a search, with what papers used; `defaults` are one method's own."""
    return section_from(
        [*_SEARCH, _TABULAR["simulations"], _TABULAR["count_root"]],
        {
            "rule": "liu2019, hsueh2023: puct",
            "c": "liu2019: 3.5 on [-1, 1], which is 1.75, hsueh2023: 1, and 1/64 to 64 in section "
            "V-B and figure 24",
            "fpu": "liu2019: draw, hsueh2023: loss (+0), and draw (+0.5), win (+1), infinite in "
            "section VII and figure 24",
            "dirichlet_weight": "liu2019, hsueh2023: epsilon = 0.25, and 0 to 0.5 in section V-D",
            "dirichlet_alpha": "liu2019: 0.03, hsueh2023: 1.5, and 0.03 to 12 in section V-C",
            "solver": "hsueh2023: false",
            "limits": "schulte2021: first-repetition",
            "simulations": "liu2019: 175, hsueh2023: 800, and 6 to 25,600 in section VI (6 to 800 "
            "in figure 24)",
            "count_root": "hsueh2023: true (footnote 12)",
        },
        {"rule": POLICY_RULES},
        **{"c": 1.0, "dirichlet_weight": 0.25, "gumbel_scale": 1.0, **defaults},
    )


class TabularSearchSettings(_search_section(dirichlet_alpha=1.5)):  # type: ignore[misc]
    """The search of self-play."""


class SearchSettings(
    _search_section(rule="gumbel", fpu="parent", simulations=32, count_root=False)  # type: ignore[misc]
):
    """The search of self-play."""


@dataclass(frozen=True)
class TabularSelfPlaySettings(
    section_from([_TABULAR["games"]], {"games": "hsueh2023: M = 1000"})  # type: ignore[misc]
):
    """The games of an iteration."""

    seconds: float = setting(
        0.0,
        "If above 0, an iteration plays as many games as fit into this time on one thread "
        "instead; the same seed then no longer gives the same result. hsueh2023: 2.143 "
        "(ewn-3x3-3) and 18.418 (cdc-2x4-PPPP) in section VI.",
        (0, 86_400),
    )


@dataclass(frozen=True)
class SelfPlaySettings(
    section_from(  # type: ignore[misc]
        _SELF_PLAY,
        {
            "random_plies_min": "liu2019: 6",
            "random_plies_max": "liu2019: 6",
            "opponent_share": "liu2019: 1 in the variation",
        },
        resign_consecutive=4,
    )
):
    """The games of an iteration."""

    player: str = setting(
        "best",
        "The network that plays: the best one, or the latest, as training left it, whatever the "
        "gate said. liu2019: best, and latest as a variation.",
        ("best", "latest"),
    )
    opponents: str = setting(
        "",
        "Opponents of that network in a share of the games, with spaces between them: best, past "
        "(a version from the archive, drawn anew for every iteration), first (the oldest version), "
        "or agents. Seats are exchanged, and only the network's own decisions become training "
        "samples. Empty: it plays itself in all games. liu2019: none; best, past or greedy as a "
        "variation.",
    )
    games: int = setting(1000, "Games in an iteration. liu2019: 180, hsueh2023: 1000.", (1, _MANY))
    parallel_games: int = setting(
        256,
        "Games played at the same time; their leaves are evaluated in one batch.",
        (1, 1_000_000),
    )
    carry_over: bool = setting(
        False,
        "Continue unfinished games in the next iteration, with the new network. No evaluation "
        "then waits for the longest game, but a run that was interrupted does not repeat itself "
        "exactly.",
    )
    max_plies: int = setting(
        0,
        "Stop a game after this many plies; 0: where its own limits say. liu2019: 100.",
        (0, 1_000_000),
    )
    progress_plies: int = setting(
        0,
        "Stop a game after this many plies without progress: no player has more pieces in its "
        "target than ever before in the game. It replaces the variant's own limit of plies. "
        "0: no such limit. liu2019: 100 where it starts from random weights.",
        (0, 1_000_000),
    )
    adjudication: str = setting(
        "rules",
        "Result of a game that was stopped so, or because its moves went in a cycle: by the rules, "
        "mostly a draw, or a win for the player who is ahead by the game's linear evaluation, or "
        "whose moves brought its pieces further forward. liu2019: advance where it starts from "
        "random weights.",
        ("rules", "features", "advance"),
    )
    adjudication_margin: float = setting(
        0.0,
        "A lead up to this is a draw; with advance it is in rows. liu2019: 3.",
        (0, 1_000_000),
    )
    temperature: float = setting(
        1.0,
        "Temperature that moves are sampled with at first; 0 plays the best. liu2019: 2, "
        "hsueh2023: 1.",
        (0, 100),
    )
    temperature_plies: int = setting(
        16,
        "Plies of a game during which it holds, all players' together and random ones included. "
        "liu2019: 16, 6 of them random, hsueh2023: all.",
        (0, 1_000_000),
    )
    late_temperature: float = setting(
        0.0, "The temperature after that. liu2019: 0.01, hsueh2023: 1.", (0, 100)
    )


@dataclass(frozen=True)
class TabularLearningSettings(
    section_from(  # type: ignore[misc]
        [_TABULAR["replay_buffer"], _TABULAR["symmetry"], _TABULAR["spread"]],
        {
            "replay_buffer": "hsueh2023: K = 2",
            "symmetry": "hsueh2023: false",
            "spread": "hsueh2023: 0.01",
        },
    )
):
    """The updates of the table."""

    rate: float = setting(1.0, "Learning rate at first. hsueh2023: beta = 1.", (0, 1000))
    late_rate: float = setting(0.1, "Learning rate later. hsueh2023: beta = 0.1.", (0, 1000))
    late_from: float = setting(
        0.5,
        "Share of all iterations after which the later rate holds. hsueh2023: the half.",
        (0, 1),
    )


@dataclass(frozen=True)
class LearningSettings:
    """The training of the network."""

    replay_buffer: int = setting(
        20_000,
        "Games in the replay buffer, in whole iterations; always those of the newest. "
        "liu2019: 360, hsueh2023: 40,000.",
        (1, 100_000_000),
    )
    position_share: float = setting(
        1.0,
        "Share of positions that become training samples, since neighbours are much alike. "
        "liu2019: 0.5, and 0.04 at the start.",
        (0.001, 1),
    )
    samples_per_new: float = setting(
        4.0,
        "Samples drawn for every new one in the replay buffer; the number of steps follows. "
        "liu2019: 20, which is 5 passes over two episodes in both mirror images.",
        (0.001, 10_000),
    )
    batch_size: int = setting(
        256, "Samples in a step. liu2019: 32, hsueh2023: 256.", (1, 1_000_000)
    )
    symmetry: bool = setting(
        True,
        "Draw every sample in a random symmetry of the board, where the game has any. "
        "liu2019: true.",
    )
    optimiser: str = setting(
        "adamw", "sgd is with Nesterov's momentum. liu2019, hsueh2023: sgd.", ("sgd", "adamw")
    )
    schedule: str = setting(
        "cosine",
        "How the rate falls: in one step, or along a cosine over all iterations. hsueh2023: step.",
        ("step", "cosine"),
    )
    rate: float = setting(
        0.002, "Learning rate at first. liu2019: 0.0001, hsueh2023: 0.1.", (0, 100)
    )
    late_rate: float = setting(
        0.0002, "Learning rate later, or in the end. hsueh2023: 0.01.", (0, 100)
    )
    late_from: float = setting(
        0.5,
        "Share of all iterations after which the later rate holds; step only. hsueh2023: 0.48, "
        "which is from the 25th of 50.",
        (0, 1),
    )
    warmup_steps: int = setting(
        100, "Steps during which the rate rises linearly from 0.", (0, 1_000_000)
    )
    momentum: float = setting(0.9, "Of sgd. hsueh2023: 0.9.", (0, 0.9999))
    weight_decay: float = setting(
        0.0001,
        "L2 regularisation with sgd, decoupled from the gradient with adamw. liu2019: 0.0001 at "
        "the start and 0.005 later, hsueh2023: 0.0001.",
        (0, 10),
    )
    value_loss: str = setting(
        "cross-entropy",
        "Loss between values and results, player by player. liu2019, hsueh2023: squared.",
        ("squared", "cross-entropy"),
    )
    value_weight: float = setting(
        1.0, "Weight of that beside the policy's cross-entropy.", (0, 1000)
    )
    gradient_clip: float = setting(
        1.0, "Largest norm of the gradient; 0: no limit.", (0, 1_000_000)
    )
    deterministic: bool = setting(
        False,
        "Train on one thread of a CPU, so that the run is the same with any number of threads.",
    )


@dataclass(frozen=True)
class WarmStartSettings:
    """Games of an agent that the network is trained on before the first iteration."""

    epochs: int = setting(
        1,
        "Epochs: each plays new games and trains on them alone. Fewer than it takes to converge "
        "leave more to self-play. liu2019: 100.",
        (1, _MANY),
    )
    games: int = setting(
        0,
        "Games in an epoch; 0: start from random weights. liu2019: 15,000, hsueh2023: 0.",
        (0, _MANY),
    )
    agent: str = setting(
        AUTO,
        "The agent. The core plays the games of greedy ones. auto: greedy:stochastic, or where "
        "that does not play the game, a shallow search. liu2019: greedy:ties=random.",
    )
    targets: str = setting(
        "played",
        "Policy targets: the move played, or the agent's policy, the probabilities of all moves "
        "that it draws from; greedy shares it equally among its best moves. liu2019: policy.",
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
    )
    rate: float = setting(0.002, "Learning rate. liu2019: 0.0001.", (0, 100))
    weight_decay: float = setting(
        0.0001,
        "As in [learning]. Optimiser and learning rate begin anew with the first iteration. "
        "liu2019: 0.0002, since its L2 term has no factor of a half.",
        (0, 10),
    )
    replay: bool = setting(
        True,
        "Keep the games of the last epoch in the replay buffer of the first iterations. "
        "liu2019: false.",
    )


@dataclass(frozen=True)
class GateSettings:
    """The match that a new network has to win to become the one that plays."""

    games: int = setting(
        0,
        "Games of the match; 0: every new network is promoted. liu2019: 24, hsueh2023: 0.",
        (0, 1_000_000),
    )
    threshold: float = setting(
        0.55, "Share of points or wins it takes. liu2019: 14 of 24, which is 0.583.", (0, 1)
    )
    counts: str = setting(
        "points",
        "What the threshold is a share of: points, where a draw is half of one, or games won. "
        "liu2019: wins.",
        ("points", "wins"),
    )
    simulations: int = setting(0, "Simulations a move; 0: as in self-play.", (0, 1_000_000))
    random_plies: int = setting(
        -1,
        "Random plies that a pair of games starts with; -1: as in a match, two a player and none "
        "in a game of chance. With 0 and temperature 0 all pairs are the same two games. "
        "liu2019: 0.",
        (-1, 10_000),
    )
    temperature: float = setting(
        0.0, "Temperature that moves are sampled with; 0 plays the best. liu2019: 0.01.", (0, 100)
    )
    failure: str = setting(
        "continue",
        "What follows where the gate fails. The best network stays the best in any case; training "
        "continues from the new weights, or goes back to those of the best, with the optimiser's "
        "memory cleared. liu2019: continue.",
        ("continue", "revert"),
    )


@dataclass(frozen=True)
class EvaluationSettings:
    """Matches against fixed opponents."""

    every: int = setting(
        5, "Iterations between evaluations; also after the last. 0: never.", (0, _MANY)
    )
    opponents: str = setting(
        AUTO,
        "Agents, with spaces between them. auto: random, and greedy, or where that does not play "
        "the game, a shallow search.",
    )
    games: int = setting(40, "Games against each. liu2019: 20.", (2, 1_000_000))
    simulations: int = setting(0, "Simulations a move; 0: as in self-play.", (0, 1_000_000))


@dataclass(frozen=True)
class TruthSettings:
    """The comparison with exact values, on variants that can be solved."""

    every: int = setting(
        0, "Iterations between comparisons; also after the last. 0: never.", (0, _MANY)
    )
    games: int = setting(1000, _TRUTH_GAMES, (2, 100_000_000))
    plies: int = setting(
        0,
        "ERR_p and MAE_v are means over all decisions within this many plies of the start. "
        "hsueh2023: 0 for EinStein (108, 2304, 108 positions), 1 for dark chess (17, 33, 33).",
        (0, 4),
    )


@dataclass(frozen=True)
class TabularTruthSettings(TruthSettings):
    """The comparison with exact values."""

    every: int = setting(
        1, "Iterations between comparisons; also after the last. hsueh2023: 1.", (1, _MANY)
    )
    games: int = setting(10_000, _TRUTH_GAMES, (2, 100_000_000))
    watch: tuple[str, ...] = setting(
        (),
        "Positions, as texts, whose policy and value are part of the metrics. hsueh2023: one "
        "position of ewn-3x3-3 in figure 22.",
    )


@dataclass(frozen=True)
class CheckpointSettings:
    """How often a run is saved. None of it changes what is learned."""

    share: float = setting(
        0.05,
        "A checkpoint follows every iteration, unless more than this share of the time would go "
        "into checkpoints.",
        (0.001, 1),
    )
    seconds: float = setting(
        120.0,
        "At the latest, a checkpoint follows the first iteration that ends this many seconds "
        "after the last one: this is what a power cut can cost.",
        (0, 86_400),
    )
    keep: int = setting(
        2,
        "Number of newest checkpoints that are kept. 0 keeps one while the run goes on and none "
        "once it is finished, where only metrics are wanted.",
        (0, 1000),
    )


@dataclass(frozen=True)
class ArchiveSettings:
    """Past networks of a run that are kept for matches. None of it changes what is learned."""

    every: int = setting(
        0,
        "Iterations between networks that are kept in versions/, from iteration 0 on, which is "
        "the network before self-play; also after the last. 0: none. A network has two files "
        "there, of the size of best.onnx and best.safetensors. liu2019: 1.",
        (0, _MANY),
    )


@dataclass(frozen=True)
class StageSettings:
    """The order of self-play and training. A run may go on in the other one."""

    side_by_side: bool = setting(
        False,
        "Play the games of the next iteration while the network is trained on those of this one, "
        "gated and evaluated, so that neither waits for the other. They begin with the network of "
        "the iteration before and, on a GPU, go on with the new one as soon as it is there: games "
        "are at most one iteration older than with false. A run does not repeat itself exactly.",
    )


@dataclass(frozen=True)
class TabularSettings:
    """Tabular AlphaZero (hsueh2023, algorithm 1)."""

    game: str = setting("ewn-3x3-3", "The variant; it must be one that can be solved.")
    iterations: int = setting(
        100,
        "Iterations of self-play and learning. hsueh2023: N = 100 (ewn-3x3-3), 1600 (ewn-3x3-4), "
        "800 (ewn-3x4-3), 300 (cdc-2x4-PPPP), 2000 (cdc-2x4-KPPP), 4000 (cdc-2x4-GGCC).",
        (1, _MANY),
    )
    seed: int = setting(0, "The same seed gives the same result.", (0, 2**63 - 1))
    search: TabularSearchSettings = field(default_factory=TabularSearchSettings)
    selfplay: TabularSelfPlaySettings = field(default_factory=TabularSelfPlaySettings)
    learning: TabularLearningSettings = field(default_factory=TabularLearningSettings)
    truth: TabularTruthSettings = field(default_factory=TabularTruthSettings)
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)

    def check(self, game: Game) -> None:
        """Raise a `RecipeError` if settings do not fit the game or each other."""
        if game.players != 2 or not game.core.index_size:
            raise RecipeError(
                f"'game' cannot be '{game.name}': a lookup table is for two players and positions "
                "that have an index, as in 'ewn-3x3-3'."
            )
        _check_root(self.search)
        for text in self.truth.watch:
            try:
                position = game.position(text)
            except HalmaError as error:
                raise RecipeError(f"'truth.watch': {error}") from None
            if position.is_chance or position.is_terminal:
                raise RecipeError(
                    f"'truth.watch' cannot have '{text[:60]}': nobody has a move to make there."
                )


@dataclass(frozen=True)
class AlphaZeroSettings:
    """AlphaZero with a network."""

    game: str = setting("rhombus-7x7-6", "The variant.")
    network: str = setting(
        "modern:size=s", "The network's architecture. liu2019: liu2019, hsueh2023: hsueh2023."
    )
    iterations: int = setting(
        50,
        "Iterations of self-play and training; 0: the warm start alone. hsueh2023: 50.",
        (0, _MANY),
    )
    seed: int = setting(0, "Everything drawn at random follows from it.", (0, 2**62))
    search: SearchSettings = field(default_factory=SearchSettings)
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    warm_start: WarmStartSettings = field(default_factory=WarmStartSettings)
    stages: StageSettings = field(default_factory=StageSettings)
    gate: GateSettings = field(default_factory=GateSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    truth: TruthSettings = field(default_factory=TruthSettings)
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)

    @cached_property
    def opponents(self) -> list[str]:
        """The agents that a network plays in evaluation; none where there is no evaluation."""
        return named_opponents(self.evaluation, self.game)

    @cached_property
    def warm_start_agent(self) -> str:
        """The agent whose games the network is trained on first."""
        if self.warm_start.agent != AUTO:
            return self.warm_start.agent
        chosen = quick_agents(game_named(self.game))[0]
        return "greedy:stochastic" if chosen == "greedy" else chosen

    def network_info(self, game: Game) -> NetworkInfo:
        """Return the description of the network."""
        return NetworkInfo.for_game(game, self.network)

    @cached_property
    def selfplay_opponents(self) -> list[str]:
        """The opponents in self-play; none where it is with the network alone."""
        return self.selfplay.opponents.split() if self.selfplay.opponent_share else []

    @cached_property
    def selfplay_agents(self) -> list[str]:
        """The agents among the opponents in self-play."""
        return [name for name in self.selfplay_opponents if name not in (BEST, FIRST, PAST)]

    def _check_opponents(self) -> None:
        """Raise a `RecipeError` if the opponents in self-play do not fit other settings."""
        play, names = self.selfplay, self.selfplay_opponents
        if len(set(names)) < len(names):
            raise RecipeError(
                f"'selfplay.opponents' cannot be \"{play.opponents[:60]}\": one is twice in it."
            )
        if BEST in names and (play.player == BEST or not self.gate.games):
            raise RecipeError(
                f"'selfplay.opponents' cannot have '{BEST}': it is the network that plays already. "
                "The latest network plays the best with 'selfplay.player' \"latest\" and a gate "
                "('gate.games')."
            )
        if {FIRST, PAST} & {*names} and not self.archive.every:
            raise RecipeError(
                f"'selfplay.opponents' cannot have '{PAST if PAST in names else FIRST}' without "
                "versions of the past: 'archive.every' says how often one is kept."
            )
        if names and play.reuse:
            raise RecipeError(
                "'selfplay.reuse' cannot be true with 'selfplay.opponents': players have trees of "
                "their own."
            )

    def check(self, game: Game) -> None:
        """Raise a `RecipeError` if settings do not fit the game or each other."""
        play = self.selfplay
        self._check_opponents()
        check_network(self, game)
        _check_root(self.search)
        if self.search.solver and game.players != 2:
            raise RecipeError(
                f"'search.solver' cannot be true: it is for two players, and '{game.name}' has "
                f"{game.players}."
            )
        if play.adjudication == "features" and not _core.default_weights(game.core):
            raise RecipeError(
                "'selfplay.adjudication' cannot be \"features\": "
                f"'{game.name}' has no features to evaluate."
            )
        if play.adjudication == "advance" and not game.has_advance:
            raise RecipeError(
                "'selfplay.adjudication' cannot be \"advance\": moves of "
                f"'{game.name}' do not advance; \"features\" may do."
            )
        if play.progress_plies and not _core.capabilities(game.core)["arrived"]:
            raise RecipeError(
                f"'selfplay.progress_plies' cannot be {play.progress_plies}: '{game.name}' does "
                "not count pieces that have arrived; 'selfplay.max_plies' limits any game."
            )
        if play.random_plies_max < play.random_plies_min:
            raise RecipeError(
                "'selfplay.random_plies_max' cannot be less than 'selfplay.random_plies_min'."
            )
        if not (self.iterations or self.warm_start.games):
            raise RecipeError(
                "'iterations' cannot be 0 without a warm start: set 'warm_start.games'."
            )
        self._check_starts(game)
        check_opponents(self.evaluation)

    def _check_starts(self, game: Game) -> None:
        """Refuse random starts of a game that has none, and shares that do not add up."""
        warm = self.warm_start
        shares = {
            "selfplay.random_starts": self.selfplay.random_starts,
            "warm_start.random_starts": warm.random_starts,
        }
        for key, share in shares.items():
            if share and not _core.capabilities(game.core)["random_start"]:
                raise RecipeError(
                    f"'{key}' cannot be {share:g}: '{game.name}' has no random placement of its "
                    "pieces."
                )
        if warm.random_starts + warm.random_openings > 1 + 1e-9:
            raise RecipeError(
                "'warm_start.random_starts' and 'warm_start.random_openings' are shares of all "
                "games: together they cannot be above 1."
            )
        if warm.random_plies_max < warm.random_plies_min:
            raise RecipeError(
                "'warm_start.random_plies_max' cannot be less than 'warm_start.random_plies_min'."
            )


def search_values(
    search: TabularSearchSettings | SearchSettings, noise: bool = True
) -> dict[str, Any]:
    """Return a section's options of tree search by name, with noise at the root or without."""
    values = {option.name: getattr(search, option.name) for option in _SEARCH}
    return values if noise else {**values, "dirichlet_weight": 0.0, "gumbel_scale": 0.0}


def learning_rate(settings: TabularSettings | AlphaZeroSettings, iteration: int) -> float:
    """Return the learning rate of an iteration; they count from 1."""
    learning, total = settings.learning, settings.iterations
    if isinstance(learning, TabularLearningSettings) or learning.schedule == "step":
        late = iteration > learning.late_from * total
        return learning.late_rate if late else learning.rate
    done = (iteration - 1) / max(1, total - 1)
    height = (1 + math.cos(math.pi * done)) / 2
    return learning.late_rate + (learning.rate - learning.late_rate) * height


def _check_root(search: TabularSearchSettings | SearchSettings) -> None:
    if search.count_root and search.simulations < 2:
        raise RecipeError(
            "'search.simulations' cannot be 1 if 'search.count_root' is true: "
            "that one would be the position itself."
        )
