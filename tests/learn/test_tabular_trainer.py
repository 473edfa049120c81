"""The tabular trainer of the core, against its naive twin and known numbers."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from reference.tabular import Twin

from halma import _core
from halma.games import game as game_named
from halma.solve.solver import solution_for


def options(**values: object) -> _core.SearchOptions:
    made = _core.SearchOptions()
    for name, value in values.items():
        setattr(made, name, value)
    return made


def noisy() -> _core.SearchOptions:
    return options(dirichlet_weight=0.25, dirichlet_alpha=1.5)


def trainer(
    name: str,
    search: _core.SearchOptions | None = None,
    limits: _core.Limits | None = None,
    threads: int = 2,
    **values: object,
) -> _core.TabularTrainer:
    game = game_named(name)
    made = _core.TabularOptions()
    made.search, made.limits = search or noisy(), limits or game.limits
    for key, value in values.items():
        setattr(made, key, value)
    return _core.TabularTrainer(game.core, made, threads)


class FirstTable(dict[bytes, np.ndarray]):
    """The trainer's logits before it learned anything, by state."""

    def __init__(self, made: _core.TabularTrainer) -> None:
        self.row, self.entries = made.row, made.table().copy()

    def __missing__(self, state: bytes) -> np.ndarray:
        entry = self[state] = self.entries[self.row(state)]
        return entry


def samples(made: _core.TabularTrainer) -> list[tuple[int, dict[int, float], float]]:
    """(row, {action: weight}, outcome) of the replay buffer, out of its bytes."""
    data, found = made.replay_buffer(), []
    while data:
        positions, targets = np.frombuffer(data[:16], np.uint64).tolist()
        data = data[16:]
        rows = np.frombuffer(data[: positions * 16], "u4,u4,u4,f4")
        data = data[positions * 16 :]
        actions = np.frombuffer(data[: targets * 2], np.uint16).tolist()
        shares = np.frombuffer(data[targets * 2 : targets * 6], np.float32).tolist()
        data = data[targets * 6 :]
        for row, first, number, outcome in rows.tolist():
            part = slice(first, first + number)
            found.append((row, dict(zip(actions[part], shares[part], strict=True)), outcome))
    return found


# What hsueh2023 counts in its table 1; two of the dark chess sets cannot match to the digit.
@pytest.mark.parametrize(
    "name, rows", [("ewn-3x3-3", 367_956), ("cdc-2x4-PPPP", 194_933), ("cdc-2x4-KPPP", 1_933_965)]
)
def test_a_row_for_every_reachable_position(name: str, rows: int) -> None:
    made = trainer(name)
    game = game_named(name)
    assert made.rows == rows
    assert made.table().shape == (rows, 1 + game.core.actions)
    indices = made.indices()
    for row in np.random.default_rng(1).integers(rows, size=200):
        state = game.core.unindex(int(indices[row]))
        assert made.row(state) == row


def test_states_without_a_row() -> None:
    made, core = trainer("ewn-3x3-3"), game_named("ewn-3x3-3").core
    assert made.row(core.initial()) is None  # nobody decides there
    assert made.row(core.unindex(int(made.indices()[0]))) == 0


def test_the_first_logits_are_small_and_normal() -> None:
    table = trainer("ewn-3x3-3", seed=3).table()
    assert abs(table.mean()) < 1e-4
    assert table.std() == pytest.approx(0.01, rel=0.01)
    assert np.abs(table).max() < 0.07
    assert not np.array_equal(table, trainer("ewn-3x3-3", seed=4).table())


