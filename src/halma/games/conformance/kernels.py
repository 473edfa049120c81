"""Requirements on the core's kernels and on records."""

from __future__ import annotations

from collections.abc import Iterator

from halma import _core
from halma.errors import MoveError
from halma.games.conformance.requirement import MAX_EVENTS, Sample, name, requirement
from halma.games.game import Position
from halma.games.record import Record

#: positions one count of a game tree may visit in Python
PERFT_BUDGET = 4000


@requirement("perft", "kernel", "The core counts the leaves of game trees correctly.")
def _perft(sample: Sample) -> Iterator[str]:
    core = sample.game.core
    decisions = sample.states.get("decision", [])
    chosen = sample.rng("perft").sample(decisions, min(len(decisions), 3))
    for state in [core.initial(), *chosen]:
        for depth in (1, 2, 3):
            budget = [PERFT_BUDGET]
            expected = _count_leaves(core, state, depth, budget)
            if budget[0] < 0:
                break
            counted = core.perft(state, depth)
            if counted != expected:
                at = name(Position(sample.game, state))
                yield f"{counted} leaves at depth {depth} instead of {expected}, from {at}."


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
def _kernels(sample: Sample) -> Iterator[str]:
    core = sample.game.core
    start = core.initial()
    totals = core.playouts(start, 10, seed=sample.seed, ply_limit=MAX_EVENTS)
    if totals["games"] != 10 or totals["longest"] > MAX_EVENTS:
        yield f"10 playouts of at most {MAX_EVENTS} plies gave {totals}."
    if any(not 0 <= score <= 10 * core.max_score for score in totals["scores"]):
        yield f"10 playouts gave the scores {totals['scores']}."
    if core.playouts(start, 10, seed=sample.seed, ply_limit=MAX_EVENTS) != totals:
        yield "The same seed gives different playouts."
    states = core.sample_states(start, 20, seed=sample.seed, ply_limit=MAX_EVENTS)
    offsets, moves = core.legal_many(states)
    for number, row in enumerate(states):
        state = row.tobytes()
        if core.at_chance(state) or core.terminal(state):
            yield f"A sampled state is not a decision state: {name(Position(sample.game, state))}."
        elif moves[offsets[number] : offsets[number + 1]].tolist() != core.legal(state):
            yield f"The moves in a batch differ at {name(Position(sample.game, state))}."


@requirement("record", "kernel", "A record can be continued, replayed from its texts, and undone.")
def _record(sample: Sample) -> Iterator[str]:
    for number in range(3):
        rng = sample.rng(f"record {number}")
        record = Record(sample.game)
        while not record.is_over and len(record) < 200:
            if record.position.is_chance:
                record.roll(rng)
            else:
                record.play(rng.choice(record.position.legal_moves))
        if record.encode().shape != tuple(sample.game.shape):
            yield f"A record's planes have shape {record.encode().shape}."
        if record.is_over:
            yield from _stays_over(record)
        positions = record.positions
        yield from _replays(record)
        for position in reversed(positions[:-1]):
            record.undo()
            if record.position != position:
                yield f"undo() does not restore {name(position)}."
                break


def _stays_over(record: Record) -> Iterator[str]:
    if not record.end:
        yield "A game is over without a reason."
    try:
        record.play("anything")
    except MoveError:
        return
    yield "A move can be played after the end of the game."


def _replays(record: Record) -> Iterator[str]:
    copy = Record(record.game)
    for text in record.texts:
        if copy.position.is_chance:
            copy.resolve(text)
        else:
            copy.play(text)
    if copy.positions != record.positions:
        yield "Replaying the texts of a record gives different positions."
