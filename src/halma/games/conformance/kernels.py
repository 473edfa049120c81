"""Requirements on the core's kernels and on records."""

from __future__ import annotations

from contextlib import suppress

from halma import _core
from halma.errors import MoveError
from halma.games.conformance.requirement import MAX_EVENTS, Sample, requirement
from halma.games.record import Record

#: positions one count of a game tree may visit in Python
PERFT_BUDGET = 4000


@requirement("perft", "kernel", "The core counts the leaves of game trees correctly.")
def _perft(sample: Sample) -> None:
    core = sample.game.core
    for state in [core.initial(), *sample.some(sample.states["decision"], 3, "perft")]:
        for depth in (1, 2, 3):
            budget = [PERFT_BUDGET]
            expected = _count_leaves(core, state, depth, budget)
            if budget[0] < 0:
                break
            counted = core.perft(state, depth)
            wrong = f"{counted} leaves at depth {depth} instead of {expected}"
            sample.expect(counted == expected, f"{wrong}, from {sample.name(state)}.")


def _count_leaves(core: _core.AnyGame, state: bytes, depth: int, budget: list[int]) -> int:
    """Count leaves, or stop with a negative budget once that number of positions is visited."""
    if depth == 0 or budget[0] < 0:
        return 1
    budget[0] -= 1
    if core.at_chance(state):
        resolved = [core.resolve(state, outcome) for outcome, _ in core.outcomes(state)]
        return sum(_count_leaves(core, after, depth, budget) for after in resolved)
    played = [core.play(state, move) for move in core.legal(state)]
    return sum(_count_leaves(core, after, depth - 1, budget) for after in played)


@requirement("kernels", "kernel", "Batches and random playouts agree with single steps.")
def _kernels(sample: Sample) -> None:
    core = sample.game.core
    start = core.initial()
    totals, again = (
        core.playouts(start, 10, seed=sample.seed, ply_limit=MAX_EVENTS) for _ in range(2)
    )
    complete = totals["games"] == 10 and totals["longest"] <= MAX_EVENTS
    sample.expect(complete, f"10 playouts of at most {MAX_EVENTS} plies gave {totals}.")
    possible = all(0 <= score <= 10 * core.max_score for score in totals["scores"])
    sample.expect(possible, f"10 playouts gave the scores {totals['scores']}.")
    sample.expect(again == totals, "The same seed gives different playouts.")
    states = core.sample_states(start, 20, seed=sample.seed, ply_limit=MAX_EVENTS)
    offsets, moves = core.legal_many(states)
    for number, row in enumerate(states):
        state = row.tobytes()
        if core.at_chance(state) or core.terminal(state):
            sample.fail(f"A sampled state is not a decision state: {sample.name(state)}.")
        elif moves[offsets[number] : offsets[number + 1]].tolist() != core.legal(state):
            sample.fail(f"The moves in a batch differ at {sample.name(state)}.")


@requirement("record", "kernel", "A record can be continued, replayed from its texts, and undone.")
def _record(sample: Sample) -> None:
    for number in range(3):
        rng = sample.rng(f"record {number}")
        record = Record(sample.game)
        while not record.is_over and len(record) < 200:
            if record.position.is_chance:
                record.roll(rng)
            else:
                record.play(rng.choice(record.position.legal_moves))
        shape = record.encode().shape
        sample.expect(shape == tuple(sample.game.shape), f"A record's planes have shape {shape}.")
        if record.is_over:
            sample.expect(record.end != "", "A game is over without a reason.")
            with suppress(MoveError):
                record.play("anything")
                sample.fail("A move can be played after the end of the game.")
        positions = record.positions
        copy = Record(sample.game)
        for text in record.texts:
            (copy.resolve if copy.position.is_chance else copy.play)(text)
        same = copy.positions == positions
        sample.expect(same, "Replaying the texts of a record gives different positions.")
        for position in reversed(positions[:-1]):
            record.undo()
            if record.position != position:
                sample.fail(f"undo() does not restore {sample.name(position.state)}.")
                break
