# SPDX-License-Identifier: MIT
"""docs/reference/environment.md lists exactly the variables that the code reads or sets."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support import ROOT

PAGE = ROOT / "docs" / "reference" / "environment.md"
GETENV = re.compile(r'\bgetenv\("(\w+)"\)')
# Variables of these families are recognized by their names anywhere.
FAMILY = re.compile(
    r"(?:MPIPP|NASTY|OMPI|PMIX|PMI|SLURM|PALS|FLUX|XDG|GITHUB)_[A-Z]\w*[A-Za-z0-9]"
    r"|MPI(?:CC|CXX|FORT|FC|F90)"
)
BY_PYTHON = {"TMPDIR"}  # read by Python's module tempfile


def in_c(root: Path) -> Iterator[str]:
    for path in root.rglob("*.[ch]"):
        yield from GETENV.findall(path.read_text())


def is_environment(node: ast.expr) -> bool:
    return ast.unparse(node) in ("os.environ", "environment")


def strings(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def in_python(text: str) -> Iterator[str]:
    """The variables that a module reads or sets, found by name or family."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if FAMILY.fullmatch(node.value):
                yield node.value
        elif isinstance(node, ast.Subscript) and is_environment(node.value):
            yield from strings(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if is_environment(node.func.value) and node.func.attr in ("get", "pop"):
                yield from strings(node.args[0])
        elif isinstance(node, ast.Compare) and is_environment(node.comparators[-1]):
            yield from strings(node.left)


@functools.cache
def read() -> set[str]:
    found = set(in_c(ROOT / "wrapper"))
    for path in (ROOT / "mpipp").rglob("*.py"):
        found.update(in_python(path.read_text()))
    return found


def described() -> set[str]:
    return set(re.findall(r"`([A-Z][A-Z0-9]{3,}|[A-Z]\w*_\w+)`", PAGE.read_text()))


def test_every_variable_is_described() -> None:
    assert sorted(read() - described()) == []


def test_every_described_variable_is_used() -> None:
    assert sorted(described() - read() - BY_PYTHON) == []


def test_variables_are_found() -> None:
    text = 'a = os.environ.get("A", "B"); environment["C"]; "D" in environment; E = "PMI_RANK"; "F"'
    assert set(in_python(text)) == {"A", "C", "D", "PMI_RANK"}
