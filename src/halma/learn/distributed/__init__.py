"""Training on a Ray cluster: the loop of one machine, with its stages on many.

session.py     AlphaZero with its stages on the nodes
ledger.py      which games are wanted, given to a worker, or here
worker.py      the actor on a node: self-play and matches
workers.py     the actors of a run, which come and go with the nodes
self_play.py   an iteration's games, played by the workers
evaluation.py  gate and matches against agents, played by the workers
learner.py     the trainer on a node with a GPU
monitor.py     rates, lags and queues of a run: Prometheus metrics, cluster.jsonl
page.py        cluster.html, the page of a run's nodes
"""
