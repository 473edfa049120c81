"""A person at the terminal."""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from halma.agents.agent import AgentSpec, Analyst
from halma.agents.best import player_of
from halma.draw.terminal import has_colour
from halma.draw.text import draw_text
from halma.errors import HalmaError, MoveError, MoveSyntaxError, UnknownAgentError, suggestion
from halma.games import Move, Position, Record
from halma.games.game import normalise_move

#: What a person may type beside moves, with what it does.
HELP = {
    "help": "show this list; also ?",
    "moves": "list the legal moves; 'moves c3' those with that cell",
    "hint": "show the move that the strongest agent would play",
    "undo": "take back your last move and what followed",
    "save": "save the game, after every move from now on; 'save FILE' chooses the file",
    "resign": "end the game as its loser",
    "quit": "leave the game; also exit",
}

#: Commands that only whoever runs the game can carry out.
_OF_THE_GAME = ("undo", "save", "resign")

#: Moves that a list shows at most.
_MOST_MOVES = 200


class LeftError(HalmaError):
    """A person left the game."""


@dataclass(frozen=True)
class HumanAgent:
    """Asks for every move, and for help, hints and lists of moves answers itself.

    It talks on standard error, so that standard output stays the program's own.
    """

    name: str = "human"
    #: further commands of whoever runs the game: each takes what was typed after its name, and
    #: returns what to answer
    commands: Mapping[str, Callable[[str], str]] = field(default_factory=dict, compare=False)

    def choose(self, record: Record, rng: random.Random) -> Move:
        """Show what happened since the person's last move, and ask until a legal move is given."""
        position = record.position
        say(_report(record, position.mover))
        while True:
            text = _ask(f"{record.game.seat_names[position.mover]}: your move (or help): ")
            word, _, rest = text.partition(" ")
            try:
                if answer := self._answer(record, rng, word.lower(), rest.strip()):
                    say(answer)
                elif text:
                    return position.find(text)
            except MoveSyntaxError as error:
                near = suggestion(word.lower(), [*HELP, *self.commands])
                say(f"{error}{near or ' Type help for what can be typed.'}")
            except MoveError as error:
                say(str(error))

    def _answer(self, record: Record, rng: random.Random, word: str, rest: str) -> str:
        """Return the answer to a command; nothing if it is not one."""
        if any(move.text == word for move in record.position.legal_moves):
            return ""
        if word in ("help", "?"):
            return self._help(record.position)
        if word == "moves":
            return _moves(record.position, rest)
        if word in ("quit", "exit"):
            raise LeftError("You have left the game.")
        try:
            if word == "hint":
                return _hint(record, rng)
            if word in self.commands:
                return self.commands[word](rest)
        except LeftError:
            raise
        except HalmaError as error:
            return str(error)
        return f"'{word}' is not possible in this game." if word in HELP else ""

    def _help(self, position: Position) -> str:
        mine = [word for word in HELP if word in self.commands or word not in _OF_THE_GAME]
        example = position.legal_moves[0].text
        lines = [f"{'A MOVE':<8} such as {example}; capitals, spaces and signs do not matter"]
        return "\n".join(lines + [f"{word:<8} {HELP[word]}" for word in mine])


def recent(record: Record, player: int) -> tuple[list[str], list[int]]:
    """Return what happened since a player's last move: lines, and the cells where moves end."""
    positions, texts = record.positions, record.texts
    since = len(texts)
    while since and (positions[since - 1].is_chance or positions[since - 1].mover != player):
        since -= 1
    ply = sum(not position.is_chance for position in positions[:since])
    lines: list[str] = []
    cells: list[int] = []
    for before, text in zip(positions[since:-1], texts[since:], strict=True):
        if before.is_chance:
            lines.append(f"chance: {text}")
            continue
        ply += 1
        lines.append(f"{ply}. {record.game.seat_names[before.mover]}: {text}")
        scene = record.game.scene(before.state, before.find(text).value)
        cells += scene.trail[:1] + scene.trail[-1:] or scene.marks
    return lines, cells


def _report(record: Record, player: int) -> str:
    """Return the position as text, its last moves marked, below what was played."""
    lines, cells = recent(record, player)
    scene = record.game.scene(record.position.state)
    scene = replace(scene, marks=(*dict.fromkeys((*scene.marks, *cells)),))
    return "\n".join([*lines, "", draw_text(scene, has_colour(sys.stderr)), ""])


def say(text: str, end: str = "\n") -> None:
    """Print on standard error."""
    print(text, end=end, file=sys.stderr, flush=True)


def _ask(prompt: str) -> str:
    """Return a line without its ends; the end of the input is as good as `quit`."""
    say(prompt, end="")
    if isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin.errors != "replace":
        sys.stdin.reconfigure(errors="replace")  # bytes that are not text are not a move either
    line = sys.stdin.readline()
    if not line:
        say("")
        raise LeftError("You have left the game.")
    return "".join(c if c.isprintable() else " " for c in line).strip()


def _moves(position: Position, cell: str) -> str:
    texts = [move.text for move in position.legal_moves]
    if cell:
        found = [text for text in texts if cell.lower() in normalise_move(text).split("-")]
        texts = found or [f"No legal move has the cell '{cell[:20]}'."]
    more = len(texts) - _MOST_MOVES
    return " ".join(texts[:_MOST_MOVES] + [f"and {more} more"] * (more > 0))


def _hint(record: Record, rng: random.Random) -> str:
    from halma.agents.registry import agent

    adviser = player_of(agent("best"), record)
    if not isinstance(adviser, Analyst):
        raise UnknownAgentError(f"'{adviser.name}', the best agent here, gives no hints.")
    found = adviser.analyse(record, rng)
    value = found.moves[0].value_text
    if value[:1].isdigit():
        value = f"value {value} from 0 (loss) to 1 (win)"
    return f"{found.best.text} ({', '.join(filter(None, (adviser.name, value)))})"


SPEC = AgentSpec("human", lambda name, options: HumanAgent(name))
