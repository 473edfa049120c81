"""liu2019's search and its three phases of a game, against naive twins of sections 3.4 and 3.5."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
from small_pools import each_game, made_up, make_pool, short

import halma
from halma import _core
from halma.learn.recipe import checked
from halma.learn.selfplay import pool_options
from halma.networks import FunctionEvaluator
from halma.search import search_options
from halma.selfplay import Pool

#: Table 1 as settings; values lie in [0, 1] here, so c = 3.5 on [-1, 1] is 1.75
PAPER = {
    "method": "alphazero",
    "search.rule": "puct",
    "search.c": 1.75,
    "search.fpu": "draw",
    "search.simulations": 175,
    "search.dirichlet_weight": 0.25,
    "search.dirichlet_alpha": 0.03,
    "selfplay.random_plies_min": 6,
    "selfplay.random_plies_max": 6,
    "selfplay.temperature": 2.0,
    "selfplay.temperature_plies": 16,
    "selfplay.late_temperature": 0.01,
}


@dataclass
class Node:
    """A node as in section 3.4: N, W and P of its moves; Q = W / N, and 0 without visits."""

    moves: list[int]
    mover: int
    priors: np.ndarray
    visits: list[int] = field(default_factory=list)
    totals: list[float] = field(default_factory=list)
    children: dict[int, Node] = field(default_factory=dict)

    def select(self, c: float) -> int:
        """Return the move with the largest Q + U, equation 3; of equal ones the most probable."""
        root = math.sqrt(sum(self.visits))

        def score(j: int) -> tuple[float, float]:
            n = self.visits[j]
            q = self.totals[j] / n if n else 0.0
            return q + c * self.priors[j] * root / (n + 1), self.priors[j]

        return max(range(len(self.moves)), key=score)


def expand(game: halma.Game, record: _core.Record) -> tuple[Node | None, np.ndarray]:
    """Return the node of a position, None at the end of a game, and values in [-1, 1] by player."""
    state = record.state()
    moves = game.core.legal(state)
    if not moves:
        return None, 2 * np.array(game.core.result(state)) / game.core.max_score - 1
    logits, values = made_up(game, record.encode()[None])
    mover = game.core.mover(state)
    legal = np.array([logits[0, game.core.action(state, move)] for move in moves], np.float64)
    priors = np.exp(legal - legal.max())
    node = Node(moves, mover, priors / priors.sum())
    node.visits, node.totals = [0] * len(moves), [0.0] * len(moves)
    return node, 2 * np.roll(values[0].astype(np.float64), mover) - 1


def naive_visits(game: halma.Game, c: float, simulations: int) -> list[int]:
    """Return the visits of the root's moves after simulations from the start."""
    start = game.core.initial()
    root, _ = expand(game, _core.Record(game.core, game.limits, start))
    assert root is not None
    for _ in range(simulations):
        record = _core.Record(game.core, game.limits, start)
        node: Node | None = root
        path = []
        while node is not None:
            j = node.select(c)
            path.append((node, j))
            record.play(node.moves[j])
            if j not in node.children:
                child, values = expand(game, record)
                if child is not None:
                    node.children[j] = child
                break
            node = node.children[j]
        for visited, j in path:
            visited.visits[j] += 1
            visited.totals[j] += values[visited.mover]
    return root.visits


def recipe(**changes: object):
    return checked("liu2019", {**PAPER, "game": "rhombus-4x4-3", **changes})


@pytest.mark.parametrize("simulations", [1, 2, 30, 175])
def test_visits_are_those_of_the_paper_s_search(simulations: int) -> None:
    """On [-1, 1] with c = 3.5 and Q = 0 for unvisited moves, as on [0, 1] with 1.75 and a draw."""
    game = halma.game("rhombus-4x4-3")
    options = search_options(game, rule="puct", c=1.75, fpu="draw")
    search = _core.Search(game.core, options, "network")
    search.set_record(_core.Record(game.core, game.limits, game.core.initial()))
    search.begin(simulations)
    planes = np.zeros((1, *game.shape), np.float32)
    while _core.collect([search], planes):
        _core.submit([search], *made_up(game, planes))
    visits = [move.visits for move in search.root_moves(1)]
    assert visits == naive_visits(game, 3.5, simulations)
    assert sum(visits) == simulations
    # With the paper's number taken over unchanged, it would be another search.
    assert simulations < 30 or visits != naive_visits(game, 7.0, simulations)


def decision(visits: list[float], temperature: float) -> np.ndarray:
    """Return the probabilities of equation 5, in integers of any size where it needs them."""
    powers = [
        round(n) ** round(1 / temperature) if temperature < 1 else n ** (1 / temperature)
        for n in visits
    ]
    return np.array([float(power / sum(powers)) for power in powers])


@pytest.mark.parametrize("temperature", [2.0, 1.0, 0.5, 0.01])
def test_moves_are_drawn_as_equation_5_says(temperature: float) -> None:
    game = halma.game("rhombus-4x4-3")
    options = {
        "search": {"rule": "puct", "c": 4.0, "fpu": "draw"},
        "simulations": 30,
        "temperatures": [(0, temperature)],
    }
    number = 4000
    games = make_pool(game, options, slots=64, seed=1, games=number, limits=short(game, 1)).play()
    entries = slice(0, games.policy_offsets[1])
    actions, visits = games.policy_actions[entries], games.policy_weights[entries] * 30
    expected = decision(visits.tolist(), temperature)
    first = games.states[0].tobytes()
    drawn = Counter(game.core.action(first, int(move)) for move in games.moves)
    assert sum(drawn.values()) == number
    for action, share in zip(actions, expected, strict=True):
        margin = 5 * math.sqrt(share * (1 - share) / number) + 1e-9
        assert drawn[int(action)] / number == pytest.approx(share, abs=margin)


