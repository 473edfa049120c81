"""Runs a CheckerBoard engine: a process that loads the library and answers lines of JSON.

It is started by its path and imports nothing of halma, so that it starts quickly. First it writes
`{"ready": PATH}`. Then `{"command": TEXT}` is answered with `{"status": N, "reply": TEXT}`, and
`{"board": [64 numbers], "colour": N, "time": SECONDS, "info": N, "gamehist": TEXT}` with
`{"board": [64 numbers], "result": N}`. `{"error": CLAUSE}` is the last line where the library
cannot be used.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
from typing import Any

_COMMAND_SIZE, _REPLY_SIZE = 256, 1024


class _Coordinates(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


class _MoveStruct(ctypes.Structure):
    _fields_ = [
        ("jumps", ctypes.c_int),
        ("newpiece", ctypes.c_int),
        ("oldpiece", ctypes.c_int),
        ("start", _Coordinates),
        ("end", _Coordinates),
        ("path", _Coordinates * 12),
        ("removed", _Coordinates * 12),
        ("removed_piece", ctypes.c_int * 12),
    ]


class _Library:
    """The two functions of an engine."""

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(os.path.abspath(path))
        self._getmove, self._enginecommand = library.getmove, library.enginecommand
        self._getmove.argtypes = [
            ctypes.POINTER(ctypes.c_int * 64),
            ctypes.c_int,
            ctypes.c_double,
            ctypes.c_char_p,
            ctypes.POINTER(ctypes.c_int),
            ctypes.c_int,
            ctypes.c_int,
            ctypes.POINTER(_MoveStruct),
        ]
        self._enginecommand.argtypes = [ctypes.c_char_p, ctypes.c_char_p]

    def command(self, text: str) -> dict[str, Any]:
        """Send a command and return the reply."""
        command = ctypes.create_string_buffer(text.encode(errors="replace"), _COMMAND_SIZE)
        reply = ctypes.create_string_buffer(_REPLY_SIZE)
        status = self._enginecommand(command, reply)
        return {"status": status, "reply": reply.value.decode(errors="replace")}

    def move(self, query: dict[str, Any]) -> dict[str, Any]:
        """Ask for a move; the engine is told to play at once when its time is over."""
        self.command(query["gamehist"])
        board = (ctypes.c_int * 64)(*query["board"])
        play_now, move = ctypes.c_int(0), _MoveStruct()
        status_line = ctypes.create_string_buffer(_REPLY_SIZE)
        seconds = float(query["time"])
        timer = threading.Timer(seconds, _set, [play_now])
        timer.daemon = True
        timer.start()
        result = self._getmove(
            board, query["colour"], seconds, status_line, play_now, query["info"], 0, move
        )
        timer.cancel()
        return {"board": list(board), "result": result}


def _set(play_now: ctypes.c_int) -> None:
    play_now.value = 1


def main(path: str) -> None:
    """Answer lines until there are no more."""
    # The library may print: standard output becomes standard error, and answers go elsewhere.
    answers = os.dup(1)
    os.dup2(2, 1)

    def write(answer: dict[str, Any]) -> None:
        os.write(answers, json.dumps(answer).encode() + b"\n")

    try:
        library = _Library(path)
    except (OSError, AttributeError) as error:
        write({"error": f"cannot be loaded: {error}"})
        return
    write({"ready": path})
    for line in sys.stdin:
        query = json.loads(line)
        write(library.command(query["command"]) if "command" in query else library.move(query))


if __name__ == "__main__":
    main(sys.argv[1])
