"""hsueh2023, "Analyses of Tabular AlphaZero on Strongly-Solved Stochastic Games"."""

from __future__ import annotations

from dataclasses import replace

from halma.lab.experiment import Experiment, Paper
from halma.lab.hsueh2023 import first_play, further, search_parameters, tables
from halma.lab.hsueh2023.settings import ALL_VARIANTS, APPENDIX_VARIANTS

_MAIN: dict[str, Experiment] = {
    experiment.name: experiment
    for section in (tables, search_parameters, first_play, further)
    for experiment in section.EXPERIMENTS
}
#: Figures of the main text that figures 26 to 35, in the appendix, show for the other variants.
_IN_APPENDIX = (9, 10, 12, 13, 14, 15, 18, 19, 20, 23)


def _in_appendix(experiment: Experiment, number: int) -> Experiment:
    return replace(
        experiment,
        name=f"fig{number}",
        title=f"Figure {number}{experiment.title[experiment.title.index(':') :]}",
        variants=APPENDIX_VARIANTS,
        group="appendix",
    )


_APPENDIX = [_in_appendix(_MAIN[f"fig{main}"], n) for n, main in enumerate(_IN_APPENDIX, start=26)]
PAPER = Paper(
    "hsueh2023",
    "hsueh2023: Analyses of Tabular AlphaZero on Strongly-Solved Stochastic Games",
    [*_MAIN.values(), *_APPENDIX],
    variants=ALL_VARIANTS,
)
