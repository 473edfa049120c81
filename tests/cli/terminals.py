"""Odd terminals, and what a command has to do on each."""

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

from cli.fork_server import BROKEN, CLOSED, FULL, ForkServer
from cli.quick_commands import PREPARATION, QUICK, WITHOUT_JSON, WITHOUT_OUTPUT


@dataclass(frozen=True)
class Terminal:
    """Standard streams, their encoding and the environment."""

    streams: tuple[str, str, str] = ("", "", "")
    encoding: str = "utf-8"
    environment: dict[str, str] = field(default_factory=dict)
    #: exit status of a command that prints on standard output
    status: int = 0


TERMINALS = {
    "closed input": Terminal((CLOSED, "", "")),
    "closed output": Terminal(("", CLOSED, "")),
    "closed error": Terminal(("", "", CLOSED)),
    "everything closed": Terminal((CLOSED, CLOSED, CLOSED)),
    "broken output": Terminal(("", BROKEN, ""), status=141),
    "broken error": Terminal(("", "", BROKEN)),
    "both broken": Terminal(("", BROKEN, BROKEN), status=141),
    "full output": Terminal(("", FULL, ""), status=2),
    "full error": Terminal(("", "", FULL)),
    "both full": Terminal(("", FULL, FULL), status=2),
    "ASCII": Terminal(encoding="ascii"),
    "Latin-1": Terminal(encoding="latin-1"),
    "TERM=dumb": Terminal(environment={"TERM": "dumb"}),
    **{
        f"COLUMNS={width}": Terminal(environment={"COLUMNS": width})
        for width in ("1", "10", "10000", "0", "-5", "wide")
    },
}


@contextmanager
def prepared_server(folder, preparation=PREPARATION, **environment):
    """Yield a function that runs commands in a folder with the files they need."""
    server = ForkServer(**environment)

    def run(words, folder=folder, **options):
        return server.run(folder, words.split() if isinstance(words, str) else words, **options)

    try:
        for words in preparation:
            ran = run(words)
            assert ran.status == 0, ran.err
        yield run
    finally:
        server.close()


def check(run, verb, name):
    """Run a verb on an odd terminal, as text and as JSON."""
    terminal = TERMINALS[name]
    for json_flag in ("",) if verb in WITHOUT_JSON else ("", " --json"):
        usual = _usual(run, QUICK[verb] + json_flag)
        ran = run(
            QUICK[verb] + json_flag,
            streams=terminal.streams,
            encoding=terminal.encoding,
            **terminal.environment,
        )
        prints = bool(json_flag) or verb not in WITHOUT_OUTPUT
        assert bool(usual.out) == prints
        assert ran.status == (terminal.status if prints else 0), ran.err
        assert b"Traceback" not in ran.err and b"Exception" not in ran.err
        if terminal.streams[1] == FULL and terminal.streams[2] == "" and prints:
            assert ran.err.endswith(b"halma: Standard output: No space left on device.\n")
        if terminal.streams[1]:
            continue
        shown = ran.out.decode(terminal.encoding)
        if json_flag:
            assert isinstance(json.loads(shown), dict)
        # Nothing is lost: all words in ASCII are there.
        lost = _words(usual.out.decode()) - _words(shown)
        assert not lost, lost


@cache
def _usual(run, words):
    """Return what a command prints on an ordinary terminal."""
    ran = run(words)
    assert ran.status == 0
    return ran


def _words(text):
    return {word for word in re.findall(r"[^\W\d]{3,}", text) if word.isascii()}
