# SPDX-License-Identifier: MIT
"""What is typed at gdb and what it says, compared: %p is any address, %n any number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import support

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
_MARKER = "@@@"

Lines = Iterable[tuple[str, str]]  # (what is typed, what gdb says)


def python(call: str) -> tuple[str, str]:
    """A call of a function of in_gdb.py; what gdb says of its stops does not matter."""
    return f"python {call}", "..."


def hold(lines: Lines, *, stop: Sequence[str], **options: object) -> None:
    """Type all this after the commands `stop`, in one session; the answers must be these."""
    lines = list(lines)
    commands = [f"source {HERE / 'in_gdb.py'}", f"echo {_MARKER}\\n"]
    for typed, _ in lines:
        commands += [typed, f"echo {_MARKER}\\n"]
    output = support.gdb_batch(commands, stop=stop, **options)  # type: ignore[arg-type]
    said = output.split(f"{_MARKER}\n")[1:]
    wrong = [
        f"(gdb) {typed}\n  expected {expected}\n  found    {found}"
        for (typed, expected), found in zip(lines, said)
        if not matches(expected, found.rstrip("\n"))
    ]
    assert not wrong, "\n".join(wrong)
    assert len(said) == len(lines) + 1, output


def matches(expected: str, found: str) -> bool:
    """Whether gdb said what was expected; `...` stands for anything."""
    pattern = re.escape(expected)
    for mark, meaning in (("%p", "0x[0-9a-f]+"), ("%n", "-?[0-9]+"), (r"\.\.\.", "(?s:.*)")):
        pattern = pattern.replace(mark, meaning)
    return re.fullmatch(pattern, found) is not None
