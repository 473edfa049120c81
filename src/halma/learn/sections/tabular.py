"""The settings of tabular AlphaZero; defaults are hsueh2023's."""

from __future__ import annotations

from dataclasses import dataclass, field

from halma.errors import HalmaError, RecipeError
from halma.games import Game
from halma.learn.sections.common import (
    MANY,
    TABULAR_OPTIONS,
    TRUTH_GAMES,
    CheckpointSettings,
    TruthSettings,
    check_root,
    search_section,
    stepped_rate,
)
from halma.learn.settings import SearchRange, section_from, setting


class TabularSearchSettings(search_section(dirichlet_alpha=1.5)):  # type: ignore[misc]
    """The search of self-play."""


@dataclass(frozen=True)
class TabularSelfPlaySettings(
    section_from(  # type: ignore[misc]
        [TABULAR_OPTIONS["games"]],
        {"games": "hsueh2023: M = 1000"},
        search={"games": SearchRange(32, 4096, log=True, changes_cost=True)},
    )
):
    """The games of an iteration."""

    seconds: float = setting(
        0.0,
        "If above 0, an iteration plays as many games as fit into this much processor time "
        "instead; the same seed then no longer gives the same result. hsueh2023: 2.143 "
        "(ewn-3x3-3) and 18.418 (cdc-2x4-PPPP) in section VI.",
        (0, 86_400),
    )


@dataclass(frozen=True)
class TabularLearningSettings(
    section_from(  # type: ignore[misc]
        [TABULAR_OPTIONS["replay_buffer"], TABULAR_OPTIONS["symmetry"], TABULAR_OPTIONS["spread"]],
        {
            "replay_buffer": "hsueh2023: K = 2",
            "symmetry": "hsueh2023: false",
            "spread": "hsueh2023: 0.01",
        },
        search={
            "replay_buffer": SearchRange(1, 8, changes_cost=True, only_at_start=True),
            "symmetry": SearchRange(values=(False, True)),
            "spread": SearchRange(0.001, 1, log=True, only_at_start=True),
        },
    )
):
    """The updates of the table."""

    rate: float = setting(
        1.0,
        "Learning rate at first. hsueh2023: beta = 1.",
        (0, 1000),
        SearchRange(0.05, 20, log=True),
    )
    late_rate: float = setting(
        0.1,
        "Learning rate later. hsueh2023: beta = 0.1.",
        (0, 1000),
        SearchRange(0.005, 5, log=True),
    )
    late_from: float = setting(
        0.5,
        "Share of all iterations after which the later rate holds. hsueh2023: the half.",
        (0, 1),
        SearchRange(0.1, 0.9),
    )


@dataclass(frozen=True)
class TabularTruthSettings(TruthSettings):
    """The comparison with exact values."""

    every: int = setting(
        1, "Iterations between comparisons; also after the last. hsueh2023: 1.", (1, MANY)
    )
    games: int = setting(10_000, TRUTH_GAMES, (2, 100_000_000))
    watch: tuple[str, ...] = setting(
        (),
        "Positions, as texts, whose policy and value are part of the metrics. hsueh2023: one "
        "position of ewn-3x3-3 in figure 22.",
    )


@dataclass(frozen=True)
class TabularSettings:
    """Tabular AlphaZero (hsueh2023, algorithm 1)."""

    game: str = setting("ewn-3x3-3", "The variant; it must be one that can be solved.")
    iterations: int = setting(
        100,
        "Iterations of self-play and learning. hsueh2023: N = 100 (ewn-3x3-3), 1600 (ewn-3x3-4), "
        "800 (ewn-3x4-3), 300 (cdc-2x4-PPPP), 2000 (cdc-2x4-KPPP), 4000 (cdc-2x4-GGCC).",
        (1, MANY),
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
        check_root(self.search)
        for text in self.truth.watch:
            try:
                position = game.position(text)
            except HalmaError as error:
                raise RecipeError(f"'truth.watch': {error}") from None
            if position.is_chance or position.is_terminal:
                raise RecipeError(
                    f"'truth.watch' cannot have '{text[:60]}': nobody has a move to make there."
                )

    def learning_rate(self, iteration: int) -> float:
        """Return the learning rate of an iteration; they count from 1."""
        return stepped_rate(self.learning, self.iterations, iteration)
