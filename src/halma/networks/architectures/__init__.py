"""Architectures by name, `name:key=value`, without the library that runs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halma.errors import OptionError, suggestion
from halma.names import Option, Value, join, resolve, split


@dataclass(frozen=True)
class Architecture:
    """A kind of network: its dials, and what it demands of a game."""

    name: str
    #: a line for listings
    about: str
    options: Sequence[Option] = ()
    #: the option that may stand bare
    main: str | None = None
    #: the number of players it is for; 0 for any
    players: int = 0
    #: rows and columns a board must have at least
    smallest: int = 1


ARCHITECTURES = {
    kind.name: kind
    for kind in (
        Architecture(
            "modern",
            "a pre-activation residual tower with global pooling",
            (Option("size", "m", "blocks and channels", choices=("s", "m", "l")),),
            main="size",
        ),
        Architecture(
            "liu2019",
            "nine blocks of 1x1, 3x3 and 1x1 convolutions (liu2019, figure 6)",
            (Option("bias", "off", "a bias in every convolution", choices=("off", "on")),),
            players=2,
            smallest=3,
        ),
        Architecture(
            "hsueh2023",
            "five residual blocks, a value for every player (hsueh2023, appendix B)",
            (Option("filters", 64, "channels of the tower", low=1, high=512),),
            main="filters",
        ),
    )
}


@dataclass(frozen=True)
class Chosen:
    """An architecture with its dials set."""

    kind: Architecture
    values: dict[str, Value]

    @property
    def name(self) -> str:
        """The name that `architecture()` would give this for."""
        return join(self.kind.name, self.values, self.kind.options)

    def check_fits(self, game: str, players: int, shape: tuple[int, int, int]) -> None:
        """Raise an `OptionError` if a game of this many players and this board does not fit."""
        if self.kind.players not in (0, players):
            raise OptionError(
                f"'{self.kind.name}' is for {self.kind.players} players, "
                f"and '{game}' has {players}."
            )
        if min(shape[1:]) < self.kind.smallest:
            raise OptionError(
                f"'{self.kind.name}' needs a board of at least {self.kind.smallest} rows and "
                f"columns, and '{game}' has {shape[1]} and {shape[2]}."
            )


def architecture(name: str) -> Chosen:
    """Return the architecture of this name, e.g. `architecture("modern:size=s")`."""
    bare = split(name[:200].partition(":")[0])[0]
    kind = ARCHITECTURES.get(bare)
    if kind is None:
        raise OptionError(
            f"There is no architecture '{bare[:60]}'.{suggestion(bare, ARCHITECTURES)} "
            f"There are {', '.join(ARCHITECTURES)}."
        )
    _, given = split(name[:200], main=kind.main)
    return Chosen(kind, resolve(bare, given, kind.options))
