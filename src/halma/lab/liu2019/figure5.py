"""Figure 5: a position in which greedy loses and the best line begins with a step back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from halma import _core
from halma.files import replace_file
from halma.games import Move, Position, game
from halma.lab.experiment import Experiment, ExperimentPage
from halma.lab.liu2019.settings import VARIANT
from halma.lab.report import Claim, ReportFigure, ReportSection
from halma.lab.workspace import Workspace
from halma.search import Minimax

#: Player 1 to move, whom the paper draws in blue.
POSITION = "....11./.....1./.2...11/.2...../2....../2....../22....1 1"
#: Moves of player 1 within which the best line wins, and its plies.
_MOVES, _PLIES = 4, 7
#: Plies within which the replies to greedy's moves win.
_REPLY_PLIES = 9

_TEXT = (
    "The paper has a picture and a sentence: player 2 wins in at most five moves, greedy picks a "
    "move that loses, and the best play moves a checker back, has one checker as a bridge for the "
    "other, and wins in four moves. The text alone does not give the position. This one was found "
    "by a search through armies with four checkers in the target for positions with all of these "
    "properties; alpha-beta search proves each of them. The checker that has fallen behind hops "
    "over the one that came back for it."
)


@dataclass(frozen=True)
class Refutation:
    """What search proves of the position."""

    position: Position
    #: moves of player 1 that win within seven plies, with the rows they advance
    winning: dict[str, int]
    #: the best line, from the position on
    line: tuple[str, ...]
    #: the moves that advance most, with the plies within which each of them loses
    greedy: dict[str, int | None]
    #: rows that those advance
    most: int
    #: the fewest moves in which player 2 could finish if player 1 stood still
    alone: int


def prove(text: str = POSITION) -> Refutation:
    """Search the position and the replies to greedy's moves."""
    found = game(f"{VARIANT},plies=0,cycle=off")
    position = found.position(text)
    search = Minimax(found, table_bits=18)
    best = search.search(position, depth=_PLIES, all_moves=True)
    winning = {
        move.text: _advance(position, move)
        for move, value in best.values
        if value > _core.MINIMAX_DECIDED
    }
    advances = {move.text: _advance(position, move) for move in position.legal_moves}
    most = max(advances.values())
    greedy: dict[str, int | None] = {}
    for move in position.legal_moves:
        if advances[move.text] == most:
            reply = search.search(position.play(move), depth=_REPLY_PLIES)
            lost = reply.value > _core.MINIMAX_DECIDED
            greedy[move.text] = reply.plies_to_end if lost else None
    alone = _core.moves_alone(found.core, position.state, 1)
    line = tuple(move.text for move in best.line)
    return Refutation(position, winning, line, greedy, most, alone)


def _advance(position: Position, move: Move) -> int:
    return round(position.game.advance(position.state, move.value))


def _rows(found: Refutation) -> Iterator[Claim]:
    yield Claim(
        "player 2 finishes, if player 1 stands still",
        "in at most 5 moves",
        f"in {found.alone} moves",
        "agrees" if found.alone <= 5 else "differs",
    )
    lost = ", ".join(f"{move} after {plies} plies" for move, plies in found.greedy.items())
    agrees = None not in found.greedy.values()
    yield Claim(
        f"greedy's moves, {found.most} rows forward",
        "lose",
        lost,
        "agrees: proven" if agrees else "differs",
    )
    winning = ", ".join(f"{move} ({rows:+} rows)" for move, rows in found.winning.items())
    back = all(rows < 0 for rows in found.winning.values()) and bool(found.winning)
    yield Claim(
        f"moves that win within {_MOVES} moves",
        "backward, then over a bridge",
        winning or "none",
        "agrees: proven" if back else "differs",
    )
    yield Claim("the best line", f"wins in {_MOVES} moves", " ".join(found.line), "agrees: proven")


class Figure5(Experiment):
    """The position. It has no jobs: the proof takes a second."""

    def page(self, workspace: Workspace) -> ExperimentPage:
        """Prove the statements and draw the first moves."""
        found = prove()
        bad, good = next(iter(found.greedy)), found.line[0]
        bridge = found.position.play(good).play(found.line[1])
        images = []
        for name, position, move, caption in (
            ("greedy", found.position, bad, f"Greedy's {bad} loses"),
            ("best", found.position, good, f"{good} wins: a step back"),
            ("bridge", bridge, found.line[2], f"Two plies later: {found.line[2]}"),
        ):
            file = f"{self.file}-{name}.svg"
            replace_file(workspace.pages / file, position.svg(move, size=260))
            images.append(ReportFigure(file, caption))
        data: dict[str, Any] = {
            "position": found.position.text,
            "winning": found.winning,
            "greedy": found.greedy,
            "line": list(found.line),
        }
        section = ReportSection(self.title, _TEXT, list(_rows(found)), images)
        return ExperimentPage([section], {"position": POSITION}, data)


EXPERIMENTS = (
    Figure5(name="fig5", title="Figure 5: where greedy loses and a step back wins", libraries=()),
)
