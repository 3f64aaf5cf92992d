# SPDX-License-Identifier: MIT
"""The command that starts gdb with mpipp."""

from __future__ import annotations

import shutil
from pathlib import Path

from mpipp.common.errors import MpippError

PRINTERS = Path(__file__).resolve().parent.parent / "gdb_printers.py"


def debugger() -> str:
    """The path of gdb. Raises MpippError if there is none."""
    gdb = shutil.which("gdb")
    if gdb is None:
        raise MpippError("there is no gdb on PATH: install it (Debian: gdb)")
    return gdb


def loading() -> list[str]:
    """The options that make gdb load mpipp."""
    return ["-iex", f"source {PRINTERS}"]
