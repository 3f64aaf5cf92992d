# SPDX-License-Identifier: MIT
"""The script beside the wrapper, which gdb runs where its auto-load safe-path allows."""

from __future__ import annotations

import gdb

from mpipp.cache import cache_directory
from mpipp.gdb import console


def allow() -> None:
    """Let gdb run it: else gdb warns at length that it declined to."""
    directory = str(cache_directory())
    if directory not in (gdb.parameter("auto-load safe-path") or "").split(":"):
        console.execute("add-auto-load-safe-path {}", directory)
