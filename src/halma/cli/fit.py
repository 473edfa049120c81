"""`halma fit`: train an evaluator for minimax on games that it plays against itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, Variant, check_folder_of, note, print_json
from halma.errors import OptionError

if TYPE_CHECKING:
    from halma.games import Game
    from halma.learn.fit_evaluator import FitOptions, FitRound


def fit(
    variant: Variant,
    out: Annotated[
        Path | None, typer.Option(help="The evaluator's file: NAME.safetensors.")
    ] = None,
    linear: Annotated[
        bool, typer.Option("--linear", help="Fit weights of the game's features instead.")
    ] = False,
    rounds: Annotated[int, typer.Option(min=1, max=100, help="Of games and training.")] = 2,
    games: Annotated[int, typer.Option(min=1, max=10**7, help="Games in a round.")] = 10_000,
    nodes: Annotated[int, typer.Option(min=1, max=10**9, help="Positions a move.")] = 1000,
    epochs: Annotated[float, typer.Option(min=0, max=1000, help="Passes of training.")] = 5.0,
    result_share: Annotated[
        float, typer.Option(min=0, max=1, help="Of results in targets; the rest: searches.")
    ] = 0.5,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Number of threads.")] = 1,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Train an evaluator for minimax, a small network.

    A search plays games against itself; the network learns their results and the search's values.
    The next round plays with it. alphabeta:evaluator=FILE uses the file, and so does expectimax.
    The same command goes on with a fit that was interrupted. With --linear, one round of games
    gives weights of the game's features, for alphabeta:weights=.
    """
    from halma.cli.progress import progress
    from halma.games import game
    from halma.learn.fit_evaluator import FitOptions, fit_evaluator
    from halma.search.minimax import has_chance

    if (out is None) != linear:
        raise OptionError("Give either a file, --out NAME.safetensors, or --linear.")
    options = FitOptions(
        rounds=rounds,
        games=games,
        nodes=nodes,
        result_share=result_share,
        epochs=epochs,
        seed=seed,
        threads=threads,
    )
    chosen = game(variant)
    if out is None:
        _fit_linear(chosen, options, json)
        return
    check_folder_of(out)
    done = []
    with progress("fit") as update:
        for found in fit_evaluator(chosen, out, options, lambda _, now, total: update(now, total)):
            done.append(found)
            if not json:
                note(_line(found))
    if json:
        print_json({"variant": chosen.name, "file": str(out), "rounds": [vars(r) for r in done]})
    else:
        search = "expectimax" if has_chance(chosen) else "alphabeta"
        print(f"{out}: play it with {search}:nodes=100000,evaluator={out}")


def _fit_linear(chosen: Game, options: FitOptions, json: bool) -> None:
    from halma.cli.progress import progress
    from halma.learn.fit_weights import fit_weights

    with progress("games") as update:
        found = fit_weights(chosen, options, update)
    if json:
        print_json({"variant": chosen.name, **vars(found), "option": found.option})
        return
    print(f"{chosen.name}: {found.games:,} games, {found.positions:,} positions")
    print(f"weights={found.option}, scale {found.scale:.4g}")
    print(f"loss {found.loss:.4f}, that of the game's own weights {found.own_loss:.4f}")


def _line(found: FitRound) -> str:
    speed = found.games_per_second
    played = "played before" if speed is None else f"{speed:.1f} a second"
    return (
        f"round {found.number}: {found.games:,} games ({played}, {found.draws:.0%} drawn), "
        f"{found.positions:,} positions, loss {found.loss:.4f}"
    )
