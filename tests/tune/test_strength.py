"""Trials compared by matches: simulated ones, between players whose Elo is known."""

import random
from types import SimpleNamespace

import pytest
from tune.tuning_helpers import plan_of, tiny

from halma.arena import PlayedGame, Sprt, Tally, make_plan
from halma.errors import OptionError
from halma.statistics import expected_score
from halma.tune import strength
from halma.tune.questions import NextOpponent
from halma.tune.trial import TrialRunner
from halma.tune.tuning import tune

pytestmark = pytest.mark.usefixtures("inline")


def simulated(difference, games, seed, sprt):
    """Return a match between players with this Elo difference, until a test ends it."""
    plan = make_plan("ewn-3x3-2", ["random", "greedy"], seed)
    tally, rng = Tally(plan), random.Random(seed)
    for number in range(games):
        if sprt and number and tally.at_set_end and sprt.accepted(tally.set_scores):
            break
        seating = plan.seating(number)
        won = rng.random() < expected_score(difference)
        result = tuple(float((agent == 0) == won) for agent in seating)
        names = tuple(plan.agents[agent] for agent in seating)
        moves = (str(number),)
        tally.add(PlayedGame(number, names, "", 0, moves, 1, result, "", "", 0.0))
    return tally


@pytest.fixture
def fake_matches(monkeypatch):
    """Let a trial's Elo be that of its learning rate; nothing is trained."""
    elos = {}

    def play(plan, runs, games, seed, sprt):
        first, second = (elos[run.name] for run in runs)
        return simulated(first - second, plan.games, seed, sprt)

    def trained(self, task, channel):
        elos[task.run.name] = task.recipe.settings.learning.rate
        return False

    monkeypatch.setattr(strength, "_play", play)
    monkeypatch.setattr(TrialRunner, "_train", trained)
    last = {"iteration": 4, "seconds": 1.0}
    monkeypatch.setattr(TrialRunner, "_result", lambda self, task: (None, None, last))
    return elos


def matches_plan(values, **changes):
    recipe = tiny(learning__rate=500.0)
    key = f"learning.rate={','.join(map(str, values))}"
    return plan_of([key], "strength", recipe, sampler="random", **changes)


def test_the_strongest_trial_is_found(fake_matches, tmp_path):
    plan = matches_plan([200, 500, 650, 800], sprt=Sprt(0, 50), games=2000)
    result = tune(plan, tmp_path / "t", trials=12, confirm_seeds=2)
    assert result.settings(result.best) == {"learning.rate": 800.0}
    for row in result.as_dict()["history"][1:]:
        match, elo = row["match"], row["settings"]["learning.rate"] - 500
        opponent = result.trials[match["opponent"]]
        stronger = elo > result.settings(opponent)["learning.rate"] - 500
        assert strength.won(match) == stronger
        # On the scale of the recipe as it is: 0.
        assert row["value"] == pytest.approx(opponent.value + match["elo"])
        assert abs(row["value"] - elo) < 200
        low, high = match["elo_interval"]
        assert low < match["elo"] < high
    assert result.confirmation.is_better(plan)
    assert len(result.confirmation.matches) == 2
    # A match that confirms is played to its end.
    assert {match["games"] for match in result.confirmation.matches} == {2000}
    page = (tmp_path / "t" / "report.html").read_text()
    assert strength.match_text(result.best.user_attrs["match"]) in page


def test_equal_trials_do_not_replace_the_recipe(fake_matches, tmp_path):
    plan = matches_plan([499.9, 500], sprt=Sprt(0, 100), games=4000)
    result = tune(plan, tmp_path / "t", trials=12, confirm_seeds=2)
    # Each has a chance of 5% to be taken for stronger.
    won = [row for row in result.as_dict()["history"][1:] if strength.won(row["match"])]
    assert len(won) <= 2
    assert any(row["match"]["accepted"] == "elo0" for row in result.as_dict()["history"][1:])


def trial_like(number, opponent=None, accepted="elo1", elo=30.0):
    match = {"opponent": opponent, "accepted": accepted, "elo": elo}
    return SimpleNamespace(number=number, user_attrs={} if opponent is None else {"match": match})


def test_the_incumbent_is_the_last_winner_of_a_chain():
    first = trial_like(0)
    assert strength.incumbent([first]) == 0
    lost = trial_like(1, 0, "elo0")
    winner, next_winner = trial_like(2, 0), trial_like(3, 2)
    assert strength.incumbent([first, lost, winner]) == 2
    assert strength.incumbent([first, lost, winner, next_winner]) == 3
    assert strength.elo_above_recipe([first, lost, winner, next_winner], 3) == 60.0


def test_who_beat_a_beaten_incumbent_plays_the_new_one():
    """Two trials side by side won against trial 0; the first to end is the new incumbent."""
    trials = [trial_like(0), trial_like(1, 0, elo=80.0), trial_like(2), trial_like(3)]
    folder = SimpleNamespace(
        trials=trials, describe=lambda number, **more: trials[number].user_attrs.update(more)
    )
    against_0 = {"opponent": 0, "accepted": "elo1", "elo": 60.0}
    against_1 = {"opponent": 1, "accepted": "elo0", "elo": -20.0}
    opponents = [NextOpponent(2, match).answer(folder) for match in (None, against_0, against_1)]
    assert opponents == [1, 1, None]
    assert strength.elo_above_recipe(trials, 2) == 60.0
    # One that lost needs no other match, nor does one that was interrupted after its match.
    lost = {"opponent": 0, "accepted": "elo0", "elo": -5.0}
    assert NextOpponent(3, lost).answer(folder) is None
    assert NextOpponent(3, None).answer(folder) is None
    assert strength.elo_above_recipe(trials, 3) == -5.0


def test_a_match_between_two_tables(tmp_path):
    plan = plan_of(["learning.rate"], "strength", games=20, sprt=Sprt(0, 50))
    result = tune(plan, tmp_path / "t", trials=2, confirm_seeds=0)
    match = result.trials[1].user_attrs["match"]
    assert match["games"] <= 20 and match["wins"] + match["draws"] + match["losses"]
    assert result.trials[1].value == match["elo"]
    assert (tmp_path / "t" / "matches" / "0001-0000.db").exists()
    assert result.trials[0].value == 0.0


def test_a_folder_that_cannot_be_part_of_a_name(tmp_path):
    with pytest.raises(OptionError, match="commas"):
        tune(plan_of(metric="strength"), tmp_path / "a,b")
    assert not (tmp_path / "a,b").exists()
