"""Tree search the plain way: objects, recursion, one position at a time.

Written from the papers' formulas. Numbers are numpy's float32, because the core's are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from reference.random import Random

f32 = np.float32
ZERO = f32(0)
Evaluate = Callable[[object, int, float], tuple[list[float], list[float]]]


@dataclass
class Edge:
    what: object  # a Move or an Outcome
    prior: f32
    visits: int = 0
    total: f32 = ZERO
    child: Node | None = None


@dataclass
class Node:
    position: object
    kind: str
    mover: int
    edges: list[Edge] = field(default_factory=list)
    visits: int = 0
    total: f32 = ZERO
    raw: f32 = ZERO


class NaiveSearch:
    """`evaluate(position, repetitions, no_progress)` gives priors by legal move, values by player.

    Repetitions are earlier occurrences of the position on the path from the root, `no_progress`
    the halfmove clock as a share of the game's limit.
    """

    def __init__(self, evaluate: Evaluate, random: Random, **options: object) -> None:
        self.evaluate, self.random = evaluate, random
        self.rule = options.get("rule", "puct")
        self.c = f32(
            options.get("c", {"uct": 2**0.5, "pluska": 2**0.5, "rpo": 1.25}.get(self.rule, 1.0))
        )
        self.fpu = options.get("fpu", "loss")
        self.negamax = self.rule == "pluska"
        self.considered = options.get("max_considered_actions", 16)
        self.gumbel_scale = f32(options.get("gumbel_scale", 0.0))
        self.limits = options.get("limits", "game")

    def search(self, position: object, simulations: int) -> Node:
        self.root, values = self.expand(position, [], 0)
        self.visit(self.root, values)
        self.root.raw = values[self.root.mover]
        self.done = 0
        if self.rule == "gumbel":
            self.noise = [ZERO] * len(self.root.edges)
            for i in range(len(self.root.edges) if self.gumbel_scale else 0):
                u = f32(f32(self.random.uniform()) * f32(0.99999) + f32(1e-6))
                self.noise[i] = -self.gumbel_scale * np.log(-np.log(u))
            self.plan = halving(min(self.considered, len(self.root.edges)), simulations)
        for _ in range(simulations):
            self.simulate(self.root, [], 0)
            self.done += 1
        return self.root

    def expand(self, position: object, trace: list[int], clock: int) -> tuple[Node, list[f32]]:
        mover = position.mover
        if position.is_chance:
            node = Node(position, "chance", mover)
            node.edges = [Edge(o, f32(o.probability)) for o in position.outcomes]
            return node, []
        if position.is_terminal:
            most = f32(position.game.core.max_score)
            return Node(position, "terminal", mover), [f32(s) / most for s in position.result]
        limit = position.game.limits.no_progress
        share = min(1.0, clock / limit) if limit else 0.0
        priors, values = self.evaluate(position, trace.count(position.key), share)
        node = Node(position, "decision", mover)
        node.edges = [Edge(m, f32(p)) for m, p in zip(position.legal_moves, priors, strict=True)]
        return node, [f32(v) for v in values]

    def visit(self, node: Node, values: list[f32]) -> None:
        node.visits += 1
        node.total = f32(node.total + values[node.mover])

    def simulate(self, node: Node, trace: list[int], clock: int) -> list[f32]:
        if node.kind == "terminal":
            most = f32(node.position.game.core.max_score)
            values = [f32(s) / most for s in node.position.result]
            node.visits += 1  # its total is never asked for
            return values
        edge = self.draw(node) if node.kind == "chance" else self.select(node)
        if node.kind == "decision":
            trace = [*trace, node.position.key]
            core = node.position.game.core
            clock = 0 if core.irreversible(node.position.state, edge.what.value) else clock + 1
        if edge.child is None:
            step = node.position.resolve if node.kind == "chance" else node.position.play
            position = step(edge.what)
            if not (position.is_chance or position.is_terminal) and self.ends(
                position, trace, clock
            ):
                most = f32(position.game.core.max_score)
                values = [f32(s) / most for s in position.result]
                return self.count(node, edge, values)
            edge.child, values = self.expand(position, trace, clock)
            if edge.child.kind == "chance":
                values = self.simulate(edge.child, trace, clock)
            else:
                edge.child.visits = 1
                if edge.child.kind == "decision":
                    edge.child.total = edge.child.raw = values[edge.child.mover]
        else:
            values = self.simulate(edge.child, trace, clock)
        return self.count(node, edge, values)

    def ends(self, position: object, trace: list[int], clock: int) -> bool:
        """Whether a record that began at the root would end here, or first-repetition says so."""
        if self.limits == "rules":
            return False
        limits, occurrences = position.game.limits, trace.count(position.key)
        return (
            (self.limits == "first-repetition" and occurrences > 0)
            or (limits.repetitions > 0 and occurrences + 1 >= limits.repetitions)
            or (limits.no_progress > 0 and clock >= limits.no_progress)
            or (limits.plies > 0 and len(trace) >= limits.plies)
        )

    def count(self, node: Node, edge: Edge, values: list[f32]) -> list[f32]:
        self.visit(node, values)
        edge.visits += 1
        if not self.negamax:
            edge.total = f32(edge.total + values[node.mover])
            return values
        edge.total = values[node.mover]
        tried = [e for e in node.edges if e.visits]
        if node.kind == "chance":
            number = f32(sum(e.visits for e in tried))
            own = f32(sum((f32(e.visits) * e.total for e in tried), f32(0)) / number)
        else:
            own = max(e.total for e in tried)
        return [own if p == node.mover else f32(1) - own for p in range(2)]

    def draw(self, node: Node) -> Edge:
        left = self.random.uniform()
        for edge in node.edges[:-1]:
            left -= float(edge.prior)
            if left < 0:
                return edge
        return node.edges[-1]

    def value(self, edge: Edge) -> f32:
        return edge.total if self.negamax else f32(edge.total / f32(edge.visits))

    def select(self, node: Node) -> Edge:
        if self.rule == "gumbel":
            return self.select_halving() if node is self.root else self.select_improved(node)
        if self.rule == "rpo":
            return self.sample_regularised(node)
        if self.rule in ("uct", "pluska"):
            for edge in node.edges:
                if edge.visits == 0:
                    return edge
            log = np.log(f32(node.visits))
            return max(
                node.edges,
                key=lambda e: self.value(e) + self.c * np.sqrt(f32(log / f32(e.visits))),
            )
        fpu = self.fpu_value(node)
        # N of the node counts its own evaluation, which is no child's visit.
        scale = f32(self.c * np.sqrt(f32(node.visits - 1)))

        def score(edge: Edge) -> tuple[f32, f32]:
            q = self.value(edge) if edge.visits else fpu
            return f32(q + f32(f32(scale * edge.prior) / f32(1 + edge.visits))), edge.prior

        return max(node.edges, key=score)

    def fpu_value(self, node: Node) -> f32:
        return {
            "loss": f32(0),
            "draw": f32(0.5),
            "win": f32(1),
            "infinite": f32(1e9),
            "parent": f32(node.total / f32(node.visits)),
        }[self.fpu]

    def regularised(self, node: Node) -> list[float]:
        """Grill et al. 2020, by bisection in double precision."""
        visits = node.visits - 1
        if visits == 0:
            return [float(e.prior) for e in node.edges]
        lam = float(self.c) * math.sqrt(visits) / (len(node.edges) + visits)
        fpu = min(float(self.fpu_value(node)), 1.0)
        q = [float(self.value(e)) if e.visits else fpu for e in node.edges]
        low = max(v + lam * float(e.prior) for v, e in zip(q, node.edges, strict=True))
        high = max(q) + lam
        for _ in range(60):
            middle = (low + high) / 2
            total = sum(
                lam * float(e.prior) / (middle - v) for v, e in zip(q, node.edges, strict=True)
            )
            low, high = (middle, high) if total > 1 else (low, middle)
        weights = [lam * float(e.prior) / (high - v) for v, e in zip(q, node.edges, strict=True)]
        return [w / sum(weights) for w in weights]

    def sample_regularised(self, node: Node) -> Edge:
        left = self.random.uniform()
        for edge, weight in zip(node.edges, self.regularised(node), strict=True):
            left -= weight
            if left < 0:
                return edge
        return node.edges[-1]

    def completed(self, node: Node) -> list[float]:
        """Gumbel AlphaZero's completed values, scaled."""
        visits = sum(e.visits for e in node.edges)
        most = max(e.visits for e in node.edges)
        tried = [e for e in node.edges if e.visits]
        mixed = float(node.raw)
        if tried:
            weight = sum(float(e.prior) for e in tried)
            mean = sum(float(e.prior) * float(self.value(e)) for e in tried) / weight
            mixed = (float(node.raw) + visits * mean) / (visits + 1)
        return [(50 + most) * (float(self.value(e)) if e.visits else mixed) for e in node.edges]

    def improved(self, node: Node) -> list[float]:
        logits = [
            math.log(max(float(e.prior), 1e-30)) + q
            for e, q in zip(node.edges, self.completed(node), strict=True)
        ]
        most = max(logits)
        weights = [math.exp(x - most) for x in logits]
        return [w / sum(weights) for w in weights]

    def select_improved(self, node: Node) -> Edge:
        scores = [
            p - e.visits / node.visits for e, p in zip(node.edges, self.improved(node), strict=True)
        ]
        return node.edges[scores.index(max(scores))]

    def select_halving(self) -> Edge:
        wanted = self.plan[self.done]
        best, best_score = None, -math.inf
        for edge, g, q in zip(self.root.edges, self.noise, self.completed(self.root), strict=True):
            score = float(g) + math.log(max(float(edge.prior), 1e-30)) + (q if wanted else 0)
            if edge.visits == wanted and score > best_score:
                best, best_score = edge, score
        assert best is not None
        return best


def halving(considered: int, simulations: int) -> list[int]:
    """Visits a root move must have to be considered, for each simulation."""
    if considered <= 1:
        return list(range(simulations))
    phases = math.ceil(math.log2(considered))
    plan: list[int] = []
    visits = [0] * considered
    left = considered
    while len(plan) < simulations:
        for _ in range(max(1, simulations // (phases * left))):
            plan += visits[:left]
            for i in range(left):
                visits[i] += 1
        left = max(2, left // 2)
    return plan[:simulations]
