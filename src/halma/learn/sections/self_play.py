"""The sections of AlphaZero that say which games are played, and by which network."""

from __future__ import annotations

from dataclasses import dataclass

from halma import _core
from halma.learn.sections.common import MANY, ArchiveSettings, search_section
from halma.learn.settings import SearchRange, section_from, setting

#: Opponents in self-play that are networks of the run: the best one, the first version of the
#: archive, and a version of it drawn at random.
BEST, FIRST, PAST = "best", "first", "past"
_SELF_PLAY = [option for option in _core.selfplay_options() if option.name != "simulations"]


class SearchSettings(
    search_section(rule="gumbel", fpu="parent", simulations=32, count_root=False)  # type: ignore[misc]
):
    """The search of self-play."""


@dataclass(frozen=True)
class SelfPlaySettings(
    section_from(  # type: ignore[misc]
        _SELF_PLAY,
        {
            "random_plies_min": "liu2019: 6, pluska2022: 2",
            "random_plies_max": "liu2019: 6, pluska2022: 2",
            "opponent_share": "liu2019: 1 in the variation",
            "temperature_in_targets": "liu2019: true",
        },
        search={
            "full_share": SearchRange(0.1, 1, changes_cost=True),
            "random_plies_max": SearchRange(0, 12),
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
        "samples, unless 'opponent_targets' is true. Empty: it plays itself in all games. "
        "liu2019: none; best, past or greedy as a variation.",
    )
    curriculum: tuple[str, ...] = setting(
        (),
        "Where games start, stage by stage: start (that of the rules), random:4-8 (random "
        "positions with 4 to 8 pieces, without random moves after them) or file:PATH "
        "(positions, one a line, in turn). ' until 10' ends a stage with iteration 10. Empty: "
        "start. pluska2022: random endgames for 100 games, then start.",
    )
    games: int = setting(
        1000,
        "Games in an iteration. liu2019: 180, hsueh2023: 1000, schulte2021: 200, pluska2022: 10.",
        (1, MANY),
        SearchRange(32, 4096, log=True, changes_cost=True),
    )
    parallel_games: int = setting(
        256,
        "Games played at the same time; their leaves are evaluated in one batch. schulte2021: 50.",
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
    adjudication_score: float = setting(
        1.0,
        "Score of the player ahead, of whom the others have none; 1 is that of a win. With less, "
        "whoever is ahead prefers to come to the end, and nobody gains by preventing it. Scores of "
        "two players do not add up then: the network needs a value for each (modern:values=each).",
        (0, 1),
    )
    temperature: float = setting(
        1.0,
        "Temperature that moves are sampled with at first; 0 plays the best. liu2019: 2, "
        "hsueh2023: 1.",
        (0, 100),
        SearchRange(0.25, 2, log=True),
    )
    temperature_plies: int = setting(
        16,
        "Plies of a game during which it holds, all players' together and random ones included. "
        "liu2019: 16, 6 of them random, hsueh2023: all, schulte2021: 45, which is 15 a player.",
        (0, 1_000_000),
        SearchRange(0, 60),
    )
    late_temperature: float = setting(
        0.0,
        "The temperature after that. liu2019: 0.01, hsueh2023: 1.",
        (0, 100),
        SearchRange(0, 1),
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
        0.55,
        "Share of points or wins it takes. liu2019: 14 of 24, which is 0.583, schulte2021: 0.55.",
        (0, 1),
        SearchRange(0.45, 0.6, only_with=("games", ())),
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
        0.0,
        "Temperature that moves are sampled with; 0 plays the best. liu2019: 0.01, schulte2021: 1.",
        (0, 100),
    )
    temperature_plies: int = setting(
        -1,
        "Plies of a game during which it holds, all players' together; the best moves follow. "
        "-1: all of them. schulte2021: 15, which is 5 a player.",
        (-1, 1_000_000),
    )
    failure: str = setting(
        "continue",
        "What follows where the gate fails. The best network stays the best in any case; training "
        "continues from the new weights, or goes back to those of the best, with the optimiser's "
        "memory cleared. liu2019: continue, schulte2021: revert.",
        ("continue", "revert"),
    )


@dataclass(frozen=True)
class VersionSettings(ArchiveSettings):
    """Past networks of a run that are kept for matches. None of it changes what is learned."""

    promotions_only: bool = setting(
        False,
        "Of those, keep only networks that passed the gate, and that of iteration 0. "
        "schulte2021: true.",
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
