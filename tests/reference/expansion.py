"""pluska2022's tree search the plain way: objects and recursion, from the paper's section 2.

Numbers are numpy's float32, because the core's are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

f32 = np.float32


class ExpandedNode:
    """A position, its children by move once it is expanded, and its value for the mover."""

    def __init__(self, position: object, trace: tuple[int, ...]) -> None:
        self.position, self.trace = position, trace
        self.children: list[ExpandedNode] = []
        self.expansions = 0
        self.value = f32(0)


class NaiveExpansionSearch:
    """`evaluate(position)` is the value of a quiet position for its mover.

    A position that occurred before on the path, or in the game, is a draw if `repeats`.
    """

    def __init__(self, evaluate: Callable[[object], float], repeats: bool = True) -> None:
        self.evaluate, self.repeats = evaluate, repeats
        self.evaluated = 0

    def search(self, record: object, expansions: int) -> ExpandedNode:
        root = ExpandedNode(record.position, tuple(p.key for p in record.positions[:-1]))
        for _ in range(expansions):
            self.expand(root)
        return root

    def ends(self, node: ExpandedNode) -> bool:
        """Give the value of a game that is over."""
        if node.position.is_terminal:
            node.value = f32(node.position.result[node.position.mover])
            return True
        if self.repeats and node.position.key in node.trace:
            node.value = f32(0.5)
            return True
        return False

    def expand(self, node: ExpandedNode) -> None:
        node.expansions += 1
        if self.ends(node):
            return
        if node.children:
            self.expand(self.select(node))
        else:
            self.add_children(node)
        node.value = max(self.seen_from(node, child) for child in node.children)

    def add_children(self, node: ExpandedNode) -> None:
        trace = (*node.trace, node.position.key)
        for move in node.position.legal_moves:
            child = ExpandedNode(node.position.play(move), trace)
            node.children.append(child)
            if self.ends(child):
                continue
            if captures(child.position):
                self.expand(child)
            else:
                child.value = f32(self.evaluate(child.position))
                self.evaluated += 1

    def seen_from(self, node: ExpandedNode, child: ExpandedNode) -> f32:
        own = child.position.mover == node.position.mover
        return child.value if own else f32(1) - child.value

    def select(self, node: ExpandedNode) -> ExpandedNode:
        """Return the child that is expanded next: the first without expansions, or by the bound."""
        for child in node.children:
            if child.expansions == 0:
                return child
        log = np.log(f32(node.expansions - 1))

        def bound(child: ExpandedNode) -> f32:
            explored = f32(2**0.5) * np.sqrt(f32(log / f32(child.expansions)))
            return f32(self.seen_from(node, child) + explored)

        return max(node.children, key=bound)


def captures(position: object) -> bool:
    """Whether the mover of a draughts position has to capture."""
    return any("x" in move.text for move in position.legal_moves)
