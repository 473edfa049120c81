"""Analysis over a WebSocket: results while a search runs, and the evaluation of whole games.

A search runs in slices, each a task of the pool, so that people who play do not wait for it.
"""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import APIRouter, WebSocket
from pydantic import Field, TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocketDisconnect

from halma.agents.play import roll
from halma.errors import ChanceError, HalmaError
from halma.games import Record
from halma.web import review
from halma.web.boards import find_record, sentence
from halma.web.requests import AgentName, BoardRequest, Body, PolicyRequest
from halma.web.server import HalmaServer
from halma.web.tasks import SearchTask

#: Seconds of slices of an analysis: the first, the longest of a tree that is kept, the shortest.
_FIRST_SLICE, _LONGEST_SLICE, _SHORTEST_SLICE = 0.1, 0.5, 0.02
#: Longest analysis of a position, and of a position of a game, in seconds.
_LONGEST, _LONGEST_EACH = 300.0, 5.0
#: Connections at a time.
_MOST_CONNECTIONS = 200
#: More moves than any position has.
_ALL_MOVES = 10_000

MessageId = Annotated[int, Field(ge=0, le=2**53)]


class AnalyseMessage(BoardRequest):
    """Analyse a position for some time; what was running before ends."""

    type: Literal["analyse"]
    id: MessageId = 0
    agent: AgentName = "best"
    seconds: Annotated[float, Field(gt=0, le=_LONGEST)] = 10.0
    candidates: Annotated[int, Field(ge=1, le=200)] = 10


class ReviewMessage(BoardRequest):
    """Evaluate every move of a game."""

    type: Literal["review"]
    id: MessageId = 0
    agent: AgentName = "best"
    seconds: Annotated[float, Field(gt=0, le=_LONGEST_EACH)] = 0.3


class StopMessage(Body):
    """End what is running."""

    type: Literal["stop"]
    id: MessageId = 0


Incoming = Annotated[AnalyseMessage | ReviewMessage | StopMessage, Field(discriminator="type")]
_INCOMING: TypeAdapter[AnalyseMessage | ReviewMessage | StopMessage] = TypeAdapter(Incoming)


def routes(server: HalmaServer) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["analysis"])
    connections: set[AnalysisConnection] = set()

    @router.websocket("/analysis")
    async def analysis(socket: WebSocket) -> None:
        """Analyse positions and games."""
        await socket.accept()
        if len(connections) >= _MOST_CONNECTIONS:
            await socket.close(1013, "Too many analyses are open.")
            return
        connection = AnalysisConnection(server, socket)
        connections.add(connection)
        try:
            await connection.serve()
        finally:
            connections.discard(connection)

    @router.post("/policy")
    async def policy(request: PolicyRequest) -> dict[str, Any]:
        """Return the probabilities that an agent gives to moves, and how they lie on the board."""
        record = await run_in_threadpool(find_record, request.variant, request.start, request.moves)
        name = server.library.agent(request.agent)
        task = SearchTask("policy", record, name, min(2.0, server.pool.seconds), candidates=200)
        found = await asyncio.wrap_future(server.pool.submit(task, secrets.token_hex(4)))
        return {**found, "agent": _shown(request.agent, name, found["agent"])}

    @router.post("/draw")
    def draw(request: BoardRequest) -> dict[str, Any]:
        """Draw the outcome of chance that is next in a game; every request draws anew."""
        record = find_record(request.variant, request.start, request.moves)
        if record.is_over or not record.position.is_chance:
            raise ChanceError("This position is not at chance.")
        outcome = roll(record, secrets.token_hex(16))
        return {"outcome": outcome.text, "probability": outcome.probability}

    return router


