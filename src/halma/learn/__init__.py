"""Training, from a recipe to reports.

session.py        train(), and the loop around iterations: clock, Ctrl-C, checkpoints, reports
recipe.py         recipes, checked against their game; what can be set: settings.py,
                  sections/, a module for each method
checks.py         agents, exact values and memory that a recipe needs, checked before a run
run.py            the run directory: recipe, versions, lock
alphazero.py      iterations with a network: self-play, training, gate, evaluation
tabular.py        iterations with a lookup table
dqn.py            iterations of deep Q-learning: episodes.py, transitions.py, q_trainer.py
selfplay.py       games of a network against itself, results of those that are stopped
players.py        the networks that play; opponents.py: their opponents in self-play
game_source.py    an iteration's games: from a file, from self-play now, or beside training
warm_start.py     epochs of training on games of an agent; agent_games.py: those games
replay_buffer.py  the newest games, in memory and on disk
batches.py        batches of training samples
trainer.py        the network in training; training_step.py: losses, optimiser, CUDA graph
evaluation.py     gate and matches against agents; matches.py: many games in lockstep
truth.py          comparison with exact values
checkpoint.py     what a run continues from
archive.py        network files: the best one, and the archive of versions
metrics.py        metrics.jsonl, warm-start.jsonl; metric_names.py: what is in them
fork.py           a copy of a run that goes on with other settings
bundle.py         a run in few small files, to travel
distributed/      the same on the nodes of a Ray cluster
reports/          events of a run, and what is made of them: console, TensorBoard, page
"""

from halma.learn.metrics import read_metrics
from halma.learn.recipe import Recipe, load
from halma.learn.session import train

__all__ = ["Recipe", "load", "read_metrics", "train"]
