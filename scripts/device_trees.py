"""An experiment: what would self-play gain if trees were searched on the GPU?

Chinese Checkers on a rhombus of up to 7x7 holes with bitboards in torch: legal moves, PUCT and
network for thousands of games at once, nothing on the CPU. It plays no whole games and knows no
draws; it is there to be compared with `halma bench selfplay`, whose trees run on the CPU.

    python scripts/device_trees.py --games 4096 --simulations 48

prints positions evaluated per second, and the share of that time which the network takes alone.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

#: steps to the six neighbours, as changes of row and column
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (0, -1), (-1, 0), (-1, -1))
#: a hop within a parity class of 16 holes reaches all of it in fewer rounds than this
HOP_ROUNDS = 8
#: longest path that a simulation follows
DEPTH = 12
#: exploration constant of PUCT
C = 1.75


@dataclass
class Board:
    """A rhombus; hole number row * side + column is a bit of an int64."""

    side: int
    pieces: int
    device: torch.device

    def __post_init__(self) -> None:
        self.holes = self.side * self.side
        #: holes from which a step in each direction stays on the board: int64 (6,)
        self.steps = self._tensor([self._mask(dr, dc) for dr, dc in DIRECTIONS])
        #: by how many bits a step shifts to higher and to lower holes: int64 (6,)
        shifts = self._tensor([dr * self.side + dc for dr, dc in DIRECTIONS])
        self.forward, self.backward = shifts.clamp(min=0), (-shifts).clamp(min=0)
        corner = sorted(
            range(self.holes), key=lambda h: (h // self.side + self.side - 1 - h % self.side, h)
        )
        #: the mover's target, in the top right corner of its view
        self.target = sum(1 << hole for hole in corner[: self.pieces])
        self.home = sum(1 << self._turned(hole) for hole in corner[: self.pieces])
        self.bits = torch.arange(self.holes, device=self.device)

    def _tensor(self, numbers: list[int]) -> Tensor:
        return torch.tensor(numbers, device=self.device)

    def _turned(self, hole: int) -> int:
        return self.holes - 1 - hole

    def _mask(self, rows: int, columns: int) -> int:
        inside = range(self.side)
        return sum(
            1 << (r * self.side + c)
            for r in inside
            for c in inside
            if r + rows in inside and c + columns in inside
        )

    def shifted(self, holes: Tensor) -> Tensor:
        """Move holes a step in each direction; those that would leave the board vanish.

        Takes int64 (..., 1), the same holes for all directions, or (..., 6); returns (..., 6).
        """
        return (holes & self.steps) << self.forward >> self.backward

    def reachable(self, own: Tensor, other: Tensor) -> Tensor:
        """Return where each hole's piece may go: int64 (games, holes), 0 where there is none."""
        occupied = (own | other)[:, None]
        empty = ~occupied
        piece = (own[:, None] >> self.bits & 1) << self.bits
        steps = _union(self.shifted(piece[..., None])) & empty
        # The piece has left its hole while it hops.
        rest, free = (occupied & ~piece)[..., None], empty | piece
        hops = piece
        for _ in range(HOP_ROUNDS):
            over = self.shifted(hops[..., None]) & rest
            hops = hops | (_union(self.shifted(over)) & free)
        return (steps | hops) & ~piece

    def turned(self, holes: Tensor) -> Tensor:
        """Return holes as the other player sees them."""
        where = holes[:, None] >> self.bits & 1
        return (where << (self.holes - 1 - self.bits)).sum(1)

    def start(self, games: int) -> Tensor:
        """Return the first position: int64 (games, 2), the mover's pieces and the other's."""
        first = torch.tensor([self.home, self.target], device=self.device)
        return first.repeat(games, 1)

    def planes(self, states: Tensor) -> Tensor:
        """Return (games, 2, side, side)."""
        return (states[:, :, None] >> self.bits & 1).reshape(-1, 2, self.side, self.side)


def _union(holes: Tensor) -> Tensor:
    """Join the holes of all directions: int64 (..., 6) to (...)."""
    return functools.reduce(torch.bitwise_or, holes.unbind(-1))


