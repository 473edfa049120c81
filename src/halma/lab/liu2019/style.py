"""Figure 13 and section 4.2: how the main agent plays, beside greedy in the same seat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from halma.arena.games import MatchGame
from halma.arena.plan import Plan
from halma.files import replace_file
from halma.games import Game, Position, game
from halma.lab.experiment import ExperimentPage
from halma.lab.jobs import GameBlocks
from halma.lab.liu2019.contenders import GREEDY, main_contenders, undecided
from halma.lab.liu2019.settings import (
    OPENING_PLIES,
    TABLE_SIMULATIONS,
    VARIANT,
    main_runs,
    scale,
)
from halma.lab.matches import MatchPlayer
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.trained import NOT_RUN, NetworkExperiment
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.statistics import ratio_of_sums
from halma.structure import fields, list_of, real, text, whole

#: Checkers of a huddle.
_HUDDLE = 4
#: What is counted in a game.
_COUNTS = ("moves", "longest", "not_forward", "huddles", "kept", "replies")
_EXAMPLE = fields(
    {"gain": real(-100, 100), "position": text(200), "played": text(20), "longest": text(20)}
)
_GAME = fields(
    {
        **dict.fromkeys(_COUNTS, whole(0, 10_000)),
        "reply_rows": real(-1e6, 1e6),
        "examples": list_of(_EXAMPLE),
    }
)

_TEXT = (
    f"Network: {{agent}}. {{games}} games against greedy with {TABLE_SIMULATIONS} simulations, and "
    "as many of greedy in the agent's place. A huddle is a group of four or more neighbouring "
    "checkers of one player. The figure's position is not in the text; the one drawn is the "
    "decision of those games in which keeping the huddle shortened the opponent's longest reply "
    "most."
)


def largest_group(found: Game, state: bytes, player: int) -> int:
    """Return the largest number of a player's pieces that are connected by neighbouring holes."""
    own = {hole for hole, owner in enumerate(_owners(found, state)) if owner == player}
    largest = 0
    while own:
        group, front = 0, [own.pop()]
        while front:
            hole = front.pop()
            group += 1
            beside = _neighbours(found)[hole] & own
            own -= beside
            front += beside
        largest = max(largest, group)
    return largest


