"""Exact solutions: solvers, tables on disk, and exact values of positions and moves."""

from halma.solve.solution import MoveValue, Solution
from halma.solve.solver import solution_for, solve

__all__ = ["MoveValue", "Solution", "solution_for", "solve"]
