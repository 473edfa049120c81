"""Reports of a training run.

events.py          what a loop reports, and the handlers it reports to
console.py         a handler: the terminal
tensorboard.py     a handler: TensorBoard
html.py            a handler: report.html, written now and then
page.py            the page of a run; tabular_page.py, alphazero_page.py: what a method adds
table_errors.py    a lookup table beside exact values, position by position
"""
