"""Learning: recipes, runs that survive being killed, reports of how they go."""

from halma.learn.metrics import read_metrics
from halma.learn.recipe import Recipe, load

__all__ = ["Recipe", "load", "read_metrics"]