@pytest.mark.parametrize(
    "name, simulations, fpu",
    [
        ("ewn-3x3-2", 12, ("loss", 0.0)),
        ("ewn-3x3-3", 25, ("draw", 0.5)),
        ("cdc-2x4-PPPP", 16, ("infinite", 1e9)),
        ("rhombus-3x3-3", 20, ("win", 1.0)),
    ],
)
def test_plays_and_learns_like_the_naive_twin(
    name: str, simulations: int, fpu: tuple[str, float]
) -> None:
    game = game_named(name)
    search = options(c=1.25, fpu=fpu[0])
    # Repetition ends games of untrained players, so that none goes on forever.
    limits = _core.Limits(repetitions=3, no_progress=40)
    values = {"simulations": simulations, "games": 3, "replay_buffer": 2, "seed": 11}
    made = trainer(name, search, limits, **values)
    twin = Twin(game.core, limits, FirstTable(made), c=1.25, fpu=fpu[1], **values)
    for rate in (1.0, 1.0, 0.1):
        made.iterate(rate, threads=2)
        twin.iterate(rate)
        theirs = [(made.row(s), p, z) for games in twin.samples for s, p, z in games]
        ours = samples(made)
        assert [row for row, _, _ in ours] == [row for row, _, _ in theirs]
        assert [z for _, _, z in ours] == [z for _, _, z in theirs]
        for (_, mine, _), (_, other, _) in zip(ours, theirs, strict=True):
            assert mine == pytest.approx(other)
    for state, entry in twin.table.items():
        assert made.table()[made.row(state)] == pytest.approx(entry, abs=1e-5)
    for state, number in twin.updates.items():
        assert made.updates()[made.row(state)] == number
    assert made.updates().sum() == sum(twin.updates.values())


def test_threads_change_nothing_but_time() -> None:
    def learned(threads: int) -> np.ndarray:
        made = trainer("ewn-3x3-3", simulations=50, games=40, seed=5)
        for rate in (1.0, 0.1):
            made.iterate(rate, threads=threads)
        return made.table().copy()

    one = learned(1)
    assert np.array_equal(one, learned(2))
    assert np.array_equal(one, learned(5))


def test_targets_are_shares_of_the_simulations() -> None:
    made = trainer("ewn-3x3-3", simulations=41, games=20)
    totals = made.iterate(1.0)
    assert totals["games"] == 20
    assert totals["simulations"] == 41 * totals["plies"]
    assert totals["positions"] == totals["plies"] == len(samples(made))
    for _, policy, outcome in samples(made):
        assert sum(policy.values()) == pytest.approx(1)
        assert all(share * 40 == pytest.approx(round(share * 40)) for share in policy.values())
        assert outcome in (0.0, 0.5, 1.0)


def test_seconds_bound_an_iteration() -> None:
    made = trainer("ewn-3x3-3", simulations=100)
    few = made.iterate(1.0, seconds=0.05)
    many = made.iterate(1.0, seconds=0.5)
    assert 1 <= few["games"] < many["games"]
    # The last portion ends after the time is over.
    assert many["processor_seconds"] >= 0.5 > few["processor_seconds"] >= 0.05


def test_stopping_leaves_everything_as_it_was() -> None:
    made = trainer("cdc-2x4-PPPP", simulations=800, games=100_000)
    before = made.table().copy()
    outcome: list[object] = []
    player = threading.Thread(target=lambda: outcome.append(made.iterate(1.0, threads=2)))
    player.start()
    while player.is_alive():  # a stop before the first game would be forgotten
        made.stop()
        player.join(0.05)
    assert outcome == [None]
    assert made.iteration == 0
    assert made.replay_buffer() == b""
    assert np.array_equal(made.table(), before)


def test_going_on_from_what_was_kept() -> None:
    values = {"simulations": 30, "games": 15, "seed": 8}
    whole, first = trainer("ewn-3x3-3", **values), trainer("ewn-3x3-3", **values)
    for _ in range(4):
        whole.iterate(1.0)
    first.iterate(1.0)
    first.iterate(1.0)
    second = trainer("ewn-3x3-3", **values)
    second.table()[:] = first.table()
    second.updates()[:] = first.updates()
    second.restore(first.iteration, first.replay_buffer())
    second.iterate(1.0)
    second.iterate(1.0)
    assert second.iteration == 4
    assert np.array_equal(second.table(), whole.table())
    assert [second.updated(k) for k in (1, 4, 16)] == [whole.updated(k) for k in (1, 4, 16)]


def test_a_damaged_replay_buffer_is_refused() -> None:
    made = trainer("ewn-3x3-3", simulations=10, games=5)
    made.iterate(1.0)
    kept = made.replay_buffer()
    for bad in (kept[:-1], kept[:20], b"x", b"\xff" * 32, kept[:16] + b"\xff" * (len(kept) - 16)):
        with pytest.raises(ValueError, match="replay buffer"):
            made.restore(1, bad)
    assert made.replay_buffer() == kept


