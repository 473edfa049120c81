"""What the fuzzer reads as positions, moves, outcomes and files of games."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path

from game_helpers import random_game
from hostile.fuzzer import Target, flaw

import halma
from halma.arena.openings import read_book
from halma.cli.game_files import read_games, write_text
from halma.errors import GameReadError, HalmaError
from halma.games import pdn
from halma.games.saved import SavedGame, read_json_lines

#: every family, and every form of notation that it has
VARIANTS = (
    *("ewn-3x3-3", "ewn-5x5-6", "ewn-2x8-1", "cdc-2x4-GGCC", "cdc-2x4-KPPP", "cdc-4x8:draw=none"),
    *("draughts-8x8", "frogs-3-2", "rhombus-4x4-3", "rhombus-7x7-6:rules=liu2019"),
    *("star-37-3p", "star-73-2p", "star-121-6p"),
)
_COMMENTS = ("{a comment}", "{nested {braces}}", "; to the end\n", "$3", "!", "(!)", "%x\n", "1.")


def position_target(variant: str) -> Target:
    """Read texts as positions, and use those that are some as players and networks do."""
    game = halma.game(variant)
    seeds = sorted({p.text for seed in range(3) for p in random_game(variant, seed)[::7]})

    def read(text: str) -> None:
        position = game.position(text)
        assert game.position(position.text) == position
        use(position)

    return Target(f"positions of {variant}", seeds, read, lambda rng: _shuffled(rng, seeds))


def use(position: halma.Position) -> None:
    """Ask a position for everything that it can be asked for."""
    game, moves, outcomes = position.game, position.legal_moves, position.outcomes
    assert bool(moves) != (position.is_terminal or position.is_chance)
    assert bool(outcomes) == position.is_chance
    assert len(position.result) == game.players
    assert 0 <= position.mover < game.players
    assert position.key >= 0
    if position.index is not None:
        assert game.core.index(game.core.unindex(position.index)) == position.index
    if position.key % 16 == 0:
        assert position.encode().shape[-3:] == game.shape
        assert str(position) and position.svg()
    for move in moves[:1] + moves[-1:]:
        assert position.find(move.text) == move
        assert position.move_of(position.action(move)) == move
        _check_follower(position.play(move))
    for each in outcomes[:1] + outcomes[-1:]:
        assert position.find_outcome(each.text) == each
        _check_follower(position.resolve(each))
    record = halma.Record(game, position)
    assert record.is_over or not position.is_terminal


def _check_follower(after: halma.Position) -> None:
    assert after.game.position(after.text) == after


def _shuffled(rng: random.Random, seeds: Sequence[str]) -> str:
    """Return a position with its board in another order, and parts of other positions."""
    fields = rng.choice(seeds).split()
    if ":" in fields[0]:
        return _draughts(rng)
    rows = fields[0].split("/")
    cells = list("".join(rows))
    rng.shuffle(cells)
    for _ in range(rng.choice((0, 0, 1, 3, 20))):
        cells[rng.randrange(len(cells))] = rng.choice(rng.choice(seeds).split()[0].replace("/", ""))
    board = iter(cells)
    fields[0] = "/".join("".join(next(board) for _ in row) for row in rows)
    other = rng.choice(seeds).split()
    return " ".join(
        [fields[0], *(rng.choice(pair) for pair in zip(fields[1:], other[1:], strict=False))]
    )


def _draughts(rng: random.Random) -> str:
    squares = rng.sample(range(1, 34), rng.choice((1, 2, 5, 12, 24, 32)))
    entries = [f"{rng.choice(('', '', 'K'))}{square}" for square in squares]
    middle = rng.randint(0, len(entries))
    white, black = ",".join(entries[:middle]), ",".join(entries[middle:])
    return f"{rng.choice('BWb')}:W{white}:B{black}{rng.choice(('', '', '.', ':H3:F10'))}"


def move_target(variant: str) -> Target:
    """Read texts as moves and outcomes in several positions, finished ones among them."""
    positions = [p for seed in range(2) for p in random_game(variant, seed)]
    few = [next(p for p in positions if p.legal_moves), *positions[-2:]]
    few += [p for p in positions if 0 < len(p.outcomes) < 100][:1]
    seeds = {m.text for p in few for m in (*p.legal_moves[:30], *p.outcomes[:30])}

    def read(text: str) -> None:
        errors, understood = list[HalmaError](), False
        for position in few:
            find = position.find_outcome if position.is_chance else position.find
            try:
                found = find(text)
            except HalmaError as error:
                errors.append(error)
            else:
                understood = True
                assert find(found.text) == find(found) == found
                (position.resolve if position.is_chance else position.play)(text)
        raise_flawed(errors)
        if not understood:
            raise errors[-1]

    return Target(f"moves of {variant}", sorted(seeds), read)


def raise_flawed(errors: Sequence[HalmaError]) -> None:
    """Raise an error of several whose message is not as it should be."""
    for error in errors:
        if flaw(str(error)):
            raise error


def pdn_target() -> Target:
    """Read texts as PDN, and write what was read."""

    def read(text: str) -> None:
        problems: list[GameReadError] = []
        games = pdn.read(text, problems)
        raise_flawed(problems)
        written = "".join(game.write() for game in games)
        assert pdn.read(written) == games
        found = list(pdn.saved_games(text))
        raise_flawed([each for each in found if isinstance(each, HalmaError)])
        for saved in found:
            if isinstance(saved, SavedGame):
                assert _written(saved, "pdn") and _written(saved, "jsonl")
        if problems and not games:
            raise problems[0]

    texts = [pdn_text(random.Random(seed)) for seed in range(12)]
    return Target("PDN", texts, read, pdn_text)


def pdn_text(rng: random.Random) -> str:
    """Return a game of draughts as people write it down."""
    texts = json.loads(_played("draughts-8x8", rng.randrange(9), rng.choice((2, 9, 20))))["moves"]
    words: list[str] = []
    for number, text in enumerate(texts):
        words += [f"{number // 2 + 1}."] * (number % 2 == 0) + [text]
        if rng.random() < 0.2:
            words.append(rng.choice((*_COMMENTS, f"({number // 2 + 1}. {text} {{or so}})")))
    tags = [f'[White "W{rng.randrange(9)}"]', '[Result "1-0"]', '[GameType "21"]', '[Event "x"]']
    head = "\n".join(rng.sample(tags, rng.randint(0, 3)))
    return f"{head}\n\n{' '.join(words)} {rng.choice(('1-0', '*', '1/2-1/2', '½-½', '2-0'))}\n"


def saved_games_target() -> Target:
    """Read texts as JSON lines of games, and write what was read."""

    def read(text: str) -> None:
        found = list(read_json_lines(text))
        errors = [each for each in found if isinstance(each, HalmaError)]
        raise_flawed(errors)
        for saved in found:
            if isinstance(saved, SavedGame):
                (again,) = read_json_lines(_written(saved, "jsonl"))
                assert (again.agents, again.result, again.end, again.facts) == (
                    saved.agents,
                    saved.result,
                    saved.end,
                    saved.facts,
                )
                assert again.record.texts == saved.record.texts
        if errors:
            raise errors[0]

    return Target(
        "saved games", [saved_text(random.Random(seed)) for seed in range(30)], read, saved_text
    )


def saved_text(rng: random.Random) -> str:
    """Return a game as a JSON line."""
    return _played(rng.choice(VARIANTS), rng.randrange(3), rng.choice((3, 8, 20)))


@cache
def _played(variant: str, seed: int, plies: int) -> str:
    record, rng = halma.Record(halma.game(variant)), random.Random(seed)
    while len(record) < plies and not record.is_over:
        record.roll(rng)
        record.play(rng.choice(record.position.legal_moves))
    entry = {
        "variant": record.game.name,
        "agents": [f"agent {seat}" for seat in range(record.game.players)],
        "start": record.start.text,
        "moves": record.texts,
        "plies": record.plies,
        "result": None,
        "end": "",
        "tags": {"Event": "x", "Round": "1"},
        "seed": 3,
    }
    return json.dumps(entry)


def mistaken_json(rng: random.Random) -> str:
    """Return a saved game in which one value is of another kind."""
    entry = json.loads(saved_text(rng))
    wrong = ([], {}, None, True, 1e308, -1, 10**400, "", "\0", [[]], [None], {"a": {}}, "mine.py")
    entry[rng.choice(list(entry))] = rng.choice(wrong)
    return json.dumps(entry)


def _written(saved: SavedGame, form: str) -> str:
    file = BytesIO()
    if form == "pdn":
        write_text(file, saved, form)
    else:
        file.write(saved.json_line().encode())
    return file.getvalue().decode()


def game_file_target(folder: Path) -> Target:
    """Read files as `halma convert` does: of any suffix, as bytes."""

    def read(text: str) -> None:
        suffix = (".pdn", ".jsonl", ".txt", "")[len(text) % 4]
        path = folder / f"games{suffix}"
        path.write_bytes(as_bytes(text))
        found = list(read_games(path, None, None))
        errors = [each for each in found if isinstance(each, HalmaError)]
        raise_flawed(errors)
        for saved in found:
            if isinstance(saved, SavedGame):
                write_text(BytesIO(), saved, "jsonl")
                if saved.record.game.title == "English draughts":
                    write_text(BytesIO(), saved, "pdn")

    seeds = [
        *(pdn_text(random.Random(n)) for n in range(9)),
        *(saved_text(random.Random(n)) for n in "ab"),
    ]
    return Target("files of games", seeds, read, mistaken_json)


def as_bytes(text: str) -> bytes:
    """Return a text as the bytes of a file; lone surrogates make it invalid."""
    return text.encode("utf-8", "surrogatepass")


def book_target(folder: Path) -> Target:
    """Read files as books of openings."""
    games = {name: halma.game(name) for name in ("ewn-3x3-3", "draughts-8x8", "star-37-3p")}
    seeds = ["\n".join(p.text for p in random_game(name, 1)[2:8:2]) + "\n" for name in games]

    def read(text: str) -> None:
        path = folder / "book.txt"
        path.write_bytes(as_bytes(text))
        errors: list[HalmaError] = []
        for game in games.values():
            try:
                for position in read_book(path, game):
                    assert game.position(position).text == position
            except HalmaError as error:
                errors.append(error)
        raise_flawed(errors)
        if len(errors) == len(games):
            raise errors[0]

    return Target("books of openings", seeds, read)


def file_targets(folder: Path) -> list[Target]:
    """Return the targets that read files of games, or their texts; some write into a folder."""
    return [pdn_target(), saved_games_target(), game_file_target(folder), book_target(folder)]
