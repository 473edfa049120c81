"""Chinese Checkers the slow way: a dictionary of holes and a search for hops.

Holes are known by where they are drawn, (x2, y): x in half holes, y in rows downwards.
The six neighbours are (±2, 0) and (±1, ±1).
"""

from __future__ import annotations

import re
from collections import deque

DIRECTIONS = [(2, 0), (-2, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)]


def rhombus_holes(side: int) -> dict[tuple[int, int], str]:
    """Name the holes of a rhombus: matrix row i from the top, column j from the left."""
    return {(i + j, i - j): f"{chr(97 + j)}{side - i}" for i in range(side) for j in range(side)}


def star_holes(points: int) -> dict[tuple[int, int], str]:
    """Name the holes of a star from its picture: rows of 1, 2, ..., then the wide ones."""
    t = points
    lengths = [*range(1, t + 1), *range(3 * t + 1, 2 * t, -1)]
    lengths += reversed(lengths[:-1])
    holes = {}
    for row, length in enumerate(lengths):
        y = row - 2 * t
        for k in range(length):
            x2 = -(length - 1) + 2 * k
            holes[x2, y] = f"{chr(97 + (x2 - y) // 2 + 2 * t)}{len(lengths) - row}"
    return holes


def turn(hole: tuple[int, int], sixths: int) -> tuple[int, int]:
    """Turn clockwise around the middle of a star."""
    x2, y = hole
    for _ in range(sixths):
        # (x2, y) with x = x2 / 2 and height y * sqrt(3) / 2, turned by 60 degrees
        x2, y = (x2 - 3 * y) // 2, (x2 + y) // 2
    return x2, y


class NaiveSternhalma:
    """Rules of a variant by its name and options, on a dictionary {hole: player}."""

    def __init__(self, name: str, **options: str) -> None:
        self.hops = options.get("hops", "adjacent")
        self.win = options.get("win", "occupy")
        self.closed = options.get("homes", "free") == "closed"
        self.locked = options.get("target", "free") == "locked"
        self.second = options.get("places", "first") == "second"
        if match := re.fullmatch(r"rhombus-(\d+)x\d+-(\d+)", name):
            side, pieces = map(int, match.groups())
            self.names = rhombus_holes(side)
            by_row = sorted(self.names, key=lambda hole: -hole[1])
            homes = [set(by_row[:pieces]), set(by_row[-pieces:])]
            targets = homes[::-1]
            self.points = [set(), set()]
        else:
            size, players = map(int, re.fullmatch(r"star-(\d+)-(\d)p", name).groups())
            t = {37: 2, 73: 3, 121: 4}[size]
            pieces = {37: 6, 73: 6, 121: 10}[size]
            self.names = star_holes(t)
            bottom = set(sorted(self.names, key=lambda hole: -hole[1])[:pieces])
            # A home of six on the smallest star goes beyond its point of three.
            if size == 37:
                bottom = {(x2, y) for x2, y in self.names if y >= 2 and abs(x2) <= 4 - y}
            tip = {(x2, y) for x2, y in self.names if y > t}
            seats = {2: [0, 3], 3: [0, 2, 4], 4: [0, 1, 3, 4], 6: range(6)}[players]
            homes = [{turn(h, k) for h in bottom} for k in seats]
            targets = [{turn(h, k + 3) for h in bottom} for k in seats]
            tips = [{turn(h, k) for h in tip} for k in range(6)]
            self.points = [
                set().union(*(tips[k] for k in range(6) if k not in (seat, (seat + 3) % 6)))
                for seat in seats
            ]
        self.homes, self.targets = homes, targets
        self.players = len(homes)
        self.board = {hole: p for p, home in enumerate(homes) for hole in home}
        self.mover = 0
        self.first: int | None = None
        self.seconds: set[int] = set()

    @property
    def is_over(self) -> bool:
        return bool(self.seconds) if self.second else self.first is not None

    def hop_ends(self, start, occupied):
        for dx, dy in DIRECTIONS:
            for gap in range(1, 20) if self.hops == "mirror" else [1]:
                line = [(start[0] + dx * i, start[1] + dy * i) for i in range(1, 2 * gap + 1)]
                over, end = line[gap - 1], line[-1]
                others = [hole for hole in line if hole != over]
                if end not in self.names:
                    break
                if over in occupied and not any(hole in occupied for hole in others):
                    yield end

    def moves(self) -> list[str]:
        if self.is_over:
            return []
        found = []
        if self.first != self.mover:
            for start in [hole for hole, p in self.board.items() if p == self.mover]:
                occupied = set(self.board) - {start}
                ends = {(start[0] + dx, start[1] + dy) for dx, dy in DIRECTIONS}
                ends = {end for end in ends if end in self.names and end not in occupied}
                reached, queue = {start}, deque([start])
                while queue:
                    for end in self.hop_ends(queue.popleft(), occupied):
                        if end not in reached:
                            reached.add(end)
                            queue.append(end)
                for end in (ends | reached) - {start}:
                    if self.may_stop(start, end):
                        found.append(f"{self.names[start]}-{self.names[end]}")
        return found or ["pass"]

    def may_stop(self, start, end) -> bool:
        if self.closed and end in self.points[self.mover]:
            return False
        target = self.targets[self.mover]
        if self.locked and start in target and end not in target:
            return False
        if self.win == "occupy":
            after = dict(self.board)
            after[end] = after.pop(start)
            for player in range(self.players):
                if player != self.mover and self.has_finished(player, after):
                    return False
        return True

    def has_finished(self, player: int, board) -> bool:
        target = self.targets[player]
        if self.win == "fill":
            return all(board.get(hole) == player for hole in target)
        return all(hole in board for hole in target) and player in {board[h] for h in target}

    def play(self, move: str) -> None:
        if move != "pass":
            place = {name: hole for hole, name in self.names.items()}
            start, end = (place[name] for name in move.split("-"))
            self.board[end] = self.board.pop(start)
        if self.first is None and self.has_finished(self.mover, self.board):
            self.first = self.mover
        if self.second and self.first is not None:
            self.seconds |= {
                player
                for player in range(self.players)
                if player != self.first and all(h in self.board for h in self.targets[player])
            }
        self.mover = (self.mover + 1) % self.players

    def scores(self) -> tuple[float, ...]:
        def score(player: int) -> float:
            if self.second:
                return 3 if player == self.first else 1 if player in self.seconds else 0
            if self.first is None:
                return 1 / self.players
            return float(player == self.first)

        return tuple(score(player) for player in range(self.players))

    def pieces(self) -> dict[str, int]:
        return {self.names[hole]: player + 1 for hole, player in self.board.items()}
