"""Measurements that are kept, so that a run can be interrupted and go on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from halma.errors import HalmaError
from halma.files import replace_file


class Notebook:
    """A JSON file of named measurements that belong to one set of settings.

    Every new measurement replaces the file in one step, so that it is whole at any time.
    With other settings it starts afresh.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self._settings = json.loads(json.dumps(settings))
        self._kept: dict[str, Any] = {}
        if not path.exists():
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["settings"] == self._settings:
                self._kept = dict(found["measured"])
        except (ValueError, KeyError, TypeError):
            raise HalmaError(f"'{path}' is not a notebook of measurements.") from None

    def measure(self, name: str, how: Callable[..., Any], *arguments: Any) -> Any:
        """Return a measurement of plain values, measuring only what is not yet known."""
        if name not in self._kept:
            self._kept[name] = json.loads(json.dumps(how(*arguments)))
            self._save()
        return self._kept[name]

    def __contains__(self, name: str) -> bool:
        return name in self._kept

    def _save(self) -> None:
        replace_file(self.path, json.dumps({"settings": self._settings, "measured": self._kept}))
