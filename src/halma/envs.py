"""Every variant as a PettingZoo AEC environment; needs the extra `envs`.

- Agents are `player_0`, `player_1`, ... in the order of play.
- An observation is `{"observation": planes, "action_mask": mask}`: the planes of a network
  from the side of the player to move, (planes, rows, columns), and a mask of legal policy
  indices, (actions,). An agent that is not to move gets the same planes and an empty mask.
- The environment resolves chance (dice, face-down pieces) from the seed given to `reset`.
- Rewards come at the end: a score from 0 to the game's maximum is mapped to -1 to 1, so
  that with two players a win is 1, a draw 0 and a loss -1.
- A game that ends by its rules is terminated, draws by repetition or for lack of progress
  included. One stopped by its move limit, which no observation shows, is truncated.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from halma.machine import require

require("gymnasium", "pettingzoo")

from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from halma import _core
from halma.errors import IllegalMoveError, OptionError
from halma.games import Game, Record, game

#: `human` prints the position, `ansi` returns it as text, `rgb_array` as pixels
RENDER_MODES = ("human", "ansi", "rgb_array")


#: pixels of a side, far more than a screen has
LARGEST = 10_000


class HalmaEnv(AECEnv):  # type: ignore[misc]
    """The AEC environment of a variant; an illegal action raises an `IllegalMoveError`."""

    def __init__(
        self, variant: str | Game, render_mode: str | None = None, render_size: int = 400
    ) -> None:
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise OptionError(
                f"There is no render mode '{render_mode}': it is one of {', '.join(RENDER_MODES)}."
            )
        if render_mode == "rgb_array":
            require("PIL")
        if not 1 <= render_size <= LARGEST:
            raise OptionError(f"A picture has from 1 to {LARGEST:,} pixels a side.")
        self.game = variant if isinstance(variant, Game) else game(variant)
        self.render_mode, self.render_size = render_mode, render_size
        self.metadata = {
            "name": self.game.name,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{i}" for i in range(self.game.players)]
        self.observation_spaces = {agent: self._new_space() for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(self.game.actions) for agent in self.possible_agents}
        self.state_space = self._planes_space()
        self._rng = random.Random()

    def _new_space(self) -> Dict:
        mask = Box(0, 1, (self.game.actions,), np.int8)
        return Dict({"observation": self._planes_space(), "action_mask": mask})

    def _planes_space(self) -> Box:
        # The range of planes is up to the family.
        return Box(-np.inf, np.inf, self.game.shape, np.float32)

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; without a seed the generator of dice continues."""
        if seed is not None:
            self._rng.seed(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.record = Record(self.game)
        self._advance()

    def step(self, action: int | None) -> None:
        """Play the selected agent's action and resolve the chance nodes that follow."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        move = None if action is None else self.record.position.move_of(int(action))
        if move is None:
            raise IllegalMoveError(f"Action {action} is not legal here.")
        self.record.play(move)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._advance()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _advance(self) -> None:
        """Resolve chance, select the next agent, and set rewards if the game is over."""
        if not self.record.is_over:
            self.record.roll(self._rng)
        position = self.record.position
        self.agent_selection = self.possible_agents[position.mover]
        if self.record.is_over:
            limited = self.record.core.end == _core.End.PLIES
            ended = self.truncations if limited else self.terminations
            ended.update(dict.fromkeys(self.agents, True))
            self.infos = {agent: {"end": self.record.end} for agent in self.agents}
            highest = self.game.core.max_score
            for agent, score in zip(self.possible_agents, position.result, strict=True):
                self.rewards[agent] = 2 * score / highest - 1

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation of an agent."""
        position = self.record.position
        mask = np.zeros(self.game.actions, np.int8)
        if agent == self.agent_selection and not self.record.is_over:
            core, state = self.game.core, position.state
            mask[[core.action(state, move) for move in core.legal(state)]] = 1
        return {"observation": self.record.encode(), "action_mask": mask}

    def state(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the planes that the player to move sees: float32 (planes, rows, columns).

        No player has secrets in any of the games, so that they are all there is to see.
        """
        return self.record.encode()

    def render(self) -> str | np.ndarray[Any, np.dtype[np.uint8]] | None:
        """Return the position as text or as pixels (height, width, 3), or print it."""
        if self.render_mode == "ansi":
            return str(self.record.position)
        if self.render_mode == "rgb_array":
            return self.record.pixels(self.render_size)
        if self.render_mode == "human":
            print(self.record.position)
        return None


#: PettingZoo's name of the environment without wrappers.
raw_env = HalmaEnv


def env(variant: str | Game, render_mode: str | None = None, render_size: int = 400) -> AECEnv:
    """Return a variant with PettingZoo's usual wrappers.

    `render_size` is the longer side of a picture of `rgb_array` in pixels.
    An illegal action ends the game with -1 for the agent that tried it, 0 for the others.
    """
    wrapped: AECEnv = HalmaEnv(variant, render_mode, render_size)
    wrapped = TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    wrapped = AssertOutOfBoundsWrapper(wrapped)
    return OrderEnforcingWrapper(wrapped)
