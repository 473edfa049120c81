"""Games that are stopped: the limit on plies without progress, and who wins them."""

import random

import numpy as np
import pytest
from small_networks import small, train

import halma
from halma import _core
from halma.errors import RecipeError
from halma.learn.replay_buffer import GameFiles
from halma.learn.sections.self_play import SelfPlaySettings
from halma.learn.selfplay import adjudicate, leader_scores, limits, side_scores
from halma.selfplay import FinishedGames
from halma.selfplay.records import finished_game

GAME = halma.game("rhombus-4x4-3")


def naive_clock(game, states) -> int:
    """Plies since a player had more pieces in its target than in all states before."""

    def arrived(state, player):
        glyphs = game.core.describe(state)[3:]
        targets = game.core.describe(game.core.initial())[3:]
        theirs = [hole for hole, value in enumerate(targets) if (value - 1) // 16 == 1 - player]
        return sum((glyphs[h] - 1) // 16 == player for h in theirs if glyphs[h])

    counts = [[arrived(state, player) for player in (0, 1)] for state in states]
    last = 0
    for ply in range(1, len(counts)):
        for player in (0, 1):
            if counts[ply][player] > max(count[player] for count in counts[:ply]):
                last = ply
    return len(counts) - 1 - last


@pytest.mark.parametrize("seed", range(10))
def test_the_clock_of_progress_and_a_naive_twin(seed: int) -> None:
    """Random games whose first moves are greedy, so that pieces arrive, leave and come back."""
    rng = random.Random(seed)
    record = _core.Record(GAME.core, _core.Limits(progress_plies=9), GAME.core.initial())
    states = [record.state()]
    while record.end == _core.End.NONE:
        best = _core.furthest(GAME.core, record.state())
        moves = best if rng.random() < 0.5 else GAME.core.legal(record.state())
        record.play(rng.choice(moves))
        states.append(record.state())
        assert record.progress_clock == naive_clock(GAME, states)
        stalled = record.progress_clock >= 9 and not GAME.core.terminal(record.state())
        assert (record.end == _core.End.STALLED) == stalled
    for _ in range(min(5, record.plies)):
        record.undo()
        states.pop()
        assert record.progress_clock == naive_clock(GAME, states)


def test_without_the_limit_nothing_is_counted() -> None:
    record = _core.Record(GAME.core, _core.Limits(), GAME.core.initial())
    for _ in range(20):
        record.play(GAME.core.legal(record.state())[0])
    assert record.progress_clock == 0 and record.end == _core.End.NONE


def test_the_variants_own_limit_gives_way() -> None:
    game = halma.game("rhombus-7x7-6:liu2019")
    assert game.limits.plies == 100
    settings = small(game=game.name, network="liu2019", selfplay__max_plies=0).settings
    assert limits(game, settings).plies == 100
    soft = {"game": game.name, "network": "liu2019", "selfplay__progress_plies": 100}
    found = limits(game, small(**soft, selfplay__max_plies=0).settings)
    assert (found.plies, found.progress_plies, found.cycle_window) == (0, 100, 16)
    assert limits(game, small(**soft, selfplay__max_plies=300).settings).plies == 300


def test_who_wins_by_forward_distance() -> None:
    totals = np.array([10.0, 6.0])
    assert leader_scores(totals, 3).tolist() == [1.0, 0.0]
    assert leader_scores(totals, 4).tolist() == [0.5, 0.5]  # as far ahead as the margin: a draw
    assert leader_scores(np.array([2.0, 9.0, 8.0]), 1).tolist() == [0.0, 0.5, 0.5]


def played(moves: str) -> FinishedGames:
    record = halma.Record(GAME)
    for text in moves.split():
        record.play(text)
    return finished_game(record, end=_core.End.STALLED)


def advance(margin: float = 0.0, score: float = 1.0) -> SelfPlaySettings:
    return SelfPlaySettings(
        adjudication="advance", adjudication_margin=margin, adjudication_score=score
    )


def test_adjudication_by_hand() -> None:
    """Of four moves, player 1's advance one row, then two; player 2's one, then none."""
    games = played("a2-b2 d3-c3 a1-c1 d4-d3")
    rows = slice(0, 4)
    advances = _core.advances(GAME.core, games.states[rows], games.moves[rows])
    for state, move, found in zip(games.states, games.moves, advances, strict=True):
        assert found == _core.advance(GAME.core, state.tobytes(), int(move))
    lead = int(advances[0] + advances[2] - advances[1] - advances[3])
    assert lead > 0
    for margin, scores in ((lead - 1, [1.0, 0.0]), (lead, [0.5, 0.5])):
        adjudicate(GAME, games, advance(margin))
        assert games.scores[0].tolist() == scores
        assert games.outcomes[0].tolist() == scores and games.outcomes[1].tolist() == scores[::-1]


def test_games_that_the_rules_end_stay_as_they_are() -> None:
    games = played("a2-b2")
    games.ends[0] = _core.End.REPETITION.value
    adjudicate(GAME, games, advance())
    assert games.scores[0].tolist() == [0.5, 0.5]


def test_the_score_of_whoever_is_ahead_may_be_less_than_that_of_a_win() -> None:
    games = played("a2-b2 d3-c3 a1-c1 d4-d3")
    adjudicate(GAME, games, advance(score=0.5))
    assert games.scores.tolist() == [[0.5, 0.0]]
    assert games.outcomes.tolist() == [[0.5, 0.0], [0.0, 0.5]] * 2


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"network": "modern:size=s"}, "modern:values=each"),
        ({"learning__td_lambda": 0.9}, "td_lambda"),
        ({"learning__search_value_weight": 0.5}, "search_value_weight"),
        ({"search__solver": True}, "search.solver"),
    ],
)
def test_scores_that_do_not_add_up_need_two_values(changes, reason) -> None:
    settings = {"network": "modern:size=s,values=each", "selfplay__adjudication_score": 0.5}
    small(game="rhombus-4x4-3", **settings)
    with pytest.raises(RecipeError, match=reason):
        small(game="rhombus-4x4-3", **{**settings, **changes})
    small(game="rhombus-4x4-3", **{**changes, "selfplay__adjudication_score": 1.0})


