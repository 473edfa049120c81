"""`halma tournament`: everybody against everybody, with ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from halma.cli.arena import (
    Book,
    Clock,
    Database,
    GameName,
    OpeningPlies,
    Plies,
    Workers,
    book_positions,
    maybe_store,
    processes,
    progress,
    whole_sets,
)
from halma.cli.verb import JsonFlag, Seed, note, print_json
from halma.errors import HalmaError


def tournament(
    agents: Annotated[list[str], typer.Argument(help="Two agents or more.")],
    game: GameName,
    games: Annotated[int, typer.Option(min=1, help="Games of each pairing.")] = 20,
    anchor: Annotated[
        str | None,
        typer.Option(
            help="NAME or NAME=ELO: the agent whose rating is given; the first if left out, at 0."
        ),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table to this file.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw the table to this file.")] = None,
    opening_plies: OpeningPlies = None,
    book: Book = None,
    plies: Plies = 2000,
    workers: Workers = None,
    db: Database = None,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Play a round robin: a match of every two agents, all with the same openings and dice."""
    from halma.arena import crosstable, make_plan, play_matches, rate

    entered = _entered(agents)
    anchored, anchor_elo = _anchor(anchor, entered)
    positions = book_positions(book, game)
    pairs = [(i, j) for i in range(len(entered)) for j in range(i + 1, len(entered))]
    plans = [
        make_plan(game, (entered[i], entered[j]), seed, opening_plies, positions, plies)
        for i, j in pairs
    ]
    crew = processes(workers)
    with maybe_store(db) as store:
        total = whole_sets(plans[0], games) * len(plans)
        clock = Clock()
        with progress(total, clock) as watch:
            tallies = play_matches(plans, games, crew, store, watch=watch)
    pairings = dict(zip(pairs, tallies, strict=True))
    ratings = rate(entered, pairings, anchored, anchor_elo)
    rows = crosstable.crosstable(ratings, pairings)
    distinct = len(frozenset().union(*(tally.fingerprints for tally in tallies)))
    warnings = [
        f"{' - '.join(tally.plan.agents)}: {warning}"
        for tally in tallies
        for warning in tally.warnings
    ]
    title = f"{plans[0].game}, {tallies[0].games} games of each pairing"
    if csv is not None:
        csv.write_text(crosstable.as_csv(rows), encoding="utf-8")
        note(f"Wrote {csv}.")
    if svg is not None:
        svg.write_text(crosstable.as_svg(rows, title), encoding="utf-8")
        note(f"Wrote {svg}.")
    for warning in warnings:
        note(warning)
    if json:
        print_json(
            {
                "game": plans[0].game,
                "agents": entered,
                "seed": seed,
                "opening_plies": plans[0].opening_plies,
                "book_positions": len(positions),
                "anchor": anchored,
                "anchor_elo": anchor_elo,
                "games": sum(tally.games for tally in tallies),
                "distinct_games": distinct,
                "table": crosstable.as_dicts(rows),
                **clock.as_dict(),
                "workers": crew,
                "db": None if db is None else str(db),
                "warnings": warnings,
            }
        )
        return
    print(f"{title}, {distinct} distinct in all; {anchored} is rated {anchor_elo:g}\n")
    print(crosstable.as_text(rows))


def _entered(agents: Sequence[str]) -> list[str]:
    """Return canonical names, each once."""
    from halma.agents import agent

    names = [agent(typed).name for typed in agents]
    if len(names) < 2:
        raise HalmaError("A tournament takes two agents or more.")
    for name in names:
        if names.count(name) > 1:
            raise HalmaError(f"'{name}' is entered twice.")
    return names


def _anchor(typed: str | None, entered: Sequence[str]) -> tuple[str, float]:
    """Read NAME or NAME=ELO; a name may have `=` in it as well."""
    from halma.agents import agent

    if typed is None:
        return entered[0], 0.0
    try:
        name, elo = agent(typed).name, 0.0
    except HalmaError:
        front, equals, number = typed.rpartition("=")
        try:
            elo = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise
        name = agent(front).name
    if name not in entered:
        raise HalmaError(f"'{name}' is not in the tournament, so it cannot be its anchor.")
    if not abs(elo) <= 100_000:
        raise HalmaError(f"A rating of {elo:g} is beyond all measure.")
    return name, elo
