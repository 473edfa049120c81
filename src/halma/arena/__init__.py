"""The arena: games between agents, and honest numbers from them."""

from halma.arena.contest import contest
from halma.arena.plan import Plan, make_plan
from halma.arena.ratings import Rating, rate
from halma.arena.sprt import Sprt
from halma.arena.store import Store
from halma.arena.table import Played, Table
from halma.arena.tally import Tally

__all__ = [
    "Plan",
    "Played",
    "Rating",
    "Sprt",
    "Store",
    "Table",
    "Tally",
    "contest",
    "make_plan",
    "rate",
]
