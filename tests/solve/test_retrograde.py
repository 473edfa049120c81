"""Retrograde analysis against known numbers, a naive twin and its own promises."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from reference.retrograde import solve as solve_naively

import halma
from halma import _core
from halma.errors import ArgumentError

CODES = {0: "drawn", 1: "won", 2: "lost", 3: "illegal"}

# (positions, wins, losses, draws, illegal), plies to the end from the start or None: drawn
KNOWN = {
    "rhombus-3x3-3": ((1_680, 720, 580, 0, 380), 7),
    "rhombus-4x4-3": ((160_160, 96_875, 57_851, 0, 5_434), 21),
    "rhombus-4x4-3:win=fill": ((160_160, 6_608, 1_354, 151_912, 286), None),
    "rhombus-4x4-6": ((1_681_680, 874_625, 548_204, 65_021, 193_830), None),
    "rhombus-5x5-3": ((3_542_000, 2_105_590, 1_394_132, 13_018, 29_260), 29),
    "rhombus-7x7-1": ((2_352, 1_260, 1_044, 0, 48), 25),
}
SMALL = ["rhombus-3x3-3", "rhombus-7x7-1", "rhombus-4x4-3"]
RULES = [
    f"win={win},hops={hops},target={target}"
    for win in ("occupy", "fill")
    for hops in ("adjacent", "mirror")
    for target in ("free", "locked")
]


@cache
def solved(name: str, threads: int = 2) -> _core.Retrograde:
    solution = _core.Retrograde(halma.game(name).core, threads)
    while solution.step():
        pass
    return solution


def unpacked(values: np.ndarray, number: int) -> np.ndarray:
    return (values[:, None] >> np.array([0, 2, 4, 6]) & 3).reshape(-1)[:number]


@pytest.mark.parametrize("name", KNOWN)
def test_known_numbers(name: str) -> None:
    core = halma.game(name).core
    solution = solved(name)
    counts = solution.counts()
    known, plies = KNOWN[name]
    found = (counts["wins"], counts["losses"], counts["draws"], counts["illegal"])
    assert (solution.positions, *found) == known
    start = (1.0, plies) if plies else (0.5, 0)
    assert solution.probe(core.index(core.initial())) == start
    assert solution.finished
    assert solution.resolved == sum(solution.layers) + counts["illegal"]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("board", SMALL)
def test_agrees_with_the_naive_twin(board: str, rules: str) -> None:
    if board == SMALL[-1] and "locked" in rules:
        pytest.skip("the smaller boards show it")
    core = halma.game(f"{board}:{rules}").core
    solution = solved(f"{board}:{rules}")
    value, distance = solve_naively(core)
    expected = [value.get(i, "drawn") for i in range(core.index_size)]
    assert [CODES[v] for v in unpacked(solution.values(), core.index_size)] == expected
    plies = [distance.get(i, 0) for i in range(core.index_size)]
    assert solution.distances().tolist() == plies
    assert solution.depth == max(plies) + 1


@pytest.mark.parametrize(
    "name", ["rhombus-4x4-3", "rhombus-4x4-6:hops=mirror", "rhombus-4x4-3:sideways=off"]
)
def test_every_entry_follows_from_its_successors(name: str) -> None:
    core = halma.game(name).core
    values, distances = solved(name).values(), solved(name).distances()
    assert _core.Retrograde.verify(core, values, distances) == 0
    assert _core.Retrograde.verify(core, values) == 0
    won = int(np.flatnonzero(unpacked(values, core.index_size) == 1)[1000])
    distances[won] += 2
    assert _core.Retrograde.verify(core, values, distances) > 0
    values[won // 4] ^= 3 << won % 4 * 2
    assert _core.Retrograde.verify(core, values) > 0


def test_every_wrong_entry_is_found() -> None:
    core = halma.game("rhombus-3x3-3").core
    values, distances = solved("rhombus-3x3-3").values(), solved("rhombus-3x3-3").distances()
    for entry in range(0, core.index_size, 7):
        for change in (1, 2, 3):
            wrong = values.copy()
            wrong[entry // 4] ^= change << entry % 4 * 2
            assert _core.Retrograde.verify(core, wrong, distances, 1) > 0
        wrong = distances.copy()
        wrong[entry] += 2
        assert _core.Retrograde.verify(core, values, wrong, 1) > 0


def test_rows_make_the_whole() -> None:
    core = halma.game("rhombus-4x4-3").core
    distances = solved("rhombus-4x4-3").distances()
    distances[::1000] += 1
    values = solved("rhombus-4x4-3").values()
    rows = _core.Retrograde.rows(core)
    assert rows == 560
    parts = [
        _core.Retrograde.verify(core, values, distances, 2, first, 70)
        for first in range(0, rows, 70)
    ]
    assert sum(parts) == _core.Retrograde.verify(core, values, distances) > 160
    with pytest.raises(ValueError, match="fewer rows"):
        _core.Retrograde.verify(core, values, distances, 2, 500, 61)


def test_threads_do_not_change_the_solution() -> None:
    name = "rhombus-4x4-3:win=fill"
    for threads in (1, 3):
        other = solved(name, threads)
        assert other.layers == solved(name).layers
        assert np.array_equal(other.distances(), solved(name).distances())
        assert np.array_equal(other.values(), solved(name).values())


def test_identity_of_pieces_does_not_matter() -> None:
    assert solved("rhombus-4x4-3:view=ids").layers == solved("rhombus-4x4-3").layers


def test_parts_are_parts_of_the_whole() -> None:
    solution = solved("rhombus-4x4-3")
    whole = unpacked(solution.values(), solution.positions)
    part = unpacked(solution.values(4_000, 1_002), 1_002)
    assert np.array_equal(part, whole[4_000:5_002])
    assert np.array_equal(solution.distances(4_000, 1_002), solution.distances()[4_000:5_002])
    assert solution.distances(160_160).size == 0
    with pytest.raises(ValueError, match="multiple of four"):
        solution.values(2)
    with pytest.raises(ValueError, match="shorter"):
        solution.values(0, 160_161)
    with pytest.raises(ArgumentError):
        solution.probe(160_160)


def test_goes_on_from_where_it_stopped() -> None:
    core = halma.game("rhombus-4x4-3").core
    first = _core.Retrograde(core)
    for _ in range(7):
        first.step()
    saved = {
        key: part.copy() if isinstance(part, np.ndarray) else part
        for key, part in first.state().items()
    }
    while first.step():
        pass
    second = _core.Retrograde(core)
    second.restore(saved)
    assert (second.depth, second.finished) == (7, False)
    while second.step():
        pass
    assert second.layers == first.layers
    assert second.counts() == first.counts()
    assert np.array_equal(second.distances(), first.distances())
    with pytest.raises(ValueError, match="another game"):
        _core.Retrograde(halma.game("rhombus-3x3-3").core).restore(saved)
    with pytest.raises(ValueError, match="written otherwise"):
        second.restore({**saved, "open": saved["open"] - 1})


def test_says_what_it_needs_and_what_it_cannot_do() -> None:
    core = halma.game("rhombus-7x7-3").core
    # A byte and two bits for every position but one of two mirror images.
    assert 0.625 <= _core.Retrograde.bytes_needed(core) / core.index_size < 0.635
    for name in ("draughts-8x8", "star-121-2p", "ewn-3x3-3"):
        assert not _core.Retrograde.supports(halma.game(name).core)
        with pytest.raises(ValueError, match="cannot be solved"):
            _core.Retrograde(halma.game(name).core)
    with pytest.raises(ValueError, match="more positions than could be held"):
        _core.Retrograde(halma.game("rhombus-7x7-6").core)
    with pytest.raises(ValueError, match="thread"):
        _core.Retrograde(core, 0)
    with pytest.raises(ValueError, match="one entry"):
        _core.Retrograde.verify(core, np.zeros(3, np.uint8))


def test_keeps_its_game_alive() -> None:
    options = _core.SternhalmaOptions(
        mirror_hops=False,
        occupy=True,
        closed_points=False,
        locked_target=False,
        second_place=False,
        all_places=False,
        teams=False,
        ids_view=False,
        sideways=True,
        more_features=False,
    )
    core = _core.sternhalma_rhombus(4, 2, options)
    solution = _core.Retrograde(core)
    del core
    gc.collect()
    while solution.step():
        pass
    assert solution.counts()["wins"] == 96_875


LARGEST = """
import json, resource, halma
from halma import _core
core = halma.game("rhombus-7x7-3").core
solution = _core.Retrograde(core)
while solution.step():
    pass
print(json.dumps({
    "counts": solution.counts(),
    "start": solution.probe(core.index(core.initial())),
    "depth": solution.depth,
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
}))
"""


@pytest.mark.slow
def test_the_largest_board() -> None:
    # In a process of its own, so that its memory can be told from that of other tests.
    run = subprocess.run([sys.executable, "-c", LARGEST], capture_output=True, check=True)
    found = json.loads(run.stdout)
    assert found["peak"] < 300_000_000
    assert found["counts"] == {
        "wins": 157_657_604,
        "losses": 121_639_866,
        "draws": 90_430,
        "illegal": 288_420,
    }
    assert found["start"] == [1, 41]
    assert found["depth"] == 50
