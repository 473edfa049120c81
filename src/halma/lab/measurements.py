"""Measurements kept on disk, so that an interrupted command can continue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halma.errors import HalmaError
from halma.files import replace_file


class MeasurementFile:
    """A JSON file of named measurements that were made with the same settings.

    Every new measurement replaces the file atomically. A file that belongs to other settings
    is started afresh.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self._settings = dict(settings)
        self._measured: dict[str, Any] = {}
        if not path.exists():
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["settings"] == self._settings:
                self._measured = dict(found["measured"])
        except (ValueError, KeyError, TypeError):
            raise HalmaError(f"'{path}' is not a file of measurements.") from None

    def __contains__(self, name: str) -> bool:
        return name in self._measured

    def __getitem__(self, name: str) -> Any:
        return self._measured[name]

    def __setitem__(self, name: str, value: Any) -> None:
        """Keep a measurement of plain values; tuples are kept as lists."""
        self._measured[name] = json.loads(json.dumps(value))
        content = {"settings": self._settings, "measured": self._measured}
        replace_file(self.path, json.dumps(content))
