"""A small Hub engine for tests: plays the first legal move by the rules of the naive twin.

    python hub_engine.py [BEHAVIOUR]

Behaviours: well, silent (says nothing), deaf (declares, then never gets ready), error, frisian
(another variant), chatty (many lines, some senseless), and those of a move after the second:
hang, crash, illegal, garbage, late (half a second over its time), path (a path of squares, not a
capture of Hub).
"""

import shlex
import sys
import time
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reference.draughts import SQUARE, after, is_capture, place, way_text, ways


def hub_move(way):
    if not is_capture(way):
        return way_text(way)
    taken = [SQUARE[(r1 + r2) // 2, (c1 + c2) // 2] for (r1, c1), (r2, c2) in pairwise(way)]
    return "x".join(str(s) for s in (SQUARE[way[0]], SQUARE[way[-1]], *sorted(taken)))


def read_position(text, moves):
    """Return board and mover; the moves must be legal, or the engine ends."""
    assert len(text) == 33
    board = {place(n): piece for n, piece in enumerate(text[1:], 1) if piece != "e"}
    mover = text[0].lower()
    for move in moves.split():
        (way, *_) = [way for way in ways(board, mover) if hub_move(way) == move]
        board, mover = after(board, way), "bw"["wb".index(mover)]
    return board, mover


def say(line):
    print(line, flush=True)


def think(behaviour, number, board, mover, seconds):
    way = ways(board, mover)[0]
    if behaviour == "chatty":
        for depth in range(300):
            say(f'info depth={depth} score=-0.01 pv="{hub_move(way)}"')
        say('\x00\xff "= what')
    if number > 2:
        match behaviour:
            case "hang":
                time.sleep(600)
            case "crash":
                print("out of\x07 luck", file=sys.stderr, flush=True)
                sys.exit(3)
            case "illegal":
                return "1-32"
            case "garbage":
                return "\x1b[2J" * 50
            case "late":
                time.sleep(seconds + 0.5)
            case "path" if is_capture(way):
                return way_text(way)
    return hub_move(way)


def main(behaviour):
    position, seconds, number = None, 0.0, 0
    for line in sys.stdin:
        command, *rest = shlex.split(line)
        given = dict(pair.partition("=")[::2] for pair in rest)
        match command:
            case "hub" if behaviour not in ("silent",):
                variants = "normal frisian" if behaviour == "frisian" else "normal english"
                say('id name=Double version=1 author="a test"')
                say(f'param name=variant value=normal type=enum values="{variants}"')
                say("param name=book value=true type=bool")
                if behaviour == "error":
                    say('error message="no licence"')
                say("wait")
            case "set-param":
                print(f"{given['name']} is {given['value']}", file=sys.stderr)
            case "init" if behaviour != "deaf":
                say("ready")
            case "new-game":
                number = 0
            case "pos":
                position = read_position(given["pos"], given.get("moves", ""))
            case "level":
                seconds = float(given["move-time"])
            case "go":
                number += 1
                say(f'done move="{think(behaviour, number, *position, seconds)}"')
                if behaviour == "chatty":
                    say("info depth=1")
            case "quit":
                return


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "well")
