"""A training run as one page: numbers, curves, what its method adds, settings, versions.

Everything is read from the run's directory, so a page can be written again at any time. What
a method adds to the common parts is a `View`. `HtmlReport` is the handler that writes the page.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from halma.draw.charts import MOST_POINTS, ChartGuide, ChartLine, downsample, line_chart
from halma.draw.page import page, paragraphs, table
from halma.errors import HalmaError, RunError
from halma.files import replace_file
from halma.learn.metrics import NAME as METRICS
from halma.learn.metrics import read_epochs, read_metrics
from halma.learn.recipe import Recipe
from halma.learn.reports.events import (
    Checkpoint,
    Epoch,
    Finished,
    Handler,
    Iteration,
    Metrics,
    Report,
    Stopped,
    clock,
)
from halma.learn.run import META, RECIPE, read_meta, run_recipe, trained_agent
from halma.learn.settings import write_value
from halma.solve import Solution

#: The page in a run directory.
NAME = "report.html"
#: Largest share of the time that goes into pages before the last one.
_SHARE = 0.03
#: Least time between two pages.
_SECONDS = 20.0


@dataclass(frozen=True)
class Run:
    """The contents of a run directory."""

    path: Path
    recipe: Recipe
    meta: Mapping[str, Any]
    #: a line for every iteration
    metrics: Sequence[Metrics]
    #: a line for every epoch of a warm start; at least one where there is no iteration
    epochs: Sequence[Metrics] = ()

    @property
    def last(self) -> Metrics:
        """The metrics of the last iteration; before the first one, of the last epoch."""
        return self.metrics[-1] if self.metrics else {"iteration": 0, **self.epochs[-1]}

    def latest(self, key: str) -> Any:
        """Return the last value of a metric that not every iteration has."""
        return next((m[key] for m in reversed(self.metrics) if m.get(key) is not None), None)


@dataclass(frozen=True)
class Panel:
    """A chart of one or more metrics."""

    title: str
    #: titles of the curves by the metrics that they show
    curves: Mapping[str, str]
    about: str
    percent: bool = False
    #: metrics of the low and the high end of the first curve's interval
    band: tuple[str, str] | None = None
    #: a value to compare the curves with
    level: ChartGuide | None = None
    from_zero: bool = True


@dataclass(frozen=True)
class View:
    """What a method adds to the page of a run."""

    #: numbers at the top of the page, each with what it is and a remark
    tiles: list[tuple[str, str, str]]
    panels: list[Panel]
    #: HTML by heading
    sections: dict[str, str]
    #: the contents of the sections, for programs
    facts: Mapping[str, Any] = field(default_factory=dict)


def read_run(path: Path) -> Run:
    """Read a run directory, or raise a `RunError` that says what is missing."""
    if not (path / RECIPE).is_file() or not (path / META).is_file():
        raise RunError(f"'{path}' is not the directory of a run.")
    recipe, meta = run_recipe(path), read_meta(path)
    metrics, epochs = read_metrics(path, recipe.method), read_epochs(path)
    if not metrics and not epochs:
        raise RunError(f"The run in '{path}' has not finished an iteration yet.")
    return Run(path, recipe, meta, metrics, epochs)


def panels_of(run: Run) -> list[Panel]:
    """Return the charts of a run, for displays of their own."""
    from halma.learn.reports import alphazero_page, dqn_page, tabular_page

    pages = {"tabular": tabular_page, "alphazero": alphazero_page, "dqn": dqn_page}
    found: list[Panel] = pages[run.recipe.method].panels(run)
    return found


def write_report(path: Path, solution: Solution | None = None, out: Path | None = None) -> View:
    """Write the page of a run, into its directory without `out`; return what the method adds."""
    from halma.learn.reports import alphazero_page, dqn_page, tabular_page

    run = read_run(path)
    views = {
        "tabular": tabular_page.view,
        "alphazero": alphazero_page.view,
        "dqn": dqn_page.view,
    }
    view = views[run.recipe.method](run, solution)
    replace_file(out or path / NAME, _page(run, view))
    return view


class HtmlReport(Handler):
    """Writes report.html of a run directory: now and then at a checkpoint, and at the end."""

    def __init__(
        self,
        run: Path,
        note: Callable[[str], None] = lambda text: None,
        solution: Solution | None = None,
    ) -> None:
        self._run = run
        self._note = note
        self._solution = solution
        self._written_at = time.monotonic()
        self._cost = 0.0
        #: whether there are iterations that the page does not show yet
        self._news = False

    def handle(self, report: Report) -> None:
        """Write the page where it is due."""
        match report:
            case Iteration() | Epoch():
                self._news = True
            case Checkpoint():
                since = time.monotonic() - self._written_at
                if since >= max(_SECONDS, self._cost / _SHARE):
                    self._write()
            case Stopped():
                if self._news:
                    self._write()
            case Finished():
                if self._news or self._is_old():
                    self._write()

    def _is_old(self) -> bool:
        page, metrics = self._run / NAME, self._run / METRICS
        return not page.exists() or page.stat().st_mtime_ns < metrics.stat().st_mtime_ns

    def _write(self) -> None:
        began = time.monotonic()
        try:
            write_report(self._run, self._solution)
        except (HalmaError, OSError) as error:
            # It can be written again from the directory, so training goes on.
            self._note(f"The report was not written: {error}")
        self._written_at = time.monotonic()
        self._cost = self._written_at - began
        self._news = False


def _page(run: Run, view: View) -> str:
    done, wanted = run.last["iteration"], run.recipe.settings.iterations
    state = "finished" if done == wanted else f"{done:,} of {wanted:,} iterations done"
    parts = [
        f"<h1>{escape(run.recipe.name)}</h1>",
        f'<p class="faint">{escape(run.recipe.game.title)}, {escape(run.recipe.game.name)}: '
        f"{state}, seed {run.recipe.settings.seed}, in {escape(str(run.path))}</p>",
        _tiles(
            [
                *view.tiles,
                (f"{done:,}", "iterations", f"of {wanted:,}"),
                (clock(run.last["seconds"]), "time", "of the whole run"),
            ]
        ),
    ]
    versions = [[key.replace("_", " "), str(value)] for key, value in run.meta.items()]
    sections = {
        **({"Curves": curves(run.metrics, view.panels, _rate_changes(run))} if run.metrics else {}),
        **view.sections,
        "Commands": _commands(run),
        "Settings": _settings(run),
        "Versions": table([], versions),
    }
    parts += [f"<h2>{escape(title)}</h2>\n{body}" for title, body in sections.items()]
    return page(f"{run.recipe.name}: a training run", "\n".join(parts))


def grid(columns: str, cards: Iterable[str], tag: str = "div", kind: str = "card") -> str:
    """Return cards side by side; `columns` is a class of the page's style: two, three, tiles."""
    items = "\n".join(f'<{tag} class="{kind}">{card}</{tag}>' for card in cards)
    return f'<div class="grid {columns}">\n{items}\n</div>'


