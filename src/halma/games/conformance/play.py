"""Requirements on the rules: declared sizes, moves, chance and results."""

from __future__ import annotations

import math
from contextlib import suppress

from halma import _core
from halma.errors import ArgumentError
from halma.games.conformance.requirement import Sample, requirement
from halma.games.game import Position

#: random starts that are examined
_RANDOM_STARTS = 20


@requirement("numbers", "game", "Players, scores, actions and planes are declared correctly.")
def _numbers(sample: Sample) -> None:
    game, core, names = sample.game, sample.game.core, sample.game.player_names
    sample.expect(1 <= core.players <= _core.MAX_PLAYERS, f"There are {core.players} players.")
    few = f"{core.players} players have only {len(names)} names."
    sample.expect(len(names) >= core.players, few)
    sample.expect(len(set(names)) == len(names), "Two players have the same name.")
    sample.expect(bool(game.title and game.name), "The game has no title or no name.")
    sample.expect(0 < core.max_score < math.inf, f"max_score is {core.max_score}.")
    for number in ("actions", "history", "version"):
        sample.expect(getattr(core, number) >= 1, f"{number} is {getattr(core, number)}.")
    sample.expect(min(core.shape) >= 1, f"The shape is {core.shape}.")


@requirement("start", "game", "Every game starts from the same state, of the declared size.")
def _start(sample: Sample) -> None:
    core = sample.game.core
    state, size = core.initial(), core.state_size
    sample.expect(len(state) == size, f"The start has {len(state)} bytes, not {size}.")
    sample.expect(core.initial() == state, "The start differs from call to call.")
    for wrong in (state + b"\0", state[:-1]):
        with suppress(ValueError):
            core.mover(wrong)
            sample.fail(f"A state of {len(wrong)} bytes was accepted.")


@requirement("random_start", "game", "Random starts are valid decisions that nobody has won.")
def _random_start(sample: Sample) -> None:
    core = sample.game.core
    try:
        core.random_start(0)
    except ArgumentError:  # the game has none
        return
    for seed in range(_RANDOM_STARTS):
        state = core.random_start(seed)
        name = sample.name(state)
        sample.expect(core.random_start(seed) == state, f"Seed {seed} gives several starts.")
        over = core.at_chance(state) or core.terminal(state) or not core.legal(state)
        sample.expect(not over, f"No player is to move at {name}.")
        again = sample.game.parse_position(sample.game.format_position(state))
        sample.expect(again == state, f"{name} is not parsed back to what it was.")


@requirement("random_position", "game", "Random positions are valid decisions.")
def _random_position(sample: Sample) -> None:
    core = sample.game.core
    low, high = core.piece_counts
    if not high:  # the game has none
        return
    for seed in range(_RANDOM_STARTS):
        pieces = low + seed % (high - low + 1)
        state = core.random_position(seed, pieces)
        name = sample.name(state)
        sample.expect(core.random_position(seed, pieces) == state, f"Seed {seed} gives several.")
        over = core.at_chance(state) or core.terminal(state) or not core.legal(state)
        sample.expect(not over, f"No player is to move at {name}.")
        again = sample.game.parse_position(sample.game.format_position(state))
        sample.expect(again == state, f"{name} is not parsed back to what it was.")


@requirement("mover", "any", "The player to move exists.")
def _mover(sample: Sample, position: Position) -> None:
    players, mover = sample.game.players, position.mover
    sample.expect(0 <= mover < players, f"The player to move is {mover} of {players}.")
    sample.expect(position.mover == mover, "The player to move differs from call to call.")


@requirement("moves", "decision", "Legal moves are distinct, deterministic, and counted correctly.")
def _moves(sample: Sample, position: Position) -> None:
    core, state = sample.game.core, position.state
    moves, again = core.legal(state), core.legal(state)
    number, counted, most = len(moves), core.count(state), _core.MAX_MOVES
    sample.expect(len(set(moves)) == number, "A move is listed twice.")
    sample.expect(number <= most, f"There are {number} moves, more than {most}.")
    sample.expect(_core.NO_MOVE not in moves, "NO_MOVE is listed as a move.")
    sample.expect(again == moves, "The moves or their order differ from call to call.")
    sample.expect(counted == number, f"{counted} moves are counted, but {number} listed.")


