# SPDX-License-Identifier: MIT
"""What is typed at gdb and what it says, compared: %p is any address, %n any number,
... anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tests import typed

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"


def python(call: str) -> tuple[str, str]:
    """A call of a function of in_gdb.py; what gdb says of its stops does not matter."""
    return f"python {call}", "..."


def hold(lines: Iterable[tuple[str, str]], *, stop: Sequence[str], **options: object) -> None:
    """Type all this after the commands `stop`, in one session; the answers must be these."""
    source = [f"source {HERE / 'in_gdb.py'}"]
    typed.hold(list(lines), source, {**typed.MARKS, **typed.ANYTHING}, stop=stop, **options)
