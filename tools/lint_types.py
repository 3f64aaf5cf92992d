#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs mypy on everything: the package, the tools and the tests.

The tests' rooms have modules of the same names, and one is called gdb: each
room is checked by itself, with the modules that it sees.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What pytest's settings and the scripts themselves put on the path.
PLACES = (
    *(".", "tests", "tests/checks", "tests/unit", "tests/wrapper", "tests/cli"),
    "wrapper/generator",
)
STUBS = "tools/stubs"  # what gdb's own Python has
OWN = ("--config-file=", "--ignore-missing-imports", "--follow-imports=silent")
STRICT = (*OWN, "--strict")
# A None or a broken record where a test expects an object fails it at that line, as it should.
TESTS = (*OWN, "--check-untyped-defs", "--disable-error-code=union-attr")


def main() -> int:
    """Returns the number of rooms with errors."""
    rooms = [ROOT / "tools", ROOT / "benchmarks", ROOT / "wrapper" / "generator", ROOT / "tests"]
    rooms += sorted({path.parent for path in (ROOT / "tests").glob("*/**/*.py")})
    failed = int(_fails([], ()))
    for room in rooms:
        words: tuple[str, ...] = TESTS if "tests" in room.relative_to(ROOT).parts else STRICT
        words += tuple(map(str, sorted(room.glob("*.py"))))
        if (room / "__init__.py").exists():  # it imports the others as parts of `tests`
            failed += _fails(("--explicit-package-bases", *words), (STUBS, "."))
        else:
            failed += _fails(words, (STUBS, str(room), *PLACES))
    return failed


def _fails(words: Sequence[str], places: Sequence[str]) -> bool:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", *words],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": os.pathsep.join(places)},
        check=False,
    )
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
