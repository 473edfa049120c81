"""Agents: who plays. `agent("greedy:stochastic")` finds one by its name."""

from halma.agents.agent import Agent
from halma.agents.kind import Kind
from halma.agents.match import Step, play_game
from halma.agents.registry import agent, kinds, register

__all__ = ["Agent", "Kind", "Step", "agent", "kinds", "play_game", "register"]
