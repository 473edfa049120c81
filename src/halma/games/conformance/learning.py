"""Requirements on what learning and solvers use: actions, planes, keys, symmetries, indices."""

from __future__ import annotations

from halma import _core
from halma.games.conformance.requirement import Sample, requirement
from halma.games.game import Position


@requirement("actions", "decision", "Moves and policy indices correspond one to one.")
def _actions(sample: Sample, position: Position) -> None:
    core, state = sample.game.core, position.state
    owner: dict[int, int] = {}
    for move in core.legal(state):
        action = core.action(state, move)
        if not 0 <= action < core.actions:
            sample.fail(f"Move {move} has action {action} of {core.actions}.")
            continue
        if action in owner:
            sample.fail(f"Moves {owner[action]} and {move} share action {action}.")
        owner[action] = move
        back = core.move(state, action)
        sample.expect(back == move, f"Move {move} has action {action}, which is move {back}.")
    for action in sample.some(range(core.actions), 50, state.hex()):
        found = position.move_of(action)
        if found is not None and owner.get(action) != found.value:
            sample.fail(f"Action {action} is move {found.value}, which has another action.")


@requirement("planes", "decision", "Planes have the declared shape, are finite and deterministic.")
def _planes(sample: Sample, position: Position) -> None:
    import numpy as np

    planes, again, shape = position.encode(), position.encode(), tuple(sample.game.shape)
    sample.expect(planes.shape == shape, f"The planes have shape {planes.shape}, not {shape}.")
    sample.expect(planes.dtype == np.float32, f"The planes are {planes.dtype}, not float32.")
    sample.expect(bool(np.isfinite(planes).all()), "A value in the planes is not finite.")
    same = np.array_equal(planes, again, equal_nan=True)
    sample.expect(same, "The planes differ from call to call.")


@requirement("keys", "game", "Equal positions have equal keys; different ones hardly ever do.")
def _keys(sample: Sample) -> None:
    core, states = sample.game.core, sample.states["decision"]
    keys = set()
    for state in states:
        key, again = core.key(state), core.key(bytes(bytearray(state)))
        keys.add(key)
        sample.expect(again == key, f"The key differs from call to call at {sample.name(state)}.")
    # A game may give positions that are equal for the mover one key, so there may be
    # fewer keys than states, but not by an order of magnitude.
    few = f"{len(states)} different positions have only {len(keys)} keys."
    sample.expect(8 * len(keys) >= len(states), few)


@requirement("symmetries", "any", "Moves commute with every symmetry.")
def _symmetries(sample: Sample, position: Position) -> None:
    core, state = sample.game.core, position.state
    for symmetry in range(core.symmetries):
        seen = core.image(state, symmetry)
        where = f"Under symmetry {symmetry}, {sample.name(state)}"
        if symmetry == 0 and seen != state:
            sample.fail(f"{where} is another position, but symmetry 0 is the identity.")
        if (core.mover(seen), core.at_chance(seen)) != (core.mover(state), core.at_chance(state)):
            sample.fail(f"{where} has another player to move, or differs in being at chance.")
        elif core.at_chance(state):
            same = core.outcomes(seen) == core.outcomes(state)
            sample.expect(same, f"{where} has other outcomes.")
        else:
            moves = core.legal(state)
            images = [core.image_move(state, move, symmetry) for move in moves]
            if sorted(images) != sorted(core.legal(seen)):
                sample.fail(f"{where} has other moves.")
            elif core.terminal(state) and core.result(seen) != core.result(state):
                sample.fail(f"{where} has another result.")
            elif any(
                core.image(core.play(state, move), symmetry) != core.play(seen, image)
                for move, image in zip(moves, images, strict=True)
            ):
                sample.fail(f"{where} after the image of a move is not the image after the move.")


@requirement("index", "game", "Indices differ where positions do, and unindex() inverts index().")
def _index(sample: Sample) -> None:
    core = sample.game.core
    size = core.index_size
    if size == 0:
        return
    owner: dict[int, bytes] = {}
    for state in sample.states["decision"]:
        text = sample.name(state)
        index = core.index(state)
        if not 0 <= index < size:
            sample.fail(f"The index of {text} is {index}, outside 0 to {size - 1}.")
            continue
        twin = owner.setdefault(index, state)
        if twin != state and not _same_for_mover(core, twin, state):
            sample.fail(f"{text} and {sample.name(twin)} share the index {index}.")
    chosen = [sample.rng("index").randrange(size) for _ in range(100)]
    for index in [*owner, *chosen, 0, size - 1]:
        back = core.index(core.unindex(index))
        sample.expect(back == index, f"unindex({index}) is a position whose index is {back}.")


def _same_for_mover(core: _core.AnyGame, a: bytes, b: bytes) -> bool:
    def actions(state: bytes) -> list[int]:
        return sorted(core.action(state, move) for move in core.legal(state))

    return core.key(a) == core.key(b) or (
        actions(a) == actions(b) and core.perft(a, 2) == core.perft(b, 2)
    )
