"""Agents, which choose moves. `agent("greedy:stochastic")` finds one by its name."""

from halma.agents.agent import Agent, AgentSpec, Analyst, GameChecker, PolicyAgent
from halma.agents.best import best_name, player_of
from halma.agents.human import HumanAgent, LeftError
from halma.agents.play import Step, check_seats, play_game
from halma.agents.registry import agent, register, specs
from halma.agents.suitable import check_agent, quick_agents

__all__ = [
    "Agent",
    "AgentSpec",
    "Analyst",
    "GameChecker",
    "HumanAgent",
    "LeftError",
    "PolicyAgent",
    "Step",
    "agent",
    "best_name",
    "check_agent",
    "check_seats",
    "play_game",
    "player_of",
    "quick_agents",
    "register",
    "specs",
]
