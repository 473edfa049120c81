"""`halma match`: which of two or three agents is better, and how sure is that?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    from halma.arena import Sprt, Tally


def match(
    agents: Annotated[list[str], typer.Argument(help="Two agents, or one for each player.")],
    game: GameName,
    games: Annotated[
        int, typer.Option(min=1, help="How many, or with --sprt how many at most.")
    ] = 100,
    opening_plies: OpeningPlies = None,
    book: Book = None,
    sprt: Annotated[
        str | None,
        typer.Option(help="Stop once this is decided: elo0=0,elo1=10,alpha=0.05,beta=0.05."),
    ] = None,
    plies: Plies = 2000,
    workers: Workers = None,
    db: Database = None,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Play a match between agents; seats are balanced, openings and dice are shared.

    With two agents and three players, one agent has one seat and the other two, and every
    other way round.
    """
    from halma.arena import make_plan, play_matches
    from halma.arena.sprt import parse_sprt

    test = None if sprt is None else parse_sprt(sprt)
    plan = make_plan(game, agents, seed, opening_plies, book_positions(book, game), plies)
    if test is not None and len(plan.agents) != 2:
        raise HalmaError("--sprt compares two agents, not three or more.")
    crew = processes(workers)
    with maybe_store(db) as store:
        total = whole_sets(plan, games)
        clock = Clock()
        with progress(total, clock) as watch:
            (tally,) = play_matches([plan], games, crew, store, test, watch)
        stored = None if store is None else {"db": str(db), "match": store.match_of(plan)}
    report = {
        **tally.as_dict(test),
        **clock.as_dict(),
        "workers": crew,
        "stored": stored,
    }
    if json:
        for warning in tally.warnings:
            note(warning)
        print_json(report)
    else:
        _print(report, tally, test)


def _print(report: dict[str, Any], tally: Tally, test: Sprt | None) -> None:
    plan = tally.plan
    sets = {2: "pairs"}.get(plan.set_size, f"sets of {plan.set_size}")
    print(f"{' - '.join(plan.agents)}  ({plan.game}, seed {plan.seed})")
    print(
        f"{tally.games} games in {len(tally.sets)} {sets}, {tally.distinct} distinct, "
        f"{report['mean_plies']:.1f} plies each"
    )
    print()
    for what in ("wins", "draws", "losses"):
        low, high = tally.rate(what).interval
        count = report[what]
        print(f"{what:<8} {count:>6}  {count / tally.games:6.1%}  [{low:.1%}, {high:.1%}]")
    low, high = tally.score.interval
    for index, name in enumerate(plan.agents):
        interval = f"  [{low:.1%}, {high:.1%}]" if index == 0 else ""
        points, part = tally.points[index], tally.scores[index]
        print(f"{'points':<8} {points:>6g}  {part:6.1%}{interval}  {name}")
    low, high = tally.elo_interval
    print(f"{'elo':<8} {tally.elo:>+6.0f}          [{low:+.0f}, {high:+.0f}]")
    print(f"{'better':<8} {'':>6}  {tally.likelihood_of_superiority:6.1%}")
    if tally.pentanomial is not None:
        print(f"pairs with 0, ½, 1, 1½, 2 points: {' '.join(map(str, tally.pentanomial))}")
    print()
    _print_groups(report)
    if test is not None:
        _print_test(report["sprt"])
    print(f"{report['games_played_now']} games in {report['seconds']:.1f} s, ", end="")
    print(f"{report['games_per_second']:.1f} a second with {report['workers']} workers")
    for warning in tally.warnings:
        print(f"Note: {warning}")


def _print_groups(report: dict[str, Any]) -> None:
    """Print how the first agent did from each seat, and with one seat or several."""
    groups = [(f"in seat {seat['seat']}", seat["first"]) for seat in report["seats"]]
    if len(report["seats_held"]) > 1:
        groups += [(f"with {held} of the seats", g) for held, g in report["seats_held"].items()]
    for name, group in groups:
        part = group["points"] / group["total"] if group["total"] else 0.0
        print(
            f"{name:<20} +{group['wins']} ={group['draws']} -{group['losses']}"
            f"  {part:.1%} of points"
        )


def _print_test(test: dict[str, Any]) -> None:
    print(
        f"test of elo {test['elo0']:g} against {test['elo1']:g}: log-likelihood ratio "
        f"{test['llr']:.2f} in ({test['lower']:.2f}, {test['upper']:.2f}), "
        + (f"{test[test['accepted']]:g} accepted" if test["accepted"] else "undecided")
    )