def teach(made: _core.TabularTrainer, name: str, pick: object) -> None:
    """Give every row the policy that a solution's move values suggest."""
    game = game_named(name)
    solution = solution_for(game)
    arrays = solution.arrays
    lookup = _core.ExpectimaxTable(game.core, arrays["values"], arrays["distances"])
    table = made.table()
    for row, index in enumerate(made.indices().tolist()):
        state = game.core.unindex(index)
        moves = lookup.moves(state)
        value = pick(value for _, value, _ in moves)
        for move, worth, _ in moves:
            table[row, 1 + game.core.action(state, move)] = 5.0 if worth == value else -5.0


@pytest.mark.parametrize("pick, low, high", [(max, 0.48, 0.52), (min, -0.1, 0.1)])
def test_a_match_tells_perfect_play_from_the_worst(pick: object, low: float, high: float) -> None:
    made = trainer("ewn-3x3-2")
    teach(made, "ewn-3x3-2", pick)
    arrays = solution_for(game_named("ewn-3x3-2")).arrays
    played = made.match(arrays["values"], arrays["distances"], games=10_000, seed=1)
    assert played == made.match(arrays["values"], arrays["distances"], 10_000, 1, threads=3)
    assert [sum(counts.values()) for counts in played.values()] == [5000, 5000]
    score = sum(side["wins"] + side["draws"] / 2 for side in played.values()) / 10_000
    assert low < score < high
    if pick is max:  # and each side gets what the start is worth
        first = played["first"]["wins"] / 5000
        assert first == pytest.approx(solution_for(game_named("ewn-3x3-2")).start_value(), abs=0.03)


def test_symmetry_teaches_the_images_too() -> None:
    plain = trainer("cdc-2x4-PPPP", simulations=20, games=5, seed=2)
    mirrored = trainer("cdc-2x4-PPPP", simulations=20, games=5, seed=2, symmetry=True)
    plain.iterate(1.0)
    totals = mirrored.iterate(1.0)
    ours, theirs = samples(plain), samples(mirrored)
    assert theirs[::4] == ours
    assert totals["positions"] == 4 * totals["plies"]
    core, indices = game_named("cdc-2x4-PPPP").core, mirrored.indices()
    for number, (row, policy, outcome) in enumerate(theirs):
        source, shares, result = theirs[number - number % 4]
        state = core.unindex(int(indices[source]))
        assert mirrored.row(core.image(state, number % 4)) == row
        assert sorted(policy.values()) == sorted(shares.values())
        assert outcome == result


def test_images_that_cannot_be_reached_are_left_out() -> None:
    # On 3 x 3 with four pieces the set-ups are not symmetric themselves.
    made = trainer("ewn-3x3-4", simulations=5, games=20, symmetry=True)
    totals = made.iterate(1.0)
    assert totals["plies"] < totals["positions"] < 2 * totals["plies"]


@pytest.mark.parametrize(
    "rule, solver", [("puct", True), ("gumbel", False), ("gumbel", True), ("rpo", False)]
)
def test_other_searches_learn_too(rule: str, solver: bool) -> None:
    search = options(rule=rule, solver=solver, gumbel_scale=1.0)
    made = trainer("ewn-3x3-2", search, simulations=16, count_root=False, games=200, seed=1)
    arrays = solution_for(game_named("ewn-3x3-2")).arrays

    def score() -> float:
        played = made.match(arrays["values"], arrays["distances"])
        return sum(side["wins"] + side["draws"] / 2 for side in played.values()) / 10_000

    before = score()
    for _ in range(15):
        made.iterate(1.0, threads=2)
    assert score() > max(before, 0.4)


@pytest.mark.parametrize(
    "name, words", [("star-37-3p", "two players"), ("draughts-8x8", "enumerated")]
)
def test_games_without_a_table_are_refused(name: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        trainer(name)


@pytest.mark.parametrize(
    "values", [{"simulations": 1}, {"games": 0}, {"replay_buffer": 0}, {"threads": 0}]
)
def test_impossible_options_are_refused(values: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        trainer("ewn-3x3-2", **values)
