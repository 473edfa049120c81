"""Names that the shell completes: variants, agents, recipes, papers.

The shell completes options and verbs by itself, and files where no name fits.
"""

from __future__ import annotations


def variants(incomplete: str) -> list[str]:
    """Return the variants that begin like this."""
    from halma.games import variant_names

    return _beginning(incomplete, variant_names())


def agents(incomplete: str) -> list[str]:
    """Return the agents that begin like this; of options, only the networks of `net`."""
    from halma.agents.registry import specs

    names = [spec.name for spec in specs()]
    if incomplete.startswith("net:"):
        names += _networks(incomplete)
    return _beginning(incomplete, names)


def _networks(incomplete: str) -> list[str]:
    """Return the networks that come with halma, or the versions of a run."""
    from pathlib import Path

    from halma.networks import list_versions, shipped_networks

    start, versions, _ = incomplete.partition(",version=")
    if not versions:
        return [f"net:{name}" for name in shipped_networks()]
    known = list_versions(Path(start.removeprefix("net:")))
    words = [*map(str, known), "first", "last"] if known else []
    return [f"{start},version={word}" for word in words]


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
