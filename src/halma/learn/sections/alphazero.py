"""The settings of AlphaZero with a network."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

from halma import _core
from halma.agents import quick_agents
from halma.errors import RecipeError
from halma.games import Game
from halma.games import game as game_named
from halma.learn.curriculum import read_curriculum
from halma.learn.evaluated_positions import check_positions
from halma.learn.sections.common import (
    AUTO,
    MANY,
    CheckpointSettings,
    EvaluationSettings,
    TruthSettings,
    check_root,
    stepped_rate,
)
from halma.learn.sections.network import check_network, check_opponents, named_opponents
from halma.learn.sections.self_play import (
    BEST,
    FIRST,
    PAST,
    GateSettings,
    SearchSettings,
    SelfPlaySettings,
    StageSettings,
    VersionSettings,
)
from halma.learn.sections.training import LearningSettings, WarmStartSettings
from halma.learn.settings import setting
from halma.networks.architectures import architecture
from halma.networks.network_file import NetworkInfo


@dataclass(frozen=True)
class AlphaZeroSettings:
    """AlphaZero with a network."""

    game: str = setting("rhombus-7x7-6", "The variant.")
    network: str = setting(
        "modern:size=s",
        "The network's architecture. Papers have theirs: liu2019, hsueh2023, schulte2021.",
    )
    iterations: int = setting(
        50,
        "Iterations of self-play and training; 0: the warm start alone. hsueh2023: 50.",
        (0, MANY),
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
    archive: VersionSettings = field(default_factory=VersionSettings)
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
        check_root(self.search)
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
        self._check_scores(game)
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
        self._check_curriculum(game)
        check_opponents(self.evaluation)

    def _check_scores(self, game: Game) -> None:
        """Refuse scores of two players that do not add up where something relies on that."""
        learning = self.learning
        if game.players != 2 or self.selfplay.adjudication_score == 1:
            return
        reason = ""
        if architecture(self.network).has_one_value(game.players):
            reason = f"'{self.network}' has one value for both, modern:values=each has two"
        elif learning.td_lambda != 1 or learning.search_value_weight:
            reason = (
                "'learning.td_lambda' and 'learning.search_value_weight' take the value of one "
                "player for 1 minus the other's"
            )
        elif self.search.solver:
            reason = "'search.solver' takes the score of one player for 1 minus the other's"
        if reason:
            raise RecipeError(
                f"'selfplay.adjudication_score' cannot be {self.selfplay.adjudication_score:g}, "
                f"where scores of two players do not add up: {reason}."
            )

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

    def _check_curriculum(self, game: Game) -> None:
        """Refuse stages of starting positions, and a warm start on positions, that do not fit."""
        play, warm = self.selfplay, self.warm_start
        read_curriculum(play.curriculum, game)
        for key, wanted in (("carry_over", play.carry_over), ("random_starts", play.random_starts)):
            if play.curriculum and wanted:
                raise RecipeError(
                    f"'selfplay.{key}' cannot be used with 'selfplay.curriculum', which says where "
                    "the games of each iteration start."
                )
        if warm.source == "positions":
            check_positions(game, warm)

    def learning_rate(self, iteration: int) -> float:
        """Return the learning rate of an iteration; they count from 1."""
        learning, total = self.learning, self.iterations
        if learning.schedule == "step":
            return stepped_rate(learning, total, iteration)
        done = (iteration - 1) / max(1, total - 1)
        height = (1 + math.cos(math.pi * done)) / 2
        return learning.late_rate + (learning.rate - learning.late_rate) * height
