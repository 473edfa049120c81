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
        self.sideways = options.get("sideways", "on") == "on"
        self.win = options.get("win", "occupy")
        self.closed = options.get("homes", "free") == "closed"
        self.locked = options.get("target", "free") == "locked"
        self.second = options.get("places", "first") == "second"
        self.all = options.get("places", "first") == "all"
        self.teams = options.get("teams", "off") == "opposite"
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
        #: players who have finished, in order; schulte2021's seconds are kept apart
        self.order: list[int] = []
        self.seconds: set[int] = set()
        self.sides = [[player] for player in range(self.players)]
        if self.teams:
            half = self.players // 2
            self.sides = [[player, player + half] for player in range(half)]

    @property
    def is_over(self) -> bool:
        if self.second:
            return bool(self.seconds)
        return len(self.finished_sides()) >= (len(self.sides) - 1 if self.all else 1)

    def finished_sides(self) -> list[list[int]]:
        """Sides all of whose players have finished, in the order of the last to do so."""
        done = [side for side in self.sides if all(player in self.order for player in side)]
        return sorted(done, key=lambda side: max(map(self.order.index, side)))

    def partner(self, player: int) -> int | None:
        (side,) = (side for side in self.sides if player in side)
        return next((other for other in side if other != player), None)

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
        if self.mover not in self.order:
            for start in [hole for hole, p in self.board.items() if p == self.mover]:
                occupied = set(self.board) - {start}
                steps = [(dx, dy) for dx, dy in DIRECTIONS if dy or self.sideways]
                ends = {(start[0] + dx, start[1] + dy) for dx, dy in steps}
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
                if player == self.mover or player in self.order:
                    continue
                if self.has_finished(player, after):
                    return False
        return True

    def has_finished(self, player: int, board) -> bool:
        target = self.targets[player]
        if self.win == "fill":
            return all(board.get(hole) == player for hole in target)
        holders = {board.get(hole) for hole in target}
        return None not in holders and player in holders and self.partner(player) not in holders

    def play(self, move: str) -> None:
        if move != "pass":
            place = {name: hole for hole, name in self.names.items()}
            start, end = (place[name] for name in move.split("-"))
            self.board[end] = self.board.pop(start)
        if self.mover not in self.order and self.has_finished(self.mover, self.board):
            self.order.append(self.mover)
        if self.second and self.order:
            self.seconds |= {
                player
                for player in range(self.players)
                if player != self.order[0] and all(h in self.board for h in self.targets[player])
            }
        self.mover = (self.mover + 1) % self.players

    def scores(self) -> tuple[float, ...]:
        if self.second:
            firsts = self.order[:1]
            return tuple(
                3.0 if player in firsts else 1.0 if player in self.seconds else 0.0
                for player in range(self.players)
            )
        prizes = [1.0] + [0.0] * (len(self.sides) - 1)
        if self.all:
            prizes = [float(behind) for behind in reversed(range(len(self.sides)))]
        done = self.finished_sides()
        left = prizes[len(done) :]
        scores = [0.0] * self.players
        for side in self.sides:
            for player in side:
                scores[player] = prizes[done.index(side)] if side in done else sum(left) / len(left)
        return tuple(scores)

    def pieces(self) -> dict[str, int]:
        return {self.names[hole]: player + 1 for hole, player in self.board.items()}
