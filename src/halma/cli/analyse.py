"""`halma analyse`: evaluate the moves of a position with an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, Variant, drawing, note, print_answer
from halma.errors import ChanceError, GameOverError, UnknownAgentError

if TYPE_CHECKING:
    import random

    from halma.games import Position
    from halma.search.analysis import Analysis
    from halma.search.outcomes import ChanceAnalysis


def analyse(
    variant: Variant,
    position: Annotated[str, typer.Argument(help="A position as text, or 'start'.")],
    agent: Annotated[
        str,
        typer.Option(help="An agent that searches, such as mcts:sims=1000 or best:time=5."),
    ] = "best",
    roll: Annotated[
        list[str] | None,
        typer.Option(help="An outcome of chance, such as 3; may be given several times."),
    ] = None,
    moves: Annotated[int, typer.Option(min=1, help="Number of moves to show, the best first.")] = 8,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Show the best moves of a position with their values.

    Where an outcome of chance is next and --roll does not give it, every outcome is analysed.
    A random set-up before the first roll is drawn with --seed.
    """
    import random

    from halma.agents import Analyst, player_of
    from halma.agents import agent as find_agent
    from halma.games import Record, game
    from halma.search.outcomes import analyse_outcomes

    chosen = game(variant)
    named = find_agent(agent)
    if not isinstance(named, Analyst):
        raise UnknownAgentError(f"'{named.name}' cannot analyse a position.")
    start = chosen.start() if position == "start" else chosen.position(position)
    start, drawn = _resolve(start, roll or [], random.Random(seed))
    if drawn:
        note(f"The set-up is drawn with seed {seed}: {', '.join(drawn)}.")
    if start.is_terminal:
        raise GameOverError(f"No player is to move in '{start.text}': the game is over.")
    analyst = player_of(named, Record(chosen, start))
    assert isinstance(analyst, Analyst)

    def look(at: Position) -> Analysis:
        return analyst.analyse(Record(chosen, at), random.Random(seed))

    about = {"variant": chosen.name, "agent": analyst.name, "seed": seed}
    if start.is_chance:
        rolled = analyse_outcomes(start, look)
        answer = {**about, **rolled.as_dict(moves)}
        print_answer(json, answer, lambda: _print_outcomes(rolled, analyst.name))
        return
    found = look(start)
    answer = {**about, **found.as_dict()}
    answer["moves"] = answer["moves"][:moves]
    print_answer(json, answer, lambda: _print(found, analyst.name, moves))


def _resolve(
    position: Position, given: list[str], rng: random.Random
) -> tuple[Position, list[str]]:
    """Resolve a position at chance with the outcomes given, each where it is possible.

    Chance events that others follow, such as a random set-up, are drawn if they are not given.
    Return the position, at the last chance event or after it, and the outcomes drawn.
    """
    left, drawn = list(given), []
    while position.is_chance:
        outcomes = position.outcomes
        if left and left[0].strip() in [outcome.text for outcome in outcomes]:
            position = position.resolve(left.pop(0))
            continue
        outcome = rng.choices(outcomes, [o.probability for o in outcomes])[0]
        if not position.resolve(outcome).is_chance:
            break
        position = position.resolve(outcome)
        drawn.append(outcome.text)
    if left and position.is_chance:
        position.find_outcome(left[0])  # raises
    elif left:
        raise ChanceError(f"--roll {left[0][:40]}: no outcome of chance is next.")
    return position, drawn


def _print(found: Analysis, name: str, most: int) -> None:
    from rich.markup import escape
    from rich.table import Table

    from halma.draw.terminal import table_console

    print(drawing(found.position), end="\n\n")
    table = Table(title=escape(name), title_justify="left")
    for heading in ("move", "value", "visits", "prior"):
        table.add_column(heading, justify="left" if heading == "move" else "right", no_wrap=True)
    table.add_column("line")
    for report in found.moves[:most]:
        table.add_row(*map(escape, report.cells().values()))
    console = table_console()
    console.print(table)
    if len(found.moves) > most:
        console.print(f"and {len(found.moves) - most} more moves")
    console.print(found.effort)


def _print_outcomes(found: ChanceAnalysis, name: str) -> None:
    from rich.markup import escape
    from rich.table import Table

    from halma.draw.terminal import table_console
    from halma.search.analysis import value_text

    print(drawing(found.position), end="\n\n")
    table = Table(title=escape(name), title_justify="left")
    for heading in ("outcome", "odds", "value", "best move"):
        table.add_column(heading, justify="right" if heading in ("odds", "value") else "left")
    for report in found.outcomes:
        best = "" if report.analysis is None else report.analysis.best.text
        table.add_row(
            escape(report.outcome.text),
            f"{report.outcome.probability:.3f}",
            value_text(report.value, report.proven),
            escape(best),
        )
    console = table_console()
    console.print(table)
    if found.value is not None:
        who = found.position.game.seat_names[found.position.mover]
        proven = all(report.proven for report in found.outcomes)
        console.print(f"mean value for {who}: {value_text(found.value, proven)}")
    console.print("--roll OUTCOME shows all moves after an outcome.")
