"""`halma match`: play two or more agents against each other and compare their strength."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from halma.cli import arena, completion
from halma.cli.verb import ClusterAddress, GameName, JsonFlag, Seed, note, print_answer
from halma.errors import HalmaError

if TYPE_CHECKING:
    from halma.arena import Tally


def match(
    agents: Annotated[
        list[str],
        typer.Argument(
            help="Two agents, or one for each player; one plays best.",
            autocompletion=completion.agents,
        ),
    ],
    game: GameName,
    games: Annotated[
        int, typer.Option(min=1, help="Number of games; with --sprt the maximum.")
    ] = 100,
    seats: Annotated[
        int, typer.Option(min=0, help="Seats of the first of two agents; 0: all ways in turn.")
    ] = 0,
    opening_plies: arena.OpeningPlies = None,
    book: arena.Book = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            help="Stop once a sequential test decides: elo0=0,elo1=10,alpha=0.05,beta=0.05."
        ),
    ] = None,
    plies: arena.Plies = 2000,
    workers: arena.Workers = None,
    cluster: ClusterAddress = None,
    device: arena.Device = "cpu",
    db: arena.Database = None,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Play a match and report points, Elo and their intervals.

    Seats are balanced, and the games of a set share their opening and their dice. In a game for
    three or more, two agents take several seats each, another set in another order; with --seats 1
    the first agent has one seat, each in turn, and the other one all others.
    """
    from halma.arena import make_plan
    from halma.arena.sprt import parse_sprt

    if len(agents) == 1:
        agents = [*agents, "best"]
    test = None if sprt is None else parse_sprt(sprt)
    positions = arena.book_positions(book, game)
    plan = make_plan(game, agents, seed, opening_plies, positions, plies, seats)
    if test is not None and len(plan.agents) != 2:
        raise HalmaError("--sprt compares two agents, not three or more.")
    if test is not None and 2 * seats not in (0, plan.players):
        raise HalmaError("--sprt compares agents with equal numbers of seats: leave out --seats.")
    (tally,), facts = arena.play([plan], games, workers, db, test, device, cluster)
    if json:
        for warning in tally.warnings:
            note(warning)
    report = {**tally.as_dict(test), **facts}
    print_answer(json, report, lambda: _print(report, tally))


def _print(report: dict[str, Any], tally: Tally) -> None:
    plan, sets = tally.plan, len(tally.sets)
    print(f"{' - '.join(plan.agents)}  ({plan.game}, seed {plan.seed})")
    print(
        f"{tally.games} games in {sets} {arena.set_name(plan, sets)}, {tally.distinct} distinct, "
        f"{report['mean_plies']:.1f} plies each"
    )
    print()
    for what in ("wins", "draws", "losses"):
        interval, count = _interval(tally.rate(what).interval, ".1%"), report[what]
        print(f"{what:<8} {count:>6}  {count / tally.games:6.1%}{interval}")
    for index, name in enumerate(plan.agents):
        interval = _interval(tally.score.interval, ".1%") if index == 0 else ""
        points, score = tally.points[index], tally.scores[index]
        print(f"{'points':<8} {points:>6g}  {score:6.1%}{interval}  {name}")
    print(f"{'elo':<8} {tally.elo:>+6.0f}        {_interval(tally.elo_interval, '+.0f')}".rstrip())
    if tally.likelihood_of_superiority is not None:
        print(f"{'los':<8} {'':>6}  {tally.likelihood_of_superiority:6.1%}")
    if tally.pentanomial is not None:
        print(f"pairs with 0, ½, 1, 1½, 2 points: {' '.join(map(str, tally.pentanomial))}")
    print()
    _print_seats(report)
    if (test := report["sprt"]) is not None:
        print(
            f"SPRT of elo {test['elo0']:g} against {test['elo1']:g}: log-likelihood ratio "
            f"{test['llr']:.2f} in ({test['lower']:.2f}, {test['upper']:.2f}), "
            + (f"{test[test['accepted']]:g} accepted" if test["accepted"] else "undecided")
        )
    print(f"{report['games_played_now']} games in {report['seconds']:.1f} s, ", end="")
    print(f"{report['games_per_second']:.1f} per second with {report['workers']} workers")
    for warning in tally.warnings:
        print(f"Note: {warning}")


def _interval(ends: tuple[float, float] | None, form: str) -> str:
    """Return an interval to print after a value; empty where there is none."""
    return "" if ends is None else f"  [{ends[0]:{form}}, {ends[1]:{form}}]"


def _print_seats(report: dict[str, Any]) -> None:
    """Print the first agent's results by seat, and by the number of its seats."""
    groups = [(f"in seat {seat['seat']}", seat["first"]) for seat in report["seats"]]
    if len(report["seats_held"]) > 1:
        groups += [(f"with {held} of the seats", g) for held, g in report["seats_held"].items()]
    for name, group in groups:
        score = group["points"] / group["total"] if group["total"] else 0.0
        print(
            f"{name:<20} +{group['wins']} ={group['draws']} -{group['losses']}"
            f"  {score:.1%} of points"
        )
