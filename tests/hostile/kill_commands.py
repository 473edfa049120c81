"""The commands that the kill harness kills, each small enough for a second.

To add one, add a line to `COMMANDS`: what is killed, and what prepares the folder it runs in.
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import typer

from halma.lab.experiment import Experiment, ExperimentPage, Paper
from halma.lab.jobs import GameBlocks, play_numbered
from halma.lab.plots import PlotLine, PlotPanel, PlotStyle, plot_lines
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.run_store import base_recipe
from halma.learn.bundle import pack, unpack
from halma.learn.run import run_recipe
from halma.structure import whole

#: A command line of halma without its name, or a function to call in the folder.
Work = str | Callable[[], None]

_TABLE = """
method = "tabular"
game = "ewn-3x3-2"
iterations = 3
search.simulations = 6
selfplay.games = 10
truth.games = 20
checkpoints.seconds = 0.0
checkpoints.keep = {keep}
"""
_NETWORK = """
method = "alphazero"
game = "rhombus-3x3-1"
network = "hsueh2023:filters=2"
iterations = 3
search.simulations = 2
search.max_considered_actions = 2
selfplay.games = 4
selfplay.parallel_games = 4
selfplay.max_plies = 8
learning.replay_buffer = 6
learning.batch_size = 8
learning.samples_per_new = 1.0
learning.warmup_steps = 0
gate.games = {gate}
evaluation.every = 0
warm_start.agent = "greedy"
warm_start.games = 2
warm_start.samples_per_new = 1.0
checkpoints.seconds = 0.0
checkpoints.keep = {keep}
"""
_Q_NETWORK = """
method = "dqn"
game = "rhombus-3x3-1"
network = "hsueh2023:filters=2"
iterations = 3
play.games = 6
play.parallel_games = 3
play.move_limit = 4
learning.replay_buffer = 20
learning.prefill = 5
learning.batch_size = 4
learning.steps_per_move = 0.2
learning.target_period = 2
evaluation.every = 0
archive.every = 2
checkpoints.seconds = 0.0
"""
_RECIPES = {
    "table": _TABLE.format(keep=2),
    "table-without": _TABLE.format(keep=0),
    "network": _NETWORK.format(keep=2, gate=0),
    "network-gate": _NETWORK.format(keep=2, gate=2),
    "network-side-by-side": _NETWORK.format(keep=2, gate=0) + "stages.side_by_side = true\n",
    "network-warm-start": _NETWORK.format(keep=2, gate=0)
    + "warm_start.epochs = 3\nwarm_start.random_starts = 0.5\nwarm_start.random_openings = 0.5\n",
    "network-archive": _NETWORK.format(keep=2, gate=0) + "archive.every = 2\n",
    "network-opponents": _NETWORK.format(keep=2, gate=2)
    + 'archive.every = 1\ngate.failure = "revert"\nselfplay.player = "latest"\n'
    + 'selfplay.opponents = "past best greedy"\nselfplay.opponent_share = 1.0\n',
    "network-without": _NETWORK.format(keep=0, gate=0),
    "q-network": _Q_NETWORK,
}


@dataclass(frozen=True)
class Command:
    """A command to kill, and what runs before it, undisturbed."""

    name: str
    work: Work
    prepare: tuple[Work, ...] = ()
    #: share of the kills at random places; less where they take long
    weight: float = 1.0
    #: imported once for all kills
    modules: tuple[str, ...] = ()
    #: whether it leaves the same bytes after a kill, and not only the same files
    exact: bool = True


def write_recipes(folder: Path) -> None:
    """Write the recipes that commands name."""
    for name, text in _RECIPES.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")


@cache
def _verbs():
    """Return the command line of halma, made once for all forks."""
    from halma.cli.app import app

    return typer.main.get_command(app)


def execute(work: Work) -> None:
    """Run a command in this process and the current folder."""
    if callable(work):
        work()
        return
    sys.argv = ["halma", *work.split()]
    _verbs()(prog_name="halma")


def _pack() -> None:
    pack(Path("run"), Path("bundle"), run_recipe(Path("run")).game)


def _unpack() -> None:
    if not Path("copy/meta.json").exists():
        unpack(Path("bundle"), Path("copy"), run_recipe(Path("run")).game)


@dataclass(frozen=True, kw_only=True)
class SmallExperiment(Experiment):
    """Training runs, blocks of games, a figure and a page, in a second."""

    def _recipes(self):
        changes = {
            "iterations": 3,
            "search.simulations": 4,
            "selfplay.games": 8,
            "truth.games": 10,
            "checkpoints.keep": 0,
            "checkpoints.seconds": 0.0,
        }
        base = base_recipe("hsueh2023/ewn-3x3-3")
        return [base.changed({**changes, "seed": seed}) for seed in (1, 2)]

    def _blocks(self) -> GameBlocks:
        return GameBlocks("plies", count_plies, 30, whole())

    def jobs(self, workspace) -> Iterable:
        yield from workspace.runs.jobs(self._recipes(), lambda recipe: 1.0)
        yield from self._blocks().jobs(workspace.seed)

    def page(self, workspace) -> ExperimentPage:
        lines = []
        for recipe in self._recipes():
            errors = [line["err_p"] for line in workspace.runs.metrics(recipe)]
            lines.append(PlotLine(f"seed {recipe.settings.seed}", range(len(errors)), errors))
        plies = self._blocks().results(workspace.measurements.read)
        plot_lines(
            workspace.pages / "small.png",
            [PlotPanel("errors", lines)],
            PlotStyle("iteration", "error"),
        )
        rows = [Claim("plies", "", str(plies))]
        figures = [ReportFigure("small.png", "errors")]
        return ExperimentPage([ReportSection(self.title, "", rows, figures=figures)])


def count_plies(number: int, seed: int) -> int:
    """Play a game at random; return its length."""
    return play_numbered("ewn-3x3-2", ("random", "random"), number, seed).plies


SMALL_PAPER = Paper("small", "A small paper", [SmallExperiment(name="fig1", title="Figure 1")])

_TRAIN = "train {0}.toml --out run --threads 1"
_MATCH = "match greedy random --game ewn-3x3-2 --games 8 --db games.db --seed 3 --workers {0}"
_TOURNAMENT = (
    "tournament greedy random mcts:sims=5 --game ewn-3x3-2 --games 4 --db games.db "
    "--csv table.csv --svg table.svg --workers {0}"
)
_STORED = (_MATCH.format(1),)
_TABULAR = ("halma.learn.tabular", "tensorboard.summary")
_NEURAL = ("torch._dynamo", "onnx", "halma.learn.alphazero", "tensorboard.summary")
_Q_NEURAL = ("torch._dynamo", "onnx", "halma.learn.dqn", "tensorboard.summary")
_PLOTS = ("matplotlib.backends.backend_agg", "halma.learn.tabular")
_TUNE = "tune table.toml --metric err_p --out tuned --workers 1 --confirm 1"
_TUNING = (*_PLOTS, "optuna", "halma.tune")

COMMANDS = {
    command.name: command
    for command in (
        Command("train a table", _TRAIN.format("table"), (), 5, _TABULAR),
        Command(
            "train a table without checkpoints", _TRAIN.format("table-without"), (), 3, _TABULAR
        ),
        Command(
            "make a table's run longer",
            "train run --iterations 5 --threads 1",
            (_TRAIN.format("table"),),
            3,
            _TABULAR,
        ),
        Command("train a network", _TRAIN.format("network"), (), 2, _NEURAL),
        Command("train a network with a gate", _TRAIN.format("network-gate"), (), 1, _NEURAL),
        Command(
            "train a network with a warm start",
            _TRAIN.format("network-warm-start"),
            (),
            1,
            _NEURAL,
        ),
        Command(
            "train a network with an archive", _TRAIN.format("network-archive"), (), 1, _NEURAL
        ),
        Command(
            "train a network against opponents", _TRAIN.format("network-opponents"), (), 1, _NEURAL
        ),
        Command(
            "train a network without checkpoints", _TRAIN.format("network-without"), (), 1, _NEURAL
        ),
        Command(
            "train a network side by side",
            _TRAIN.format("network-side-by-side"),
            (),
            2,
            _NEURAL,
            exact=False,
        ),
        Command(
            "make a network's run longer",
            "train run --iterations 4 --threads 1",
            (_TRAIN.format("network"),),
            1,
            _NEURAL,
        ),
        Command("train a Q network", _TRAIN.format("q-network"), (), 1, _Q_NEURAL),
        Command("report of a table", "report run", (_TRAIN.format("table"),), 1, _TABULAR),
        Command("pack a network's run", _pack, (_TRAIN.format("network-archive"),), 1, _NEURAL),
        Command(
            "unpack a network's run",
            _unpack,
            (_TRAIN.format("network-archive"), _pack),
            1,
            _NEURAL,
        ),
        Command("tune", f"{_TUNE} --trials 3", (), 1, _TUNING),
        Command(
            "tune with a population",
            f"{_TUNE} --sampler pbt --population 2 --stretch 1",
            (),
            1,
            _TUNING,
        ),
        Command("solve", "solve ewn-3x3-2 --threads 1", weight=4),
        Command("match", _MATCH.format(1), weight=4),
        Command("match with workers", _MATCH.format(2)),
        Command("tournament", _TOURNAMENT.format(1), weight=4),
        Command("convert to JSON lines", "convert games.db --out games.jsonl --force", _STORED),
        Command("convert to npz", "convert games.db --out games.npz --force", _STORED),
        Command("show", "show ewn-3x3-2 --svg board.svg"),
        Command("truth", "truth ewn-3x3-2 --svg pictures --page errors.html --sample 20 --games 2"),
        Command(
            "reproduce", "reproduce small --out lab --workers 2", ("solve ewn-3x3-3",), 2, _PLOTS
        ),
    )
}
