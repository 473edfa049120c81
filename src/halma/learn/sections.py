"""The sections of recipes. Methods share them; each method puts its own settings together."""

from __future__ import annotations

from dataclasses import dataclass, field

from halma.learn.settings import setting


@dataclass(frozen=True)
class SearchSettings:
    """How self-play looks for moves."""

    rule: str = setting(
        "puct",
        "How moves are chosen on the way down.",
        choices=("puct", "gumbel"),
        papers="hsueh2023: puct",
    )
    simulations: int = setting(
        800,
        "Simulations for every move of self-play.",
        low=1,
        high=10_000_000,
        papers="hsueh2023: 800, and 6 to 25,600 in section VI",
    )
    count_root: bool = setting(
        True,
        "Whether looking up the position itself counts as one of the simulations.",
        papers="hsueh2023: true (footnote 12)",
    )
    c: float = setting(
        1.0,
        "Weight of exploration; puct only.",
        low=0,
        high=1000,
        papers="hsueh2023: 1, and 1/64 to 64 in section V-B",
    )
    untried: str = setting(
        "loss",
        "What a move counts as before it is tried; puct only. Infinite tries every move first.",
        choices=("loss", "draw", "win", "infinite", "parent"),
        papers="hsueh2023: loss (+0), and draw (+0.5), win (+1), infinite in section VII",
    )
    noise: float = setting(
        0.25,
        "Share of Dirichlet noise in the priors at the root; puct only.",
        low=0,
        high=1,
        papers="hsueh2023: epsilon = 0.25, and 0 to 0.5 in section V-D",
    )
    alpha: float = setting(
        1.5,
        "Shape of that noise; a low one puts all of it on few moves.",
        low=0.001,
        high=1000,
        papers="hsueh2023: 1.5, and 0.03 to 12 in section V-C",
    )
    considered: int = setting(
        16, "How many moves Gumbel draws at the root; gumbel only.", low=1, high=512
    )
    solver: bool = setting(
        False,
        "Whether wins, draws and losses that the search has proven travel up the tree.",
        papers="hsueh2023: false",
    )


@dataclass(frozen=True)
class SelfPlaySettings:
    """How many games an iteration plays."""

    games: int = setting(
        1000,
        "Games of self-play in an iteration.",
        low=1,
        high=10_000_000,
        papers="hsueh2023: M = 1000",
    )
    seconds: float = setting(
        0.0,
        "If above 0, an iteration plays as many games as fit into so many seconds of one thread "
        "instead; the same seed then no longer gives the same result.",
        low=0,
        high=86_400,
        papers="hsueh2023: 2.143 (ewn-3x3-3) and 18.418 (cdc-2x4-PPPP) in section VI",
    )


@dataclass(frozen=True)
class TableLearningSettings:
    """How a lookup table is changed by games."""

    window: int = setting(
        2,
        "Learn from the games of so many iterations, the last one included.",
        low=1,
        high=1000,
        papers="hsueh2023: K = 2",
    )
    rate: float = setting(
        1.0, "Learning rate at first.", low=0, high=1000, papers="hsueh2023: beta = 1"
    )
    late_rate: float = setting(
        0.1, "Learning rate later.", low=0, high=1000, papers="hsueh2023: beta = 0.1"
    )
    late_from: float = setting(
        0.5,
        "The share of all iterations after which it is later.",
        low=0,
        high=1,
        papers="hsueh2023: the half",
    )
    spread: float = setting(
        0.01,
        "Standard deviation of the numbers that a table begins with.",
        low=0,
        high=10,
        papers="hsueh2023: 0.01",
    )
    symmetry: bool = setting(
        False,
        "Whether positions that are mirror images of a played one learn from it too.",
        papers="hsueh2023: false",
    )


@dataclass(frozen=True)
class GradingSettings:
    """How far what was learnt is from the truth."""

    every: int = setting(
        1,
        "Grade after every so many iterations, and after the last.",
        low=1,
        high=10_000_000,
        papers="hsueh2023: 1",
    )
    games: int = setting(
        10_000,
        "Games against the optimal player for WR_p, half of them from each side.",
        low=2,
        high=100_000_000,
        papers="hsueh2023: 10,000",
    )
    plies: int = setting(
        0,
        "ERR_p and MAE_v look at all decisions within so many moves of the start.",
        low=0,
        high=4,
        papers="hsueh2023: 0 for EinStein (108, 2304, 108 positions), "
        "1 for dark chess (17, 33, 33)",
    )
    watch: tuple[str, ...] = setting(
        (),
        "Positions, as texts, whose policy and value go into every line of the metrics.",
        papers="hsueh2023: one position of ewn-3x3-3 in figure 22",
    )


@dataclass(frozen=True)
class CheckpointSettings:
    """How often a run is saved. None of it changes what is learnt."""

    share: float = setting(
        0.05,
        "A checkpoint follows every iteration, unless more than this share of the time would go "
        "into checkpoints.",
        low=0.001,
        high=1,
    )
    seconds: float = setting(
        120.0,
        "At the latest, a checkpoint follows the first iteration that ends so many seconds after "
        "the last one: this is what a power cut can cost.",
        low=0,
        high=86_400,
    )
    keep: int = setting(
        2,
        "How many of the newest checkpoints are kept. 0 keeps one while the run goes on and none "
        "once it is finished, where metrics are all that is wanted.",
        low=0,
        high=1000,
    )


@dataclass(frozen=True)
class TabularSettings:
    """Tabular AlphaZero (hsueh2023, algorithm 1)."""

    game: str = setting(
        "ewn-3x3-3", "The variant that is learnt; it must be one that can be solved."
    )
    iterations: int = setting(
        100,
        "How often self-play and learning follow each other.",
        low=1,
        high=10_000_000,
        papers="hsueh2023: N = 100 (ewn-3x3-3), 1600 (ewn-3x3-4), 800 (ewn-3x4-3), "
        "300 (cdc-2x4-PPPP), 2000 (cdc-2x4-KPPP), 4000 (cdc-2x4-GGCC)",
    )
    seed: int = setting(0, "The same seed gives the same result.", low=0, high=2**63 - 1)
    search: SearchSettings = field(default_factory=SearchSettings)
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)
    learning: TableLearningSettings = field(default_factory=TableLearningSettings)
    grading: GradingSettings = field(default_factory=GradingSettings)
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)
