"""Greedy players in plain Python."""

from __future__ import annotations

from reference.random import Random

from halma.errors import PositionError
from halma.games import Position, Record


def below(random: Random, n: int) -> int:
    return (random.next() >> 32) * n >> 32


def rows_forward(position, move) -> int:
    """Return the rows of the drawing a move advances: up for player 1, down for player 2."""
    height = {cell.name: cell.y for cell in position.game.scene(position.state).cells}
    start, end = (height[name] for name in move.text.split("-"))
    return (start - end) if position.mover == 0 else (end - start)


def rows_behind(position, move) -> int:
    """Return how far behind, in rows of its player's view, the piece of a move is."""
    height = {cell.name: cell.y for cell in position.game.scene(position.state).cells}
    start = height[move.text.split("-")[0]]
    return start if position.mover == 0 else -start


def longest(position):
    """Return the moves that advance most; of those the ones of the rearmost pieces."""
    moves = position.legal_moves
    ranks = [(rows_forward(position, m), rows_behind(position, m)) for m in moves]
    return [m for m, rank in zip(moves, ranks, strict=True) if rank == max(ranks)]


def play(record, seed, number, random_plies, stochastic):
    """Play a record to its end as the core's greedy players would, and return it."""
    random = Random(seed, number)
    while not record.is_over:
        position = record.position
        moves = position.legal_moves
        if record.plies < random_plies * record.game.players:
            move = moves[below(random, len(moves))]
        else:
            weights = [max(0, rows_forward(position, m)) for m in moves]
            if position.mover in stochastic and sum(weights):
                left = below(random, sum(weights))
                number_of = 0
                while left >= weights[number_of]:
                    left -= weights[number_of]
                    number_of += 1
                move = moves[number_of]
            else:
                best = longest(position)
                move = best[0] if len(best) == 1 else best[below(random, len(best))]
        record.play(move)
    return record


def again(position, mover):
    """Return the same board with that player to move."""
    board = position.text.split()[0]
    return position.game.position(f"{board} {mover + 1}")


def most_advance(position, depth):
    if depth == 0 or position.is_terminal:
        return 0
    return max(
        rows_forward(position, m) + most_advance(_next(position, m), depth - 1)
        for m in position.legal_moves
    )


def lookahead(position, depth):
    """Return the first moves of the best sequences of `depth` own moves; wins come first."""
    ranks = {}
    for move in position.legal_moves:
        after = position.play(move)
        total = 10**6 if after.is_terminal else rows_forward(position, move)
        if not after.is_terminal:
            total += most_advance(_next(position, move), depth - 1)
        ranks[move.text] = (total, rows_behind(position, move))
    best = max(ranks.values())
    return {text for text, rank in ranks.items() if rank == best}


def _next(position, move):
    after = position.play(move)
    return after if after.is_terminal else again(after, position.mover)


def random_start(game, random):
    """Place every piece on a random empty hole, until nobody has won; all holes are open."""
    holes = len(game.core.holes)
    army = len(game.core.homes[0])
    while True:
        fields = [0] * (3 + holes)
        for player in range(game.players):
            for piece in range(army):
                hole = below(random, holes)
                while fields[3 + hole]:
                    hole = below(random, holes)
                fields[3 + hole] = 1 + 16 * player + piece
        try:
            state = game.compose(fields)
        except PositionError:  # somebody has won
            continue
        if not game.core.terminal(state):
            return Position(game, state)


def sample_game(game, seed, number, options):
    """Play a training game as the core would: the record, and the best moves at each ply."""
    random, start, random_plies = Random(seed, number), None, 0
    kind = random.uniform()
    if kind < options["random_starts"]:
        start = random_start(game, random)
    elif kind < options["random_starts"] + options["random_openings"]:
        least, most = options["random_plies_min"], options["random_plies_max"]
        random_plies = least + below(random, most - least + 1)
    record, targets = Record(game, start), []
    while not record.is_over:
        position = record.position
        moves = position.legal_moves
        if record.plies < random_plies:
            targets.append([])
            record.play(moves[below(random, len(moves))])
            continue
        advances = [rows_forward(position, m) for m in moves]
        best = [m for m, far in zip(moves, advances, strict=True) if far == max(advances)]
        if options["prefer_trailing"]:
            best = longest(position)
        targets.append(sorted(position.action(m) for m in best))
        record.play(best[below(random, len(best))])
    return record, targets
