"""Engines: they search a position and report what they found."""

from halma.search.analysis import Analysis, MoveReport
from halma.search.evaluator import Evaluator
from halma.search.minimax import Minimax, MinimaxAnalysis
from halma.search.options import search_options
from halma.search.racing import greedy_games, lookahead_moves
from halma.search.tree_search import TreeSearch

__all__ = [
    "Analysis",
    "Evaluator",
    "Minimax",
    "MinimaxAnalysis",
    "MoveReport",
    "TreeSearch",
    "greedy_games",
    "lookahead_moves",
    "search_options",
]
