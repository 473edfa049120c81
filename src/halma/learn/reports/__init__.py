"""Reports of a training run.

events.py          what a loop reports, and the handlers it reports to
console.py         a handler: the terminal
tensorboard.py     a handler: TensorBoard
page.py            a handler: report.html, the page of a run, written now and then
tabular_page.py    what a method adds to that page; alphazero_page.py, dqn_page.py
table_errors.py    a lookup table beside exact values, position by position
"""
