"""What requests contain: types, lengths and ranges, checked before anything uses them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from halma.games.game import MAX_MOVE_TEXT, MAX_TEXT

#: Entries of a game: moves and outcomes.
MOST_MOVES = 4000
#: Characters of a name of a variant or an agent.
_NAME = 300

VariantName = Annotated[str, Field(min_length=1, max_length=_NAME, examples=["ewn-3x3-3"])]
AgentName = Annotated[str, Field(min_length=1, max_length=_NAME, examples=["best:level=1"])]
PositionText = Annotated[str, Field(max_length=MAX_TEXT)]
MoveText = Annotated[str, Field(max_length=MAX_MOVE_TEXT)]
Moves = Annotated[list[MoveText], Field(max_length=MOST_MOVES)]
#: counts up with every change of a game; a request for another version is refused
Version = Annotated[int | None, Field(default=None, ge=0, le=2**53)]


class Body(BaseModel):
    """A JSON object without other keys than those declared."""

    model_config = ConfigDict(extra="forbid")


class BoardRequest(Body):
    """A position: a variant, a start (by default the game's own), and moves from there."""

    variant: VariantName
    start: PositionText | None = None
    moves: Moves = []


class PictureRequest(BaseModel):
    """A position to draw, by default the start; a legal move is shown as a trail."""

    variant: VariantName
    position: PositionText | None = None
    move: MoveText | None = None
    size: Annotated[int, Field(ge=64, le=2000)] = 400


class NewGame(BoardRequest):
    """A game to play: an agent for each seat, `human` for a person."""

    agents: Annotated[list[AgentName], Field(min_length=1, max_length=6)]
    seed: Annotated[int | None, Field(ge=0, lt=2**53)] = None


class PlayedMove(Body):
    """A move of a person."""

    move: MoveText
    version: Version


class GameChange(Body):
    """A change of a game that needs nothing else."""

    version: Version


class Resignation(GameChange):
    """A player gives the game up."""

    player: Annotated[int, Field(ge=0, le=5)]


class NewAgents(GameChange):
    """Other agents for the seats of a game."""

    agents: Annotated[list[AgentName], Field(min_length=1, max_length=6)]


class GameFile(Body):
    """The text of a file of games: PDN or JSON lines."""

    text: Annotated[str, Field(max_length=1_000_000)]
    variant: VariantName | None = None


class ExportRequest(BoardRequest):
    """A game to write as text."""

    agents: Annotated[list[AgentName], Field(max_length=6)] = []
    format: Literal["jsonl", "pdn"] = "jsonl"


class EditedPosition(Body):
    """A position by the glyph of each cell and the fields of its text."""

    variant: VariantName
    cells: Annotated[list[Annotated[str, Field(max_length=1)]], Field(max_length=400)]
    fields: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=8)] = []


class PolicyRequest(BoardRequest):
    """A position whose moves an agent gives probabilities to."""

    agent: AgentName = "best"
