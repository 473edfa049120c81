"""Toads and Frogs on strings, written for clarity."""

from __future__ import annotations


def start(pieces: int, gap: int) -> tuple[str, str]:
    """Return the cells and the player to move."""
    return "T" * pieces + "." * gap + "F" * pieces, "T"


def moves(cells: str, mover: str) -> dict[str, str]:
    """Return each move's text and the cells after it, from left to right."""
    found = {}
    for i in range(len(cells)):
        for length in (1, 2):
            j = i + length if mover == "T" else i - length
            if not 0 <= j < len(cells) or cells[i] != mover or cells[j] != ".":
                continue
            other = "F" if mover == "T" else "T"
            if length == 2 and cells[(i + j) // 2] != other:
                continue
            after = list(cells)
            after[i], after[j] = ".", mover
            found[f"{i + 1}-{j + 1}"] = "".join(after)
    return found


def opponent(mover: str) -> str:
    """Return the other player."""
    return "F" if mover == "T" else "T"


def perft(cells: str, mover: str, depth: int) -> int:
    """Count the leaves `depth` moves below."""
    if depth == 0:
        return 1
    return sum(perft(after, opponent(mover), depth - 1) for after in moves(cells, mover).values())


def mover_wins(cells: str, mover: str) -> bool:
    """Return whether the player to move wins with best play."""
    return any(not mover_wins(after, opponent(mover)) for after in moves(cells, mover).values())


def reachable(cells: str, mover: str) -> set[tuple[str, str]]:
    """Return every reachable position, terminal ones included."""
    seen = {(cells, mover)}
    open_positions = [(cells, mover)]
    while open_positions:
        cells, mover = open_positions.pop()
        for after in moves(cells, mover).values():
            position = (after, opponent(mover))
            if position not in seen:
                seen.add(position)
                open_positions.append(position)
    return seen
