"""hsueh2023, "Analyses of Tabular AlphaZero on Strongly-Solved Stochastic Games"."""

from __future__ import annotations

from dataclasses import replace

from halma.lab.experiment import Experiment, Paper
from halma.lab.hsueh2023 import (
    default_table,
    exploration,
    first_play,
    further,
    networks,
    simulations,
    table1,
)
from halma.lab.hsueh2023.settings import ALL_VARIANTS, APPENDIX_VARIANTS

#: Figures of the main text, and the ones of the appendix that show the other four variants.
_APPENDIX = {
    "fig9": 26,
    "fig10": 27,
    "fig12": 28,
    "fig13": 29,
    "fig14": 30,
    "fig15": 31,
    "fig18": 32,
    "fig19": 33,
    "fig20": 34,
    "fig23": 35,
}
_SECTIONS = (table1, default_table, exploration, simulations, first_play, networks, further)
_MAIN: dict[str, Experiment] = {
    experiment.name: experiment for section in _SECTIONS for experiment in section.EXPERIMENTS
}


def _in_appendix(experiment: Experiment, number: int) -> Experiment:
    return replace(
        experiment,
        name=f"fig{number}",
        title=f"Figure {number}{experiment.title[experiment.title.index(':') :]}",
        variants=APPENDIX_VARIANTS,
        group="appendix",
    )


PAPER = Paper(
    "hsueh2023",
    "hsueh2023: Analyses of Tabular AlphaZero on Strongly-Solved Stochastic Games",
    [*_MAIN.values(), *(_in_appendix(_MAIN[name], number) for name, number in _APPENDIX.items())],
    variants=ALL_VARIANTS,
)
