"""Moves of an agent for another process: the other side of scripts/earlier_version.py.

    PYTHON scripts/earlier_server.py AGENT

A line of JSON with a variant, the start position, the moves and outcomes since and a seed is
answered by one with the move, or with the error. PYTHON may have any version of halma.
"""

from __future__ import annotations

import json
import random
import sys

import halma
from halma.agents import agent


def main() -> None:
    """Answer until the input ends."""
    answers, sys.stdout = sys.stdout, sys.stderr
    player = agent(sys.argv[1])
    print("{}", file=answers, flush=True)
    record, asked = None, None
    for line in sys.stdin:
        question = json.loads(line)
        try:
            start, texts = (question["variant"], question["start"]), question["moves"]
            # An agent may keep a tree while the same record goes on.
            if record is None or start != asked or record.texts != texts[: len(record)]:
                game = halma.game(question["variant"])
                record, asked = halma.Record(game, game.position(question["start"])), start
            for text in texts[len(record) :]:
                (record.resolve if record.position.is_chance else record.play)(text)
            answer = {"move": str(player.choose(record, random.Random(question["seed"])))}
        except ValueError as error:  # HalmaError is one
            answer = {"error": str(error)}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
