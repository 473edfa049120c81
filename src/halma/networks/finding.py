"""Finding a network: one that comes with halma, a file, or one of a training run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from halma.errors import NetworkError, suggestion
from halma.games import Game
from halma.games.registry import short_name
from halma.networks.network_file import (
    MODEL_SUFFIX,
    POLICY,
    Q_VALUES,
    WEIGHTS_SUFFIX,
    NetworkInfo,
    read_info,
    refusal,
)
from halma.tensors import iteration_file, list_iterations

#: networks that come with the package
MODELS = Path(__file__).parent / "models"
#: the best network in the directory of a run, and the folder of its archive
BEST, VERSIONS = f"best{MODEL_SUFFIX}", "versions"
#: words for the oldest and the newest version of an archive
FIRST, LAST = "first", "last"
#: versions that an error lists
_LISTED = 12


def shipped_networks() -> dict[str, Path]:
    """Return the networks that come with halma by name."""
    return {path.stem: path for path in sorted(MODELS.glob(f"*{MODEL_SUFFIX}"))}


def shipped_for(game: Game) -> str | None:
    """Return the name of the network that comes with halma for this variant, if there is one."""
    found = [name for name, known in _variants(MODELS).items() if known == game.identity]
    # The one of the variant's name comes first.
    return min(found, key=lambda name: (name != game.name, name), default=None)


def shipped_variants() -> set[str]:
    """Return the variants that networks come with halma for."""
    return set(_variants(MODELS).values())


@cache
def _variants(folder: Path) -> dict[str, str]:
    """Return the variants of the shipped networks by their names; damaged files are left out."""
    found = {}
    for name, path in shipped_networks().items():
        with suppress(NetworkError):
            found[name] = read_info(path).game
    return found


def shown(path: Path | str) -> str:
    """Return the name by which a network is known: of a shipped one that of its agent."""
    path = Path(path)
    return f"net:{path.stem}" if path.parent == MODELS else str(path)


def check_variant(
    info: NetworkInfo,
    game: Game,
    path: Path | str,
    any_rules: bool = False,
    head: str = POLICY,
) -> None:
    """Raise a `NetworkError` unless a network is for this variant and has the `head` wanted.

    With `any_rules` it is enough that planes and policy are alike.
    """
    info.check_head(shown(path), head)
    if info.game != game.identity and not any_rules:
        reason = f"it plays '{short_name(info.game)}', not '{short_name(game.identity)}'"
        if info.players != game.players:
            reason += f", and is for {info.players} players, not {game.players}"
        if head == Q_VALUES:
            raise refusal(path, f"{reason}; {how_to_train(game, head)} trains one that does")
        instead = []
        if other := shipped_for(game):
            instead.append(f"net:{other} does")
        with suppress(NetworkError):
            info.check_encoding(game, path)
            instead.append("with any_rules=on it plays all the same")
        instead.append(f"{how_to_train(game)} trains one that does")
        raise refusal(shown(path), f"{reason}; {', and '.join(instead)}")
    info.check_encoding(game, shown(path))


def how_to_train(game: Game, head: str = POLICY) -> str:
    """Return a command that trains a network for a variant."""
    recipe = "quick" if head == POLICY else "liu2019/dqn --set network=modern:size=s"
    return f"halma train {recipe} --set game={short_name(game.name)}"


def shipped_file(game: Game) -> Path:
    """Return the network that comes with halma for this variant."""
    name = shipped_for(game)
    if name is None:
        known = ", ".join(
            f"net:{name} for '{short_name(variant)}'" for name, variant in _variants(MODELS).items()
        )
        raise NetworkError(
            f"No network for '{short_name(game.name)}' comes with halma: {how_to_train(game)} "
            f"trains one, and net:FILE plays it. There are {known}."
        )
    return shipped_networks()[name]


def find_network(name: str, version: str = "") -> Path:
    """Return the file that a name means: one that comes with halma, or one on disk.

    The directory of a run means its best network, or with a `version` the one of its archive:
    an iteration, `first` or `last`.
    """
    path = Path(name)
    shipped = shipped_networks()
    if version:
        return _find_version(path, version, name in shipped)
    if name in shipped:
        return shipped[name]
    if os.path.isdir(path):  # False for what cannot be a path
        return _best_of(path)
    # A name with a folder or a suffix is a file's, and reading it reports what is wrong.
    suffixes = (MODEL_SUFFIX, WEIGHTS_SUFFIX)
    if path.suffix in suffixes or len(path.parts) > 1 or os.path.exists(path):
        return path
    raise NetworkError(
        f"There is no network '{name[:60]}': it is neither a file, nor the directory of a run, nor "
        f"one that comes with halma.{suggestion(name, shipped)} Those are {', '.join(shipped)}."
    )


def list_versions(run: Path) -> list[int]:
    """Return the versions in a run's archive that can play, oldest first."""
    return [number for number, _ in reversed(list_iterations(run / VERSIONS, MODEL_SUFFIX))]


def _best_of(run: Path) -> Path:
    best = run / BEST
    if not best.exists():
        raise NetworkError(
            f"'{run}' has no {BEST}: it is not the directory of a run with a network, or has no "
            "checkpoint yet."
        )
    return best


def _find_version(run: Path, wanted: str, is_shipped: bool) -> Path:
    if is_shipped or not os.path.isdir(run):
        raise NetworkError(
            f"'version' is for the directory of a training run, and '{str(run)[:60]}' is none."
        )
    known = list_versions(run)
    if not known:
        raise NetworkError(
            f"'{run}' has no versions: a run keeps them with archive.every=10, say "
            "(halma train ... --set archive.every=10)."
        )
    numbers = {FIRST: known[0], LAST: known[-1]}
    if wanted.isascii() and wanted.isdecimal() and len(wanted) <= 12:
        numbers[wanted] = int(wanted)
    if numbers.get(wanted) not in known:
        raise NetworkError(
            f"'{run}' has no version '{wanted[:40]}': it has {_listed(known)}; "
            f"{FIRST} and {LAST} are the oldest and the newest."
        )
    return iteration_file(run / VERSIONS, numbers[wanted], MODEL_SUFFIX)


def _listed(numbers: Sequence[int]) -> str:
    """Return numbers as text, the middle of many left out."""
    if len(numbers) <= _LISTED:
        return ", ".join(map(str, numbers))
    half = _LISTED // 2
    start, end = (", ".join(map(str, part)) for part in (numbers[:half], numbers[-half:]))
    return f"{start}, ..., {end}"
