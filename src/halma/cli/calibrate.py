"""`halma calibrate`: fit how large a lead is which chance of winning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from halma.cli.verb import JsonFlag, Seed, Variant, print_answer

if TYPE_CHECKING:
    from halma.arena.calibration import Calibration


def calibrate(
    variant: Variant,
    games: Annotated[int, typer.Option(min=2, help="Number of games.")] = 100,
    depth: Annotated[int, typer.Option(min=1, max=20, help="Plies of the search.")] = 3,
    seed: Seed = 0,
    json: JsonFlag = False,
) -> None:
    """Fit the scale from leads of minimax to chances of winning.

    A search plays games against itself, and leads are compared with results.
    """
    from halma.arena.calibration import calibrate as run
    from halma.cli.progress import progress
    from halma.games import game
    from halma.search.minimax import default_scale

    chosen = game(variant)
    with progress("games") as update:
        found = run(chosen, games, depth, seed, update)
    own = default_scale(chosen)
    answer = {
        "variant": chosen.name,
        "games": len(found.games),
        "positions": len(found.samples),
        "depth": depth,
        "seed": seed,
        "scale": found.scale,
        "scale_error": found.error,
        "own_scale": own,
        "log_loss": found.log_loss(found.scale),
        "own_log_loss": found.log_loss(own),
        "no_lead_log_loss": found.log_loss(0.0),
        "own_bins": found.bins(own),
    }
    print_answer(json, answer, lambda: _print(chosen.name, found, own))


def _print(name: str, found: Calibration, own: float) -> None:
    print(f"{name}: {len(found.games)} games, {len(found.samples):,} positions")
    print(f"scale of best fit   {found.scale:.4g} ± {found.error:.2g}")
    print(f"the game's own      {own:.4g}")
    losses = (found.log_loss(scale) for scale in (found.scale, own, 0.0))
    print("log loss            {:.4f} fitted, {:.4f} own, {:.4f} without leads\n".format(*losses))
    print("predicted  observed  positions   (own scale)")
    for row in found.bins(own):
        print(f"{row['predicted']:9.1%} {row['observed']:9.1%} {row['positions']:10,}")
