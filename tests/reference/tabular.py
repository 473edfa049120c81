"""Tabular AlphaZero written for reading: dictionaries, recursion, one float at a time.

It asks the core for rules and for nothing else, and draws from a copy of the core's
generator, so that it must play the same games. Floats are as narrow as the core's.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from reference.random import GOLDEN, MASK, Random, mix64

from halma import _core

F = np.float32


@dataclass
class Node:
    state: bytes
    visits: int = 0
    total: F = field(default_factory=F)
    #: per move or outcome: what it is, its prior, its visits and the mover's total
    what: list[int] = field(default_factory=list)
    prior: list[F] = field(default_factory=list)
    tried: list[int] = field(default_factory=list)
    totals: list[F] = field(default_factory=list)
    child: dict[int, Node] = field(default_factory=dict)

    def add(self, what: int, prior: F) -> None:
        self.what.append(what)
        self.prior.append(prior)
        self.tried.append(0)
        self.totals.append(F(0))


class Twin:
    """Learns like `_core.TabularTrainer` without noise, from the same first table."""

    def __init__(self, game: _core.AnyGame, limits: _core.Limits, table: dict[bytes, np.ndarray],
                 *, simulations: int, games: int, replay_buffer: int, c: float, fpu: float,
                 seed: int) -> None:  # fmt: skip
        self.game, self.limits, self.table = game, limits, table
        self.simulations, self.games, self.replay_buffer = simulations, games, replay_buffer
        self.c, self.fpu, self.seed = F(c), F(fpu), seed
        self.iteration = 0
        #: per iteration: (state, {action: weight}, outcome)
        self.samples: list[list[tuple[bytes, dict[int, F], float]]] = []
        self.updates: dict[bytes, int] = {}

    def iterate(self, learning_rate: float) -> None:
        seed = mix64(self.seed + GOLDEN * (self.iteration + 1) & MASK)
        samples = []
        for number in range(self.games):
            samples += self.play(Random(seed, number))
        self.samples = [*self.samples, samples][-self.replay_buffer :]
        for games in self.samples:
            for state, policy, outcome in games:
                self.update(state, policy, F(outcome), F(learning_rate))
        self.iteration += 1

    def update(self, state: bytes, policy: dict[int, F], outcome: F, rate: F) -> None:
        entry = self.table[state]
        logits = entry[1:]
        share = np.exp(logits - logits.max())
        share = share / share.sum()
        for action in range(len(logits)):
            logits[action] += rate * (policy.get(action, F(0)) - share[action])
        value = F(1) / (F(1) + np.exp(-entry[0]))
        entry[0] -= rate * (value - outcome) * value * (F(1) - value)
        self.updates[state] = self.updates.get(state, 0) + 1

    def play(self, random: Random) -> list[tuple[bytes, dict[int, F], float]]:
        record = _core.Record(self.game, self.limits, self.game.initial())
        positions = []
        while True:
            while self.game.at_chance(record.state()):
                record.resolve(self.draw(record.state(), random))
            if record.end != _core.End.NONE:
                break
            root = self.search(record, random)
            visits = sum(root.tried)
            policy = [F(n) / F(visits) for n in root.tried]
            shares = {
                self.game.action(root.state, move): share
                for move, share in zip(root.what, policy, strict=True)
                if share > 0
            }
            positions.append((root.state, shares))
            weights = [float(share) / float(max(policy)) for share in policy]
            left = random.uniform() * sum(weights)
            for move, weight in zip(root.what, weights, strict=True):
                if weight > 0:
                    chosen = move
                    left -= weight
                    if left < 0:
                        break
            record.play(chosen)
        scores = self.game.result(record.state())
        return [(s, p, scores[self.game.mover(s)]) for s, p in positions]

    def draw(self, state: bytes, random: Random) -> int:
        outcomes = self.game.outcomes(state)
        left = random.uniform()
        for outcome, probability in outcomes[:-1]:
            left -= probability
            if left < 0:
                return outcome
        return outcomes[-1][0]

    def expand(self, state: bytes) -> tuple[Node, F]:
        """Return a node for a decision, and the table's value for its mover."""
        entry = self.table[state]
        node = Node(state)
        moves = self.game.legal(state)
        logits = [entry[1 + self.game.action(state, move)] for move in moves]
        weights = [np.exp(x - max(logits)) for x in logits]
        total = F(0)
        for weight in weights:
            total += weight
        for move, weight in zip(moves, weights, strict=True):
            node.add(move, weight / total)
        value = F(1) / (F(1) + np.exp(-entry[0]))
        node.visits, node.total = 1, value
        return node, value

    def search(self, record: _core.Record, random: Random) -> Node:
        root, _ = self.expand(record.state())
        game = self.game
        states = [record.state_at(i) for i in range(len(record))]
        earlier = [game.key(state) for state in states if not game.at_chance(state)]
        for _ in range(self.simulations - 1):  # the root's evaluation was the first
            self.simulate(root, random, earlier, record.halfmove_clock)
        return root

    def ends(self, state: bytes, earlier: list[int], clock: int) -> bool:
        """Whether the record would end here by a limit."""
        if self.game.at_chance(state):
            return clock >= self.limits.no_progress
        occurrences = earlier.count(self.game.key(state)) + 1
        return clock >= self.limits.no_progress or occurrences >= self.limits.repetitions

    def simulate(self, node: Node, random: Random, earlier: list[int], clock: int) -> dict[int, F]:
        """Select from a node down; return both players' values."""
        game, state = self.game, node.state
        if not game.at_chance(state) and game.terminal(state):
            return {player: F(score) for player, score in enumerate(game.result(state))}
        mover = game.mover(state)
        if game.at_chance(state):
            edge, left = 0, random.uniform()
            for edge in range(len(node.what)):
                left -= float(node.prior[edge])
                if left < 0:
                    break
            after = game.resolve(state, node.what[edge])
        else:
            edge = self.select(node)
            earlier = [*earlier, game.key(state)]
            clock = 0 if game.irreversible(state, node.what[edge]) else clock + 1
            after = game.play(state, node.what[edge])
        node.visits += 1
        node.tried[edge] += 1
        if edge not in node.child:
            if self.ends(after, earlier, clock):
                values = {player: F(score) for player, score in enumerate(game.result(after))}
            elif game.at_chance(after):
                chance = Node(after)
                for outcome, probability in game.outcomes(after):
                    chance.add(outcome, F(probability))
                node.child[edge] = chance
                values = self.simulate(chance, random, earlier, clock)
            elif game.terminal(after):
                node.child[edge] = Node(after)
                values = {player: F(score) for player, score in enumerate(game.result(after))}
            else:
                node.child[edge], value = self.expand(after)
                player = game.mover(after)
                values = {player: value, 1 - player: F(1) - value}
        else:
            values = self.simulate(node.child[edge], random, earlier, clock)
        node.total += values[mover]
        node.totals[edge] += values[mover]
        return values

    def select(self, node: Node) -> int:
        scale = self.c * np.sqrt(F(node.visits - 1))

        def score(edge: int) -> tuple[F, F, int]:
            n = F(node.tried[edge])
            q = node.totals[edge] / n if n > 0 else self.fpu
            return q + scale * node.prior[edge] / (F(1) + n), node.prior[edge], -edge

        return max(range(len(node.what)), key=score)
