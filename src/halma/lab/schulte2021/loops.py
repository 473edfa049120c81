"""Section 7.1: do games of self-play run into loops? Games that the move limit stops, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from halma import _core
from halma.executors import ReportProgress
from halma.files import replace_file
from halma.games import Game, Record, game
from halma.games.record import END_TEXT
from halma.lab.experiment import ExperimentPage
from halma.lab.jobs import GameBlocks
from halma.lab.report import ReportFigure, ReportSection
from halma.lab.schulte2021.networks import VersionExperiment, final_networks
from halma.lab.schulte2021.settings import VARIANT, scale
from halma.lab.trained import NOT_RUN
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.learn.selfplay import limits, pool_options
from halma.networks import load_on
from halma.search.evaluator import Evaluator
from halma.selfplay import Pool
from halma.selfplay.records import saved_games
from halma.structure import fields, optional, text, whole

#: Why a game met the move limit.
LOOP, STILL, LATE = "a position recurred", "nobody advanced", "players still advanced"
#: Moves of each player that are looked at for the last two.
LAST_MOVES = 10
#: Games of a block, which are played at once.
_BLOCK = 50
_GAME = fields(
    {
        "plies": whole(0, 1_000_000),
        "end": text(200),
        "repeated": whole(0, 1_000_000),
        "reason": optional(text(200)),
        "position": text(500),
    }
)
_COUNTS = ("games", "plies", "with a repeated position", "stopped by the limit")
_COLUMNS = ("", *_COUNTS, LOOP, STILL, LATE)
_TEXT = (
    "Games of self-play as the network's recipe plays them: moves are sampled during the first "
    "plies, and lines are cut where a position of the line or of the game recurs. A game is "
    "stopped after 120 plies. The last three columns say why. A position recurred: there was a "
    "loop. Nobody advanced: there was none, but players who had not finished did not come forward "
    f"with their last {LAST_MOVES} moves together, which the thesis calls a quasi-loop. Players "
    "still advanced: the game was just long. The aim is that no game is stopped through a loop."
)


def why_stopped(record: Record) -> str:
    """Return why a game met the move limit: by a loop, without progress, or for length."""
    again = Record(record.game, record.start)
    recurred, advances = False, []
    for _, move in record.events:
        advances.append(record.game.advance(again.core.state(), move))
        again.core.play(move)
        recurred |= again.repetitions > 0
    if recurred:
        return LOOP
    last = advances[-LAST_MOVES * record.game.players :]
    return LATE if sum(last) > 0 else STILL


def play_for_loops(
    recipe: Recipe,
    file: Path,
    device: str,
    numbers: Sequence[int],
    seed: int,
    report: ReportProgress,
) -> list[dict[str, Any]]:
    """Play games of self-play; return their lengths, ends, repeated positions and reasons."""
    found, settings = game(VARIANT), recipe.settings
    pool = Pool(
        found,
        pool_options(found, settings),
        [_evaluator(file, device)],
        slots=len(numbers),
        threads=1,
        seed=seed,
        first=numbers[0],
        games=len(numbers),
        limits=limits(found, settings),
    )
    games = pool.play(watch=lambda done, leaves: report(done / len(numbers)))
    described = {}
    for saved in saved_games(games, found):
        record = saved.record
        stopped = saved.end == END_TEXT[_core.End.PLIES]
        described[saved.facts["number"]] = {
            "plies": record.plies,
            "end": saved.end,
            "repeated": _repeated(record),
            "reason": why_stopped(record) if stopped else None,
            "position": record.position.text,
        }
    return [described[number] for number in numbers]


def _repeated(record: Record) -> int:
    """Return how many positions of a game had occurred before in it."""
    seen = Counter(position.state for position in record.positions)
    return sum(number - 1 for number in seen.values())


@lru_cache(maxsize=1)
def _evaluator(file: Path, device: str) -> Evaluator:
    return load_on(device, file, game(VARIANT))


class Loops(VersionExperiment):
    """Self-play of the final networks."""

    def blocks(self, workspace: Workspace) -> Mapping[str, GameBlocks]:
        """Return the games of each network."""
        games, found = scale(workspace).loop_games, {}
        for one in final_networks(workspace):
            simulations = one.recipe.settings.search.simulations
            found[one.label] = GameBlocks(
                f"loops,{one.network.part()},simulations={simulations},total={games}",
                partial(play_for_loops, one.recipe, one.network.file, workspace.device),
                games,
                _GAME,
                cost=0.05 * simulations,
                together=True,
                size=_BLOCK,
            )
        return found

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Count games that were stopped, and draw where the first of them ended."""
        about, read = self.about(workspace), workspace.measurements.read
        blocks = self.blocks(workspace)
        found = {label: each.results(read) for label, each in blocks.items()}
        played = {label: g for label, g in found.items() if len(g) == blocks[label].games}
        if not played:
            return ExperimentPage([ReportSection(self.title, NOT_RUN)], about)
        recipes = {one.label: one.recipe for one in final_networks(workspace)}
        rows = [_row(label, recipes[label], games) for label, games in played.items()]
        images = list(self._images(workspace, played))
        section = ReportSection(self.title, _TEXT, rows, images, _COLUMNS)
        return ExperimentPage([section], about, played)

    def _images(
        self, workspace: Workspace, played: Mapping[str, Sequence[Mapping[str, Any]]]
    ) -> Iterator[ReportFigure]:
        """Draw the last position of the first game of each reason."""
        variant: Game = game(VARIANT)
        for number, (label, games) in enumerate(played.items()):
            for reason in (LOOP, STILL, LATE):
                one = next((g for g in games if g["reason"] == reason), None)
                if one is not None:
                    file = f"{self.file}-{number}-{reason.split()[-1]}.svg"
                    drawn = variant.position(one["position"]).svg(size=260)
                    replace_file(workspace.pages / file, drawn)
                    yield ReportFigure(file, f"{label}: stopped here, {reason}")


def _row(label: str, recipe: Recipe, games: Sequence[Mapping[str, Any]]) -> list[str]:
    reasons = Counter(one["reason"] for one in games if one["reason"])
    repeated = sum(one["repeated"] > 0 for one in games)
    plies = sum(one["plies"] for one in games) / len(games)
    counts = (repeated, sum(reasons.values()), reasons[LOOP], reasons[STILL], reasons[LATE])
    search, play = recipe.settings.search, recipe.settings.selfplay
    how = f"{search.simulations} simulations, sampled for {play.temperature_plies} plies"
    return [
        f"{label}, {how}",
        f"{len(games):,}",
        f"{plies:.1f}",
        *(f"{count:,}" for count in counts),
    ]


EXPERIMENTS = (Loops(name="loops", title="Section 7.1: loops in self-play"),)
