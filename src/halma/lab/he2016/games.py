"""Games against the benchmark: who plays them, and what is measured of each."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import NamedTuple

from halma import _core
from halma.agents import Agent, agent, play_game
from halma.games import Move, Record, game
from halma.lab.he2016.program import ProgramBenchmark, ProgramPlayer
from halma.lab.he2016.settings import INITIAL, PAPER_TUNED, PROGRAM, READINGS, TEXT, settings
from halma.lab.he2016.tuning import find_extra, find_tunings, tuned_weights
from halma.lab.jobs import GameBlocks
from halma.lab.workspace import Workspace
from halma.statistics import clustered_mean
from halma.structure import real, text, tuple_of, whole

#: The benchmark of the text.
BENCHMARK = "lookahead:depth=2"
#: Moves that the paper calls usual.
FEWEST_MOVES, MOST_MOVES = 20, 100


class MeasuredGame(NamedTuple):
    """What is measured of a game."""

    #: moves the loser still needs, negative where the benchmark has won
    steps: int
    #: of the moves
    hash: str
    #: processor time of the player
    seconds: float
    #: positions it visited, where that is counted
    visited: int
    #: turns of both players, those with 20 to 100 moves, the fewest moves and the most
    turns: int
    usual_turns: int
    fewest: int
    most: int


_RESULT = tuple_of(
    whole(-10_000, 10_000), text(20), real(0, 1e9), whole(), whole(), whole(), whole(), whole()
)


@dataclass(frozen=True)
class Contestant:
    """A minimax player that meets the benchmark."""

    #: a key of READINGS
    reading: str
    #: "untuned", "tuned", "paper", or the name of a rejected feature
    weights: str
    depth: int
    #: the modified strategy: search only while the armies are in contact
    modified: bool = False

    def __str__(self) -> str:
        return ", ".join(self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """What two players can differ in, in words."""
        strategy = "modified player" if self.modified else "basic player"
        return self.reading, f"{self.weights} weights", f"depth {self.depth}", strategy


def find_weights(workspace: Workspace, player: Contestant) -> Sequence[float] | None:
    """Return a player's weights of the core's features, once they are known."""
    reading = READINGS[player.reading]
    if player.weights == "untuned":
        return reading.core_weights(INITIAL["equal"])
    if player.weights == "paper":
        return reading.core_weights(PAPER_TUNED[player.depth])
    if player.weights == "tuned":
        tunings = find_tunings(workspace, player.reading)
        return reading.core_weights(tuned_weights(tunings)[player.depth]) if tunings else None
    found = find_extra(workspace, player.weights)
    return found and reading.core_weights(found, player.weights)


def find_blocks(
    workspace: Workspace, players: Sequence[Contestant]
) -> dict[Contestant, GameBlocks]:
    """Return the games of the players whose weights are known."""
    games, blocks = settings(workspace).games, {}
    for player in dict.fromkeys(players):
        weights = find_weights(workspace, player)
        if weights is not None:
            rounded = tuple(float(f"{weight:.4g}") for weight in weights)
            shown = "/".join(f"{weight:g}" for weight in rounded)
            strategy = "modified" if player.modified else "basic"
            name = f"{player.reading},depth={player.depth},{strategy},weights={shown}"
            measure = partial(play_and_measure, player, rounded)
            cost = 3.0**player.depth * (2.0 if player.reading == PROGRAM.name else 1.0)
            blocks[player] = GameBlocks(name, measure, games, _RESULT, cost)
    return blocks


def find_games(
    workspace: Workspace, players: Sequence[Contestant]
) -> dict[Contestant, list[MeasuredGame]]:
    """Return the games of the players who have played all of theirs."""
    games, found = settings(workspace).games, {}
    for player, blocks in find_blocks(workspace, players).items():
        played = [MeasuredGame(*one) for one in blocks.results(workspace.measurements.read)]
        if len(played) == games:
            found[player] = played
    return found


class _Watch:
    """An agent whose processor time is measured."""

    def __init__(self, player: Agent) -> None:
        self.name, self.player, self.seconds = player.name, player, 0.0

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Return what the agent plays."""
        began = time.process_time()
        move = self.player.choose(record, rng)
        self.seconds += time.process_time() - began
        return move


def make_players(player: Contestant, weights: Sequence[float]) -> tuple[Agent, Agent]:
    """Return a player and the benchmark that it meets."""
    if player.reading == PROGRAM.name:
        made = ProgramPlayer(str(player), tuple(weights), player.depth, player.modified)
        return made, ProgramBenchmark()
    shown = "/".join(f"{weight:g}" for weight in weights)
    name = f"minimax:depth={player.depth},weights={shown}" + (",phases=on" * player.modified)
    return agent(name), agent(BENCHMARK)


def play_and_measure(
    player: Contestant, weights: Sequence[float], number: int, seed: int
) -> MeasuredGame:
    """Play a game. By the text the first move changes hands; the program's benchmark has it."""
    made, benchmark = make_players(player, weights)
    watch = _Watch(made)
    side = number % 2 if player.reading == TEXT.name else 1
    record = Record(game(READINGS[player.reading].variant))
    seats: list[Agent] = [benchmark, watch] if side else [watch, benchmark]
    game_seed = random.Random(f"{seed}/{number}").getrandbits(32)
    numbers = [
        len(step.before.game.core.legal(step.before.state))
        for step in play_game(record, seats, game_seed)
    ]
    digest = hashlib.sha256(" ".join(record.texts).encode()).hexdigest()[:12]
    usual = sum(FEWEST_MOVES <= n <= MOST_MOVES for n in numbers)
    return MeasuredGame(
        steps=winning_steps(record, side),
        hash=digest,
        seconds=round(watch.seconds, 4),
        visited=sum(made.visited) if isinstance(made, ProgramPlayer) else 0,
        turns=len(numbers),
        usual_turns=usual,
        fewest=min(numbers),
        most=max(numbers),
    )


def winning_steps(record: Record, side: int) -> int:
    """Return how many moves the loser still needs, negative if `side` is the loser.

    It is the fewest moves found in which the loser could finish if the winner's pieces stood
    still. A game without a winner counts 0.
    """
    result = record.result
    if result[side] == result[1 - side]:
        return 0
    loser = 1 - side if result[side] > result[1 - side] else side
    needed = _core.moves_alone(record.game.core, record.position.state, loser)
    return needed if loser != side else -needed


def summary(games: Sequence[MeasuredGame]) -> dict[str, float]:
    """Return wins, draws, losses, the mean of winning steps and half its 95% interval.

    Equal games are one observation, however often they were played: see `clustered_mean`.
    """
    steps = [one.steps for one in games]
    mean, error = clustered_mean(steps, [one.hash for one in games])
    return {
        "games": len(steps),
        "distinct": len({one.hash for one in games}),
        "wins": sum(s > 0 for s in steps),
        "draws": sum(s == 0 for s in steps),
        "losses": sum(s < 0 for s in steps),
        "mean": mean,
        "error": error,
    }


def mean_of(games: Sequence[MeasuredGame], what: str) -> float:
    """Return the mean of something that is measured of each game."""
    return fmean(getattr(one, what) for one in games)


def as_data(found: Mapping[Contestant, Sequence[MeasuredGame]]) -> list[dict[str, object]]:
    """Return players with their results as plain values."""
    return [{**vars(player), **summary(games)} for player, games in found.items()]
