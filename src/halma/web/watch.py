"""Routes of what others do: training runs, and databases of matches and tournaments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query

from halma.arena import GameStore
from halma.arena.saved import saved_game
from halma.arena.standings import standings
from halma.errors import HalmaError, RunError
from halma.files import read_file
from halma.learn.metrics import read_metrics
from halma.learn.replay_buffer import GameFiles
from halma.learn.reports.page import panels_of, read_run
from halma.learn.run import RECIPE, is_training, read_meta, run_recipe
from halma.networks.finding import BEST, list_versions
from halma.selfplay.records import saved_games
from halma.web.files import saved_json
from halma.web.games import NotFoundError
from halma.web.server import HalmaServer

#: Bytes of a recipe that are shown.
_LONGEST_RECIPE = 200_000
#: An entry of a list: the path of a run or a database in the folders given at start.
EntryName = Annotated[str, Query(min_length=1, max_length=300)]


def routes(server: HalmaServer) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["watch"])

    def run_named(name: str) -> Path:
        return _entry(server.library.run_folders(), name, "run")

    def store_named(name: str) -> GameStore:
        return GameStore(_entry(server.library.database_files(), name, "database"), read_only=True)

    @router.get("/runs")
    def runs() -> dict[str, Any]:
        """Return the training runs of the folders given at start."""
        return {"runs": [_run(name, run) for name, run in server.library.run_folders().items()]}

    @router.get("/run")
    def run(name: EntryName, after: Annotated[int, Query(ge=0, le=10**9)] = 0) -> dict[str, Any]:
        """Return a run's curves from an iteration on, and what there is to open."""
        folder = run_named(name)
        found = read_run(folder)
        games = GameFiles(folder, found.recipe.game).iterations()
        return {
            **_run(name, folder),
            "recipe": read_file(folder / RECIPE, _LONGEST_RECIPE, RunError).decode("utf-8"),
            "panels": [
                {
                    "title": panel.title,
                    "about": panel.about,
                    "curves": dict(panel.curves),
                    "percent": panel.percent,
                    "band": panel.band,
                    "level": None if panel.level is None else panel.level.at,
                    "from_zero": panel.from_zero,
                }
                for panel in panels_of(found)
            ],
            "metrics": list(found.metrics[after:]),
            "epochs": list(found.epochs),
            "network": (folder / BEST).is_file(),
            "versions": list_versions(folder),
            "games": sorted(games),
        }

    @router.get("/run/games")
    def run_games(
        name: EntryName,
        iteration: Annotated[int, Query(ge=0, le=10**9)],
        most: Annotated[int, Query(ge=1, le=50)] = 8,
    ) -> dict[str, Any]:
        """Return games of self-play of an iteration."""
        folder = run_named(name)
        game = run_recipe(folder).game
        files = GameFiles(folder, game)
        if iteration not in files.iterations():
            raise NotFoundError(f"The run keeps no games of iteration {iteration}.")
        games = files.read(iteration)[0].part(0, most)
        return {"games": [saved_json(saved) for saved in saved_games(games, game)]}

    @router.get("/databases")
    def databases() -> dict[str, Any]:
        """Return the match databases of the folders given at start."""
        found = []
        for name, path in server.library.database_files().items():
            try:
                with GameStore(path, read_only=True) as store:
                    matches = store.matches()
            except HalmaError:
                continue  # another kind of file, such as that of games in progress
            games = sum(match.games for match in matches)
            found.append({"id": name, "matches": len(matches), "games": games})
        return {"databases": found}

    @router.get("/database")
    def database(name: EntryName) -> dict[str, Any]:
        """Return the matches of a database, and a crosstable with ratings for each game."""
        with store_named(name) as store:
            matches = store.matches()
            return {
                "id": name,
                "matches": [
                    {
                        "id": match.id,
                        "game": match.plan["game"],
                        "agents": match.plan["agents"],
                        "games": match.games,
                        "begun": match.begun,
                    }
                    for match in matches
                ],
                "tables": standings(store),
            }

    @router.get("/database/games")
    def stored_games(
        name: EntryName,
        match: Annotated[int, Query(ge=1, le=2**31)],
        offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 100,
    ) -> dict[str, Any]:
        """Return the list of the games of a match."""
        with store_named(name) as store:
            stored = next((one for one in store.matches() if one.id == match), None)
            if stored is None:
                raise NotFoundError(f"There is no match {match} in this database.")
            rows = list(store.games(match))[offset : offset + limit]
            return {
                "total": stored.games,
                "games": [
                    {
                        "id": identifier,
                        "number": played.number,
                        "agents": list(played.agents),
                        "plies": played.plies,
                        "result": list(played.result),
                        "end": played.end,
                    }
                    for identifier, played in rows
                ],
            }

    @router.get("/database/game")
    def stored_game(name: EntryName, game: Annotated[int, Query(ge=1, le=2**31)]) -> dict[str, Any]:
        """Return a stored game with its moves."""
        with store_named(name) as store:
            return saved_json(saved_game(store, game))

    return router


def _entry(listed: dict[str, Path], name: str, kind: str) -> Path:
    found = listed.get(name)
    if found is None:
        raise NotFoundError(f"There is no {kind} '{name[:60]}' in the folders of this server.")
    return found


def _run(name: str, folder: Path) -> dict[str, Any]:
    """Return what a list shows of a run; a damaged one has an error instead."""
    try:
        meta, recipe = read_meta(folder), run_recipe(folder)
        done = len(read_metrics(folder))
    except HalmaError as error:
        return {"id": name, "error": str(error)}
    return {
        "id": name,
        "name": recipe.name,
        "game": recipe.game.name,
        "method": recipe.method,
        "iterations": recipe.settings.iterations,
        "done": done,
        "begun": meta.get("begun"),
        "training": is_training(folder),
    }
