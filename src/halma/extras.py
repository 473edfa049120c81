"""Optional libraries, imported only where they are used."""

from __future__ import annotations

from importlib.util import find_spec

from halma.errors import HalmaError


def require(library: str, extra: str = "train") -> None:
    """Raise a `HalmaError` that names the extra to install, unless the library is there."""
    if find_spec(library) is None:
        raise HalmaError(
            f'This needs {library}, which is not installed: pip install "halma[{extra}]".'
        )
