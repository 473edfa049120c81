"""Running a server: its socket, its address, the browser, and its end."""

from __future__ import annotations

import secrets
import socket
import sys
import threading
import webbrowser
from dataclasses import replace

import uvicorn

from halma.errors import HalmaError
from halma.web.app import create_app
from halma.web.guard import WILDCARDS, is_loopback
from halma.web.server import RUNS, ServerSettings

#: Largest message of a WebSocket, in bytes.
_MOST_MESSAGE = 1_000_000
#: Seconds that open requests have at the end.
_PATIENCE = 2
#: Connections at a time.
_MOST_CONNECTIONS = 512


def run_server(settings: ServerSettings, open_browser: bool) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    if not is_loopback(settings.host) and not settings.token:
        settings = replace(settings, token=secrets.token_urlsafe(18))
    for folder in (*settings.networks, *settings.runs, *settings.databases):
        if not folder.is_dir() and folder != RUNS:
            raise HalmaError(f"There is no folder '{folder}'.")
    if not settings.games.parent.is_dir():
        raise HalmaError(f"There is no folder '{settings.games.parent}' for the file of games.")
    with _listen(settings) as listener:
        settings = replace(settings, port=listener.getsockname()[1])
        config = uvicorn.Config(
            create_app(settings),
            log_level="warning",
            ws_max_size=_MOST_MESSAGE,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_PATIENCE,
            server_header=False,
        )
        address = address_of(settings)
        print(f"halma is at {address}", flush=True)
        print(f"Games are kept in {settings.games}. Ctrl-C ends the server.", file=sys.stderr)
        if open_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        uvicorn.Server(config).run(sockets=[listener])


def address_of(settings: ServerSettings) -> str:
    """Return the address to open, with the token where one is asked for."""
    host = socket.gethostname() if settings.host in WILDCARDS else settings.host
    shown = f"[{host}]" if ":" in host else host
    token = f"?token={settings.token}" if settings.token else ""
    return f"http://{shown}:{settings.port}/{token}"


def _listen(settings: ServerSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise HalmaError(
            f"The server cannot listen at {settings.host}, port {settings.port}: {reason}. "
            "Choose another one with --port."
        ) from None
