"""Routes about what there is: variants, agents and their levels, rules, pictures of positions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from halma.agents import agent as find_agent
from halma.agents import check_agent, specs
from halma.agents.levels import levels_of, rated_variants, rated_zero
from halma.engine.players import version
from halma.errors import HalmaError
from halma.games import Game, Record, families
from halma.games.family import Family
from halma.games.registry import short_name
from halma.games.registry import variant as find_variant
from halma.networks.finding import shipped_variants
from halma.networks.sparse_network import shipped_evaluator_variants
from halma.search.minimax import has_chance
from halma.solve.solver import is_at_hand
from halma.web import pictures
from halma.web.boards import board, editor, find_record, palette, seats, steps
from halma.web.library import HUMAN
from halma.web.requests import (
    BoardRequest,
    EditedPosition,
    PictureRequest,
    PositionText,
    VariantName,
)
from halma.web.server import HalmaServer

#: what is said of a variant that is not well-known
_TRAINED = "with a trained player"
Picture = Annotated[PictureRequest, Query()]


def routes(server: HalmaServer) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["catalogue"])

    @router.get("/info")
    def info() -> dict[str, Any]:
        """Return the versions, and how much there is to see."""
        library = server.library
        return {
            **version(),
            "search_seconds": server.pool.seconds,
            "workers": server.pool.workers,
            "waiting": server.pool.waiting,
            "runs": len(library.run_folders()),
            "networks": len(library.network_files()),
            "databases": len(library.database_files()),
            "png": pictures.has_png(),
        }

    @router.get("/variants")
    def variants() -> dict[str, Any]:
        """Return all families with their well-known variants."""
        return {"families": _families()}

    @router.get("/variant")
    def variant(name: VariantName) -> dict[str, Any]:
        """Return a variant with its levels, its agents and its start."""
        game = find_variant(name)
        return {
            "name": game.name,
            "short": short_name(game.name),
            **_rules(game),
            "title": game.title,
            "players": game.players,
            "seats": seats(game.start()),
            "chance": has_chance(game),
            "levels": [asdict(level) for level in levels_of(game)],
            "rated_zero": rated_zero(game),
            "agents": [
                *_agents(game.name),
                *(f"net:{network}" for network in server.library.networks_for(game)),
            ],
            "solved": is_at_hand(game),
            "board": board(Record(game)),
        }

    @router.get("/ladder")
    def ladder() -> dict[str, Any]:
        """Return the levels of all variants whose levels are rated."""
        return {"variants": _ladder()}

    @router.get("/palette")
    def colours() -> dict[str, Any]:
        """Return the colours of drawings."""
        return palette()

    @router.post("/line")
    def line(request: BoardRequest) -> dict[str, Any]:
        """Return the moves and outcomes of a game one by one, each with its player and cells."""
        return {"steps": steps(find_record(request.variant, request.start, request.moves))}

    @router.post("/board")
    def position(request: BoardRequest) -> dict[str, Any]:
        """Return a position with its legal moves and its drawing."""
        return board(find_record(request.variant, request.start, request.moves))

    @router.get("/editor")
    def parts(variant: VariantName, position: PositionText | None = None) -> dict[str, Any]:
        """Return a position in parts that can be edited."""
        record = find_record(variant, position, [])
        return editor(record.position)

    @router.post("/editor")
    def edited(request: EditedPosition) -> dict[str, Any]:
        """Return the position of its parts, or the reason why it is none."""
        game = find_variant(request.variant)
        found = game.position(game.join_position(request.cells, request.fields))
        return board(Record(game, found))

    @router.get("/picture.svg", response_class=Response)
    def svg(asked: Picture) -> Response:
        """Draw a position as SVG."""
        found = find_record(asked.variant, asked.position, []).position
        return Response(found.svg(asked.move, asked.size), media_type="image/svg+xml")

    @router.get("/picture.png", response_class=Response)
    def png(asked: Picture) -> Response:
        """Draw a position as PNG."""
        found = find_record(asked.variant, asked.position, []).position
        return Response(pictures.png(found, asked.move, asked.size), media_type="image/png")

    return router


@lru_cache(maxsize=1)
def _families() -> list[dict[str, Any]]:
    return [
        {
            "title": family.title,
            "pattern": family.pattern,
            "variants": [
                {"name": name, "about": about, "players": find_variant(name).players}
                for name, about in _listed(family).items()
            ],
            "real": [*family.variants][-1],
            "options": [option.as_dict() for option in family.options],
            "presets": {name: dict(values) for name, values in family.presets.items()},
        }
        for family in families()
        if family.variants
    ]


def _listed(family: Family) -> dict[str, str]:
    """Return a family's variants with descriptions: the well-known and those with trained players.

    The latter stand behind the well-known ones of the same kind of board.
    """
    trained = shipped_variants() | shipped_evaluator_variants() | set(rated_variants())
    more = {name.partition(":")[0] for name in trained} - set(family.variants)
    found = dict(family.variants)
    for name in sorted(more, reverse=True):
        if find_variant(name).title != family.title:
            continue
        names = [*found]
        kind = name.partition("-")[0]
        alike = [at for at, each in enumerate(names) if each.partition("-")[0] == kind]
        names.insert(alike[-1] + 1 if alike else len(names), name)
        found = {each: found.get(each, _TRAINED) for each in names}
    return found


def _rules(game: Game) -> dict[str, Any]:
    """Return the rule sets that fit a variant's board, and how names are formed."""
    bare = game.name.partition(":")[0]
    family = next((family for family in families() if family.title == game.title), None)
    if family is None:
        return {"bare": bare, "rules": [], "pattern": bare, "options": []}
    default = find_variant(bare).name
    sets = []
    for name in family.presets:
        with suppress(HalmaError):
            sets.append({"name": name, "variant": find_variant(f"{bare}:{name}").name})
    return {
        "bare": bare,
        "rules": [each for each in sets if each["variant"] != default],
        "pattern": family.pattern,
        "options": [option.as_dict() for option in family.options_of(bare)],
    }


@lru_cache(maxsize=1)
def _ladder() -> list[dict[str, Any]]:
    return [
        {
            "variant": game.name,
            "title": game.title,
            "rated_zero": rated_zero(game),
            "levels": [asdict(level) for level in levels_of(game)],
        }
        for game in map(find_variant, rated_variants())
    ]


@lru_cache(maxsize=64)
def _agents(variant: str) -> tuple[str, ...]:
    """Return the registry's agents that play a variant, by names that can be used as they are."""
    game = find_variant(variant)
    names = [
        spec.example or spec.name
        for spec in specs()
        if not (spec.foreign or spec.no_path or spec.name == HUMAN or _needs_file(spec.options))
    ]
    return tuple(name for name in names if _plays(name, game))


def _needs_file(options: Any) -> bool:
    return any(option.key == "file" for option in options)


def _plays(name: str, game: Game) -> bool:
    try:
        check_agent(find_agent(name), game)
    except HalmaError:
        return False
    return True