def board(picture: str, title: str, moves: str, about: str = "") -> str:
    """Return a card: the picture of a position, a title, and rows of `move_row`."""
    return f'{picture}<div><b>{escape(title)}</b></div>{about}<table class="moves">{moves}</table>'


def move_row(cells: Iterable[str], probability: float, is_best: bool = False) -> str:
    """Return a row of a table of moves, with its probability as a bar and a number."""
    before = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    style = f"width:{55 * probability:.0f}%"
    return (
        f"<tr{' class=best' if is_best else ''}>{before}"
        f'<td class="share"><i style="{style}"></i>{probability:.0%}</td></tr>'
    )


def win_rate_panel(whose: str) -> Panel:
    """Return the chart of WR_p."""
    return Panel(
        "WR_p, points against perfect play",
        {"wr_p": "WR_p"},
        f"Share of points of {whose} most probable moves against the optimal player, with its "
        "95% interval. Nobody can score more than 50% in the long run.",
        percent=True,
        band=("wr_p_low", "wr_p_high"),
        level=ChartGuide(0.5, "perfect play"),
        from_zero=False,
    )


def _tiles(tiles: Iterable[Iterable[str]]) -> str:
    cards = []
    for tile in tiles:
        number, title, remark = map(escape, tile)
        cards.append(f"<span>{title}</span><b>{number}</b><span>{remark}</span>")
    return grid("tiles", cards, kind="card tile")


