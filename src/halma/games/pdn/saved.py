"""PDN games as saved games, and back."""

from __future__ import annotations

from collections.abc import Iterator

from halma.errors import GameReadError, RecordError
from halma.games.game import Game
from halma.games.pdn.game import Item, PdnGame, PdnMove, from_record, refuse_other_rules
from halma.games.pdn.reader import read
from halma.games.saved import SavedGame

#: tags that say what a saved game has in other fields
_FIELDS = ("Black", "White", "Result", "Termination", "GameType", "SetUp", "FEN")
#: comments, variations, glyphs and marks of a game among its moves, as PDN
_MOVETEXT = "movetext"


def saved_games(text: str, game: Game | None = None) -> Iterator[SavedGame | GameReadError]:
    """Yield the games of a PDN text, an error in the place of each that cannot be read.

    `game` has the rules under which they are replayed; without it, repetition does not end them.
    """
    if game is not None:
        refuse_other_rules(game)
    problems: list[GameReadError] = []
    found: list[PdnGame | GameReadError] = [*read(text, problems), *problems]
    for each in sorted(found, key=lambda item: item.number):
        try:
            yield each if isinstance(each, GameReadError) else _saved(each, game)
        except GameReadError as error:
            yield error


def _saved(game: PdnGame, rules: Game | None) -> SavedGame:
    record = game.record(rules)
    agents = game.tags.get("Black", "?"), game.tags.get("White", "?")
    tags = {name: value for name, value in game.tags.items() if name not in _FIELDS}
    facts: dict[str, object] = {"tags": {name: tags[name] for name in tags if tags[name] != "?"}}
    for move, full in zip(game.moves, record.texts, strict=True):
        move.text = full
    if any(not isinstance(item, PdnMove) or item.mark for item in game.items):
        facts[_MOVETEXT] = PdnGame(items=game.items).write().strip()
    saved = SavedGame(
        record,
        () if agents == ("?", "?") else agents,
        game.scores,
        game.tags.get("Termination", ""),
        facts,
        game.number,
    )
    doubts = [str(GameReadError(game.number, game.line, text)) for text in saved.warnings]
    saved.warnings = [*game.warnings, *doubts]
    return saved


def from_saved(saved: SavedGame) -> PdnGame:
    """Return a game as PDN; keys other than `tags` and `movetext` are left out."""
    given = saved.facts.get("tags")
    tags = {str(name): str(given[name]) for name in given} if isinstance(given, dict) else {}
    if saved.agents:
        tags |= dict(zip(("Black", "White"), saved.agents, strict=True))
    if saved.end:
        tags["Termination"] = saved.end
    game = from_record(saved.record, tags, saved.result)
    game.items = _annotated(saved) or game.items
    return game


def _annotated(saved: SavedGame) -> list[Item]:
    """Return the movetext of a saved game, or nothing where it has none or other moves."""
    try:
        (game,) = read(str(saved.facts.get(_MOVETEXT, "")))
    except (RecordError, ValueError):
        return []
    return game.items if [move.text for move in game.moves] == saved.record.texts else []
