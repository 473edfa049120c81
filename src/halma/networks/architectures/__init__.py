"""Architectures by name, `name:key=value`; nothing here needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halma.errors import OptionError, suggestion
from halma.names import Option, Value, join, resolve, split


@dataclass(frozen=True)
class Architecture:
    """An architecture: its options, and the games it fits."""

    name: str
    #: a line for listings
    about: str
    options: Sequence[Option] = ()
    #: the option that may be given without its key
    main: str | None = None
    #: number of players it is for; 0 for any
    players: int = 0
    #: smallest number of rows and of columns
    min_size: int = 1


ARCHITECTURES = {
    each.name: each
    for each in (
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
            min_size=3,
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
class ChosenArchitecture:
    """An architecture with values for its options."""

    architecture: Architecture
    values: dict[str, Value]

    @property
    def name(self) -> str:
        """The canonical name, from which `architecture` returns an equal choice."""
        return join(self.architecture.name, self.values, self.architecture.options)

    def check_fits(self, game: str, players: int, shape: tuple[int, int, int]) -> None:
        """Raise an `OptionError` unless the architecture fits a game."""
        wanted = self.architecture
        if wanted.players not in (0, players):
            raise OptionError(
                f"'{wanted.name}' is for {wanted.players} players, and '{game}' has {players}."
            )
        if min(shape[1:]) < wanted.min_size:
            raise OptionError(
                f"'{wanted.name}' needs a board of at least {wanted.min_size} rows and columns, "
                f"and '{game}' has {shape[1]} and {shape[2]}."
            )


def architecture(name: str) -> ChosenArchitecture:
    """Return the architecture of this name, e.g. `architecture("modern:size=s")`."""
    bare = split(name.partition(":")[0])[0]
    found = ARCHITECTURES.get(bare)
    if found is None:
        raise OptionError(
            f"There is no architecture '{bare[:60]}'.{suggestion(bare, ARCHITECTURES)} "
            f"There are {', '.join(ARCHITECTURES)}."
        )
    _, given = split(name, main=found.main)
    return ChosenArchitecture(found, resolve(bare, given, found.options))
