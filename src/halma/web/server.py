"""The parts of a running server, and the settings it was started with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from halma.machine import core_count
from halma.web.games import GameTable
from halma.web.library import FolderLibrary
from halma.web.pool import SearchPool

#: the port unless another is given
PORT = 8421
#: the folder of training runs unless others are given; it need not exist yet
RUNS = Path("runs")


@dataclass(frozen=True)
class ServerSettings:
    """What `halma serve` was given."""

    host: str = "127.0.0.1"
    port: int = PORT
    #: asked for where the server is reached from other machines
    token: str | None = None
    #: the file of games in progress
    games: Path = Path("games.db")
    #: folders of what requests may name
    networks: Sequence[Path] = ()
    runs: Sequence[Path] = ()
    databases: Sequence[Path] = ()
    #: processes that search, by default one a core
    workers: int | None = None
    #: the longest search of a request
    seconds: float = 10.0


@dataclass
class HalmaServer:
    """What requests work with."""

    settings: ServerSettings
    games: GameTable = field(init=False)
    pool: SearchPool = field(init=False)
    library: FolderLibrary = field(init=False)

    def __post_init__(self) -> None:
        settings = self.settings
        self.games = GameTable(settings.games)
        self.pool = SearchPool(settings.workers or core_count(), settings.seconds)
        self.library = FolderLibrary(
            settings.networks, settings.runs, settings.databases, settings.games.absolute()
        )

    def close(self) -> None:
        """End the workers and close the file of games."""
        self.pool.close()
        self.games.close()
