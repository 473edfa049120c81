"""hsueh2023, "Analyses of Tabular AlphaZero on Strongly-Solved Stochastic Games"."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from halma.lab.experiment import Experiment, Paper
from halma.lab.hsueh2023 import first_play, further, search_parameters, tables, untrained, watched
from halma.lab.hsueh2023.costs import full_costs
from halma.lab.hsueh2023.deviations import CUTOFFS, DEVIATIONS, WITHOUT_RESULT
from halma.lab.hsueh2023.settings import ALL_VARIANTS, APPENDIX_VARIANTS

_MAIN: dict[str, Experiment] = {
    experiment.name: experiment
    for section in (tables, search_parameters, first_play, watched, untrained, further)
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
        also="appendix",
    )


_APPENDIX = [_in_appendix(_MAIN[f"fig{main}"], n) for n, main in enumerate(_IN_APPENDIX, start=26)]
_EXPERIMENTS = [*_MAIN.values(), *_APPENDIX]
PAPER = Paper(
    "hsueh2023",
    "hsueh2023: Analyses of Tabular AlphaZero on Strongly-Solved Stochastic Games",
    _EXPERIMENTS,
    variants=ALL_VARIANTS,
    cutoffs=CUTOFFS,
    deviations=DEVIATIONS,
    without_result=WITHOUT_RESULT,
    curves=("wr_p", "games"),
    parts={"costs": partial(full_costs, _EXPERIMENTS)},
)
