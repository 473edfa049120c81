"""An agent of one's own: it looks a few plies ahead and plays what surely wins.

    halma match examples/my_agent.py greedy --game examples/hexapawn.py
    halma match examples/my_agent.py:MyAgent:depth=4 mcts:sims=100 --game ewn-3x3-3
    halma play human examples/my_agent.py --game examples/hexapawn.py

An agent is a class with a method `choose(record, rng)`. It works in every game, because it asks
positions for their moves and never looks at the board. Keyword arguments with a default are
options: `my_agent.py:MyAgent:depth=4`.
"""


class MyAgent:
    """Plays a move whose worst case, `depth` plies ahead, is best for itself; of several, any."""

    def __init__(self, depth=2):
        self.depth = depth

    def choose(self, record, rng):
        """Return a legal move, or its text; the record is left as it is."""
        position = record.position
        player = position.mover
        moves = position.legal_moves
        values = [self.value(position.play(move), player, self.depth - 1) for move in moves]
        best = max(values)
        return rng.choice([m for m, value in zip(moves, values, strict=True) if value == best])

    def value(self, position, player, depth):
        """Return what a player can expect of a position if everybody plays that well."""
        if position.is_chance:
            return sum(
                outcome.probability * self.value(position.resolve(outcome), player, depth)
                for outcome in position.outcomes
            )
        moves = position.legal_moves
        if not moves or depth == 0:
            return position.result[player]  # before the end, what a stopped game would give
        values = [self.value(position.play(move), player, depth - 1) for move in moves]
        return max(values) if position.mover == player else min(values)
