"""Exact solutions: solving, tables on disk, and what can be asked of them."""

from halma.solve.solution import MoveValue, Solution
from halma.solve.solver import plan, solution_for, solve

__all__ = ["MoveValue", "Solution", "plan", "solution_for", "solve"]