def test_a_network_learns_scores_that_do_not_add_up(tmp_path) -> None:
    """Nobody finishes within four plies, so that the values of a position sum to a half."""
    recipe = small(
        game="rhombus-4x4-3",
        network="modern:size=s,values=each",
        selfplay__max_plies=4,
        selfplay__adjudication="features",
        selfplay__adjudication_score=0.5,
        learning__rate=0.01,
        iterations=4,
    )
    train(recipe, tmp_path / "run")
    found = halma.load_network(str(tmp_path / "run" / "best.onnx")).evaluate(GAME.start())
    assert 0.3 < sum(found.values) < 0.7


def test_self_play_with_the_soft_limit(tmp_path) -> None:
    recipe = small(
        game="rhombus-4x4-3",
        selfplay__max_plies=0,
        selfplay__progress_plies=6,
        selfplay__adjudication="advance",
        selfplay__adjudication_margin=1.0,
        iterations=1,
    )
    train(recipe, tmp_path / "run")
    games, _ = GameFiles(tmp_path / "run", recipe.game).read(1)
    stalled = games.ends == _core.End.STALLED.value
    assert stalled.any()
    assert set(np.unique(games.scores)) <= {0.0, 0.5, 1.0} and len(np.unique(games.scores)) > 1


def test_games_that_do_not_count_or_advance() -> None:
    with pytest.raises(RecipeError, match="limits any game"):
        small(game="ewn-3x3-2", selfplay__progress_plies=10)
    with pytest.raises(RecipeError, match="do not advance"):
        small(game="cdc-2x4-PPPP", selfplay__adjudication="advance")


def test_partners_are_ahead_together():
    """What counts is the sum of a team, and each of its players has the team's score."""
    totals = np.array([5.0, 9.0, 5.0, 0.0])
    alone, teams = (halma.game(f"star-121-4p{rules}") for rules in ("", ":teams=opposite"))
    assert side_scores(alone, totals).tolist() == [0, 1, 0, 0]
    assert side_scores(teams, totals).tolist() == [1, 0, 1, 0]
    assert side_scores(teams, totals, margin=1).tolist() == [0.5] * 4
