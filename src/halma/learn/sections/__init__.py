"""The sections of recipes, and the settings of each method that are made of them.

Defaults of `tabular` are hsueh2023's; others are ours, beside what papers used.
"""
