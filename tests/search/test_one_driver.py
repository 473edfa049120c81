"""A network sees the same planes in self-play, gate, evaluation and play."""

from __future__ import annotations

import random

import numpy as np
import pytest

import halma
from halma import _core
from halma.search.evaluator import Evaluator
from halma.search.minimax import has_chance
from halma.selfplay import Pool, selfplay_options

VARIANTS = ("draughts-8x8", "cdc-2x4-PPPP", "rhombus-7x7-6", "ewn-3x3-3", "star-37-3p", "frogs-3-2")
SIMULATIONS = 12


class Recorder(Evaluator):
    """An evaluator that keeps the planes it is shown; equal planes get equal outputs."""

    def __init__(self, game: halma.Game) -> None:
        self.shape, self.actions, self.players = game.shape, game.actions, game.players
        self.seen: list[np.ndarray] = []

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.seen += list(planes.copy())
        logits = np.zeros((len(planes), self.actions), np.float32)
        values = np.full((len(planes), self.players), 1 / self.players, np.float32)
        for row, one in enumerate(planes):
            rng = np.random.default_rng(int(np.abs(one).sum() * 1000))
            logits[row] = rng.normal(size=self.actions)
        return logits, values


def random_record(game: halma.Game, rng: random.Random) -> halma.Record:
    """Return a game after a random number of random moves, at a decision."""
    while True:
        record = halma.Record(game)
        for _ in range(rng.randrange(30)):
            while not record.is_over and record.position.is_chance:
                record.resolve(rng.choice(record.position.outcomes))
            if record.is_over:
                break
            record.play(rng.choice(record.position.legal_moves))
        while not record.is_over and record.position.is_chance:
            record.resolve(rng.choice(record.position.outcomes))
        if not record.is_over:
            return record


def planes_of_search(game: halma.Game, events: list[tuple[bool, int]]) -> list[np.ndarray]:
    """Return the planes that a search shows after these events of a game."""
    recorder = Recorder(game)
    search = _core.Search(game.core, puct(game), "network", seed=3)
    record = _core.Record(game.core, game.limits, game.start().state)
    for chance, value in events:
        (record.resolve if chance else record.play)(value)
    search.set_record(record)
    search.begin(SIMULATIONS)
    planes = np.zeros((1, *game.shape), np.float32)
    while _core.collect([search], planes):
        _core.submit([search], *recorder.evaluate(planes))
    return recorder.seen


def puct(game: halma.Game) -> _core.SearchOptions:
    options = _core.SearchOptions()
    options.rule = "puct"
    return options


@pytest.mark.parametrize("name", VARIANTS)
def test_roots_show_what_the_record_encodes(name: str) -> None:
    """The first planes of every search are the record's own, whichever code asked."""
    from halma.agents.mcts import TreeAgent
    from halma.search.batched import SearchPlayer

    game, rng = halma.game(name), random.Random(1)
    for _ in range(8):
        record = random_record(game, rng)
        expected = record.encode()
        match, agent = Recorder(game), Recorder(game)
        SearchPlayer(game, match, puct(game), SIMULATIONS, seed=3).choose([record], [rng])
        player = TreeAgent("net", SIMULATIONS, options={"rule": "puct"})
        player.evaluator = lambda game, agent=agent: agent
        player.choose(record, random.Random(5))
        np.testing.assert_array_equal(match.seen[0], expected)
        np.testing.assert_array_equal(agent.seen[0], expected)
        direct = planes_of_search(game, record.events)
        np.testing.assert_array_equal(direct[0], expected)
        if not has_chance(game):
            np.testing.assert_array_equal(match.seen, direct)
            np.testing.assert_array_equal(agent.seen, direct)


