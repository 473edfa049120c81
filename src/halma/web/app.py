"""The application: routes, error answers, the files of the page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

import halma
from halma.draw.stylesheet import palette_css
from halma.errors import HalmaError, WorkerError, error_text
from halma.web import analysis, catalogue, papers, play, watch
from halma.web.boards import sentence
from halma.web.games import ConflictError, NotFoundError
from halma.web.guard import Guard
from halma.web.head import HeadRequests
from halma.web.pool import BusyError
from halma.web.server import HalmaServer, ServerSettings
from halma.web.static_files import PageFiles

#: Statuses of errors; other errors of the user are 400.
_STATUS: tuple[tuple[type[HalmaError], int], ...] = (
    (NotFoundError, 404),
    (ConflictError, 409),
    (BusyError, 503),
    (WorkerError, 503),
)
#: Nothing is told to anybody, whatever the environment says.
_NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
#: Answers that every route may give, for the description of the interface.
_ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string"}},
    "required": ["error"],
}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": about, "content": {"application/json": {"schema": _ERROR}}}
    for status, about in (
        (400, "The request cannot be carried out; the sentence says why."),
        (403, "Another host, another site, or no token."),
        (404, "There is no such thing."),
        (409, "The game has changed meanwhile."),
        (413, "The request is too large."),
        (422, "The request is not of the form described."),
        (503, "Too many searches wait, or one has failed."),
    )
}


def create_app(settings: ServerSettings) -> FastAPI:
    """Return the application; its workers start with it and end with it."""
    server = HalmaServer(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        server.pool.start()
        yield
        server.close()

    app = FastAPI(
        title="halma",
        version=halma.__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=ERRORS,
        telemetry=_NO_TELEMETRY,
    )
    app.state.halma = server
    routers = [module.routes(server) for module in (catalogue, play, analysis, watch)]
    for router in (*routers, papers.routes()):
        app.include_router(router, prefix="/api")
    app.add_exception_handler(HalmaError, _user_error)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _failure)
    app.add_middleware(HeadRequests)
    app.add_middleware(Guard, host=settings.host, token=settings.token)
    page = PageFiles()

    @app.get("/palette.css", include_in_schema=False)
    def colours() -> Response:
        return Response(palette_css(), media_type="text/css")

    @app.get("/{path:path}", include_in_schema=False)
    def files(request: Request, path: str) -> Response:
        found = None if path.startswith("api/") else page.respond(request)
        return found or _answer("There is no such page.", 404)

    return app


def _answer(text: str, status: int) -> JSONResponse:
    return JSONResponse({"error": sentence(text)}, status)


async def _user_error(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 400)
    return _answer(str(error), status)


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    what = f"'{where[:100]}': " if where else ""
    return _answer(f"The request is not understood: {what}{str(first['msg'])[:200]}", 422)


async def _failure(request: Request, error: Exception) -> Response:
    """Answer where something of ours failed; the traceback is in the server's log."""
    return _answer(f"The server failed at this: {error_text(error)}", 500)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = _answer(str(error.detail), error.status_code)
    answer.headers.update(error.headers or {})
    return answer
