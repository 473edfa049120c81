"""Libraries of the extra `train`, which are imported only where they are needed."""

from __future__ import annotations

from importlib.util import find_spec

from halma.errors import HalmaError


def needs(library: str) -> None:
    """Raise a `HalmaError` that says how to get a library, unless it is there."""
    if find_spec(library) is None:
        raise HalmaError(
            f'This needs {library}, which is not installed: pip install "halma[train]".'
        )
