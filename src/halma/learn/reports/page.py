"""A training run as one page: numbers, curves, what its method adds, settings, versions.

Everything is read from the run's directory, so a page can be written again at any time. What
a method adds to the common parts is a `View`.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from halma.draw.charts import MOST_POINTS, ChartGuide, ChartLine, downsample, line_chart
from halma.draw.page import page, paragraphs, table
from halma.errors import RunError
from halma.files import replace_file
from halma.learn.metrics import read_metrics
from halma.learn.recipe import Recipe, load
from halma.learn.reports.events import Curve, Metrics
from halma.learn.run import META, RECIPE
from halma.learn.settings import write_value
from halma.solve import Solution

#: The page in a run directory.
NAME = "report.html"


@dataclass(frozen=True)
class Run:
    """The contents of a run directory."""

    path: Path
    recipe: Recipe
    meta: Mapping[str, Any]
    #: a line for every iteration, at least one
    metrics: Sequence[Metrics]

    @property
    def last(self) -> Metrics:
        """The metrics of the last iteration."""
        return self.metrics[-1]

    def latest(self, key: str) -> Any:
        """Return the last value of a metric that not every iteration has."""
        return next((m[key] for m in reversed(self.metrics) if m.get(key) is not None), None)


@dataclass(frozen=True)
class Tile:
    """A number at the top of the page, what it is, and a remark."""

    number: str
    title: str
    remark: str = ""


@dataclass(frozen=True)
class Panel:
    """A chart of one or more metrics."""

    title: str
    curves: tuple[Curve, ...]
    about: str
    #: metrics of the low and the high end of the first curve's interval
    band: tuple[str, str] | None = None
    #: a value to compare the curves with
    level: ChartGuide | None = None
    from_zero: bool = True


@dataclass(frozen=True)
class Section:
    """A heading and the HTML below it."""

    title: str
    body: str


@dataclass(frozen=True)
class View:
    """What a method adds to the page of a run."""

    tiles: list[Tile]
    panels: list[Panel]
    #: iterations after which something changed
    changes: list[ChartGuide]
    sections: list[Section]
    #: shell commands, each with its purpose
    commands: list[tuple[str, str]]
    #: the contents of the sections, for programs
    facts: Mapping[str, Any] = field(default_factory=dict)


#: Makes the view of a run; the solution is for methods that show exact values.
Viewer = Callable[[Run, Solution | None], View]


def read_run(path: Path) -> Run:
    """Read a run directory, or raise a `RunError` that says what is missing."""
    if not (path / RECIPE).is_file() or not (path / META).is_file():
        raise RunError(f"'{path}' is not the directory of a run.")
    metrics = read_metrics(path)
    if not metrics:
        raise RunError(f"The run in '{path}' has not finished an iteration yet.")
    try:
        meta = json.loads((path / META).read_text(encoding="utf-8"))
    except ValueError:
        raise RunError(f"'{path / META}' is damaged.") from None
    return Run(path, load(str(path / RECIPE)), meta, metrics)


def write_report(path: Path, solution: Solution | None = None, out: Path | None = None) -> View:
    """Write the page of a run, into its directory without `out`; return what the method adds."""
    from halma.learn.reports import alphazero_page, tabular_page

    viewers: dict[str, Viewer] = {"tabular": tabular_page.view, "alphazero": alphazero_page.view}
    run = read_run(path)
    view = viewers[run.recipe.method](run, solution)
    replace_file(out or path / NAME, _page(run, view))
    return view


def _page(run: Run, view: View) -> str:
    name = str(run.meta.get("recipe") or run.recipe.name)
    done, wanted = run.last["iteration"], run.recipe.settings.iterations
    state = "finished" if done == wanted else f"{done:,} of {wanted:,} iterations done"
    parts = [
        f"<h1>{escape(name)}</h1>",
        f'<p class="faint">{escape(run.recipe.game.title)}, {escape(run.recipe.game.name)}: '
        f"{state}, seed {run.recipe.settings.seed}, in {escape(str(run.path))}</p>",
        _tiles(view.tiles),
    ]
    versions = [[key.replace("_", " "), str(value)] for key, value in run.meta.items()]
    sections = [
        Section("Curves", _curves(run, view)),
        *view.sections,
        Section("Commands", _commands([*view.commands, *_going_on(run)])),
        Section("Settings", _settings(run)),
        Section("Versions", table([], versions)),
    ]
    parts += [f"<h2>{escape(section.title)}</h2>\n{section.body}" for section in sections]
    return page(f"{name}: a training run", "\n".join(parts))


def grid(columns: str, cards: Iterable[str], tag: str = "div", kind: str = "card") -> str:
    """Return cards side by side; `columns` is a class of the page's style: two, three, tiles."""
    items = "\n".join(f'<{tag} class="{kind}">{card}</{tag}>' for card in cards)
    return f'<div class="grid {columns}">\n{items}\n</div>'


