"""Paths whose bytes are not text, in every verb that prints or stores one."""

import json
import os
from pathlib import Path

import pytest
from cli.terminals import prepared_server

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: Copies of examples by name; {} is the name with bytes that are not text.
COPIES = {"game.py": "hexapawn.py", "{}.py": "my_agent.py", "{}.toml": "hexapawn-table.toml"}
SMALL = "--iterations 1 --set selfplay.games=2 --set truth.games=2 --threads 1"
COMMANDS = (
    "show {}/game.py --svg {}/{}.svg",
    "solve {}/game.py --out {}/tables",
    "match {}/{}.py random --game {}/game.py --games 2 --workers 1 --db {}/{}.db",
    "match {}/{}.py random --game {}/game.py --games 4 --workers 2 --db {}/{}.db",
    "tournament {}/{}.py random --game {}/game.py --games 2 --workers 1 --csv {}/{}.csv",
    "tournament {}/{}.py random --game {}/game.py --games 2 --workers 1 --svg {}/{}.svg",
    "play {}/{}.py random --game {}/game.py --save {}/{}.jsonl",
    "truth {}/game.py --sample 5 --games 2 --agents {}/{}.py --page {}/{}.html",
    "replay {}/{}.db 1 --game {}/game.py:Hexapawn",
    "convert {}/{}.db --game {}/game.py:Hexapawn --out {}/{}.npz",
    f"train {{}}/{{}}.toml --out {{}}/run{{}} {SMALL}",
    "match tabular:{}/run{} random --game {}/game.py --games 2 --workers 1",
    "report {}/run{} --out {}/{}.html",
    "reproduce he2016 fig3 --draw --out {}/{}",
)
#: Python then reads arguments as ASCII.
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    ("name", "environment", "flags"),
    [(b"n\xc3\xbcr", ASCII, []), (b"n\xfcr", {"PYTHONUTF8": "1"}, [b"--json"])],
)
def test_paths_that_are_not_text(tmp_path, name, environment, flags):
    folder = os.path.join(os.fsencode(tmp_path), name)
    os.mkdir(folder)
    for copy, example in COPIES.items():
        text = (EXAMPLES / example).read_bytes().replace(b"hexapawn.py", b"game.py")
        with open(os.path.join(folder, copy.encode().replace(b"{}", name)), "wb") as file:
            file.write(text)
    with prepared_server(tmp_path, (), **environment) as run:
        for words in COMMANDS:
            ran = run([*words.encode().replace(b"{}", name).split(), *flags])
            assert ran.status == 0, (words, ran.err)
            if flags:
                assert json.loads(ran.out)
            else:
                assert ran.out.isascii() and ran.err.isascii()
