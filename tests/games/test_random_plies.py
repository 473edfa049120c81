"""The fast random plies of every family choose moves and outcomes by their probabilities."""

from collections import Counter

import pytest

import halma


def successors(position: halma.Position) -> dict[bytes, float]:
    """Return the probabilities of the decision states after one random ply."""
    found: Counter[bytes] = Counter()
    moves = position.legal_moves
    pending = [(position.play(move), 1 / len(moves)) for move in moves]
    while pending:
        after, probability = pending.pop()
        if after.is_chance:
            pending += [(after.resolve(o), probability * o.probability) for o in after.outcomes]
        else:
            assert not after.is_terminal
            found[after.state] += probability
    return found


@pytest.mark.parametrize(
    ("name", "text", "trials"),
    [
        ("ewn-3x3-3", "1../3../.ba r 2", 18_000),
        ("cdc-2x4-KGCP", "CGk./?..p r P 1", 40_000),
        # Several captures lead to the same position.
        ("draughts-8x8", "W:WK10:B4,7,14,15,22,23", 2000),
        ("draughts-8x8", "B:W30:BK10,11,K16,20,21", 2000),
        ("star-121-2p", "", 30_000),
    ],
)
def test_random_plies_follow_the_probabilities(name: str, text: str, trials: int) -> None:
    game = halma.game(name)
    # On the star, the last of fifty states of random games.
    met = game.core.sample_states(game.core.initial(), 50, 5, 60)
    state = game.position(text).state if text else met[-1].tobytes()
    expected = successors(halma.Position(game, state))
    # The second sampled state is the one after a single random ply.
    counts = Counter(
        game.core.sample_states(state, 2, seed, 2)[1].tobytes() for seed in range(trials)
    )
    assert set(counts) == set(expected)
    chi_square = sum(
        (counts[after] - trials * p) ** 2 / (trials * p) for after, p in expected.items()
    )
    freedom = len(expected) - 1
    assert chi_square < freedom + 5 * (2 * freedom) ** 0.5
