# SPDX-License-Identifier: MIT
"""The command that starts gdb with mpipp."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from mpipp.common.errors import MpippError

_OLDEST_OF_RANKS = 11

PRINTERS = Path(__file__).resolve().parent.parent / "gdb_printers.py"


def debugger() -> str:
    """The path of gdb. Raises MpippError if there is none."""
    gdb = shutil.which("gdb")
    if gdb is None:
        raise MpippError("there is no gdb on PATH: install it (Debian: gdb)")
    return gdb


def debugger_of_ranks() -> str:
    """The path of a gdb that can debug all ranks of a job. gdb 10 does not count, because it hangs
    when it attaches.

    Raises:
        MpippError: there is no gdb, or it is too old.
    """
    gdb = debugger()
    done = subprocess.run([gdb, "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"GNU gdb .*?(\d+)\.[\d.]+", done.stdout)
    if version and int(version[1]) < _OLDEST_OF_RANKS:
        raise MpippError(
            f"{gdb} is gdb {version[1]}, which cannot hold all ranks: use gdb {_OLDEST_OF_RANKS} "
            "or newer, or mpipp run and mpipp attach"
        )
    return gdb


def loading() -> list[str]:
    """The options that make gdb load mpipp."""
    return ["-iex", f"source {PRINTERS}"]
