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
    #: smallest batch that it can be trained on
    min_batch: int = 1
    #: whether the number of columns must be even
    even_columns: bool = False
    #: whether it has no policy
    value_only: bool = False
    #: whether one value serves both of two players, whose scores add up
    one_value: bool = False
    #: options that may be larger than those of the weights that a network starts from
    growing: Sequence[str] = ()


ARCHITECTURES = {
    each.name: each
    for each in (
        Architecture(
            "modern",
            "a pre-activation residual tower with global pooling",
            (
                Option("size", "m", "blocks and channels", choices=("s", "m", "l")),
                Option("extra_blocks", 0, "residual blocks beyond those of the size", high=64),
                Option(
                    "seats",
                    0,
                    "values for this many seats, of which a game uses the first; 0: as it has",
                    high=64,
                ),
                Option(
                    "values",
                    "one",
                    "of two players: one for both, whose scores add up, or one for each",
                    choices=("one", "each"),
                ),
            ),
            main="size",
            one_value=True,
            growing=("extra_blocks", "values"),
        ),
        Architecture(
            "liu2019",
            "nine blocks of 1x1, 3x3 and 1x1 convolutions (liu2019, figure 6)",
            (Option("bias", "off", "a bias in every convolution", choices=("off", "on")),),
            players=2,
            min_size=3,
            one_value=True,
        ),
        Architecture(
            "hsueh2023",
            "five residual blocks, a value for every player (hsueh2023, appendix B)",
            (
                Option("filters", 64, "channels of the tower", low=1, high=512),
                Option("even", "off", "all values begin at even chances", choices=("off", "on")),
            ),
            main="filters",
        ),
        Architecture(
            "schulte2021",
            "a residual tower, dense layers with dropout, ReLU values (schulte2021, 5.1)",
            (
                Option("blocks", 8, "residual blocks", low=0, high=64),
                Option("filters", 128, "channels of the tower", low=1, high=512),
                Option("width", 512, "width of the dense layers", low=1, high=4096),
                Option("dropout", 0.3, "share of them left out in a step", high=0.95, decimal=True),
            ),
            min_batch=2,  # the norms of the dense layers have one number for each sample
        ),
        Architecture(
            "linear",
            "values alone: one linear layer over all planes",
            (Option("hidden", 0, "width of a hidden layer; 0: none", high=4096),),
            main="hidden",
            value_only=True,
            one_value=True,
        ),
        Architecture(
            "pluska2022",
            "values alone: a kernel over three rows of a chequered board (pluska2022, 2)",
            (
                Option("features", 8, "features of the kernel", low=1, high=512),
                Option("combined", 4, "width of the layer after it", low=1, high=512),
            ),
            players=2,
            min_size=3,
            even_columns=True,
            value_only=True,
            one_value=True,
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

    def can_start_from(self, other: ChosenArchitecture) -> bool:
        """Whether a network can start from weights of the other: the same, or a smaller one."""
        if self.architecture is not other.architecture:
            return False
        different = [
            option
            for option in self.architecture.options
            if self.values[option.key] != other.values[option.key]
        ]
        return all(
            option.key in self.architecture.growing
            and option.size(self.values[option.key]) > option.size(other.values[option.key])
            for option in different
        )

    def has_one_value(self, players: int) -> bool:
        """Whether one value serves both of two players, whose scores then add up."""
        return players == 2 and self.architecture.one_value and self.values.get("values") != "each"

    def check_fits(self, game: str, players: int, shape: tuple[int, int, int]) -> None:
        """Raise an `OptionError` unless the architecture fits a game."""
        wanted = self.architecture
        if wanted.players not in (0, players):
            raise OptionError(
                f"'{wanted.name}' is for {wanted.players} players, and '{game}' has {players}."
            )
        seats = int(self.values.get("seats", 0))
        if 0 < seats < players:
            raise OptionError(
                f"'{self.name}' has values for {seats} seats, and '{game}' has {players} players."
            )
        if wanted.even_columns and shape[2] % 2:
            raise OptionError(
                f"'{wanted.name}' needs a board with an even number of columns, and '{game}' has "
                f"{shape[2]}."
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
