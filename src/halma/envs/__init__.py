"""Every variant as a PettingZoo environment; needs the extra `envs`."""

from halma.envs.aec import HalmaEnv, env, raw_env

__all__ = ["HalmaEnv", "env", "raw_env"]
