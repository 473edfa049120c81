"""Matches between agents: plan, games, results, ratings, stored games."""

from halma.arena.games import PlayedGame
from halma.arena.matches import play_matches
from halma.arena.plan import Plan, make_plan
from halma.arena.ratings import Rating, rate
from halma.arena.sprt import Sprt
from halma.arena.store import GameStore
from halma.arena.tally import Tally

__all__ = [
    "GameStore",
    "Plan",
    "PlayedGame",
    "Rating",
    "Sprt",
    "Tally",
    "make_plan",
    "play_matches",
    "rate",
]
