"""Engines: they search a position and report what they found."""

from halma.search.analysis import Analysis, MoveReport
from halma.search.evaluator import Evaluator, InferenceBuffer
from halma.search.minimax import Minimax, MinimaxAnalysis
from halma.search.options import search_options
from halma.search.racing import GreedyTotals, greedy_games, greedy_record, lookahead_moves
from halma.search.tree_search import TreeSearch

__all__ = [
    "Analysis",
    "Evaluator",
    "GreedyTotals",
    "InferenceBuffer",
    "Minimax",
    "MinimaxAnalysis",
    "MoveReport",
    "TreeSearch",
    "greedy_games",
    "greedy_record",
    "lookahead_moves",
    "search_options",
]
