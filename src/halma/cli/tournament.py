"""`halma tournament`: every agent against every other, with ratings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated

import typer

from halma.cli import arena, completion
from halma.cli.verb import ClusterAddress, GameName, JsonFlag, Seed, note, print_answer, write_file
from halma.errors import HalmaError

_MAX_ELO = 100_000


def tournament(
    agents: Annotated[
        list[str], typer.Argument(help="Two agents or more.", autocompletion=completion.agents)
    ],
    game: GameName,
    games: Annotated[
        int,
        typer.Option(
            min=1, help="Games of each pairing; with three or more players, games in all."
        ),
    ] = 20,
    anchor: Annotated[
        str | None,
        typer.Option(
            help="NAME or NAME=ELO: the agent with a given rating; by default the first, at 0."
        ),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the crosstable to this CSV file.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw the crosstable to this SVG file.")] = None,
    opening_plies: arena.OpeningPlies = None,
    book: arena.Book = None,
    plies: arena.Plies = 2000,
    workers: arena.Workers = None,
    cluster: ClusterAddress = None,
    device: arena.Device = "cpu",
    db: arena.Database = None,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Let every agent play every other and rate them all.

    In a game of two every two agents play a match, all with the same openings and dice. In a game
    of three or more as many agents play at once, seats are balanced, and all meet equally often.
    """
    from halma.arena import crosstable, make_plan, rate

    names = _canonical(agents)
    anchored, anchor_elo = _anchor(anchor, names)
    positions = arena.book_positions(book, game)
    groups = _groups(game, len(names))
    plans = [
        make_plan(
            game, [names[i] for i in group], seed, opening_plies, positions, plies, in_turn=True
        )
        for group in groups
    ]
    tallies, facts = arena.play(plans, games, workers, db, device=device, cluster=cluster)
    matches = dict(zip(groups, tallies, strict=True))
    ratings = rate(names, matches, anchored, anchor_elo)
    rows = crosstable.crosstable(ratings, matches)
    distinct = len(set().union(*(tally.fingerprints for tally in tallies)))
    warnings = [
        f"{' - '.join(tally.plan.agents)}: {warning}" if len(tallies) > 1 else warning
        for tally in tallies
        for warning in tally.warnings
    ]
    number = f"{tallies[0].games} games"
    title = f"{plans[0].game}, {number} of each pairing"
    if plans[0].sides > 2:
        title = f"{plans[0].game}, {number} in {arena.set_name(plans[0])}"
    if csv is not None:
        write_file(csv, crosstable.as_csv(rows))
    if svg is not None:
        write_file(svg, crosstable.as_svg(rows, title))
    for warning in warnings:
        note(warning)
    answer = {
        "game": plans[0].game,
        "agents": names,
        "seed": seed,
        "opening_plies": plans[0].opening_plies,
        "book_positions": len(positions),
        "anchor": anchored,
        "anchor_elo": anchor_elo,
        "games": sum(tally.games for tally in tallies),
        "distinct_games": distinct,
        "table": crosstable.as_dicts(rows),
        **facts,
        "warnings": warnings,
    }
    head = f"{title}, {distinct} distinct in all; {anchored} is rated {anchor_elo:g}\n"
    print_answer(json, answer, lambda: print(head, crosstable.as_text(rows), sep="\n"))


def _groups(game: str, agents: int) -> list[tuple[int, ...]]:
    """Return the agents of each match: any two, or all where a game has more than two sides."""
    from halma.games import game as find_game

    return list(combinations(range(agents), 2 if find_game(game).sides == 2 else agents))


def _canonical(agents: Sequence[str]) -> list[str]:
    """Return the canonical names of the agents; raise an error if one is given twice."""
    from halma.agents import agent

    names = [agent(typed).name for typed in agents]
    if len(names) < 2:
        raise HalmaError("A tournament takes two agents or more.")
    for name in names:
        if names.count(name) > 1:
            raise HalmaError(f"'{name}' is given twice.")
    return names


def _anchor(typed: str | None, names: Sequence[str]) -> tuple[str, float]:
    """Read NAME or NAME=ELO; the name may contain `=` too."""
    from halma.agents import agent

    if typed is None:
        return names[0], 0.0
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
    if name not in names:
        raise HalmaError(f"'{name}' does not take part, so it cannot be the anchor.")
    if not abs(elo) <= _MAX_ELO:
        raise HalmaError(f"A rating lies between -{_MAX_ELO} and {_MAX_ELO}, not at {elo:g}.")
    return name, elo