class AnalysisConnection:
    """A connection with at most one analysis at a time."""

    def __init__(self, server: HalmaServer, socket: WebSocket) -> None:
        self._server, self._socket = server, socket
        self._client = secrets.token_hex(8)
        self._count = 0
        self._running: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        """Answer messages until the connection ends."""
        try:
            while True:
                text = await self._socket.receive_text()
                await self._stop()
                await self._begin(text)
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass  # the other side is gone, or has sent bytes
        finally:
            await self._stop()

    async def _begin(self, text: str) -> None:
        try:
            message = _INCOMING.validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            await self._fail(None, f"The message is not understood: {where} {first['msg']}"[:300])
            return
        if isinstance(message, StopMessage):
            await self._send({"type": "stopped", "id": message.id})
            return
        run = self._analyse(message) if isinstance(message, AnalyseMessage) else None
        if isinstance(message, ReviewMessage):
            run = self._review(message)
        assert run is not None
        self._running = asyncio.create_task(self._guarded(message.id, run))

    async def _guarded(self, identifier: int, run: Any) -> None:
        """Run an analysis; an error becomes a message."""
        try:
            await run
        except HalmaError as error:
            await self._fail(identifier, sentence(error))
        except (WebSocketDisconnect, RuntimeError):
            pass  # the other side is gone

    async def _stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
            self._running = None

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_json(message)

    async def _fail(self, identifier: int | None, text: str) -> None:
        await self._send({"type": "error", "id": identifier, "message": text})

    async def _analyse(self, message: AnalyseMessage) -> None:
        pool = self._server.pool
        record = await run_in_threadpool(find_record, message.variant, message.start, message.moves)
        name = self._server.library.agent(message.agent)
        self._count += 1
        key = f"{self._client}/{self._count}"
        spent, seconds, worker = 0.0, min(_FIRST_SLICE, message.seconds), None
        deepest = 0
        while seconds > 0:
            task = SearchTask(
                "analyse", record, name, seconds, key=key, candidates=message.candidates
            )
            ahead = pool.waiting
            answer = pool.submit(task, self._client, worker)
            if ahead:
                await self._send({"type": "queued", "id": message.id, "ahead": ahead})
            found = await asyncio.wrap_future(answer)
            following, kept = found.pop("next"), found.pop("worker")
            spent += seconds
            depth = found.get("depth") or 0
            # On a busy machine a search that begins anew may get less far than the last slice.
            if depth >= deepest:
                deepest = depth
                shown = _shown(message.agent, name, found["agent"])
                update = {"type": "update", "id": message.id, "seconds": round(spent, 3)}
                await self._send({**found, **update, "agent": shown})
            worker = kept if following == "on" else None
            seconds = _next_slice(following, seconds, message.seconds - spent, pool.seconds)
        await self._send({"type": "done", "id": message.id})

    async def _review(self, message: ReviewMessage) -> None:
        pool = self._server.pool
        record = await run_in_threadpool(find_record, message.variant, message.start, message.moves)
        name = self._server.library.agent(message.agent)
        texts = record.texts
        steps = await run_in_threadpool(review.decisions, record)
        entries: list[dict[str, Any]] = []
        for first in range(0, len(steps), pool.workers):
            part = steps[first : first + pool.workers]
            found = await asyncio.gather(
                *(self._look(before, name, message.seconds) for _, before in part)
            )
            for (index, _), analysis in zip(part, found, strict=True):
                entries.append(review.entry(index, texts[index], analysis))
                progress = {"type": "progress", "id": message.id, "total": len(steps)}
                await self._send({**progress, "done": len(entries), "entry": entries[-1]})
        review.complete(entries, record.game.partners)
        await self._send(
            {
                "type": "reviewed",
                "id": message.id,
                "entries": entries,
                "mistakes": review.mistakes(entries),
                "players": review.summary(entries, record.game.players),
            }
        )

    async def _look(self, record: Record, name: str, seconds: float) -> dict[str, Any]:
        task = SearchTask("analyse", record, name, seconds, candidates=_ALL_MOVES)
        return await asyncio.wrap_future(self._server.pool.submit(task, self._client))


def _next_slice(following: str, last: float, left: float, longest: float) -> float:
    """Return the seconds of the next slice of an analysis; 0 where there is none."""
    if following == "end" or left < _SHORTEST_SLICE:
        return 0.0
    if following == "on":
        return min(2 * last, left, _LONGEST_SLICE)
    # A search that begins anew finds more only if it is longer than the last.
    seconds = min(2 * last, left, longest)
    return seconds if seconds > last else 0.0


def _shown(asked: str, private: str, player: str) -> str:
    """Return the name of a player as a client may see it: not the path of a file."""
    return player if asked == private or asked.partition(":")[0] == "best" else asked