@pytest.mark.parametrize("name", VARIANTS)
def test_self_play_shows_the_same(name: str) -> None:
    """What the pool shows, root by root and leaf by leaf, a search of the record shows too."""
    game = halma.game(name)
    recorder = Recorder(game)
    options = selfplay_options(
        game,
        {"rule": "puct"},
        simulations=SIMULATIONS,
        temperatures=[(0, 1.0)],
        random_plies_max=6,
        cache_evaluations=False,  # otherwise nothing is shown twice
    )
    games = Pool(game, options, [recorder], slots=1, threads=1, seed=5, games=3).play()
    expected, roots = [], []
    for number in range(len(games)):
        rows = range(games.row_offsets[number], games.row_offsets[number + 1])
        searched = {int(games.plies[row]) for row in rows if games.choices[row] == 0}
        events = games.events(number)
        record = _core.Record(game.core, game.limits, game.start().state)
        for i, (chance, value) in enumerate(events):
            if not chance and record.plies in searched:
                roots.append(record.encode())
                expected += planes_of_search(game, events[:i])
            (record.resolve if chance else record.play)(value)
    assert len(roots) > 5
    if has_chance(game):
        # Trees differ by what chance drew in them; roots do not.
        shown = {planes.tobytes() for planes in recorder.seen}
        assert all(root.tobytes() in shown for root in roots)
    else:
        np.testing.assert_array_equal(recorder.seen, expected)


def test_matches_are_without_noise() -> None:
    """Without noise the move of a search does not depend on its seed; with noise it does."""
    game = halma.game("rhombus-7x7-6")
    rng = random.Random(2)
    from halma.search import search_options
    from halma.search.batched import SearchPlayer

    def moves(seed: int, **options: object) -> list[int]:
        found = []
        state = random.Random(7)
        for _ in range(6):
            record = random_record(game, state)
            chosen = search_options(game, **options)
            player = SearchPlayer(game, Recorder(game), chosen, SIMULATIONS, seed)
            found += [move.value for move in player.choose([record], [rng])]
        return found

    for rule in ("gumbel", "puct"):
        assert moves(1, rule=rule) == moves(2, rule=rule)
    assert moves(1, rule="gumbel", gumbel_scale=1.0) != moves(2, rule="gumbel", gumbel_scale=1.0)


def test_policy_targets_treat_proofs_in_one_way() -> None:
    """Self-play's targets are the search's: nothing for proven losses, all for proven wins."""
    game = halma.game("rhombus-3x3-3")
    settings = {"rule": "puct", "solver": True}
    options = selfplay_options(game, settings, simulations=60, temperatures=[(0, 1.0)])
    single = _core.Search(game.core, options.search, "network")
    planes = np.zeros((1, *game.shape), np.float32)
    recorder = Recorder(game)
    wins = losses = 0
    games = Pool(game, options, [recorder], slots=1, threads=1, seed=1, games=8).play()
    for number in range(len(games)):
        record = _core.Record(game.core, game.limits, game.start().state)
        first = int(games.row_offsets[number])
        for row, (_, move) in enumerate(games.events(number), first):
            single.set_record(record)
            single.begin(60)
            while _core.collect([single], planes):
                _core.submit([single], *recorder.evaluate(planes))
            target = single.policy_target()
            entries = slice(games.policy_offsets[row], games.policy_offsets[row + 1])
            actions = [game.core.action(record.state(), m.move) for m in single.root_moves()]
            weights = dict(
                zip(games.policy_actions[entries], games.policy_weights[entries], strict=True)
            )
            assert [weights.get(action, 0.0) for action in actions] == pytest.approx(target)
            proofs = [m.proof for m in single.root_moves()]
            won = [p == _core.Proof.WIN for p in proofs]
            for proof, weight in zip(proofs, target, strict=True):
                if any(won):
                    assert weight == (
                        pytest.approx(1 / sum(won)) if proof == _core.Proof.WIN else 0
                    )
                elif proof == _core.Proof.LOSS and not all(p == proof for p in proofs):
                    assert weight == 0
                    losses += 1
            wins += any(won)
            record.play(move)
    assert wins > 3 and losses > 3
