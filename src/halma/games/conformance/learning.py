"""Requirements on what learning and solvers use: actions, planes, keys, symmetries, indices."""

from __future__ import annotations

from collections.abc import Iterator

from halma import _core
from halma.games.conformance.requirement import Sample, name, requirement
from halma.games.game import Position


@requirement("actions", "decision", "Moves and policy indices correspond one to one.")
def _actions(sample: Sample, position: Position) -> Iterator[str]:
    core, state = sample.game.core, position.state
    owner: dict[int, int] = {}
    for move in core.legal(state):
        action = core.action(state, move)
        if not 0 <= action < core.actions:
            yield f"Move {move} has action {action} of {core.actions}."
            continue
        if action in owner:
            yield f"Moves {owner[action]} and {move} share action {action}."
        owner[action] = move
        if core.move(state, action) != move:
            yield f"Move {move} has action {action}, which is move {core.move(state, action)}."
    others = range(core.actions)
    for action in sample.rng(state.hex()).sample(others, min(len(others), 50)):
        found = position.move_of(action)
        if found is not None and owner.get(action) != found.value:
            yield f"Action {action} is move {found.value}, which has another action."


@requirement("planes", "decision", "Planes have the declared shape, are finite and deterministic.")
def _planes(sample: Sample, position: Position) -> Iterator[str]:
    import numpy as np

    planes = position.encode()
    if planes.shape != tuple(sample.game.shape):
        yield f"The planes have shape {planes.shape}, not {tuple(sample.game.shape)}."
    if planes.dtype != np.float32:
        yield f"The planes are {planes.dtype}, not float32."
    if not np.isfinite(planes).all():
        yield "A value in the planes is not finite."
    if not np.array_equal(planes, position.encode(), equal_nan=True):
        yield "The planes differ from call to call."


@requirement("keys", "game", "Equal positions have equal keys; different ones hardly ever do.")
def _keys(sample: Sample) -> Iterator[str]:
    core = sample.game.core
    keys = set()
    states = sample.states.get("decision", [])
    for state in states:
        key = core.key(state)
        keys.add(key)
        if core.key(bytes(bytearray(state))) != key:
            yield f"The key differs from call to call at {name(Position(sample.game, state))}."
    # A game may give positions that are equal for the mover one key, so there may be
    # fewer keys than states, but not by an order of magnitude.
    if 8 * len(keys) < len(states):
        yield f"{len(states)} different positions have only {len(keys)} keys."


@requirement("symmetries", "any", "Moves commute with every symmetry.")
def _symmetries(sample: Sample, position: Position) -> Iterator[str]:
    core, state = sample.game.core, position.state
    for symmetry in range(core.symmetries):
        seen = core.image(state, symmetry)
        where = f"Under symmetry {symmetry}, {name(position)}"
        if symmetry == 0 and seen != state:
            yield f"{where} is another position, but symmetry 0 is the identity."
        if (core.mover(seen), core.at_chance(seen)) != (core.mover(state), core.at_chance(state)):
            yield f"{where} has another player to move, or differs in being at chance."
        elif core.at_chance(state):
            if core.outcomes(seen) != core.outcomes(state):
                yield f"{where} has other outcomes."
        else:
            moves = core.legal(state)
            images = [core.image_move(move, symmetry) for move in moves]
            if sorted(images) != sorted(core.legal(seen)):
                yield f"{where} has other moves."
            elif core.terminal(state) and core.result(seen) != core.result(state):
                yield f"{where} has another result."
            elif any(
                core.image(core.play(state, move), symmetry) != core.play(seen, image)
                for move, image in zip(moves, images, strict=True)
            ):
                yield f"{where} after the image of a move is not the image after the move."


@requirement("index", "game", "Indices differ where positions do, and unindex() inverts index().")
def _index(sample: Sample) -> Iterator[str]:
    core = sample.game.core
    size = core.index_size
    if size == 0:
        return
    owner: dict[int, bytes] = {}
    for state in sample.states.get("decision", []):
        text = name(Position(sample.game, state))
        index = core.index(state)
        if not 0 <= index < size:
            yield f"The index of {text} is {index}, outside 0 to {size - 1}."
            continue
        twin = owner.setdefault(index, state)
        if twin != state and not _same_for_mover(core, twin, state):
            yield f"{text} and {name(Position(sample.game, twin))} share the index {index}."
    chosen = [sample.rng("index").randrange(size) for _ in range(100)]
    for index in [*owner, *chosen, 0, size - 1]:
        back = core.index(core.unindex(index))
        if back != index:
            yield f"unindex({index}) is a position whose index is {back}."


def _same_for_mover(core: _core.AnyGame, a: bytes, b: bytes) -> bool:
    def actions(state: bytes) -> list[int]:
        return sorted(core.action(state, move) for move in core.legal(state))

    return core.key(a) == core.key(b) or (
        actions(a) == actions(b) and core.perft(a, 2) == core.perft(b, 2)
    )
