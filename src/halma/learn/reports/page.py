"""A training run as one page: figures, curves, what its method adds, settings, versions.

Everything is read from the run's directory, so a page can be written again at any time. What
a method shows beyond the common parts it says as a `View`.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
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
    """What a run directory says of itself."""

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
        """Return the last value of a figure that is not measured every time."""
        return next((m[key] for m in reversed(self.metrics) if m.get(key) is not None), None)


@dataclass(frozen=True)
class Tile:
    """A figure to be seen first: a number, what it is, and a remark."""

    number: str
    title: str
    remark: str = ""


@dataclass(frozen=True)
class Panel:
    """Curves that belong together: keys of the metrics, with their titles."""

    title: str
    curves: tuple[Curve, ...]
    about: str
    #: keys of the low and the high end of the first curve's interval
    band: tuple[str, str] | None = None
    #: a value that means something
    level: ChartGuide | None = None
    from_zero: bool = True


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it, in HTML."""

    title: str
    body: str


@dataclass(frozen=True)
class View:
    """What a method has to show of a run."""

    tiles: list[Tile]
    panels: list[Panel]
    #: iterations after which something changed
    changes: list[ChartGuide]
    sections: list[Section]
    #: lines of a shell, each with what it is for
    commands: list[tuple[str, str]]
    #: the facts behind the sections, for programs
    facts: Mapping[str, Any] = field(default_factory=dict)


#: Makes a view of a run; the truth is only asked for by methods that are graded against it.
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


def write_report(path: Path, truth: Solution | None = None, out: Path | None = None) -> View:
    """Write the page of a run, into its directory unless told otherwise; return what it shows."""
    from halma.learn.reports import alphazero_page, tabular_page

    viewers: dict[str, Viewer] = {"tabular": tabular_page.view, "alphazero": alphazero_page.view}
    run = read_run(path)
    view = viewers[run.recipe.method](run, truth)
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
    sections = [
        Section("Curves", _curves(run, view)),
        *view.sections,
        Section("Going on", _commands([*view.commands, *_going_on(run)])),
        Section("Settings", _settings(run)),
        Section("Versions", table([], [[_words(k), str(v)] for k, v in run.meta.items()])),
    ]
    parts += [f"<h2>{escape(section.title)}</h2>\n{section.body}" for section in sections]
    return page(f"{name}: a training run", "\n".join(parts))


def _tiles(tiles: Sequence[Tile]) -> str:
    cards = (
        f'<div class="card tile"><span>{escape(tile.title)}</span><b>{escape(tile.number)}</b>'
        f"<span>{escape(tile.remark)}</span></div>"
        for tile in tiles
    )
    return '<div class="grid tiles">\n' + "\n".join(cards) + "\n</div>"


def _curves(run: Run, view: View) -> str:
    together = -(-len(run.metrics) // MOST_POINTS)
    cards = [
        f'<figure class="card">{_panel(run, panel, view.changes)}'
        f"<figcaption>{escape(panel.about)}</figcaption></figure>"
        for panel in view.panels
    ]
    merged = (
        paragraphs(f"Each point is the mean of about {together} iterations.")
        if together > 1
        else ""
    )
    return merged + '<div class="grid two">\n' + "\n".join(cards) + "\n</div>"


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
    """Return iterations with the figures of some keys, where all were measured."""
    found = (
        (float(m["iteration"]), *(float(m[key]) for key in keys))
        for m in run.metrics
        if all(m.get(key) is not None for key in keys)
    )
    return downsample(list(found))


def _short(y: float, shape: str) -> str:
    """Write the number of a tick: as the figure is written, but no longer than needed."""
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
    """Return what can be done with any run."""
    where, wanted = quoted(run.path), run.recipe.settings.iterations
    train = (f"halma train {where}", "Go on with training:")
    if run.last["iteration"] >= wanted:
        train = (f"halma train {where} --iterations {2 * wanted}", "Train for longer:")
    return [train, (f"halma report {where}", "Write this page again:")]


def _settings(run: Run) -> str:
    rows = [[key, write_value(value)] for key, value in run.recipe.flat.items()]
    third = -(-len(rows) // 3)
    columns = (table([], rows[i : i + third]) for i in range(0, len(rows), third))
    return (
        paragraphs(f"What each means is said in {run.path / RECIPE}.")
        + '<div class="grid three">'
        + "".join(f"<div>{column}</div>" for column in columns)
        + "</div>"
    )


def _words(key: str) -> str:
    return key.replace("_", " ")


def quoted(path: Path) -> str:
    """Return a path as a shell wants it."""
    return shlex.quote(str(path))
