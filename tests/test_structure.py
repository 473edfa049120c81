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


def test_no_test_file_has_the_name_of_another():
    """Pytest imports test files by their names alone."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(names) > 100
    assert {name for name in names if names.count(name) > 1} == set()


#: Calls that change files, which `halma.files` makes for everybody.
WRITERS = {
    *("write_text", "write_bytes", "unlink", "mkdir", "makedirs", "touch", "symlink_to"),
    *("rmtree", "copyfile", "copytree", "tofile", "truncate", "fsync", "flock"),
}
#: Calls that write to a file, which `atomic_write` has to open.
LIBRARY_WRITERS = {"savefig", "savez", "savez_compressed", "savetxt", "dump"}


def writes(path):
    """Yield the line and the name of every call that writes to a file in a way of its own."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    opened = {
        item.optional_vars.id
        for node in ast.walk(tree)
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
        and getattr(item.context_expr.func, "id", "") == "atomic_write"
        and isinstance(item.optional_vars, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        is_method = isinstance(node.func, ast.Attribute)
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        names = {value.id for value in arguments if isinstance(value, ast.Name)}
        texts = [value.value for value in arguments if isinstance(value, ast.Constant)]
        modes = [text for text in texts if isinstance(text, str) and len(text) <= 3]
        if (
            (is_method and name in WRITERS)
            or (is_method and name in LIBRARY_WRITERS and not names & opened)
            or (name in ("open", "fdopen") and any(set(mode) & set("wax+") for mode in modes))
        ):
            yield node.lineno, name


def test_only_halma_files_writes():
    package = ROOT / "src" / "halma"
    found = [
        f"{path.relative_to(package)}: {name}"
        for path in sorted(package.rglob("*.py"))
        if path != package / "files.py"
        for _, name in writes(path)
    ]
    assert found == ["learn/bundle.py: open"]  # a tar file in memory


def test_writes_are_found(tmp_path):
    """The test above knows the ways to write that were in the tree before."""
    path = tmp_path / "module.py"
    path.write_text(
        "path.write_text(text)\nopen(path, 'w')\npath.open(mode='ab')\nfigure.savefig(path)\n"
        "with atomic_write(path) as file:\n    figure.savefig(file)\nold.unlink()\nopen(path)\n",
        encoding="utf-8",
    )
    assert [line for line, _ in sorted(writes(path))] == [1, 2, 3, 4, 7]
