"""The metrics that a run of a recipe writes into metrics.jsonl, and which way each is better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halma.errors import RecipeError, suggestion

if TYPE_CHECKING:
    from halma.arena.tally import Tally
    from halma.learn.recipe import Recipe

MAXIMIZE, MINIMIZE = "maximize", "minimize"

#: What a network is measured by, and what a table is, by exact values.
TRUTH_METRICS = ("wr_p", "wr_p_low", "wr_p_high", "err_p", "mae_v")
WIN_RATE_METRICS = ("wr_p", "wr_p_low", "wr_p_high", "wr_p_first", "wr_p_second")
_MATCH = ("", "_low", "_high", "_elo", "_elo_low", "_elo_high")
_COMMON = "seconds learning_rate games play_seconds"
#: Metrics of every run of a method; which others there are depends on the recipe.
_ALWAYS = {
    "tabular": f"{_COMMON} err_p mae_v updated_1 updated_4 updated_16 plies draws simulations "
    "positions update_seconds processor_seconds truth_seconds",
    "alphazero": f"{_COMMON} finished draws first_share mean_plies evaluations games_per_second "
    "evaluations_per_second resigned pool_bytes replay_games positions duplicates new_positions "
    "steps policy_loss value_loss validation_policy_loss validation_value_loss illegal_share "
    "trainer_busy train_seconds gate best match_seconds",
    "dqn": f"{_COMMON} won lost reward mean_plies epsilon transitions replay_transitions steps "
    "loss td_error train_seconds match_seconds",
}
_LESS_IS_BETTER = ("loss", "error", "err_p", "mae_v", "seconds", "illegal_share", "lost")
_MORE_IS_BETTER = ("wr_p", "vs_", "gate", "won", "reward", "test_", "selfplay_vs_", "trainer_busy")


def match_metrics(name: str, tally: Tally | None) -> dict[str, Any]:
    """Return the metrics of a match: share of points and Elo, each with its 95% interval.

    One set of games has no interval.
    """
    keys = [f"vs_{name}{ending}" for ending in _MATCH]
    if tally is None:
        return dict.fromkeys(keys)
    nothing, score = (None, None), tally.score
    ends, elo_ends = score.interval or nothing, tally.elo_interval or nothing
    values = (score.value, *ends, tally.elo, *elo_ends)
    return dict(zip(keys, values, strict=True))


def metric_names(recipe: Recipe) -> list[str]:
    """Return the metrics of a recipe's runs, without the number of the iteration."""
    settings, found = recipe.settings, _ALWAYS[recipe.method].split()
    if recipe.method == "tabular":
        return [*found, *WIN_RATE_METRICS]
    found += [key for name in settings.opponents for key in match_metrics(name, None)]
    if recipe.method == "dqn":
        return [*found, *(["test_reward", "test_won"] if settings.evaluation.test_games else [])]
    if settings.gate.games:
        found += ["gate_distinct", "promotions"]
    found += [f"selfplay_vs_{name}" for name in settings.selfplay_opponents]
    return [*found, *(TRUTH_METRICS if settings.truth.every else ())]


def check_metric(recipe: Recipe, metric: str) -> None:
    """Raise a `RecipeError` if runs of a recipe do not have a metric."""
    known = metric_names(recipe)
    if metric in known:
        return
    said = f"Runs of '{recipe.name}' have no metric '{metric[:60]}'"
    if metric in TRUTH_METRICS and recipe.method == "alphazero":
        raise RecipeError(f"{said}: exact values are compared with where 'truth.every' is above 0.")
    if metric.startswith("vs_"):
        there = ", ".join(getattr(recipe.settings, "opponents", ()))
        played = f"its opponents are {there}" if there else "it has no evaluation"
        raise RecipeError(f"{said}: {played}; see 'evaluation.every' and 'evaluation.opponents'.")
    near = suggestion(metric, known)
    raise RecipeError(f"{said}.{near or ' They have ' + ', '.join(known) + '.'}")


def better_direction(metric: str) -> str | None:
    """Return whether more or less of a metric is better; None where neither is."""
    if metric.endswith(_LESS_IS_BETTER):
        return MINIMIZE
    if metric.startswith(_MORE_IS_BETTER) or metric.endswith("_per_second"):
        return MAXIMIZE
    return None