@requirement("end", "any", "The game is over exactly when there is no legal move.")
def _end(sample: Sample, position: Position) -> None:
    core, state = sample.game.core, position.state
    if core.at_chance(state):
        over = position.is_terminal or bool(position.legal_moves)
        sample.expect(not over, "A position at chance is terminal or has moves.")
        return
    over, moves, counted = core.terminal(state), len(core.legal(state)), core.count(state)
    sample.expect(over == (moves == 0), f"terminal() is {over} with {moves} legal moves.")
    sample.expect(not (over and counted), f"The game is over, but {counted} moves are counted.")


@requirement("play", "decision", "play() is deterministic and does not change its argument.")
def _play(sample: Sample, position: Position) -> None:
    core, state, size = sample.game.core, position.state, sample.game.core.state_size
    before = bytes(bytearray(state))
    for move in core.legal(state):
        after, again = core.play(state, move), core.play(state, move)
        sample.expect(len(after) == size, f"Move {move} gives {len(after)} bytes, not {size}.")
        sample.expect(again == after, f"Move {move} gives different states from call to call.")
        sample.expect(state == before, f"Move {move} changes the state it was played in.")


@requirement("irreversible", "game", "After an irreversible move no earlier position recurs.")
def _irreversible(sample: Sample) -> None:
    for walk in sample.walks:
        earlier: set[bytes] = set()
        recent: set[bytes] = set()
        for state, move in walk:
            if state in earlier:
                sample.fail(f"A position recurs after an irreversible move: {sample.name(state)}.")
                break
            recent.add(state)
            if move is not None and sample.game.core.irreversible(state, move):
                earlier |= recent
                recent = set()


@requirement("landing", "decision", "Every move ends on a cell.")
def _landing(sample: Sample, position: Position) -> None:
    core, state = sample.game.core, position.state
    for move in core.legal(state):
        cell, again = core.landing(state, move), core.landing(state, move)
        sample.expect(cell >= 0, f"Move {move} ends on cell {cell}.")
        sample.expect(again == cell, f"The cell move {move} ends on differs from call to call.")


@requirement("chance", "chance", "Outcomes are distinct, probabilities add up, the mover stays.")
def _chance(sample: Sample, position: Position) -> None:
    core, state = sample.game.core, position.state
    outcomes, again, mover = core.outcomes(state), core.outcomes(state), core.mover(state)
    number, distinct = len(outcomes), len({outcome for outcome, _ in outcomes})
    sample.expect(1 <= number <= _core.MAX_OUTCOMES, f"There are {number} outcomes.")
    sample.expect(distinct == number, "An outcome is listed twice.")
    sample.expect(again == outcomes, "The outcomes differ from call to call.")
    total = sum(probability for _, probability in outcomes)
    if any(not probability > 0 for _, probability in outcomes):
        sample.fail("An outcome has a probability that is not positive.")
    else:
        sample.expect(abs(total - 1) <= 1e-9, f"The probabilities add up to {total:.12g}.")
    for outcome, _ in outcomes:
        after, twin = core.resolve(state, outcome), core.resolve(state, outcome)
        sample.expect(after != state, f"Outcome {outcome} does not change the state.")
        varying = f"Outcome {outcome} gives different states from call to call."
        sample.expect(twin == after, varying)
        other = f"Player {mover} was to move, but after outcome {outcome} it is another."
        sample.expect(core.mover(after) == mover, other)


@requirement("result", "any", "There is one score per player, between 0 and max_score.")
def _result(sample: Sample, position: Position) -> None:
    players, most, scores = sample.game.players, sample.game.core.max_score, position.result
    number = len(scores)
    sample.expect(number == players, f"There are {number} scores for {players} players.")
    for player, score in enumerate(scores):
        wrong = f"Player {player} scores {score}, but max_score is {most}."
        sample.expect(0 <= score <= most, wrong)
    sample.expect(position.result == scores, "The scores differ from call to call.")
    if number == players:
        equal = all(len({scores[seat] for seat in side}) == 1 for side in sample.game.partners)
        sample.expect(equal, "Partners of a team have different scores.")
