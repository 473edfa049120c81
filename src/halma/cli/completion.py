"""Names that the shell completes: variants, agents, recipes, papers.

The shell completes options and verbs by itself, and files where no name fits.
"""

from __future__ import annotations


def variants(incomplete: str) -> list[str]:
    """Return the variants that begin like this."""
    from halma.games import variant_names

    return _beginning(incomplete, variant_names())


def agents(incomplete: str) -> list[str]:
    """Return the agents that begin like this, without their options."""
    from halma.agents.registry import specs

    return _beginning(incomplete, [spec.name for spec in specs()])


def recipes(incomplete: str) -> list[str]:
    """Return the recipes that begin like this."""
    from halma.learn.recipe import names

    return _beginning(incomplete, names())


def papers(incomplete: str) -> list[str]:
    """Return the papers that begin like this."""
    from halma.lab import paper_names

    return _beginning(incomplete, paper_names())


def _beginning(start: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(start)]
