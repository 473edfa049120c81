"""A benchmark's report as a table in the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from halma.bench.harness import Report, Row


def print_rows(about: Mapping[str, str], report: Report) -> None:
    """Print the figures, what they depend on, and what was left out."""
    from rich.console import Console
    from rich.table import Table

    # Narrow enough for eighty columns.
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("what", "figure", "goal", "met", "peer", "ratio"):
        right = heading in ("figure", "ratio")
        table.add_column(heading, justify="right" if right else "left", no_wrap=True)
    for row in report.rows:
        table.add_row(*_cells(row))
    console = Console(highlight=False)
    console.print(table)
    for key, value in about.items():
        console.print(f"{key}: {value}", markup=False)
    for note in report.notes:
        console.print(note, markup=False)


def _cells(row: Row) -> list[str]:
    goal = "" if row.goal is None else f"{'<=' if row.at_most else '>='} {short(row.goal)}"
    met = {None: "", True: "yes", False: "no"}[row.met]
    peer = ""
    if row.peer_value is not None:
        unit = "" if row.peer_unit == row.unit else f" {row.peer_unit}"
        peer = f"{short(row.peer_value)}{unit}"
    ratio = "" if row.ratio is None else f"{row.ratio:.1f}"
    return [row.name, f"{short(row.value)} {row.unit}", goal, met, peer, ratio]


def short(number: float) -> str:
    """Return a number with three digits and a unit prefix: 31.2 M."""
    for size, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(number) >= size:
            return f"{number / size:.3g}{prefix}"
    return f"{number:.3g}"
