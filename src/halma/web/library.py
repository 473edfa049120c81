"""What requests may name: agents, and the networks, runs and databases of folders given at start.

Names of files come from listing those folders, never from a request: a request names an entry of
a list, and one that is not there is refused.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from halma.agents.registry import spec_of, specs
from halma.errors import NetworkError, UnknownAgentError
from halma.games import Game
from halma.learn.run import META, RECIPE
from halma.names import check_characters, join, resolve, split
from halma.networks import shipped_networks
from halma.networks.finding import BEST
from halma.networks.network_file import MODEL_SUFFIX, read_info

#: Seconds for which the list of a folder is used.
_FRESH = 2.0
#: Folders below those given that are looked into, and entries that are looked at.
_DEEPEST, _MOST = 4, 5000
#: Suffixes of match databases.
_DATABASES = (".db", ".sqlite")
#: Seats that a person has.
HUMAN = "human"
#: Options of agents that are files or parts of one.
_FILE, _VERSION = "file", "version"


@dataclass
class FolderLibrary:
    """The folders that were given at start, listed anew every few seconds."""

    networks: Sequence[Path] = ()
    runs: Sequence[Path] = ()
    databases: Sequence[Path] = ()
    #: the server's own file of games, which is no match database
    own: Path | None = None
    _listed: dict[str, tuple[float, dict[str, Path]]] = field(default_factory=dict, repr=False)

    def network_files(self) -> dict[str, Path]:
        """Return networks by name: those of the folders, and the best of each run."""
        files = self._list("networks", self.networks, lambda path: path.suffix == MODEL_SUFFIX)
        runs = {name: run / BEST for name, run in self.run_folders().items()}
        best = {name: file for name, file in runs.items() if file.is_file()}
        return {**best, **{name.removesuffix(MODEL_SUFFIX): path for name, path in files.items()}}

    def run_folders(self) -> dict[str, Path]:
        """Return the directories of training runs by name."""
        return self._list("runs", self.runs, lambda path: (path / RECIPE).is_file())

    def database_files(self) -> dict[str, Path]:
        """Return match databases by name."""
        return self._list(
            "databases",
            self.databases,
            lambda path: path.suffix in _DATABASES and path.absolute() != self.own,
        )

    def networks_for(self, game: Game) -> Iterator[str]:
        """Yield the names of networks that play a variant; damaged files are left out.

        Those that come with halma are among them.
        """
        for name, path in {**self.network_files(), **shipped_networks()}.items():
            try:
                if read_info(path).game == game.identity:
                    yield name
            except NetworkError:
                continue

    def agent(self, name: str) -> str:
        """Return the name by which the registry finds an agent that a request names.

        Networks, runs and tables are those of the folders; other files, code of the user and
        programs are refused.
        """
        check_characters(name)
        bare = name.partition(":")[0].strip()
        spec = spec_of(bare)
        if spec is None or spec.foreign or spec.name == HUMAN:
            known = ", ".join(s.name for s in specs() if not s.foreign and s.name != HUMAN)
            raise UnknownAgentError(f"There is no agent '{bare[:60]}' here: there are {known}.")
        if spec.no_path:
            found = self.run_folders().get(name.partition(":")[2].strip())
            if found is None:
                raise UnknownAgentError(f"There is no run '{name.partition(':')[2][:60]}' here.")
            return f"{bare}:{found}"
        given = split(name, main=spec.main)[1]
        if _FILE in given:
            given[_FILE] = self._network(given[_FILE], _VERSION in given)
        if _VERSION in given and not re.fullmatch(r"[0-9]{1,9}|first|last", given[_VERSION]):
            raise UnknownAgentError("'version' is the number of an iteration, first or last.")
        return join(bare, resolve(bare, given, spec.options), spec.options, spec.main)

    def _network(self, name: str, version: bool) -> str:
        if name in shipped_networks():
            return name
        found = self.run_folders().get(name) if version else self.network_files().get(name)
        if found is None:
            raise UnknownAgentError(f"There is no network '{name[:60]}' here.")
        return str(found)

    def _list(
        self, kind: str, folders: Iterable[Path], wanted: Callable[[Path], bool]
    ) -> dict[str, Path]:
        """Return what is wanted in some folders by its path there."""
        listed = self._listed.get(kind)
        if listed is not None and time.monotonic() - listed[0] < _FRESH:
            return listed[1]
        found: dict[str, Path] = {}
        for folder in folders:
            for path in islice(_walk(folder, _DEEPEST), _MOST):
                if wanted(path):
                    name = str(path.relative_to(folder)) if path != folder else path.name
                    # Names of agents have no commas.
                    if "," not in str(path) and name.isprintable():
                        found.setdefault(name, path)
        self._listed[kind] = time.monotonic(), found
        return found


def _walk(folder: Path, levels: int) -> Iterator[Path]:
    """Yield a folder and what is in it, in order; a run's own folders are not entered."""
    yield folder
    if not levels or not folder.is_dir() or (folder / META).exists():
        return
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # a folder of somebody else
        return
    for path in entries:
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path, levels - 1)
        elif path.is_file():
            yield path
