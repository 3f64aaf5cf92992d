# SPDX-License-Identifier: MIT
"""Who may import whom, and who may talk to the user."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "mpipp"

# Lowest first; a module imports from its own layer and those below. A top-level module that is not
# named here is datatype arithmetic: pure, and knowing neither memory nor the model.
LAYERS = (
    ("errors",),
    ("<arithmetic>",),
    tuple("values views valuetext render shown model describe contents from_mpi4py".split()),
    ("oneline", "outline", "rendezvous", "cache"),
    ("registry",),
    ("checks",),
    ("gdb", "gdb_printers", "cli", "browse", "api"),
)
ARITHMETIC, FRONT_END = 1, len(LAYERS) - 1

# Front ends that start another.
STARTS = (("gdb_printers", "gdb"), ("cli", "browse"))
# A browser runs beside gdb, and knows MPI only from what gdb sends.
BROWSER = ("browse", "errors", "rendezvous")

# The only modules from outside the standard library, and who may use them.
OUTSIDE = {
    "gdb": ("gdb", "gdb_printers"),
    "pygments": ("gdb",),
    "mpi4py": ("from_mpi4py",),
    "textual": ("browse",),
    "rich": ("browse",),
}

MODULES = sorted(PACKAGE.rglob("*.py"))
# Added to sys.stdlib_module_names (Python 3.10) after mpipp's oldest Python, or never listed.
STANDARD = getattr(sys, "stdlib_module_names", frozenset(sys.builtin_module_names))


def part(path: Path) -> str:
    """The top-level module or package of mpipp that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def layer(name: str) -> int:
    """The number of the layer a part of mpipp is in."""
    return next((i for i, names in enumerate(LAYERS) if name in names), ARITHMETIC)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, full module name) of every import in a file, wherever it stands."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            assert node.module
            if node.module == "mpipp":
                yield from ((node.lineno, f"mpipp.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, node.module


def offences(path: Path) -> Iterator[str]:
    """What a file imports that it should not, each as a line of text."""
    me = part(path)
    if me == "__init__":
        return
    for line, module in imports(path):
        where = f"{path.relative_to(PACKAGE.parent)}:{line}: {module}"
        first, _, rest = module.partition(".")
        if first == "mpipp":
            other = rest.split(".")[0]
            same = me == other or (me, other) in STARTS
            if not other or other.startswith("__"):
                continue
            if layer(other) > layer(me):
                yield f"{where} is in a higher layer"
            elif layer(other) == FRONT_END and not same:
                yield f"{where} is another front end"
            elif me == "browse" and other not in BROWSER:
                yield f"{where} is nothing a browser should know"
        elif first in OUTSIDE:
            if me not in OUTSIDE[first]:
                yield f"{where} may be used only in {', '.join(OUTSIDE[first])}"
        elif first not in STANDARD:
            yield f"{where} is not in the standard library"


@pytest.mark.skipif(sys.version_info < (3, 10), reason="needs sys.stdlib_module_names")
def test_imports_point_downwards() -> None:
    assert [offence for path in MODULES for offence in offences(path)] == []


def test_only_the_shell_command_prints() -> None:
    printing = [
        f"{path.relative_to(PACKAGE.parent)}:{node.lineno}"
        for path in MODULES
        if part(path) != "cli"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert printing == []


def test_every_file_names_its_licence() -> None:
    lacking = [
        str(path.relative_to(PACKAGE.parent))
        for path in MODULES
        if "SPDX-License-Identifier: MIT" not in path.read_text().split("\n", 2)[0]
    ]
    assert lacking == []


def test_a_wrong_import_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    for name, text in (
        ("typetree.py", "import gdb\nfrom mpipp import registry\nimport numpy\n"),
        ("cli/run.py", "from mpipp.gdb import printers\nfrom mpipp import __version__\n"),
        ("gdb/memory.py", "import gdb\nfrom mpipp.registry import reader\n"),
        ("gdb/browsing.py", "from mpipp import rendezvous\nfrom mpipp.browse import tree\n"),
        ("browse/tree.py", "import gdb\nfrom mpipp.registry import reader\nimport textual\n"),
        ("cli/browse.py", "from mpipp.browse import tree\nimport textual\n"),
    ):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    found = [line for path in sorted(tmp_path.rglob("*.py")) for line in offences(path)]
    assert [line.split("/", 1)[1] for line in found] == [
        "browse/tree.py:1: gdb may be used only in gdb, gdb_printers",
        "browse/tree.py:2: mpipp.registry is nothing a browser should know",
        "cli/browse.py:2: textual may be used only in browse",
        "cli/run.py:1: mpipp.gdb is another front end",
        "gdb/browsing.py:2: mpipp.browse is another front end",
        "typetree.py:1: gdb may be used only in gdb, gdb_printers",
        "typetree.py:2: mpipp.registry is in a higher layer",
        "typetree.py:3: numpy is not in the standard library",
    ]
