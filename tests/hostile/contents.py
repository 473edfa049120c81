"""What files hold, without times and dates: equal after an undisturbed command and a killed one.

Reading checks checksums, so a file that is not whole raises an error.
"""

import hashlib
import json
import re
from pathlib import Path

from halma.arena import GameStore
from halma.files import TEMPORARY
from halma.games import game
from halma.learn.run import META
from halma.networks.network_file import read_info
from halma.solve.engines import engine_for
from halma.solve.tables import load_arrays
from halma.tensors import open_tensors
from halma.tune.folder import open_study

#: Keys whose values are times, or follow from them.
_TIME = re.compile(r"second|busy|begun|_bytes$")
#: Files of no interest: locks, and those of TensorBoard, which are written anew at every start.
_IGNORED = re.compile(r"(^|/)(lock|tensorboard/.*)$")


def read_folder(folder: Path) -> dict[str, object]:
    """Return what every file in a folder holds, by its path in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and not _IGNORED.search(name):
            found[name] = None if name.endswith(TEMPORARY) else read_file(path)
    return found


def read_file(path: Path) -> object:
    """Return what a file holds."""
    if path.name == META or path.suffix == ".json":
        return without_times(json.loads(path.read_text(encoding="utf-8")))
    reader = _READERS.get(path.suffix)
    return path.read_bytes() if reader is None else reader(path)


def without_times(value):
    """Return a JSON value without what depends on the time it took."""
    if isinstance(value, dict):
        return {key: without_times(v) for key, v in value.items() if not _TIME.search(key)}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def metrics_lines(path: Path) -> list[object]:
    """Return the complete lines of metrics.jsonl."""
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return [without_times(json.loads(line)) for line in lines]


def _json_lines(path: Path) -> object:
    lines = metrics_lines(path)
    for number, line in enumerate(lines, start=1):
        assert not isinstance(line, dict) or line.get("iteration", number) == number
    return lines


def _tensors(path: Path) -> object:
    if path.name.startswith("best"):
        return read_info(path), dict(read_info(path).about), path.read_bytes()
    file = open_tensors(path, {})
    arrays = {name: _digest(array.tobytes()) for name, array in file.arrays().items()}
    return without_times(file.description), arrays


def _model(path: Path) -> object:
    return read_info(path), dict(read_info(path).about), path.read_bytes()


def _table(path: Path) -> object:
    chosen = game(path.stem)
    engine = engine_for(chosen)
    layouts = {engine.solution.kind: engine.solution.layout(chosen), "checkpoint": engine.layout()}
    found = load_arrays(path, chosen, layouts)
    arrays = {name: _digest(array.tobytes()) for name, array in found.arrays.items()}
    return found.kind, without_times(found.about), arrays


def stored_games(path: Path) -> dict[str, list[object]]:
    """Return the games of every match in a store, in order."""
    found = {}
    with GameStore(path, read_only=True) as store:
        for match in store.matches():
            games = [vars(played) for _, played in store.games(match.id)]
            found[json.dumps(match.plan)] = [without_times(one) for one in games]
    return found


def _study(path: Path) -> list[object]:
    """Return the trials of a tuning."""
    trials = open_study(path.parent).get_trials()
    return [
        (
            t.number,
            t.state.name,
            t.value,
            t.params,
            t.intermediate_values,
            without_times(t.user_attrs),
        )
        for t in trials
    ]


def _page(path: Path) -> object:
    """Return the heading of a page and its first paragraph, which says how far a run is."""
    text = path.read_text(encoding="utf-8")
    assert text.rstrip().endswith("</html>")
    return re.findall(r"<h1>.*?</h1>|<p class=\"faint\">.*?</p>", text)[:2]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


_READERS = {
    ".jsonl": _json_lines,
    ".safetensors": _tensors,
    ".onnx": _model,
    ".table": _table,
    ".partial": _table,
    ".db": stored_games,
    ".sqlite3": _study,
    ".html": _page,
}