class Trees:
    """Trees of many games; node 0 is the root, and node s comes from simulation s."""

    def __init__(self, board: Board, games: int, simulations: int) -> None:
        nodes, actions, device = simulations + 1, board.holes * board.holes, board.device
        self.board, self.games, self.nodes = board, games, nodes
        self.rows = torch.arange(games, device=device)
        self.states = torch.zeros((games, nodes, 2), dtype=torch.int64, device=device)
        #: of every action, from * holes + to: prior, visits, sum of values, child or 0
        kinds = (torch.float16, torch.int16, torch.float32, torch.int16)
        self.prior, self.visits, self.total, self.child = (
            torch.zeros((games, nodes, actions), dtype=kind, device=device) for kind in kinds
        )

    def expand(self, node: Tensor, network: torch.nn.Module) -> Tensor:
        """Evaluate the states of new nodes and give them priors; return the mover's values."""
        board, states = self.board, self.states[self.rows, node]
        reach = board.reachable(states[:, 0], states[:, 1])
        legal = (reach[:, :, None] >> board.bits & 1).flatten(1).bool()
        logits, values = network(board.planes(states))
        policy = logits.float().masked_fill(~legal, -1e9).softmax(1)
        self.prior[self.rows, node] = policy.half()
        # Who moved last has won if the mover's opponent fills its target, seen from the other side.
        goal = self.board.home
        lost = (states[:, 1] & goal) == goal
        return torch.where(lost, 0.0, values.float())

    def simulate(self, number: Tensor, network: torch.nn.Module) -> None:
        """Make simulation `number`, a tensor so that a CUDA graph can be replayed for each."""
        rows = self.rows
        node = torch.zeros_like(rows)
        going = torch.ones_like(rows, dtype=torch.bool)
        path, chosen, on_path = [], [], []
        leaf_parent, leaf_action = node, node
        for _ in range(DEPTH):
            visits = self.visits[rows, node].float()
            mean = self.total[rows, node] / visits.clamp(min=1)
            seen = visits.sum(1, keepdim=True)
            score = torch.where(visits > 0, mean, 0.5)
            prior = self.prior[rows, node].float()
            score = score + C * prior * (seen + 1).sqrt() / (1 + visits)
            action = score.masked_fill(prior == 0, -1.0).argmax(1)
            path.append(node)
            chosen.append(action)
            on_path.append(going)
            leaf_parent = torch.where(going, node, leaf_parent)
            leaf_action = torch.where(going, action, leaf_action)
            below = self.child[rows, node, action].long()
            going = going & (below > 0)
            node = torch.where(going, below, node)
        new = number.expand(self.games)
        parent = self.states[rows, leaf_parent]
        start, end = leaf_action // self.board.holes, leaf_action % self.board.holes
        own = parent[:, 0] & ~(1 << start) | (1 << end)
        after = torch.stack((self.board.turned(parent[:, 1]), self.board.turned(own)), 1)
        self.states[rows, new] = after
        self.child[rows, leaf_parent, leaf_action] = new.short()
        value = self.expand(new, network)
        length = torch.stack(on_path).sum(0)
        for depth, (at, action, passed) in enumerate(zip(path, chosen, on_path, strict=True)):
            # The leaf's mover and the mover here are the same at an even distance.
            mine = torch.where((length - depth) % 2 == 0, value, 1 - value)
            self.visits[rows, at, action] += passed.short()
            self.total[rows, at, action] += torch.where(passed, mine, 0.0)


class PairNetwork(torch.nn.Module):
    """A network that takes as long as the package's `modern:size=m`; logits of pairs of holes."""

    def __init__(self, board: Board, channels: int, blocks: int) -> None:
        super().__init__()
        layers: list[torch.nn.Module] = [torch.nn.Conv2d(2, channels, 3, padding=1)]
        for _ in range(blocks):
            layers += [torch.nn.ReLU(), torch.nn.Conv2d(channels, channels, 3, padding=1)]
        self.trunk = torch.nn.Sequential(*layers, torch.nn.ReLU())
        self.policy = torch.nn.Conv2d(channels, board.holes, 1)
        self.value = torch.nn.Linear(channels, 1)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (games, holes * holes) and the mover's values (games,)."""
        weight = self.policy.weight
        x = self.trunk(planes.to(weight.dtype, memory_format=torch.channels_last))
        logits = self.policy(x).flatten(2).transpose(1, 2).flatten(1)
        return logits, torch.sigmoid(self.value(x.mean((2, 3)))).squeeze(1)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=7)
    parser.add_argument("--pieces", type=int, default=6)
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--simulations", type=int, default=48)
    parser.add_argument("--channels", type=int, default=96)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--compile", action="store_true", help="fuse kernels with torch.compile")
    given = parser.parse_args()
    on_gpu = torch.cuda.is_available()
    device = torch.device("cuda" if on_gpu else "cpu")
    board = Board(given.side, given.pieces, device)
    network = PairNetwork(board, given.channels, given.blocks).to(device).eval()
    if on_gpu:
        network = network.to(torch.bfloat16, memory_format=torch.channels_last)
    trees = Trees(board, given.games, given.simulations)
    with torch.no_grad():
        rate = _rate(make_search(trees, network, on_gpu, given.compile), given.seconds, on_gpu)
        planes = board.planes(board.start(given.games))
        alone = _rate(_captured(lambda: network(planes), on_gpu), given.seconds, on_gpu)
    print(f"{rate * given.games * given.simulations:,.0f} positions a second in trees on {device}")
    print(f"{alone * given.games:,.0f} positions a second by the network alone")


def make_search(
    trees: Trees, network: torch.nn.Module, on_gpu: bool, compiled: bool = False
) -> Callable[[], None]:
    """Return a function that searches all roots once."""
    number = torch.ones((1,), dtype=torch.int64, device=trees.board.device)
    simulate = torch.compile(trees.simulate, dynamic=False) if compiled else trees.simulate
    step = _captured(lambda: simulate(number, network), on_gpu)

    def search() -> None:
        trees.visits.zero_()
        trees.total.zero_()
        trees.child.zero_()
        trees.states[:, 0] = trees.board.start(trees.games)
        trees.expand(torch.zeros_like(trees.rows), network)
        for one in range(1, trees.nodes):
            number.fill_(one)
            step()

    return search


def _captured(work: Callable[[], object], on_gpu: bool) -> Callable[[], object]:
    """Return work as a CUDA graph, where there is a GPU."""
    if not on_gpu:
        return work
    for _ in range(3):
        work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def _rate(work: Callable[[], object], seconds: float, on_gpu: bool) -> float:
    """Return how often a second work is done."""
    work()
    if on_gpu:
        torch.cuda.synchronize()
    began, times = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        work()
        if on_gpu:
            torch.cuda.synchronize()
        times += 1
    return times / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
