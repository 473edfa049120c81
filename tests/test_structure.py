"""Rules of the source tree that no linter checks."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: A definition at namespace scope: not a forward declaration, a friend or a specialisation, and
#: not a nested type, which its class qualifies.
CXX_CLASS = re.compile(r"^(?:enum\s+)?(?:class|struct)\s+(\w+)(?:\s+final)?\s*(?::[^:;]|\{)", re.M)


def python_classes():
    for path in sorted((ROOT / "src" / "halma").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield node.name, path


def cxx_classes():
    for path in sorted((ROOT / "core").rglob("*.[ch]pp")):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for match in CXX_CLASS.finditer(text):
            yield match[1], path


@pytest.mark.parametrize("classes", [python_classes, cxx_classes])
def test_no_class_name_stands_twice(classes):
    places = defaultdict(list)
    for name, path in classes():
        places[name.lstrip("_")].append(str(path.relative_to(ROOT)))
    assert len(places) > 50
    twice = {name: paths for name, paths in places.items() if len(paths) > 1}
    assert not twice
