"""AlphaZero with a network: self-play, learner, gate and matches, joined by files.

settings.py    what can be set, beside what papers used
selfplay.py    games of the network against itself, many at once
opening.py     games of a heuristic, to begin with
games.py       games on disk, and the window of them that is learnt from
examples.py    batches, made ahead by threads
learner.py     the network in training
players.py     networks and agents that move in many games at once
matches.py     matches between those: gate, evaluation, grading
state.py       what a checkpoint holds
loop.py        one after the other, again and again
"""
