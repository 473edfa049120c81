"""cluster.html: what the nodes of a run did, made from cluster.jsonl."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from halma.draw.charts import ChartLine, downsample, line_chart
from halma.draw.page import page, paragraphs, table
from halma.files import read_file, replace_file
from halma.learn.distributed.monitor import NAME as SAMPLES
from halma.learn.reports.page import grid
from halma.machine import in_bytes
from halma.structure import fields, map_of, parse_json, real, whole

#: The page in a run directory.
NAME = "cluster.html"
#: Nodes with a curve of their own: those with the most games.
_MOST_CURVES = 4
#: The newest samples are read, up to this many bytes; seconds of rates in the table.
_MOST_BYTES, _RECENT_SECONDS = 1 << 26, 60.0
_SAMPLE = fields(
    {
        "time": real(),
        "seconds": real(0),
        "nodes": map_of(
            fields(
                {
                    "games": whole(),
                    "evaluations": whole(),
                    "seconds": real(0),
                    "lag": whole(),
                    "backlog": whole(),
                }
            )
        ),
        "waiting": whole(),
        "missing": whole(),
        "object_store_bytes": real(),
    }
)

Sample = Mapping[str, Any]


def read_samples(run: Path) -> list[Sample]:
    """Return the samples of a run, without lines that a kill has cut short."""
    path = run / SAMPLES
    if not path.exists():
        return []
    found = []
    for line in read_file(path, _MOST_BYTES).splitlines():
        try:
            sample = parse_json(line)
        except ValueError:
            continue
        if not _SAMPLE(sample) and sample["seconds"] > 0:
            found.append(sample)
    return found


def write_page(run: Path) -> None:
    """Write the page of a run's nodes into its directory, if there is anything to show."""
    samples = read_samples(run)
    if samples:
        replace_file(run / NAME, _page(run, samples))


def _page(run: Path, samples: Sequence[Sample]) -> str:
    about = (
        "Games and evaluations a second are those of self-play. The lag is the number of versions "
        "between the network that a node plays with and the newest one. Games wait until a node "
        "takes them, and are then played."
    )
    parts = [
        f"<h1>Nodes of {escape(run.name)}</h1>",
        paragraphs(about),
        "<h2>Now</h2>",
        _nodes(samples),
        "<h2>Curves</h2>",
        grid("two", _charts(samples), tag="figure"),
    ]
    return page(f"{run.name}: nodes of a training run", "\n".join(parts))


def _nodes(samples: Sequence[Sample]) -> str:
    """Return the table of nodes: rates of the last minute, and games in all."""
    totals = _games(samples)
    now = samples[-1]["time"]
    recent = [sample for sample in samples if now - sample["time"] < _RECENT_SECONDS]
    seconds = sum(sample["seconds"] for sample in recent)
    rows = []
    for name in sorted(totals):
        own = [sample["nodes"][name] for sample in recent if name in sample["nodes"]]
        last = own[-1] if own else None
        rows.append(
            [
                name,
                f"{sum(one['games'] for one in own) / seconds:.2f}",
                f"{sum(one['evaluations'] for one in own) / seconds:,.0f}",
                "" if last is None else f"{last['lag']}",
                "" if last is None else f"{last['backlog']}",
                f"{totals[name]:,}",
            ]
        )
    headings = ["node", "games/s", "evaluations/s", "lag of versions", "games in play", "all games"]
    return table(headings, rows, numbers=True)


def _charts(samples: Sequence[Sample]) -> list[str]:
    began = samples[0]["time"]
    nodes = [name for name, _ in _games(samples).most_common(_MOST_CURVES)]

    def by_node(key: str, rate: bool) -> list[ChartLine]:
        return [
            ChartLine(
                name,
                downsample(
                    [
                        (
                            (sample["time"] - began) / 60,
                            sample["nodes"][name][key] / (sample["seconds"] if rate else 1),
                        )
                        for sample in samples
                        if name in sample["nodes"]
                    ]
                ),  # type: ignore[arg-type]
            )
            for name in nodes
        ]

    def line(title: str, value: Callable[[Sample], float]) -> ChartLine:
        points = [((sample["time"] - began) / 60, float(value(sample))) for sample in samples]
        return ChartLine(title, downsample(points))  # type: ignore[arg-type]

    queues = [
        line("waiting", lambda sample: sample["waiting"]),
        line("in play", lambda sample: sample["missing"] - sample["waiting"]),
    ]
    store = [line("in use", lambda sample: sample["object_store_bytes"])]
    charts: list[tuple[str, list[ChartLine], Callable[[float], str]]] = [
        ("Games a second, by node", by_node("games", True), "{:g}".format),
        ("Evaluations a second, by node", by_node("evaluations", True), "{:g}".format),
        ("Lag of versions, by node", by_node("lag", False), "{:g}".format),
        ("Wanted games", queues, "{:g}".format),
        ("Object stores", store, lambda y: in_bytes(int(y))),
    ]
    return [line_chart(title, lines, "minutes", write) for title, lines, write in charts]


def _games(samples: Sequence[Sample]) -> Counter[str]:
    """Return the games of every node."""
    totals: Counter[str] = Counter()
    for sample in samples:
        for name, one in sample["nodes"].items():
            totals[name] += one["games"]
    return totals
