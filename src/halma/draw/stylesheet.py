"""The palette as a style sheet, so that pages draw with the colours of SVG and text."""

from __future__ import annotations

from halma.draw.palette import DEFAULT, PLAYERS, Paint, Theme

#: colours of boards and highlights that pages use, by their names in `Theme`
_BOARD = ("light", "dark", "plain", "grid", "frame", "number", "wood", "wood_edge", "line", "hole")
_HIGHLIGHTS = ("trail", "alternative", "halo", "mark", "heat")


def palette_css(theme: Theme = DEFAULT) -> str:
    """Return custom properties: `--board-NAME`, and `--fill` to `--pale` of `.paint-NAME`."""
    board = "".join(
        f"  --board-{name.replace('_', '-')}: {getattr(theme, name)};\n"
        for name in (*_BOARD, *_HIGHLIGHTS)
    )
    paints = {**theme.paints, "hidden": theme.back}
    players = {f"player-{number}": paints[name] for number, name in enumerate(PLAYERS, start=1)}
    rules = "".join(_rule(name, paint) for name, paint in {**paints, **players}.items())
    return f":root {{\n{board}}}\n{rules}"


def _rule(name: str, paint: Paint) -> str:
    colours = ("fill", "edge", "ink", "pale")
    return f".paint-{name} {{ " + "".join(f"--{c}: {getattr(paint, c)}; " for c in colours) + "}\n"
