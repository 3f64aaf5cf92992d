# SPDX-License-Identifier: MIT
"""Compare typed gdb commands and their output: %p is any address, %n any number, ... anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tests import typed

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"


def python(call: str) -> tuple[str, str]:
    """A typed call of a function in gdb_stops.py. gdb's output about its stops is ignored."""
    return f"python {call}", "..."


def hold(lines: Iterable[tuple[str, str]], *, stop: Sequence[str], **options: object) -> None:
    """Type these lines after the commands `stop`, in one session, and compare the answers."""
    source = [f"source {HERE / 'gdb_stops.py'}"]
    typed.hold(list(lines), source, {**typed.MARKS, **typed.ANYTHING}, stop=stop, **options)
