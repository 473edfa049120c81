"""Where the fuzzer runs: a folder of its own, outside of which no text can do anything.

Names may refer to code of the user. The folder has some, and no other module is imported by name.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import patch

from halma import plugins

_GAME = '''
from halma.games.frogs import FrogsGame
class Toads(FrogsGame):
    """A game."""
    def __init__(self, pieces=2, gap=1, name="toads"):
        if pieces + gap > 10:
            raise ValueError("too\\nlarge")
        super().__init__(name, pieces, gap)
'''
_AGENT = """
class Chooser:
    def __init__(self, depth=2, rate=0.5, word="x", flag=False):
        self.depth = depth
    def choose(self, record, rng):
        return record.position.legal_moves[0]
class Broken:
    def __init__(self, depth=1):
        raise KeyError("\\n\\x1b" * 500)
    def choose(self, record, rng):
        pass
class NoAgent: pass
"""
#: files with code of a user, good and bad
OWN_FILES = {
    "toads.py": _GAME,
    "chooser.py": _AGENT,
    "wrong.py": "def f(:\n",
    "raises.py": "raise RuntimeError('a\\nb' * 900)",
    "exits.py": "import sys; sys.exit(3)",
    "empty.py": "",
    "binary.py": "\0\1",
    "two words.py": _GAME,
}

#: events of Python that change files, with the place of the path among their arguments
_CHANGES = {"os.mkdir": 0, "os.rename": 1, "os.remove": 0, "os.rmdir": 0, "os.truncate": 0}
_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect")
#: the folder in which files may be written; none where no fuzzer runs
_folder: list[str] = []


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse to write files elsewhere, and to start programs."""
    if not _folder:
        return
    place: object = None
    if event == "open" and isinstance(arguments[2], int):
        if arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            place = arguments[0]
    elif event in _CHANGES:
        place = arguments[_CHANGES[event]]
    elif event in _STARTS:
        raise PermissionError(1, "No program is started here", event)
    if isinstance(place, str | bytes | os.PathLike):
        path = os.path.abspath(os.fsdecode(place))
        if not path.startswith((_folder[0], "/dev/null")):
            raise PermissionError(1, "Operation not permitted", path)


@contextmanager
def sandbox() -> Iterator[Path]:
    """Enter a folder with some code of the user; it is removed at the end."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    before = os.getcwd()
    folder = Path(tempfile.mkdtemp(prefix="halma-fuzz-", dir=memory))
    for name, text in OWN_FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "folder.py").mkdir()
    _install_hook()
    os.chdir(folder)
    try:
        with _guarded_imports(), patch.object(plugins, "installed", cache(plugins.installed)):
            _folder.append(f"{folder}/")
            yield folder
    finally:
        _folder.clear()
        os.chdir(before)
        shutil.rmtree(folder)


@cache
def _install_hook() -> None:
    sys.addaudithook(_refuse)


@contextmanager
def _guarded_imports() -> Iterator[None]:
    """Import no modules by name but those of the folder."""
    allowed = {Path(name).stem for name in OWN_FILES}

    def guarded(name: str) -> ModuleType:
        if name.partition(".")[0] not in allowed and name not in sys.modules:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return importlib.import_module(name)

    with patch.object(plugins, "importlib", SimpleNamespace(import_module=guarded)):
        yield
