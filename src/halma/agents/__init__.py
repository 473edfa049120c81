"""Agents, which choose moves. `agent("greedy:stochastic")` finds one by its name."""

from halma.agents.agent import Agent, AgentSpec, Analyst
from halma.agents.best import best_name, player_of
from halma.agents.human import LeftError
from halma.agents.play import Step, play_game
from halma.agents.registry import agent, register, specs

__all__ = [
    "Agent",
    "AgentSpec",
    "Analyst",
    "LeftError",
    "Step",
    "agent",
    "best_name",
    "play_game",
    "player_of",
    "register",
    "specs",
]