def _owners(found: Game, state: bytes) -> list[int]:
    """Return the player whose piece stands in each hole; -1 for none."""
    return [(value - 1) // 16 if value else -1 for value in found.core.describe(state)[3:]]


@cache
def _neighbours(found: Game) -> list[frozenset[int]]:
    """Return the neighbours of each hole, by where holes are drawn."""
    cells = found.scene(found.start().state).cells
    steps = {(1.0, 0.0), (0.5, 1.0)}
    return [
        frozenset(
            i for i, b in enumerate(cells) if (abs(a.x - b.x), float(abs(a.y - b.y))) in steps
        )
        for a in cells
    ]


def _rows_forward(found: Game, state: bytes) -> dict[int, float]:
    return {move: found.advance(state, move) for move in found.core.legal(state)}


def _longest(found: Game, state: bytes) -> tuple[float, list[int]]:
    """Return the rows of the longest moves, and those moves."""
    rows = _rows_forward(found, state)
    most = max(rows.values(), default=0.0)
    return most, [move for move, forward in rows.items() if forward == most]


def play_and_describe(player: MatchPlayer, number: int, seed: int) -> dict[str, Any]:
    """Play a game against greedy and count what the player's moves are like."""
    found = _variant()
    plan = Plan(VARIANT, ("first", "second"), 2, seed, OPENING_PLIES)
    one = MatchGame(found, plan, number)
    agents = [_agent(player), _agent(GREEDY)]
    counts: dict[str, Any] = {**dict.fromkeys(_COUNTS, 0), "reply_rows": 0.0, "examples": []}
    while (index := one.to_move) is not None:
        before = one.record.position
        one.choose_and_play(agents[index])
        move = before.find(one.record.texts[-1]).value
        if index == 0:
            _count_move(counts, before, move)
        else:
            counts["replies"] += 1
            counts["reply_rows"] += found.advance(before.state, move)
    counts["examples"] = sorted(counts["examples"], key=lambda example: -example["gain"])[:1]
    return counts


def _count_move(counts: dict[str, Any], before: Position, move: int) -> None:
    """Count a move: whether it is the longest, goes forward, and keeps a huddle."""
    found, state = before.game, before.state
    core, mover = found.core, before.mover
    _, longest = _longest(found, state)
    counts["moves"] += 1
    counts["longest"] += move in longest
    counts["not_forward"] += found.advance(state, move) <= 0
    broken = [core.play(state, other) for other in longest]
    if largest_group(found, state, mover) < _HUDDLE or any(
        largest_group(found, after, mover) >= _HUDDLE for after in broken
    ):
        return
    counts["huddles"] += 1
    after = core.play(state, move)
    if largest_group(found, after, mover) < _HUDDLE or core.terminal(after):
        return
    counts["kept"] += 1
    open_replies = [_longest(found, other)[0] for other in broken if not core.terminal(other)]
    gain = min(open_replies, default=0.0) - _longest(found, after)[0]
    moves = found.format_move(state, move), found.format_move(state, longest[0])
    counts["examples"].append(
        {"gain": gain, "position": before.text, "played": moves[0], "longest": moves[1]}
    )


@cache
def _variant() -> Game:
    return game(VARIANT)


_agent = cache(MatchPlayer.build)


@dataclass(frozen=True, kw_only=True)
class StyleOfPlay(NetworkExperiment):
    """What the main agent's moves are like."""

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Compare the agent with greedy, and draw the huddle that blocked most."""
        games, about = scale(workspace).style_games, self.about(workspace)
        blocks = self.blocks(workspace).items()
        played = {name: each.results(workspace.measurements.read) for name, each in blocks}
        if len(played) < 2 or any(len(found) < games for found in played.values()):
            return ExperimentPage([ReportSection(self.title, NOT_RUN)], about)
        (label, agent), (_, greedy) = played.items()
        state = main_contenders(workspace)[0].state
        images = list(self._example(workspace, agent))
        rows = undecided(_style_rows(agent, greedy), state)
        text = _TEXT.format(agent=label, games=games)
        section = ReportSection(self.title, text, rows, images)
        return ExperimentPage([section], about, {"agent": agent})

    def _example(
        self, workspace: Workspace, played: Sequence[Mapping[str, Any]]
    ) -> Iterator[ReportFigure]:
        examples = [example for one in played for example in one["examples"]]
        if not examples:
            return
        best = max(examples, key=lambda example: example["gain"])
        position = _variant().position(best["position"])
        captions = {"played": "keeps the huddle", "longest": "would be longer and break it"}
        for key, caption in captions.items():
            file = f"{self.file}-{key}.svg"
            replace_file(workspace.pages / file, position.svg(best[key], size=260))
            yield ReportFigure(file, f"{best[key]} {caption}")

    def runs(self, workspace: Workspace) -> Mapping[str, Recipe]:
        """Return the first main run."""
        label, recipe = next(iter(main_runs(workspace).items()))
        return {label: recipe}

    def blocks(self, workspace: Workspace) -> Mapping[str, GameBlocks]:
        """Return games of the first main agent, and of greedy in its place."""
        agents, games = main_contenders(workspace), scale(workspace).style_games
        if not agents:
            return {}
        player = agents[0].player(TABLE_SIMULATIONS)
        name = f"style,{agents[0].network.part()},total={games}"
        return {
            agents[0].label: GameBlocks(name, partial(play_and_describe, player), games, _GAME),
            "greedy": GameBlocks(
                f"style,greedy,total={games}", partial(play_and_describe, GREEDY), games, _GAME, 0.1
            ),
        }


def _style_rows(
    agent: Sequence[Mapping[str, Any]], greedy: Sequence[Mapping[str, Any]]
) -> Iterator[Claim]:
    def share(played: Sequence[Mapping[str, Any]], part: str, whole_: str) -> tuple[float, float]:
        return ratio_of_sums([one[part] for one in played], [one[whole_] for one in played])

    replies = [share(played, "reply_rows", "replies") for played in (agent, greedy)]
    clear = replies[0][0] + replies[0][1] < replies[1][0] - replies[1][1]
    yield Claim(
        "rows that greedy advances in a move against it",
        '"deliberately interfere with the long, consecutive hops"',
        f"{_pm(replies[0])}; against greedy {_pm(replies[1])}",
        "agrees" if clear else "no clear difference",
    )
    longest = share(agent, "longest", "moves")
    yield Claim(
        "share of its moves that are the longest",
        '"occasionally sacrifice locally optimal moves"',
        _percent(longest),
        "agrees" if 0.5 < longest[0] < 1 else "differs: rarely the longest",
    )
    yield Claim(
        "share of its moves that do not go forward",
        "",
        _percent(share(agent, "not_forward", "moves")),
    )
    if sum(one["huddles"] for one in agent):
        yield Claim(
            "huddles kept where the longest move breaks them",
            '"prefer to maintain its huddle-formation"',
            f"{_percent(share(agent, 'kept', 'huddles'))} of {sum(x['huddles'] for x in agent)}",
        )


def _pm(value: tuple[float, float]) -> str:
    return f"{value[0]:.2f} ± {value[1]:.2f}"


def _percent(value: tuple[float, float]) -> str:
    return f"{value[0]:.1%} ± {value[1]:.1%}"


EXPERIMENTS = (StyleOfPlay(name="fig13", title="Figure 13: style of play, and a huddle"),)
