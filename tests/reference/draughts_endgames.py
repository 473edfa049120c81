"""Values of draughts positions by plain iteration over dictionaries."""

from __future__ import annotations

from itertools import combinations, product

from reference.draughts import SQUARE, Board, after, colour, crowns, ways

Position = tuple[frozenset, str]


def boards(pieces: int) -> list[Board]:
    """Return all boards of `pieces` pieces, of both colours, no man being on its last row."""
    found = []
    for places in combinations(sorted(SQUARE), pieces):
        for kinds in product("bBwW", repeat=pieces):
            pairs = list(zip(places, kinds, strict=True))
            both = len({colour(kind) for kind in kinds}) == 2
            if both and not any(crowns(kind, place) for place, kind in pairs):
                found.append(dict(pairs))
    return found


def successors(board: Board, mover: str) -> list[Position]:
    other = {"b": "w", "w": "b"}[mover]
    return [(frozenset(after(board, way).items()), other) for way in ways(board, mover)]


def solve(all_boards: list[Board]) -> dict[Position, int]:
    """Return plies to the end of all decided positions: odd if won, even if lost."""
    graph = {
        (frozenset(board.items()), mover): successors(board, mover)
        for board in all_boards
        for mover in "bw"
    }
    # A player without pieces has lost.
    plies = {p: 0 for moves in graph.values() for p in moves if p not in graph}
    for t in range(200):
        new = {}
        for position, moves in graph.items():
            if position in plies:
                continue
            known = [plies.get(p) for p in moves]
            won = t % 2 == 1 and t - 1 in known
            lost = t % 2 == 0 and all(k is not None and k % 2 == 1 for k in known)
            if won or lost:
                new[position] = t
        plies |= new
        if not new and t > 1:
            break
    return {p: plies[p] for p in graph if p in plies}
