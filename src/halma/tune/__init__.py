"""Tuning of recipes: trials of other settings, compared by a metric or by matches.

space.py       settings that are tuned, with the values that are tried
plan.py        what is tuned, by which metric, at which budget
folder.py      the folder of a tuning: plan, Optuna's study, run directories
trial.py       a trial, as a worker runs it
questions.py   what a trial asks the process that tunes: is it hopeless, whom does it play
tasks.py       tasks of workers, run once more where a process died
search.py      trials suggested by Optuna
population.py  population-based training
strength.py    matches between trials, ended by an SPRT
confirm.py     the best settings against the recipe as it is, with other seeds
result.py      what the trials say, as plain values
report.py      the page and the best settings as a recipe; figures.py: its pictures
tuning.py      all of it, in order
"""

from halma.tune.plan import TuningPlan
from halma.tune.tuning import tune

__all__ = ["TuningPlan", "tune"]
