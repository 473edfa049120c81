"""Routes of games: begun, played, taken back, resigned, written and read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse

from halma.errors import RecordError
from halma.games.saved import SavedGame
from halma.web import files
from halma.web.boards import find_record
from halma.web.games import OngoingGame
from halma.web.library import HUMAN
from halma.web.requests import (
    ExportRequest,
    GameChange,
    GameFile,
    NewAgents,
    NewGame,
    PlayedMove,
    Resignation,
)
from halma.web.server import HalmaServer
from halma.web.tasks import SearchTask

GameId = Annotated[str, Path(max_length=40)]
#: the adviser of hints
_ADVISER = "best"


def routes(server: HalmaServer) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["games"])
    games, library, pool = server.games, server.library, server.pool
    # Searches for agents' moves, by game and version: all windows on a game wait for one.
    searches: dict[tuple[str, int], asyncio.Future[Any]] = {}

    def change(
        identifier: str, version: int | None, act: Callable[[OngoingGame], None]
    ) -> dict[str, Any]:
        """Change a game under its lock, write it, and return it."""
        game = games.find(identifier)
        with game.lock:
            game.check(version)
            act(game)
            games.changed(game)
            return game.as_json()

    def check_agents(names: list[str]) -> None:
        for name in names:
            if name != HUMAN:
                library.agent(name)

    @router.post("/games", status_code=201)
    def begin(request: NewGame) -> dict[str, Any]:
        """Begin a game."""
        check_agents(request.agents)
        record = find_record(request.variant, request.start, request.moves)
        game = games.create(record, request.agents, request.seed)
        with game.lock:
            return game.as_json()

    @router.get("/games")
    def recent(
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        skip: Annotated[int, Query(ge=0, le=2**31)] = 0,
        finished: bool = False,
    ) -> dict[str, Any]:
        """Return the games that changed last; `next` is the `skip` of those that follow."""
        return games.recent(limit, skip, finished)

    @router.get("/games/{identifier}")
    def show(identifier: GameId) -> dict[str, Any]:
        """Return a game."""
        game = games.find(identifier)
        with game.lock:
            return game.as_json()

    @router.get("/games/{identifier}/version")
    def version(identifier: GameId) -> dict[str, int]:
        """Return the number of changes of a game, by which a page notices those of others."""
        return {"version": games.find(identifier).version}

    @router.post("/games/{identifier}/move")
    def move(identifier: GameId, request: PlayedMove) -> dict[str, Any]:
        """Play a move of a person."""

        def act(game: OngoingGame) -> None:
            if game.turn == "agent":
                raise RecordError("An agent is to move, not a person.")
            game.play(request.move)

        return change(identifier, request.version, act)

    @router.post("/games/{identifier}/agent-move")
    async def agent_move(identifier: GameId, request: GameChange) -> dict[str, Any]:
        """Let the agent to move search and play."""
        game = await run_in_threadpool(games.find, identifier)
        with game.lock:
            game.check(request.version)
            if game.turn != "agent":
                raise RecordError("No agent is to move.")
            seen, public = game.version, game.agents[game.record.position.mover]
            name = library.agent(public)
            key = identifier, seen
            if key not in searches:
                # Pickled now, so that the game may change meanwhile.
                task = SearchTask("choose", game.copy(), name, pool.seconds, game.seed)
                searches[key] = asyncio.wrap_future(pool.submit(task, identifier))
                searches[key].add_done_callback(lambda _: searches.pop(key))
        found = await asyncio.shield(searches[key])

        def act(game: OngoingGame) -> None:
            game.play(found["move"])

        answer = await run_in_threadpool(change, identifier, seen, act)
        player = public if name != public else found["agent"]
        return {**answer, "thought": {"value": found["value"], "agent": player}}

    @router.post("/games/{identifier}/takeback")
    def take_back(identifier: GameId, request: GameChange) -> dict[str, Any]:
        """Go back to the last decision of a person."""
        return change(identifier, request.version, OngoingGame.take_back)

    @router.post("/games/{identifier}/resign")
    def resign(identifier: GameId, request: Resignation) -> dict[str, Any]:
        """Give the game up."""
        return change(identifier, request.version, lambda game: game.resign(request.player))

    @router.post("/games/{identifier}/agents")
    def seat(identifier: GameId, request: NewAgents) -> dict[str, Any]:
        """Give the seats of a game to other agents."""
        check_agents(request.agents)
        return change(identifier, request.version, lambda game: game.seat(request.agents))

    @router.post("/games/{identifier}/hint")
    async def hint(identifier: GameId) -> dict[str, Any]:
        """Return the move that the strongest agent would play."""
        game = await run_in_threadpool(games.find, identifier)
        with game.lock:
            if game.turn != "human":
                raise RecordError("It is not a person's turn.")
            seconds = min(2.0, pool.seconds)
            task = SearchTask("analyse", game.copy(), _ADVISER, seconds, game.seed, candidates=1)
        found = await asyncio.wrap_future(pool.submit(task, identifier))
        (best,) = found["moves"]
        return {**best, "agent": found["agent"]}

    @router.get("/games/{identifier}/export", response_class=PlainTextResponse)
    def export(identifier: GameId, format: Literal["jsonl", "pdn"] = "jsonl") -> PlainTextResponse:
        """Return a game as the text of a file."""
        game = games.find(identifier)
        with game.lock:
            return files.attachment(game.saved(), format)

    @router.post("/export", response_class=PlainTextResponse)
    def export_line(request: ExportRequest) -> PlainTextResponse:
        """Return moves of an analysis as the text of a file."""
        record = find_record(request.variant, request.start, request.moves)
        if request.agents and len(request.agents) != record.game.players:
            raise RecordError(f"The game has {record.game.players} players.")
        return files.attachment(SavedGame(record, tuple(request.agents)), request.format)

    @router.post("/import")
    def read(request: GameFile) -> dict[str, Any]:
        """Read the games of a file."""
        return files.read_games(request.text, request.variant)

    return router
