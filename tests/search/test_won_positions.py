"""Searches turn won positions into wins: the quickest one is taken, and nobody moves in circles."""

from __future__ import annotations

import random

import pytest

from halma.agents import agent
from halma.games import Record, game
from halma.search import Minimax

WIN_IN_ONE = "KG.M..../......../......Gp/........ r - 1"
WON_HUNT = "......gp/.C...rR./.......m/........ b - 1"
WON_RACE = (
    "......111/......111/.......11/........1/........./2...2..../2...2..../22.21..../222...... 2"
)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("scale", [0.0, 1.0, 50.0])
def test_no_estimate_of_expectimax_is_worth_a_win(depth: int, scale: float) -> None:
    chosen = game("cdc-4x8")
    found = Minimax(chosen, "expectimax", scale=scale).search(
        chosen.position(WIN_IN_ONE), depth=depth
    )
    assert found.best.text == "c7xc8"


def test_the_scale_of_expectimax_is_the_one_of_the_game() -> None:
    chosen = game("cdc-4x8")
    own = Minimax(chosen, "expectimax").scale
    assert 0 < own < 1
    assert Minimax(chosen, "expectimax", scale=0.0).scale == own


@pytest.mark.parametrize("name", ["expectimax:depth=4", "expectimax:nodes=2000"])
@pytest.mark.parametrize("other", ["random", "expectimax:nodes=2000"])
def test_four_pieces_hunt_down_a_cannon(name: str, other: str) -> None:
    chosen = game("cdc-4x8")
    record = Record(chosen, chosen.position(WON_HUNT))
    mover, rng = record.position.mover, random.Random(1)
    players = [agent(name), agent(other)]
    while not record.is_over:
        record.play(players[record.position.mover != mover].choose(record, rng))
    assert record.result[mover] == 1 and record.plies < 40


@pytest.mark.parametrize("name", ["minimax:depth=4", *(f"alphabeta:depth={d}" for d in (3, 4, 5))])
@pytest.mark.parametrize("shuffle", ["g9-f9", "i6-i5"])
def test_a_won_race_is_won_against_one_who_moves_to_and_fro(name: str, shuffle: str) -> None:
    chosen = game("rhombus-9x9-10")
    record, player, rng = Record(chosen, chosen.position(WON_RACE)), agent(name), random.Random(0)
    to_and_fro = {shuffle, "-".join(reversed(shuffle.split("-")))}
    while not record.is_over and record.plies < 40:
        if record.position.mover == 1:
            record.play(player.choose(record, rng))
        else:
            record.play(next(m for m in record.position.legal_moves if m.text in to_and_fro))
    assert record.is_over and record.result[1] == 1
