"""What hsueh2023 says in its text, beside what came of running it again."""

from halma.lab.hsueh2023.claims.exploration import (
    alpha,
    fig7,
    fig8,
    fig9,
    fig10,
    fig11,
    fig12,
    fig13,
)
from halma.lab.hsueh2023.claims.simulations import (
    FEW,
    FEW_VARIANT,
    T_SELF,
    fig14,
    fig15,
    fig16,
    fig17,
    fig18,
    fig19,
)
from halma.lab.hsueh2023.claims.untried import (
    exact_watched_values,
    fig20,
    fig21,
    fig22,
    fig23,
    fig25,
    watched_position,
)
from halma.lab.hsueh2023.claims.words import of_reduced, verdict

__all__ = [
    "FEW",
    "FEW_VARIANT",
    "T_SELF",
    "alpha",
    "exact_watched_values",
    "fig7",
    "fig8",
    "fig9",
    "fig10",
    "fig11",
    "fig12",
    "fig13",
    "fig14",
    "fig15",
    "fig16",
    "fig17",
    "fig18",
    "fig19",
    "fig20",
    "fig21",
    "fig22",
    "fig23",
    "fig25",
    "of_reduced",
    "verdict",
    "watched_position",
]
