"""How good is it really? The same training on solved boards, graded by exact values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from halma.draw.svg import draw_svg
from halma.errors import RunError
from halma.executors import ReportProgress
from halma.files import replace_file
from halma.games import Game, game
from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.jobs import Job
from halma.lab.liu2019.settings import MAIN
from halma.lab.network_files import NetworkFile
from halma.lab.report import ReportFigure, ReportSection
from halma.lab.run_store import base_recipe
from halma.lab.trained import unfinished
from halma.lab.workspace import Workspace
from halma.learn import Recipe
from halma.learn.grading import grade_agents
from halma.learn.run import MODEL
from halma.learn.settings import Plain
from halma.solve import solution_for, solve
from halma.solve.tables import table_path
from halma.structure import fields, list_of, optional, real, text, whole

BOARDS = ("rhombus-5x5-3", "rhombus-7x7-3", "rhombus-5x5-6")
#: Simulations of a move.
SIMULATIONS = (1, 32, 180)
#: Share of value-keeping moves in its own games that a network should reach.
WANTED = 0.98
#: Tables with more entries have values alone: distances are a byte each.
_MOST_DISTANCES = 1 << 30
_BOARD = 260

_SHARE = fields(
    {
        "positions": whole(1),
        "share": real(0, 1),
        "low": optional(real(0, 1)),
        "high": optional(real(0, 1)),
        "random": real(0, 1),
    }
)
_WORST = fields({"position": text(), "move": text(), "keeping": list_of(text()), "times": whole()})
_GRADE = fields({"shares": fields({"all": _SHARE, "not lost": _SHARE}), "worst": list_of(_WORST)})
#: What `grade_network` returns.
_GRADES = fields({"games": _GRADE, "table": _GRADE})

_TEXT = (
    "The paper cannot say how far its agent is from perfect play. On boards that were solved "
    "exactly, the same training can be graded: in which share of positions does the picked move "
    "keep the value, so that a win stays a win and a draw a draw? Positions are those of {games:,} "
    "games of the network against itself, from openings of three random plies a side, as often as "
    "they occur, and {sample:,} legal positions of the table, each equally likely. In lost "
    "positions every move keeps the value, so shares are given without them as well. Intervals "
    "are 95%. The aim is {wanted:.0%} of the positions of its own games with 180 simulations.\n\n"
    "The trainings: {trainings}.\n\n"
    "docs/solving.md explains the grades, and halma truth prints them for any agent."
)


_COLUMNS = (
    "board",
    "recipe",
    "simulations",
    "own games",
    "own games, not lost",
    "any legal move, not lost",
    "table",
    "table, not lost",
    f"{WANTED:.0%} in own games",
)


class SolvedScale(NamedTuple):
    """How much is run."""

    #: names of recipes, and what is changed in them
    recipes: tuple[tuple[str, Mapping[str, Plain]], ...]
    boards: tuple[str, ...]
    games: int
    sample: int


#: The recipes of the larger board, shortened, since these boards have far fewer positions; our
#: rules do not stop a game after 100 plies as the paper's do. Beside them one that a core trains
#: in 5 to 15 minutes.
_FULL = SolvedScale(
    (
        (MAIN, {"iterations": 20, "warm_start.epochs": 30, "selfplay.max_plies": 100}),
        ("rhombus-7x7-6", {"iterations": 30}),
        ("quick", {"iterations": 60}),
    ),
    BOARDS,
    1000,
    10_000,
)
_QUICK = SolvedScale((("quick", {}),), BOARDS[:2], 100, 1000)


def make_table(board: str, report: ReportProgress) -> None:
    """Solve a board and keep its table."""
    found = game(board)
    solve(
        found,
        threads=1,
        progress=lambda done, total: report(max(done, 1) / max(total, 1)),
        distances=found.core.index_size <= _MOST_DISTANCES,
    )


def grade_network(
    board: str,
    file: Path,
    simulations: int,
    games: int,
    sample: int,
    seed: int,
    device: str,
    report: ReportProgress,
) -> dict[str, Any]:
    """Grade a network with this many simulations a move."""
    from halma.networks.torch_evaluator import find_device

    name = f"net:{MODEL},sims={simulations},limits=game"
    (found,) = grade_agents(
        solution_for(game(board)),
        [name],
        games,
        sample,
        seed,
        device=find_device(device),
        progress=lambda done, total: report(max(done, 1) / max(total, 1)),
        networks={name: file},
    )
    if found.error:
        raise RunError(found.error)
    return found.as_dict()


@dataclass(frozen=True, kw_only=True)
class SolvedBoards(Experiment):
    """Trains on solved boards and grades the networks."""

    def jobs(self, workspace: Workspace) -> Iterator[Job]:
        """Yield tables and trainings; once they are done, the grades of each network."""
        # Grades that were measured are drawn without the tables.
        missing = [] if workspace.draw_only else self._missing_tables(workspace)
        for board in missing:
            cost = game(board).core.index_size / 4e6
            yield Job(f"table,{board}", make_table, (board,), cost)
        runs, recipes = workspace.runs, self.recipes(workspace)
        yield from runs.jobs((one for one in recipes if not runs.is_adopted(one)), lambda _: 150.0)
        for recipe in recipes:
            network = runs.best(recipe)
            if network is not None and recipe.game.name not in missing:
                yield from self._grading(workspace, recipe, network).values()

    def _missing_tables(self, workspace: Workspace) -> list[str]:
        """Return the boards that are not solved yet."""
        return [b for b in _scale(workspace).boards if not table_path(game(b)).exists()]

    def page(self, workspace: Workspace) -> ExperimentPage:
        """List the shares and draw the worst error of each network."""
        scale, read = _scale(workspace), workspace.measurements.read
        rows, figures, data = [], [], {}
        for (board, name), recipe in self._labelled(workspace).items():
            network = workspace.runs.best(recipe)
            if network is None:
                continue
            state = unfinished(workspace, recipe)
            for simulations, job in self._grading(workspace, recipe, network).items():
                found = read(job.name, _GRADES)
                if found is None:
                    continue
                data[f"{board},{name},sims={simulations}"] = found
                shown = f"{name}, {state}" if state else name
                rows.append([board, shown, str(simulations), *_cells(found)])
                if simulations == SIMULATIONS[-1] and found["games"]["worst"]:
                    file = f"{self.file}-{board}-{name}.svg"
                    replace_file(workspace.pages / file, _picture(recipe.game, found["games"]))
                    figures.append(ReportFigure(file, _caption(board, found["games"]["worst"][0])))
        if not rows:
            return ExperimentPage([ReportSection(self.title, "Not run yet.")])
        about = _TEXT.format(
            games=scale.games,
            sample=scale.sample,
            wanted=WANTED,
            trainings=", ".join(_command(*one) for one in scale.recipes),
        )
        section = ReportSection(self.title, about, rows, figures, _COLUMNS)
        return ExperimentPage([section], data=data)

    def recipes(self, workspace: Workspace) -> list[Recipe]:
        """Return every recipe on every board."""
        return [*self._labelled(workspace).values()]

    def _labelled(self, workspace: Workspace) -> dict[tuple[str, str], Recipe]:
        """Return the recipes by board and by the last part of the names of what they change."""
        scale = _scale(workspace)
        return {
            (board, Path(name).name): base_recipe(name).changed(
                {"game": board, "seed": workspace.seed, **changes}
            )
            for board in scale.boards
            for name, changes in scale.recipes
        }

    def _grading(
        self, workspace: Workspace, recipe: Recipe, network: NetworkFile
    ) -> dict[int, Job]:
        """Return the jobs that grade the network of a run, by simulations."""
        scale, board = _scale(workspace), recipe.game.name
        where = workspace.seed, workspace.device
        rest = f"games={scale.games},sample={scale.sample},{network.part()}"
        return {
            simulations: Job(
                f"grades,{board},sims={simulations},{rest}",
                grade_network,
                (board, network.file, simulations, scale.games, scale.sample, *where),
                cost=simulations * (40 * scale.games + scale.sample) / 5000,
            )
            for simulations in SIMULATIONS
        }


def _scale(workspace: Workspace) -> SolvedScale:
    return _FULL if workspace.full else _QUICK


def _command(name: str, changes: Mapping[str, Plain]) -> str:
    settings = (f"--set {key}={value}" for key, value in {"game": "BOARD", **changes}.items())
    return f"`{' '.join(['halma train', name, *settings])}`"


def _cells(found: Mapping[str, Any]) -> list[str]:
    """Return the shares of a row, and whether it reaches the aim."""
    games, table = found["games"]["shares"], found["table"]["shares"]
    return [
        _written(games["all"]),
        _written(games["not lost"]),
        f"{games['not lost']['random']:.1%}",
        _written(table["all"]),
        _written(table["not lost"]),
        "yes" if games["all"]["share"] >= WANTED else "no",
    ]


def _written(share: Mapping[str, Any]) -> str:
    if share["low"] is None:
        return f"{share['share']:.1%}"
    return f"{share['share']:.1%} [{share['low']:.1%}, {share['high']:.1%}]"


def _picture(found: Game, grade: Mapping[str, Any]) -> str:
    """Draw the worst error: the picked move, and moves that keep the value."""
    worst = grade["worst"][0]
    position = found.position(worst["position"])
    picked, *others = (
        found.scene(position.state, position.find(move).value)
        for move in (worst["move"], *worst["keeping"][:3])
    )
    return draw_svg(picked, _BOARD, alternatives=[scene.trail for scene in others])


def _caption(board: str, worst: Mapping[str, Any]) -> str:
    times = "once" if worst["times"] == 1 else f"{worst['times']} times"
    return (
        f"{board}, {SIMULATIONS[-1]} simulations: {worst['move']} gives the value away "
        f"({times}); {' '.join(worst['keeping'][:3])} would keep it"
    )


EXPERIMENTS = (
    SolvedBoards(
        name="solved",
        title="How good is it really? Graded by exact values on solved boards",
        in_paper=False,
        libraries=("torch",),
    ),
)