def bar(share: float) -> str:
    """Return a table cell with a probability as a bar and a number."""
    return f'<td class="share"><i style="width:{55 * share:.0f}%"></i>{share:.0%}</td>'


def win_rate_panel(whose: str) -> Panel:
    """Return the chart of WR_p."""
    return Panel(
        "WR_p, points against perfect play",
        (Curve("wr_p", "WR_p", ".1%"),),
        f"Share of points of {whose} most probable moves against the optimal player, with its "
        "95% interval. Nobody can score more than 50% in the long run.",
        band=("wr_p_low", "wr_p_high"),
        level=ChartGuide(0.5, "perfect play"),
        from_zero=False,
    )


def _tiles(tiles: Sequence[Tile]) -> str:
    cards = (
        f"<span>{escape(tile.title)}</span><b>{escape(tile.number)}</b>"
        f"<span>{escape(tile.remark)}</span>"
        for tile in tiles
    )
    return grid("tiles", cards, kind="card tile")


def _curves(run: Run, view: View) -> str:
    together = -(-len(run.metrics) // MOST_POINTS)
    text = f"Each point is the mean of about {together} iterations." if together > 1 else ""
    cards = (
        f"{_panel(run, panel, view.changes)}<figcaption>{escape(panel.about)}</figcaption>"
        for panel in view.panels
    )
    return (paragraphs(text) if text else "") + grid("two", cards, tag="figure")


def _panel(run: Run, panel: Panel, changes: Sequence[ChartGuide]) -> str:
    lines = []
    for curve in panel.curves:
        points = _series(run, curve.key)
        is_first = curve is panel.curves[0]
        band = _series(run, *panel.band) if panel.band is not None and is_first else []
        lines.append(ChartLine(curve.title, points, band))  # type: ignore[arg-type]
    shape = panel.curves[0].format
    return line_chart(
        panel.title,
        lines,
        "iteration",
        lambda y: _short(y, shape),
        panel.level,
        changes,
        panel.from_zero,
    )


def _series(run: Run, *keys: str) -> list[tuple[float, ...]]:
    """Return the iterations that have all of some metrics, with those."""
    found = (
        (float(m["iteration"]), *(float(m[key]) for key in keys))
        for m in run.metrics
        if all(m.get(key) is not None for key in keys)
    )
    return downsample(list(found))


def _short(y: float, shape: str) -> str:
    """Return the number of a tick, no longer than needed."""
    if shape.endswith("%"):
        return f"{100 * y:g}%"
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if abs(y) >= size:
            return f"{y / size:g}{unit}"
    return f"{y:g}"


def _commands(commands: Sequence[tuple[str, str]]) -> str:
    rows = (
        f"<p>{escape(purpose)}</p>\n<pre>{escape(command)}</pre>" for command, purpose in commands
    )
    return "\n".join(rows)


def _going_on(run: Run) -> list[tuple[str, str]]:
    """Return the commands for any run."""
    where, wanted = quoted(run.path), run.recipe.settings.iterations
    train = (f"halma train {where}", "Continue training:")
    if run.last["iteration"] >= wanted:
        train = (f"halma train {where} --iterations {2 * wanted}", "Train for longer:")
    return [train, (f"halma report {where}", "Write this page again:")]


def _settings(run: Run) -> str:
    rows = [[key, write_value(value)] for key, value in run.recipe.flat.items()]
    third = -(-len(rows) // 3)
    columns = (table([], rows[i : i + third]) for i in range(0, len(rows), third))
    return paragraphs(f"{run.path / RECIPE} explains them.") + grid("three", columns, kind="")


def quoted(path: Path) -> str:
    """Return a path quoted for a shell."""
    return shlex.quote(str(path))