def curves(
    metrics: Sequence[Metrics],
    panels: Iterable[Panel],
    changes: Sequence[ChartGuide] = (),
    unit: str = "iteration",
) -> str:
    """Return charts of the metrics of iterations, or of another unit; `changes` are marked."""
    together = -(-len(metrics) // MOST_POINTS)
    text = f"Each point is the mean of about {together} {unit}s." if together > 1 else ""
    cards = (
        f"{_panel(metrics, panel, changes, unit)}<figcaption>{escape(panel.about)}</figcaption>"
        for panel in panels
    )
    return (paragraphs(text) if text else "") + grid("two", cards, tag="figure")


def _rate_changes(run: Run) -> list[ChartGuide]:
    """Return where the learning rate fell in a step."""
    if getattr(run.recipe.settings.learning, "schedule", "step") != "step":
        return []
    return [
        ChartGuide(float(before["iteration"]), f"learning rate {after['learning_rate']:g}")
        for before, after in pairwise(run.metrics)
        if before["learning_rate"] != after["learning_rate"]
    ]


def _panel(
    metrics: Sequence[Metrics], panel: Panel, changes: Sequence[ChartGuide], unit: str
) -> str:
    lines = [
        ChartLine(title, _series(metrics, unit, key))  # type: ignore[arg-type]
        for key, title in panel.curves.items()
    ]
    if panel.band is not None:
        lines[0] = replace(lines[0], band=_series(metrics, unit, *panel.band))  # type: ignore[arg-type]
    write = _percent if panel.percent else _short
    return line_chart(panel.title, lines, unit, write, panel.level, changes, panel.from_zero)


def _series(metrics: Sequence[Metrics], *keys: str) -> list[tuple[float, ...]]:
    """Return some metrics, the unit's number first, of the lines that have them all."""
    found = (
        tuple(float(line[key]) for key in keys)
        for line in metrics
        if all(line.get(key) is not None for key in keys)
    )
    return downsample(list(found))


def _percent(y: float) -> str:
    return f"{100 * y:g}%"


def _short(y: float) -> str:
    """Return the number of a tick, no longer than needed."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if abs(y) >= size:
            return f"{y / size:g}{unit}"
    return f"{y:g}"


def _commands(run: Run) -> str:
    player, opponent = trained_agent(run.path, run.recipe)
    variant, wanted = shlex.quote(run.recipe.game.name), run.recipe.settings.iterations
    player, where = shlex.quote(player), shlex.quote(str(run.path))
    go_on = {"Continue training:": f"halma train {where}"}
    if run.last["iteration"] >= wanted:
        go_on = {"Train for longer:": f"halma train {where} --iterations {2 * wanted}"}
    commands = {
        "Play against it:": f"halma play human {player} --game {variant}",
        f"A match with {opponent}:": f"halma match {player} {opponent} --game {variant}",
        **go_on,
        "Write this page again:": f"halma report {where}",
    }
    return "\n".join(
        f"<p>{escape(purpose)}</p>\n<pre>{escape(command)}</pre>"
        for purpose, command in commands.items()
    )


def _settings(run: Run) -> str:
    rows = [[key, write_value(value)] for key, value in run.recipe.flat.items()]
    third = -(-len(rows) // 3)
    columns = (table([], rows[i : i + third]) for i in range(0, len(rows), third))
    return paragraphs(f"{run.path / RECIPE} explains them.") + grid("three", columns, kind="")
