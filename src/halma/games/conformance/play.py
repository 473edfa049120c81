"""Requirements on the rules: declared sizes, moves, chance and results."""

from __future__ import annotations

import math
from collections.abc import Iterator

from halma import _core
from halma.games.conformance.requirement import Sample, name, requirement
from halma.games.game import Position


@requirement("numbers", "game", "Players, scores, actions and planes are declared correctly.")
def _numbers(sample: Sample) -> Iterator[str]:
    game, core = sample.game, sample.game.core
    if not 1 <= core.players <= _core.MAX_PLAYERS:
        yield f"There are {core.players} players."
    if len(game.player_names) < core.players:
        yield f"{core.players} players have only {len(game.player_names)} names."
    if len(set(game.player_names)) != len(game.player_names):
        yield "Two players have the same name."
    if not game.title or not game.name:
        yield "The game has no title or no name."
    if not (core.max_score > 0 and math.isfinite(core.max_score)):
        yield f"max_score is {core.max_score}."
    for number in ("actions", "history", "version"):
        if getattr(core, number) < 1:
            yield f"{number} is {getattr(core, number)}."
    if min(core.shape) < 1:
        yield f"The shape is {core.shape}."


@requirement("start", "game", "Every game starts from the same state, of the declared size.")
def _start(sample: Sample) -> Iterator[str]:
    core = sample.game.core
    state = core.initial()
    if len(state) != core.state_size:
        yield f"The start has {len(state)} bytes, not {core.state_size}."
    if core.initial() != state:
        yield "The start differs from call to call."
    for wrong in (state + b"\0", state[:-1]):
        try:
            core.mover(wrong)
        except ValueError:
            continue
        yield f"A state of {len(wrong)} bytes was accepted."


@requirement("mover", "any", "The player to move exists.")
def _mover(sample: Sample, position: Position) -> Iterator[str]:
    core = sample.game.core
    mover = core.mover(position.state)
    if not 0 <= mover < core.players:
        yield f"The player to move is {mover} of {core.players}."
    if core.mover(position.state) != mover:
        yield "The player to move differs from call to call."


@requirement("moves", "decision", "Legal moves are distinct, deterministic, and counted correctly.")
def _moves(sample: Sample, position: Position) -> Iterator[str]:
    core = sample.game.core
    moves = core.legal(position.state)
    if len(set(moves)) != len(moves):
        yield "A move is listed twice."
    if len(moves) > _core.MAX_MOVES:
        yield f"There are {len(moves)} moves, more than {_core.MAX_MOVES}."
    if _core.NO_MOVE in moves:
        yield "NO_MOVE is listed as a move."
    if core.legal(position.state) != moves:
        yield "The moves or their order differ from call to call."
    if core.count(position.state) != len(moves):
        yield f"{core.count(position.state)} moves are counted, but {len(moves)} listed."


@requirement("end", "any", "The game is over exactly when there is no legal move.")
def _end(sample: Sample, position: Position) -> Iterator[str]:
    core, state = sample.game.core, position.state
    if core.at_chance(state):
        if position.is_terminal or position.legal_moves:
            yield "A position at chance is terminal or has moves."
        return
    if core.terminal(state) != (not core.legal(state)):
        yield f"terminal() is {core.terminal(state)} with {len(core.legal(state))} legal moves."
    if core.terminal(state) and core.count(state):
        yield f"The game is over, but {core.count(state)} moves are counted."


@requirement("play", "decision", "play() is deterministic and does not change its argument.")
def _play(sample: Sample, position: Position) -> Iterator[str]:
    core, state = sample.game.core, position.state
    before = bytes(bytearray(state))
    for move in core.legal(state):
        after = core.play(state, move)
        if len(after) != core.state_size:
            yield f"Move {move} gives {len(after)} bytes, not {core.state_size}."
        if core.play(state, move) != after:
            yield f"Move {move} gives different states from call to call."
        if state != before:
            yield f"Move {move} changes the state it was played in."
            return


@requirement("irreversible", "game", "After an irreversible move no earlier position recurs.")
def _irreversible(sample: Sample) -> Iterator[str]:
    core = sample.game.core
    for walk in sample.walks:
        earlier: set[bytes] = set()
        recent: set[bytes] = set()
        for state, move in walk:
            if state in earlier:
                where = name(Position(sample.game, state))
                yield f"A position recurs after an irreversible move: {where}."
                break
            recent.add(state)
            if move is not None and core.irreversible(state, move):
                earlier |= recent
                recent = set()


@requirement("landing", "decision", "Every move ends on a cell.")
def _landing(sample: Sample, position: Position) -> Iterator[str]:
    core = sample.game.core
    for move in core.legal(position.state):
        cell = core.landing(move)
        if cell < 0:
            yield f"Move {move} ends on cell {cell}."
        if core.landing(move) != cell:
            yield f"The cell move {move} ends on differs from call to call."


@requirement("chance", "chance", "Outcomes are distinct, probabilities add up, the mover stays.")
def _chance(sample: Sample, position: Position) -> Iterator[str]:
    core, state = sample.game.core, position.state
    outcomes = core.outcomes(state)
    if not 1 <= len(outcomes) <= _core.MAX_OUTCOMES:
        yield f"There are {len(outcomes)} outcomes."
    if len({outcome for outcome, _ in outcomes}) != len(outcomes):
        yield "An outcome is listed twice."
    if core.outcomes(state) != outcomes:
        yield "The outcomes differ from call to call."
    total = sum(probability for _, probability in outcomes)
    if any(not probability > 0 for _, probability in outcomes):
        yield "An outcome has a probability that is not positive."
    elif abs(total - 1) > 1e-9:
        yield f"The probabilities add up to {total:.12g}."
    mover = core.mover(state)
    for outcome, _ in outcomes:
        after = core.resolve(state, outcome)
        if after == state:
            yield f"Outcome {outcome} does not change the state."
        if core.resolve(state, outcome) != after:
            yield f"Outcome {outcome} gives different states from call to call."
        if core.mover(after) != mover:
            yield f"Player {mover} was to move, but after outcome {outcome} it is another."


@requirement("result", "any", "There is one score per player, between 0 and max_score.")
def _result(sample: Sample, position: Position) -> Iterator[str]:
    core = sample.game.core
    scores = core.result(position.state)
    if len(scores) != core.players:
        yield f"There are {len(scores)} scores for {core.players} players."
    for player, score in enumerate(scores):
        if not 0 <= score <= core.max_score:
            yield f"Player {player} scores {score}, but max_score is {core.max_score}."
    if core.result(position.state) != scores:
        yield "The scores differ from call to call."
