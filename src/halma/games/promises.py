"""The promises of `core/game.hpp`, each as a function that looks for a way it is broken."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from halma import _core
from halma.draw.scene import Scene
from halma.errors import HalmaError, MoveError, said
from halma.games.game import Game, Position
from halma.games.record import Record

#: a random game is left after so many moves and outcomes
MAX_EVENTS = 1000
#: positions one count of a game tree may visit in Python
PERFT_BUDGET = 4000

#: what a promise is tried on: the game as a whole, the game if random games came to an end
#: (a loop in the core might not otherwise), or each position of a kind
Kind = Literal["game", "loop", "any", "decision", "terminal", "chance"]


@dataclass
class Sample:
    """What random games left behind for the promises to be tried on."""

    game: Game
    seed: int
    walks: list[list[tuple[bytes, int | None]]] = field(default_factory=list)
    kinds: dict[str, list[bytes]] = field(default_factory=dict)
    #: whether the games could be played at all, so that kernels will come back
    sound: bool = True

    def rng(self, salt: object) -> random.Random:
        """Return a generator for one purpose, so that promises do not disturb each other."""
        return random.Random(f"{self.seed} {salt}")

    def positions(self, kind: str) -> list[Position]:
        """Return what was met of a kind."""
        return [Position(self.game, state) for state in self.kinds.get(kind, [])]


Try = Callable[..., Iterator[str]]


@dataclass(frozen=True)
class Promise:
    """A promise, and the function that yields a sentence for every way it is broken."""

    name: str
    text: str
    on: Kind
    broken: Try


PROMISES: list[Promise] = []


def _promise(name: str, on: Kind, text: str) -> Callable[[Try], Try]:
    """Register a function that yields a sentence for every way a promise is broken.

    On `game` it gets the sample, on a kind of position the sample and one position.
    """

    def add(broken: Try) -> Try:
        PROMISES.append(Promise(name, text, on, broken))
        return broken

    return add


def name(position: Position) -> str:
    """Return how a failure refers to a position: its text if it has one."""
    try:
        return repr(position.text)
    except Exception:
        return f"the state {position.state.hex()}"


# Numbers that never change.


@_promise("numbers", "game", "Players, scores, actions and planes are declared sensibly.")
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
        yield f"The highest score is {core.max_score}."
    if core.actions < 1:
        yield f"There are {core.actions} actions."
    if min(core.shape) < 1:
        yield f"The shape is {core.shape}."
    if core.history < 1:
        yield f"The history is {core.history}."
    if core.version < 1:
        yield f"The version is {core.version}."


@_promise("start", "game", "Every game starts from the same state, of the declared size.")
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


# Moves.


@_promise("mover", "any", "The player to move exists.")
def _mover(sample: Sample, position: Position) -> Iterator[str]:
    core = sample.game.core
    mover = core.mover(position.state)
    if not 0 <= mover < core.players:
        yield f"It is the turn of player {mover} of {core.players}."
    if core.mover(position.state) != mover:
        yield "Whose turn it is differs from call to call."


@_promise("moves", "decision", "Legal moves are distinct, always the same, and counted right.")
def _moves(sample: Sample, position: Position) -> Iterator[str]:
    core = sample.game.core
    moves = core.legal(position.state)
    if len(set(moves)) != len(moves):
        yield "A move is listed twice."
    if len(moves) > _core.MAX_MOVES:
        yield f"There are {len(moves)} moves, more than {_core.MAX_MOVES}."
    if _core.NO_MOVE in moves:
        yield "The number that means no move is listed as a move."
    if core.legal(position.state) != moves:
        yield "The moves or their order differ from call to call."
    if core.count(position.state) != len(moves):
        yield f"{core.count(position.state)} moves are counted, but {len(moves)} listed."


@_promise("end", "any", "The game is over exactly when no move is left.")
def _end(sample: Sample, position: Position) -> Iterator[str]:
    core, state = sample.game.core, position.state
    if core.at_chance(state):
        if position.is_terminal or position.legal_moves:
            yield "A position at chance is over or has moves."
        return
    if core.terminal(state) != (not core.legal(state)):
        over = "over" if core.terminal(state) else "not over"
        yield f"The game is said to be {over} with {len(core.legal(state))} moves."
    if core.terminal(state) and core.count(state):
        yield f"The game is over, but {core.count(state)} moves are counted."


@_promise("play", "decision", "Playing a move always gives the same state, and changes no other.")
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
            yield f"Move {move} changes the state it is played in."
            return


@_promise("progress", "game", "After a move of progress no earlier position recurs.")
def _progress(sample: Sample) -> Iterator[str]:
    core = sample.game.core
    for walk in sample.walks:
        earlier: set[bytes] = set()
        recent: set[bytes] = set()
        for state, move in walk:
            if state in earlier:
                yield f"A position recurs after progress: {name(Position(sample.game, state))}."
                break
            recent.add(state)
            if move is not None and core.progress(state, move):
                earlier |= recent
                recent = set()


@_promise("landing", "decision", "Every move ends on a cell.")
def _landing(sample: Sample, position: Position) -> Iterator[str]:
    core = sample.game.core
    for move in core.legal(position.state):
        cell = core.landing(move)
        if cell < 0:
            yield f"Move {move} ends on cell {cell}."
        if core.landing(move) != cell:
            yield f"The cell move {move} ends on differs from call to call."


@_promise("chance", "chance", "Outcomes are distinct, likely, and lead on to the stated player.")
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
        yield "An outcome has no probability."
    elif abs(total - 1) > 1e-9:
        yield f"The probabilities add up to {total:.12g}."
    mover = core.mover(state)
    for outcome, _ in outcomes:
        after = core.resolve(state, outcome)
        if after == state:
            yield f"Outcome {outcome} leads nowhere."
        if core.resolve(state, outcome) != after:
            yield f"Outcome {outcome} gives different states from call to call."
        if core.mover(after) != mover:
            yield f"Player {mover} was to move, but after outcome {outcome} it is another."


@_promise("result", "any", "There is one score per player, between 0 and the highest.")
def _result(sample: Sample, position: Position) -> Iterator[str]:
    core = sample.game.core
    scores = core.result(position.state)
    if len(scores) != core.players:
        yield f"There are {len(scores)} scores for {core.players} players."
    for player, score in enumerate(scores):
        if not 0 <= score <= core.max_score:
            yield f"Player {player} scores {score}, with {core.max_score} the highest."
    if core.result(position.state) != scores:
        yield "The scores differ from call to call."


# What learners and solvers ask.


@_promise("actions", "decision", "Moves and policy indices match one to one.")
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


@_promise("planes", "decision", "The planes have the declared shape and are always the same.")
def _planes(sample: Sample, position: Position) -> Iterator[str]:
    import numpy as np

    planes = position.encode()
    if planes.shape != tuple(sample.game.shape):
        yield f"The planes have shape {planes.shape}, not {tuple(sample.game.shape)}."
    if planes.dtype != np.float32:
        yield f"The planes are {planes.dtype}, not float32."
    if not np.isfinite(planes).all():
        yield "A number in the planes is not finite."
    if not np.array_equal(planes, position.encode(), equal_nan=True):
        yield "The planes differ from call to call."


@_promise("keys", "game", "Equal positions have equal keys; different ones hardly ever do.")
def _keys(sample: Sample) -> Iterator[str]:
    core = sample.game.core
    keys = set()
    states = sample.kinds.get("decision", [])
    for state in states:
        key = core.key(state)
        keys.add(key)
        if core.key(bytes(bytearray(state))) != key:
            yield f"The key differs from call to call at {name(Position(sample.game, state))}."
    # Fewer keys than states are fine where positions are the same for the mover, so a
    # game may fold colours and reflections; a key that says nothing is not.
    if 8 * len(keys) < len(states):
        yield f"{len(states)} different positions have only {len(keys)} keys."


@_promise("mirrors", "any", "In a mirror the same moves do the same.")
def _mirrors(sample: Sample, position: Position) -> Iterator[str]:
    core, state = sample.game.core, position.state
    for mirror in range(core.symmetries):
        seen = core.image(state, mirror)
        where = f"In mirror {mirror}, {name(position)}"
        if mirror == 0 and seen != state:
            yield f"{where} is another position, although mirror 0 changes nothing."
        if (core.mover(seen), core.at_chance(seen)) != (core.mover(state), core.at_chance(state)):
            yield f"{where} has another player to move, or another at chance."
        elif core.at_chance(state):
            if core.outcomes(seen) != core.outcomes(state):
                yield f"{where} has other outcomes."
        else:
            moves = core.legal(state)
            images = [core.image_move(move, mirror) for move in moves]
            if sorted(images) != sorted(core.legal(seen)):
                yield f"{where} has other moves."
            elif core.terminal(state) and core.result(seen) != core.result(state):
                yield f"{where} has another result."
            elif any(
                core.image(core.play(state, move), mirror) != core.play(seen, image)
                for move, image in zip(moves, images, strict=True)
            ):
                yield f"{where} does not become the image of what the move makes of it."


@_promise("index", "game", "Positions that differ have different numbers, and numbers go back.")
def _index(sample: Sample) -> Iterator[str]:
    core = sample.game.core
    size = core.index_size
    if size == 0:
        return
    owner: dict[int, bytes] = {}
    for state in sample.kinds.get("decision", []):
        text = name(Position(sample.game, state))
        index = core.index(state)
        if not 0 <= index < size:
            yield f"The number of {text} is {index}, with {size} in all."
            continue
        twin = owner.setdefault(index, state)
        if twin != state and not _same_for_mover(core, twin, state):
            yield f"{text} and {name(Position(sample.game, twin))} share the number {index}."
    chosen = [sample.rng("index").randrange(size) for _ in range(100)]
    for index in [*owner, *chosen, 0, size - 1]:
        back = core.index(core.unindex(index))
        if back != index:
            yield f"Number {index} is a position whose number is {back}."


def _same_for_mover(core: _core.AnyGame, a: bytes, b: bytes) -> bool:
    def actions(state: bytes) -> list[int]:
        return sorted(core.action(state, move) for move in core.legal(state))

    return core.key(a) == core.key(b) or (
        actions(a) == actions(b) and core.perft(a, 2) == core.perft(b, 2)
    )


# Text and pictures.


@_promise("text", "any", "A position can be written and read back.")
def _text(sample: Sample, position: Position) -> Iterator[str]:
    text = position.text
    if not text or text != text.strip() or "\n" in text:
        yield f"The text {text!r} is empty, or not one line without space around it."
    if position.text != text:
        yield "The text differs from call to call."
    back = sample.game.position(text)
    if back != position:
        yield f"The text is read back as {name(back)}, or as another state of that text."


@_promise("names", "decision", "Every move has a text of its own that finds it again.")
def _names(sample: Sample, position: Position) -> Iterator[str]:
    moves = position.legal_moves
    if len({move.text for move in moves}) != len(moves):
        yield "Two moves have the same text."
        return
    for move in moves:
        if not move.text or move.text != move.text.strip() or len(move.text) > 200:
            yield f"The text {move.text!r} is empty, too long, or has space around it."
        if not sample.game.is_move_text(move.text):
            yield f"'{move.text}' is not recognised as the text of a move."
    for move in sample.rng(position.state.hex()).sample(moves, min(len(moves), 5)):
        if position.find(move.text) != move or position.find(move) != move:
            yield f"'{move.text}' finds another move."


@_promise("rolls", "chance", "Every outcome has a text of its own that finds it again.")
def _rolls(sample: Sample, position: Position) -> Iterator[str]:
    outcomes = position.outcomes
    if len({outcome.text for outcome in outcomes}) != len(outcomes):
        yield "Two outcomes have the same text."
        return
    for outcome in sample.rng(position.state.hex()).sample(outcomes, min(len(outcomes), 5)):
        if position.find_outcome(outcome.text) != outcome:
            yield f"'{outcome.text}' finds another outcome."


_GARBAGE = (
    "",
    " ",
    "x",
    "-1",
    "99999999999999999999",
    "a1-",
    "\0",
    "é–½",
    "., ;:/",
    "1 2 3 4 5" * 50,
)


@_promise("refusals", "game", "Texts that mean nothing are refused with a sentence.")
def _refusals(sample: Sample) -> Iterator[str]:
    rng = sample.rng("refusals")
    positions = [p for kind in ("decision", "chance", "terminal") for p in sample.positions(kind)]
    for position in rng.sample(positions, min(len(positions), 40)):
        text = position.text
        letters = text + "0129 -/.?abzTX"
        for bad in (*_GARBAGE, *(_spoil(text, letters, rng) for _ in range(10))):
            yield from _refuses("position", lambda text: _use(sample.game, text), bad)
        real = {m.text for m in position.legal_moves} | {o.text for o in position.outcomes}
        for bad in _GARBAGE:
            if bad not in real:
                yield from _refuses("move", position.find, bad)
                yield from _refuses("outcome", position.find_outcome, bad)


def _refuses(what: str, read: Callable[[str], object], text: str) -> Iterator[str]:
    """Yield a sentence unless `read` works or gives a reason."""
    try:
        read(text)
    except HalmaError as error:
        if not str(error):
            yield f"The {what} {text!r} is refused without a reason."
    except Exception as error:
        yield f"The {what} {text!r} leads to {said(error)}."


def _use(game: Game, text: str) -> None:
    """Ask a position that was read from doubtful text everything that must not go wrong."""
    position = game.position(text)
    _ = position.mover, position.legal_moves, position.outcomes, position.result
    if game.position(position.text) != position:
        raise ValueError("it is accepted, but cannot be written and read back")


def _spoil(text: str, letters: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    letter = rng.choice(letters)
    return rng.choice(
        (
            text[:at] + text[at + 1 :],
            text[:at] + letter + text[at:],
            text[:at] + letter + text[at + 1 :],
        )
    )


@_promise("picture", "any", "A position can be drawn, and all pieces stand on cells.")
def _picture(sample: Sample, position: Position) -> Iterator[str]:
    moves = sample.game.core.legal(position.state) if not position.is_chance else []
    rng = sample.rng(position.state.hex())
    for move in [None, *rng.sample(moves, min(len(moves), 2))]:
        scene = sample.game.scene(position.state, move)
        cells = range(len(scene.cells))
        if len({(cell.x, cell.y) for cell in scene.cells}) != len(scene.cells):
            yield "Two cells are in the same place."
        if len({piece.cell for piece in scene.pieces}) != len(scene.pieces):
            yield "Two pieces stand on the same cell."
        for piece in scene.pieces:
            if piece.cell not in cells:
                yield f"A piece stands on cell {piece.cell} of {len(cells)}."
            if len(piece.glyph) != 1:
                yield f"The glyph {piece.glyph!r} is not one character."
        if any(cell not in cells for cell in (*scene.trail, *scene.marks)):
            yield f"The trail or marks of move {move} leave the board."
        else:
            yield from _draw(scene)


def _draw(scene: Scene) -> Iterator[str]:
    from halma.draw.svg import draw_svg
    from halma.draw.text import draw_text

    if not draw_text(scene).strip():
        yield "The drawing in text is empty."
    if "<svg" not in draw_svg(scene):
        yield "The drawing in SVG is none."


# Loops and records.


class _TooManyError(Exception):
    """A game tree is too big to be counted in Python."""


@_promise("perft", "loop", "The core counts game trees as Python does, move by move.")
def _perft(sample: Sample) -> Iterator[str]:
    core = sample.game.core
    decisions = sample.kinds.get("decision", [])
    chosen = sample.rng("perft").sample(decisions, min(len(decisions), 3))
    for state in [core.initial(), *chosen]:
        for depth in (1, 2, 3):
            try:
                expected = _count_leaves(core, state, depth, [PERFT_BUDGET])
            except _TooManyError:
                break
            counted = core.perft(state, depth)
            if counted != expected:
                at = name(Position(sample.game, state))
                yield f"{counted} leaves at depth {depth}, where there are {expected}, from {at}."


def _count_leaves(core: _core.AnyGame, state: bytes, depth: int, budget: list[int]) -> int:
    if depth == 0:
        return 1
    budget[0] -= 1
    if budget[0] < 0:
        raise _TooManyError
    if core.at_chance(state):
        resolved = [core.resolve(state, outcome) for outcome, _ in core.outcomes(state)]
        return sum(_count_leaves(core, after, depth, budget) for after in resolved)
    played = [core.play(state, move) for move in core.legal(state)]
    return sum(_count_leaves(core, after, depth - 1, budget) for after in played)


@_promise("kernels", "loop", "Batches and random playouts agree with single steps.")
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
            yield f"A sampled state is no decision: {name(Position(sample.game, state))}."
        elif moves[offsets[number] : offsets[number + 1]].tolist() != core.legal(state):
            yield f"The moves in a batch differ at {name(Position(sample.game, state))}."


@_promise("record", "loop", "A record can be played on, replayed from its texts, and taken back.")
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
                yield f"Taking back does not restore {name(position)}."
                break


def _stays_over(record: Record) -> Iterator[str]:
    if not record.end:
        yield "A game is over without a reason."
    try:
        record.play("anything")
    except MoveError:
        return
    yield "A game that is over can be played on."


def _replays(record: Record) -> Iterator[str]:
    copy = Record(record.game)
    for text in record.texts:
        if copy.position.is_chance:
            copy.resolve(text)
        else:
            copy.play(text)
    if copy.positions != record.positions:
        yield "Replaying the texts of a record gives other positions."
