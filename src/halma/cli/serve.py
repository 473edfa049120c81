"""`halma serve`: play, analyse and watch in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any free one.")] = 8421,
    host: Annotated[
        str, typer.Option(help="Address to listen at; others than loopback need a token.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option(help="Token of a server for others; drawn unless given.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser.")] = False,
    games: Annotated[Path, typer.Option(help="The file that keeps the games.")] = Path("games.db"),
    runs: Annotated[
        list[Path] | None, typer.Option(help="A folder of training runs; by default runs.")
    ] = None,
    networks: Annotated[
        list[Path] | None, typer.Option(help="A folder of networks to play with.")
    ] = None,
    databases: Annotated[
        list[Path] | None, typer.Option(help="A folder of match databases; by default this one.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Processes that search; by default one per core."),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.1, max=600, help="Longest search of a request.")
    ] = 10.0,
) -> None:
    """Play, analyse and watch in a browser.

    The page is served at an address of this machine, without any request to others.
    """
    from halma.machine import require

    require("fastapi", "uvicorn", "websockets")
    from halma.web.running import run_server
    from halma.web.server import RUNS, ServerSettings

    settings = ServerSettings(
        host=host,
        port=port,
        token=token,
        games=games,
        networks=networks or (),
        runs=runs or (RUNS,),
        databases=databases or (Path(),),
        workers=workers,
        seconds=seconds,
    )
    run_server(settings, open_browser=not no_browser)
