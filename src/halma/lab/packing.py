"""Long lists in which few values occur, such as results of games, in a short form for JSON."""

from __future__ import annotations

import json
from typing import Any

from halma.structure import fields, list_of, whole

#: A packed list: its different values, and which of them stands at each place.
_VALUES, _PLACES = "different values", "places"
_PACKED = fields({_VALUES: list_of(lambda value: ""), _PLACES: list_of(whole(0))})


def packed(value: Any) -> Any:
    """Return a list in its short form; other values, and lists that it would lengthen, as is."""
    if not isinstance(value, list):
        return value
    texts = [json.dumps(one, separators=(",", ":")) for one in value]
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    short = {
        _VALUES: [json.loads(text) for text in numbers],
        _PLACES: [numbers[text] for text in texts],
    }
    return short if len(_written(short)) < len(_written(value)) else value


def unpacked(value: Any) -> Any:
    """Return what was packed; a value that was not, or whose packing is damaged, as is."""
    if _PACKED(value):
        return value
    values, places = value[_VALUES], value[_PLACES]
    return [values[n] for n in places] if max(places, default=-1) < len(values) else value


def _written(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
