# SPDX-License-Identifier: MIT
"""Checks, the watcher, comparisons and reports do not parse mpipp's own sentences."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mpipp

ROOT = Path(mpipp.__file__).parent
FOLDERS = ("analysis", "watcher", "distributed", "reports", "symbolizer")
# The modules that may use patterns, and the texts that they match.
PATTERNS = {
    "symbolizer/demangle.py": "names of functions as compilers write them",
    "symbolizer/library_threads.py": "paths of MPI libraries",
    "symbolizer/line_table.py": "functions as Fortran compilers name them",
    "analysis/program_objects/compiler_temporaries.py": "statements in the source of the program",
    "analysis/program_objects/call_statements.py": "statements in the source of the program",
    "analysis/program_objects/integer_kinds.py": "statements in the source of the program",
    "symbolizer/source_frames.py": "comments in the source of the program",
    "symbolizer/variables/scope.py": "names in the source of the program",
    "symbolizer/variables/access_path.py": "expressions of the user",
    "symbolizer/variables/debug_types.py": "types of the C++ library",
    "watcher/ipc/stderr_messages.py": "lines that launchers may cut",
    "watcher/processes/death_stacks.py": "paths of libraries of Python",
    "reports/formats/html/svg_filter.py": "attributes of pictures that come from outside",
    "reports/formats/html/page.py": "fingerprints of findings that come from outside",
    "reports/formats/sarif.py": "a date that comes from outside",
    "reports/formats/perturbation_table.py": "numbers in places, to order them",
}
MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*.py")
)


def imports_patterns(path: Path) -> bool:
    """Return whether a module imports `re`."""
    tree = ast.parse(path.read_text())
    names = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    from_re = any(isinstance(n, ast.ImportFrom) and n.module == "re" for n in ast.walk(tree))
    return "re" in names or from_re


@pytest.mark.parametrize("module", MODULES)
def test_patterns_are_for_what_comes_from_outside(module: str) -> None:
    assert imports_patterns(ROOT / module) == (module in PATTERNS)