def test_a_low_temperature_does_not_overflow() -> None:
    """10,000 visits to the power of 100 are no number that a computer knows."""
    game = halma.game("rhombus-4x4-3")
    options = {
        "search": {"rule": "puct", "c": 1.75, "fpu": "draw"},
        "simulations": 10_000,
        "temperatures": [(0, 0.01)],
    }
    games = make_pool(game, options, slots=2, seed=1, games=2, limits=short(game, 1)).play()
    for row in range(2):
        entries = slice(games.policy_offsets[row], games.policy_offsets[row + 1])
        most = games.policy_actions[entries][games.policy_weights[entries].argmax()]
        assert game.core.action(games.states[row].tobytes(), int(games.moves[row])) == most


def test_the_three_phases_of_a_game() -> None:
    """Six random plies, ten with temperature 2, then the moves with the most visits."""
    chosen = recipe(**{"search.simulations": 20, "selfplay.max_plies": 24})
    game, settings = chosen.game, chosen.settings
    options = pool_options(game, settings)
    assert options.temperatures == [(0, 2.0), (16, pytest.approx(0.01))]
    assert (options.random_plies_min, options.random_plies_max) == (6, 6)
    assert not options.reuse
    evaluator = FunctionEvaluator(game.shape, lambda planes: made_up(game, planes))
    games = Pool(game, options, [evaluator], slots=16, games=40, limits=short(game, 24)).play()
    best: dict[str, list[bool]] = {"exploring": [], "late": []}
    for _, rows in each_game(games):
        assert (games.choices[rows][:6] == _core.Choice.RANDOM.value).all()
        for row in range(rows.start + 6, rows.stop):
            assert games.choices[row] == _core.Choice.FULL.value
            entries = slice(games.policy_offsets[row], games.policy_offsets[row + 1])
            weights = games.policy_weights[entries]
            action = game.core.action(games.states[row].tobytes(), int(games.moves[row]))
            played = float(weights[games.policy_actions[entries] == action][0])
            phase = "exploring" if games.plies[row] < 16 else "late"
            # 20 visits: the next smaller number is at most 19/20 of the largest.
            best[phase].append(played == weights.max())
    assert np.mean(best["exploring"]) < 0.7
    assert np.mean(best["late"]) > 0.98


def test_noise_of_the_root_is_the_paper_s() -> None:
    options = pool_options(recipe().game, recipe().settings).search
    assert options.dirichlet_alpha == pytest.approx(0.03)
    assert options.dirichlet_weight == pytest.approx(0.25)
    assert pool_options(recipe().game, recipe().settings).simulations == 175


def test_policy_labels_are_those_of_equation_5() -> None:
    """Labels are P* of equation 5: smoothed visits at first, then the best move alone."""
    small = {"search.simulations": 20, "selfplay.max_plies": 24}
    found = []
    for tempered in (False, True):
        chosen = recipe(**small, **{"selfplay.temperature_in_targets": tempered})
        game, options = chosen.game, pool_options(chosen.game, chosen.settings)
        evaluator = FunctionEvaluator(game.shape, lambda planes, game=game: made_up(game, planes))
        limits = short(game, 24)
        found.append(Pool(game, options, [evaluator], slots=8, games=8, limits=limits).play())
    visits, labels = found
    # The option changes what is learned, and no game.
    assert visits.moves.tolist() == labels.moves.tolist()
    late = 0
    for row in np.flatnonzero(visits.choices == _core.Choice.FULL.value):
        before = slice(visits.policy_offsets[row], visits.policy_offsets[row + 1])
        after = slice(labels.policy_offsets[row], labels.policy_offsets[row + 1])
        temperature = 2.0 if visits.plies[row] < 16 else 0.01
        expected = dict(
            zip(
                visits.policy_actions[before].tolist(),
                decision((20 * visits.policy_weights[before]).tolist(), temperature),
                strict=True,
            )
        )
        actual = dict(
            zip(labels.policy_actions[after].tolist(), labels.policy_weights[after], strict=True)
        )
        assert actual.keys() <= expected.keys()
        for action, share in expected.items():
            assert actual.get(action, 0.0) == pytest.approx(share, abs=1e-5)
        late += temperature < 1 and max(actual.values()) > 0.99
    assert late > 20


def test_labels_at_temperature_zero_are_the_moves_played() -> None:
    game = halma.game("rhombus-4x4-3")
    options = {
        "search": {"rule": "puct", "c": 1.75, "fpu": "draw"},
        "simulations": 20,
        "temperatures": [(0, 0.0)],
        "temperature_in_targets": True,
    }
    games = make_pool(game, options, slots=4, seed=1, games=4, limits=short(game, 8)).play()
    assert (np.diff(games.policy_offsets) == 1).all()
    for row, move in enumerate(games.moves):
        action = game.core.action(games.states[row].tobytes(), int(move))
        assert games.policy_actions[games.policy_offsets[row]] == action
        assert games.policy_weights[games.policy_offsets[row]] == 1.0
