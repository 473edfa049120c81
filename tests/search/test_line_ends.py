"""Lines end where the game record would end the game, in every search."""

from __future__ import annotations

import random

import numpy as np
import pytest

import halma
from halma import _core
from halma.search import Minimax

LINE_END = 0xFFFFFFFD
#: variants with a limit of each kind: repetition, no progress, plies, cycles
VARIANTS = ("draughts-8x8", "cdc-2x4-PPPP", "rhombus-4x4-3:plies=9", "rhombus-4x4-3:cycle=on")
#: kings shuffle here, so that positions recur and nothing makes progress
KINGS = "B:WK10,K15:BK22,K25"


def records(name: str, number: int, seed: int) -> list[halma.Record]:
    """Return games one to three moves before a limit ends them."""
    game, rng, found = halma.game(name), random.Random(seed), []
    while len(found) < number:
        start = game.position(KINGS) if name.startswith("draughts") else game.start()
        record = halma.Record(game, start)
        while not record.is_over and record.plies < 200:
            if record.position.is_chance:
                record.resolve(rng.choice(record.position.outcomes))
                continue
            # Mostly back to earlier positions, so that games end by limits.
            seen = {p.key for p in record.positions[-8:] if not p.is_chance}
            moves = record.position.legal_moves
            back = [m for m in moves if record.position.play(m).key in seen]
            record.play(rng.choice(back if back and rng.random() < 0.8 else moves))
        if not record.is_over or record.position.is_terminal:
            continue
        for _ in range(rng.randint(1, 3)):
            record.undo()
        if len(record) and not record.position.is_chance:
            found.append(record)
    return found


Paths = set[tuple[int, ...]]


def expected_ends(record: halma.Record, depth: int) -> tuple[Paths, Paths]:
    """Return the paths, `depth` long at most, that a limit ends, and those the rules end."""
    by_limit: Paths = set()
    by_rules: Paths = set()
    path: list[int] = []

    def visit() -> None:
        if record.is_over:
            (by_rules if record.position.is_terminal else by_limit).add(tuple(path))
            return
        if len(path) == depth or record.position.is_chance:
            return
        for move in record.position.legal_moves:
            record.play(move)
            path.append(move.value)
            visit()
            path.pop()
            record.undo()

    visit()
    return by_limit, by_rules


def tree_ends(dump: dict, depth: int) -> tuple[Paths, Paths]:
    """Return the paths that end at a limit, and all paths visited, `depth` long at most."""
    ends, visited = set(), set()

    def visit(node: int, path: tuple[int, ...]) -> None:
        kind, _, _, _, first, number = dump["nodes"][node]
        if kind != 0 or len(path) == depth:
            return
        for edge in range(first, first + number):
            if not dump["visits"][edge]:
                continue
            here = (*path, dump["what"][edge])
            visited.add(here)
            if dump["child"][edge] == LINE_END:
                ends.add(here)
            elif dump["child"][edge] < 0x80000000:
                visit(dump["child"][edge], here)

    visit(0, ())
    return ends, visited


@pytest.mark.parametrize("name", VARIANTS)
def test_tree_search_ends_lines_where_the_record_ends(name: str) -> None:
    met = 0
    for record in records(name, 25, seed=3):
        search = _core.Search(record.game.core, _core.SearchOptions(), "uniform", seed=1)
        search.set_record(record.core)
        search.run(1500)
        ends, visited = tree_ends(search.dump(), depth=3)
        by_limit, by_rules = expected_ends(record, depth=3)
        assert by_limit & visited <= ends <= by_limit | by_rules
        met += len(ends)
    assert met > 3


@pytest.mark.parametrize("seed", range(5))
def test_tree_search_ends_lines_without_progress(seed: int) -> None:
    """A limit of self-play alone: pieces arrive on some lines and not on others."""
    core, rng = halma.game("rhombus-4x4-3").core, random.Random(seed)
    record = _core.Record(core, _core.Limits(progress_plies=12), core.initial())
    while record.progress_clock < 10:
        best = rng.random() < 0.5
        moves = _core.furthest(core, record.state()) if best else core.legal(record.state())
        record.play(rng.choice(moves))
        if record.end != _core.End.NONE:
            record = _core.Record(core, _core.Limits(progress_plies=12), core.initial())
    search = _core.Search(core, _core.SearchOptions(), "uniform", seed=1)
    search.set_record(record)
    search.run(3000)
    ends, visited = tree_ends(search.dump(), depth=3)
    met = 0
    for path in visited:
        for played, move in enumerate(path):
            assert record.end == _core.End.NONE, (path, played)
            record.play(move)
        is_end = record.end != _core.End.NONE
        assert (path in ends) <= is_end
        if record.end == _core.End.STALLED:
            assert path in ends
            met += 1
        for _ in path:
            record.undo()
    assert met > 3


@pytest.mark.parametrize("kind", ["alphabeta", "expectimax", "maxn", "paranoid"])
@pytest.mark.parametrize(
    "name", ["draughts-8x8", "rhombus-4x4-3:plies=9", "rhombus-4x4-3:cycle=on"]
)
def test_minimax_ends_lines_where_the_record_ends(kind: str, name: str) -> None:
    """The value of a move after which the record is over is that of the stopped game."""
    met = 0
    for record in records(name, 60, seed=4):
        ended = {path[0] for path in expected_ends(record, depth=1)[0]}
        if not ended:
            continue
        search = Minimax(record.game, kind, limits="game", quiescence=False)
        found = search.search(record, depth=2, all_moves=True)
        stopped = 0.5 if kind == "expectimax" else 0.0
        for move, value in found.values:
            if move.value in ended:
                assert value == pytest.approx(stopped, abs=1e-5)
                met += 1
    assert met > 3


def test_no_progress_is_seen_below_the_root() -> None:
    """A line of reversible moves ends when the halfmove clock reaches the limit."""
    game = halma.game("draughts-8x8")
    core = _core.Record(game.core, _core.Limits(no_progress=3), game.position(KINGS).state)
    search = _core.Search(game.core, _core.SearchOptions(), "uniform", seed=1)
    search.set_record(core)
    search.run(20_000)
    dump = search.dump()
    ends, visited = tree_ends(dump, depth=4)
    # Without captures every third ply ends its line.
    assert {len(path) for path in ends} == {3}
    reversible = [path for path in visited if len(path) == 3 and path not in ends]
    for path in reversible:
        state, clock = game.position(KINGS).state, 0
        for move in path:
            clock = 0 if game.core.irreversible(state, move) else clock + 1
            state = game.core.play(state, move)
        assert clock < 3 or game.core.terminal(state)


def test_rules_alone_can_end_lines() -> None:
    options = _core.SearchOptions()
    options.limits = "rules"
    for record in records("draughts-8x8", 5, seed=3):
        search = _core.Search(record.game.core, options, "uniform", seed=1)
        search.set_record(record.core)
        search.run(500)
        assert LINE_END not in search.dump()["child"]


def test_a_stopped_game_is_proven() -> None:
    """With the solver, a draw by limit is a proof; values of undecided lines are none."""
    game = halma.game("rhombus-4x4-3:plies=2")
    options = _core.SearchOptions()
    options.solver = True
    search = _core.Search(game.core, options, "uniform", seed=1)
    search.set_record(halma.Record(game).core)
    search.run(5000)
    assert search.solved and search.simulations < 5000
    assert {m.proof for m in search.root_moves()} == {_core.Proof.DRAW}
    assert np.allclose([m.value for m in search.root_moves()], 0.5)
