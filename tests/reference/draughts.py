"""English draughts written for clarity: a dictionary of pieces and the rules as they are stated.

Places are (row, column) of the 8 x 8 board, row 0 at black's side. A piece is `b`, `B`,
`w` or `W`, kings in capitals.
"""

from __future__ import annotations

from itertools import pairwise

Place = tuple[int, int]
Board = dict[Place, str]


def place(square: int) -> Place:
    row, nth = divmod(square - 1, 4)
    return (row, 2 * nth + 1) if row % 2 == 0 else (row, 2 * nth)


SQUARE = {place(square): square for square in range(1, 33)}


def colour(piece: str) -> str:
    return piece.lower()


def directions(piece: str) -> list[tuple[int, int]]:
    down, up = [(1, -1), (1, 1)], [(-1, 1), (-1, -1)]
    return {"b": down, "w": up}.get(piece, down + up)


def steps(board: Board, start: Place) -> list[list[Place]]:
    ends = [(start[0] + dr, start[1] + dc) for dr, dc in directions(board[start])]
    return [[start, end] for end in ends if end in SQUARE and end not in board]


def captures(board: Board, start: Place) -> list[list[Place]]:
    """Return all complete jumps of one piece, each as the places it visits."""
    piece = board[start]
    without = {p: other for p, other in board.items() if p != start}

    def go_on(at: Place, taken: list[Place]) -> list[list[Place]]:
        ways = []
        for dr, dc in directions(piece):
            middle, end = (at[0] + dr, at[1] + dc), (at[0] + 2 * dr, at[1] + 2 * dc)
            if end not in SQUARE or end in without or middle in taken:
                continue
            if middle not in without or colour(without[middle]) == colour(piece):
                continue
            if crowns(piece, end):
                ways.append([at, end])
            else:
                ways += [[at, *way] for way in go_on(end, [*taken, middle])]
        return ways or [[at]]

    return [way for way in go_on(start, []) if len(way) > 1]


def crowns(piece: str, at: Place) -> bool:
    return (piece, at[0]) in (("b", 7), ("w", 0))


def is_capture(way: list[Place]) -> bool:
    return abs(way[0][0] - way[1][0]) == 2


def ways(board: Board, mover: str) -> list[list[Place]]:
    own = [p for p, piece in board.items() if colour(piece) == mover]
    jumps = [way for p in own for way in captures(board, p)]
    return jumps or [way for p in own for way in steps(board, p)]


def after(board: Board, way: list[Place]) -> Board:
    new = dict(board)
    piece = new.pop(way[0])
    if is_capture(way):
        for (r1, c1), (r2, c2) in pairwise(way):
            del new[(r1 + r2) // 2, (c1 + c2) // 2]
    new[way[-1]] = piece.upper() if crowns(piece, way[-1]) else piece
    return new


def way_text(way: list[Place]) -> str:
    return ("x" if is_capture(way) else "-").join(str(SQUARE[p]) for p in way)


def read(text: str) -> tuple[Board, str]:
    mover, *lists = text.split(":")
    board = {}
    for squares in lists:
        for entry in filter(None, squares[1:].split(",")):
            piece = squares[0] if entry.startswith("K") else squares[0].lower()
            board[place(int(entry.removeprefix("K")))] = piece
    return board, mover.lower()


def write(board: Board, mover: str) -> str:
    lists = {"w": [], "b": []}
    for square in range(1, 33):
        piece = board.get(place(square))
        if piece:
            lists[colour(piece)].append(f"K{square}" if piece.isupper() else str(square))
    return f"{mover.upper()}:W{','.join(lists['w'])}:B{','.join(lists['b'])}"


def successors(text: str) -> dict[str, str]:
    """Every legal move of a position, and the position it leads to."""
    board, mover = read(text)
    other = {"b": "w", "w": "b"}[mover]
    return {way_text(way): write(after(board, way), other) for way in ways(board, mover)}
