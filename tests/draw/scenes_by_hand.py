"""Scenes of every kind of board, made by hand: drawing is tested without any rules."""

from __future__ import annotations

from halma.draw.scene import Cell, Die, Piece, Scene, edge_labels


def draughts(trail: tuple[int, ...] = ()) -> Scene:
    """A middle game on 8x8; cell 8 * row + column, dark squares numbered 1 to 32."""
    cells = []
    for number in range(64):
        x, y = number % 8, number // 8
        dark = (x + y) % 2 == 1
        name = str(number // 2 + 1) if dark else ""
        cells.append(Cell(x, y, name, "dark" if dark else "light"))
    numbers = {cell.name: index for index, cell in enumerate(cells) if cell.name}
    pieces = [
        *(Piece(numbers[str(n)], "black", "b") for n in (1, 2, 3, 6, 7, 10, 11, 18)),
        *(Piece(numbers[str(n)], "white", "w") for n in (19, 22, 23, 26, 30, 31, 32)),
        Piece(numbers["29"], "black", "B", crowned=True),
        Piece(numbers["4"], "white", "W", crowned=True),
    ]
    return Scene(
        board="squares",
        cells=tuple(cells),
        pieces=tuple(pieces),
        caption="white moves",
        trail=tuple(numbers[str(n)] for n in trail),
    )


def rhombus(side: int = 7, rows: int = 3, trail: tuple[int, ...] = ()) -> Scene:
    """Two triangles of marbles facing each other; cell side * row + column."""
    cells, pieces = [], []
    for number in range(side * side):
        row, column = divmod(number, side)
        depth = row + column
        tint = "home 1" if depth >= 2 * side - 1 - rows else "home 2" if depth < rows else "plain"
        name = f"{'abcdefghi'[column]}{row + 1}"
        cells.append(Cell((column - row) / 2, depth, name, tint))
        if tint != "plain":
            # A few marbles are already under way.
            away = (
                {46: 38, 40: 31, 2: 23, 14: 15, 8: 33}.get(number, number) if side == 7 else number
            )
            first = tint == "home 1"
            pieces.append(Piece(away, "player 1" if first else "player 2", "x" if first else "o"))
    return Scene(
        board="holes",
        cells=tuple(cells),
        pieces=tuple(pieces),
        caption="red moves",
        trail=trail,
        labels=(
            *(((i + 1) / 2, i - 1, "abcdefghi"[i]) for i in range(side)),
            *((-(i + 1) / 2, i - 1, str(i + 1)) for i in range(side)),
        ),
    )


def star(players: tuple[int, ...] = (1, 2, 3, 4, 5, 6), trail: tuple[int, ...] = ()) -> Scene:
    """The 121 holes, each point the home of a player, a few marbles moved."""
    widths = (1, 2, 3, 4, 13, 12, 11, 10, 9, 10, 11, 12, 13, 4, 3, 2, 1)
    cells = []
    for y, width in enumerate(widths):
        for column in range(width):
            x = column - (width - 1) / 2
            cells.append(Cell(x, y, str(len(cells)), _point_of_star(x, y)))
    moved = {6: 37, 9: 29, 117: 59, 111: 48, 114: 51, 99: 79, 22: 54}
    pieces = [
        Piece(moved.get(number, number), f"player {player}", "123456"[player - 1])
        for number, cell in enumerate(cells)
        if cell.tint != "plain" and (player := int(cell.tint[-1])) in players
    ]
    return Scene(
        board="holes", cells=tuple(cells), pieces=tuple(pieces), caption="yellow moves", trail=trail
    )


def _point_of_star(x: float, y: int) -> str:
    if y < 4:
        return "home 1"
    if y > 12:
        return "home 4"
    # How far a hole lies outside the hexagon in the middle.
    outside = abs(x) + abs(y - 8) / 2 > 4
    if not outside or y == 8:
        return "plain"
    if x > 0:
        return "home 2" if y < 8 else "home 3"
    return "home 6" if y < 8 else "home 5"


def einstein(trail: tuple[int, ...] = (), die: int = 3) -> Scene:
    """Red's numbers against blue's on 5x5."""
    places = {0: 1, 1: 4, 6: 3, 2: 6, 10: 2, 24: -6, 23: -2, 18: -5, 13: -3, 12: -1}
    return Scene(
        board="squares",
        cells=tuple(
            Cell(
                i % 5,
                i // 5,
                f"{'abcde'[i % 5]}{i // 5 + 1}",
                {0: "home 2", 24: "home 1"}.get(i, "plain"),
            )
            for i in range(25)
        ),
        pieces=tuple(
            Piece(i, "red" if n > 0 else "blue", str(n) if n > 0 else "abcdef"[-n - 1], str(abs(n)))
            for i, n in places.items()
        ),
        caption="red moves" if die else "red rolls",
        trail=trail,
        die=Die(die, "red"),
        labels=edge_labels("abcde", "12345"),
    )


def darkchess(width: int = 8, height: int = 4, trail: tuple[int, ...] = ()) -> Scene:
    """Half of the pieces still face down."""
    cells = tuple(
        Cell(i % width, i // width, f"{'abcdefgh'[i % width]}{height - i // width}")
        for i in range(width * height)
    )
    seen = {1: "rP", 2: "bK", 4: "bC", 5: "rG", 10: "rH", 12: "bP", 19: "rK", 22: "bE", 27: "bR"}
    empty = {3, 6, 11, 20}
    pieces = []
    for i in range(width * height):
        if i in seen:
            colour, letter = seen[i]
            glyph = letter if colour == "r" else letter.lower()
            pieces.append(Piece(i, "red" if colour == "r" else "black", glyph, letter))
        elif i not in empty:
            pieces.append(Piece(i, "hidden", "#"))
    full = width * height == 32
    if full:
        kinds = {"red": (0, 1, 2, 2, 1, 1, 3), "black": (0, 2, 1, 1, 1, 1, 3)}
        reserve = [(c, k, n) for c in kinds for k, n in zip("KGERHCP", kinds[c], strict=True)]
    else:
        reserve = [("red", "C", 1), ("red", "P", 0), ("black", "P", 1)]
    return Scene(
        board="squares",
        cells=cells,
        pieces=tuple(pieces),
        caption="black moves",
        trail=trail,
        marks=(12,) if full else (),
        labels=edge_labels("abcdefgh"[:width], "4321"[-height:]),
        reserve=tuple(reserve),
    )


#: One scene of every kind, by the name of its golden drawing.
ALL = {
    "draughts": draughts(),
    "draughts_jump": draughts(trail=(22, 15, 8)),
    "rhombus": rhombus(),
    "rhombus_small": rhombus(side=5, rows=2),
    "rhombus_hop": rhombus(trail=(38, 24, 22, 8)),
    "star": star(),
    "star_hop": star(players=(1, 4), trail=(37, 58, 60, 41, 16)),
    "einstein": einstein(),
    "einstein_capture": einstein(trail=(6, 12)),
    "einstein_roll": einstein(die=0),
    "darkchess": darkchess(),
    "darkchess_step": darkchess(trail=(12, 11)),
    "darkchess_flip": darkchess(width=4, height=2, trail=(0,)),
}
