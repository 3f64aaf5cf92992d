# SPDX-License-Identifier: MIT
"""The table of arguments that must agree between processes, with the tests of each operation."""

from __future__ import annotations

import re
from pathlib import Path

from mpipp.model import procedures

ROOT = Path(__file__).resolve().parents[2]

# Functions in tests/analysis/deadlock/programs (hanging.c, sessions.c) that hang because a process
# does not make a collective call.
_HANGING = (
    "participant", "order", "creation", "broadcast", "ibarrier", "graph", "persistent_collective",
    "file", "leaders", "group_tag", "groups",
    "stringtag", "group", "between_stringtag",
)  # fmt: skip


def _rows_by_operation() -> dict[str, list[str]]:
    """The functions of the test programs, by the operation that is wrong in them.

    In `agree/` the arguments of the operation differ. In hanging.c and sessions.c one process does
    not call it. In first_calls.c it is the last call; these names get an asterisk.
    """
    tests = ROOT / "tests" / "watcher"
    programs = tests / "programs" / "collective_prechecks"
    including = (programs / "agree.c").read_text()
    themes = re.findall(r'#include "(agree/\w+\.h)"', including)
    text = "".join((programs / theme).read_text() for theme in themes)
    wrong = re.findall(
        r'^    "(\w+)"(?:: \(|,$)',
        (tests / "collective_precheck" / "test_agreement.py").read_text(),
        re.MULTILINE,
    )
    found: dict[str, list[str]] = {}
    hangs = ROOT / "tests" / "analysis" / "deadlock" / "programs"
    hanging = "".join((hangs / name).read_text() for name in ("hanging.c", "sessions.c"))
    rows = re.findall(r"\nROW\((\w+)\) \{\n(.*?)\n\}", text, re.DOTALL)
    rows += re.findall(r"\nstatic void (\w+)\(void\) \{\n(.*?)\n\}", hanging, re.DOTALL)
    for name, body in rows:
        if name not in wrong and name not in _HANGING:
            continue
        called = [procedures.procedure(one) for one in re.findall(r"\bMPI_[A-Z]\w*(?=\()", body)]
        frees = ("Comm_free", "Win_free", "File_close")
        collective = [one.operation for one in called if one.over and one.operation not in frees]
        found.setdefault(collective[-1] if collective else "File_open", []).append(name)
    refused = (programs / "first_calls.c").read_text()
    for name, body in re.findall(r"\nROW\((\w+)\) \{\n(.*?)\n\}", refused, re.DOTALL):
        called = [procedures.procedure(one) for one in re.findall(r"\bMPI_[A-Z]\w*(?=\()", body)]
        operation = [one.operation for one in called if one.over][-1]
        found.setdefault(operation, []).append(f"{name}*")
    return found


def table() -> str:
    """Every collective operation with the arguments that must agree, and its tests."""
    tests = _rows_by_operation()
    head = "| operation | over | types | arguments | MPI_IN_PLACE | tested |"
    rows = [head, "|---|---|---|---|---|---|"]
    seen: set[str] = set()
    for one in procedures.PROCEDURES.values():
        if not one.over or one.operation in seen:
            continue
        seen.add(one.operation)
        agree = ", ".join(n if how == "equal" else f"{n}: {how}" for n, how in one.agree.items())
        place = f"{one.in_place.role}: {one.in_place.where}" if one.in_place else ""
        tested = ", ".join(tests.get(one.operation, []))
        signatures = "neighbors" if one.among_neighbors else one.signatures
        cells = [f"`{one.operation}`", one.over, signatures, agree, place, tested]
        rows.append(f"| {' | '.join(cells)} |".replace("  ", " "))
    return "\n".join([*rows, ""])
