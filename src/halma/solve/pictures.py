"""Drawings of a solved variant: values on the board, and their distribution."""

from __future__ import annotations

from dataclasses import replace

from halma.draw.canvas import Canvas
from halma.draw.palette import DEFAULT
from halma.draw.scene import Piece, Scene
from halma.solve.truth import Opening


def opening_scene(opening: Opening) -> Scene:
    """Return the board with, on every cell a move ends on, its best value in percent."""
    game, state = opening.position.game, opening.position.state
    scene = game.scene(state)
    best: dict[int, float] = {}
    for m in opening.moves:
        cell = game.core.landing(m.move.value)
        best[cell] = max(best.get(cell, 0.0), m.value)
    percent = {cell: f"{100 * value:.0f}" for cell, value in best.items()}
    taken = {piece.cell for piece in scene.pieces}
    top = max(best.values())
    return replace(
        scene,
        pieces=tuple(
            _with_value(piece, percent[piece.cell]) if piece.cell in percent else piece
            for piece in scene.pieces
        ),
        marks=tuple(cell for cell, value in best.items() if value == top),
        labels=(
            *scene.labels,
            *(
                (scene.cells[cell].x, scene.cells[cell].y, text)
                for cell, text in percent.items()
                if cell not in taken
            ),
        ),
        caption=f"{scene.caption}: {100 * opening.value:.1f}\xa0%",
    )


def _with_value(piece: Piece, percent: str) -> Piece:
    """Write the value beside the label of a piece; a face-down one shows it alone."""
    if piece.colour == "hidden":
        return replace(piece, colour="grey", label=percent)
    return replace(piece, label=f"{piece.label}:{percent}" if piece.label else percent)


def histogram(counts: list[int], title: str, size: int = 600) -> str:
    """Draw the distribution of values as SVG."""
    width, height, margin, font = 600.0, 340.0, 44.0, 15.0
    theme = DEFAULT
    canvas = Canvas(1.0, theme, "histogram")
    canvas.rect((0, 0), width, height, rx=10, fill=theme.paper)
    canvas.write((width / 2, margin / 2), title, font, theme.text, bold=True)
    bottom, top, total = height - margin, margin + font, max(1, sum(counts))
    step = (width - 2 * margin) / len(counts)
    tallest = max([1, *counts])
    fill = theme.paint("blue").fill
    for i, count in enumerate(counts):
        tall = (bottom - top) * count / tallest
        x = margin + i * step
        canvas.rect((x + 1, bottom - tall), step - 2, tall, fill=fill)
        if count >= total / 100:
            share = f"{100 * count / total:.0f} %"
            canvas.write((x + step / 2, bottom - tall - 8), share, 10, theme.faint)
    for i in range(5):
        x = margin + i / 4 * (width - 2 * margin)
        canvas.write((x, bottom + 14), f"{i / 4:g}", 12, theme.text)
    canvas.write((width / 2, bottom + 32), "value for the player to move", 12, theme.faint)
    return canvas.finish(width, height, size, title)
