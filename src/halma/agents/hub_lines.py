"""Lines of the Hub protocol: `command name=value name="a value" flag`."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = r'[^\s="]+'
_COMMAND = re.compile(rf"\s*({_NAME})(?=\s|$)")
_ARGUMENT = re.compile(rf'\s*({_NAME})\s*(?:=\s*(?:"([^"]*)"|({_NAME})))?(?=\s|$)')


def parse_line(line: str) -> tuple[str, dict[str, str]]:
    """Return the command and its arguments, or raise a `ValueError`; a flag's value is empty."""
    found = _COMMAND.match(line)
    if found is None:
        raise ValueError("it does not begin with a command")
    arguments, at, end = {}, found.end(), len(line.rstrip())
    while at < end:
        match = _ARGUMENT.match(line, at)
        if match is None:
            raise ValueError(f"'{line[at:].strip()[:40]}' is not of the form name=value")
        arguments[match[1]] = match[2] or match[3] or ""
        at = match.end()
    return found[1], arguments


def format_line(command: str, arguments: Mapping[str, object] | None = None) -> str:
    """Return a line; values with other characters than those of a name are quoted."""
    pairs = [f"{name}={_quoted(str(value))}" for name, value in (arguments or {}).items()]
    return " ".join([command, *pairs])


def _quoted(value: str) -> str:
    return value if re.fullmatch(_NAME, value) else '"' + value.replace('"', "'") + '"'
