"""Draughts games in Portable Draughts Notation (PDN).

`read` takes a text with any number of games, `write` gives it back with comments, variations,
glyphs and marks in their places, and `PdnGame.record` replays the main line. `saved_games` and
`from_saved` convert from and to the form that all game files share.
"""

from halma.games.pdn.game import (
    Comment,
    Item,
    Nag,
    PdnGame,
    PdnMove,
    Variation,
    from_record,
    write,
)
from halma.games.pdn.reader import read
from halma.games.pdn.saved import from_saved, saved_games

__all__ = [
    "Comment",
    "Item",
    "Nag",
    "PdnGame",
    "PdnMove",
    "Variation",
    "from_record",
    "from_saved",
    "read",
    "saved_games",
    "write",
]
