"""Engines: what looks at a position for a while and tells what it found."""

from halma.networks.evaluator import Evaluator, InferenceBuffer
from halma.search.analysis import Analysis, MoveReport
from halma.search.guided import GuidedSearch
from halma.search.mcts import TreeOptions, TreeSearch
from halma.search.minimax import Found, Minimax
from halma.search.racing import GreedyTotals, greedy_games, greedy_record, lookahead_moves

__all__ = [
    "Analysis",
    "Evaluator",
    "Found",
    "GreedyTotals",
    "GuidedSearch",
    "InferenceBuffer",
    "Minimax",
    "MoveReport",
    "TreeOptions",
    "TreeSearch",
    "greedy_games",
    "greedy_record",
    "lookahead_moves",
]
