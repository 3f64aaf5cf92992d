# SPDX-License-Identifier: MIT
"""Loading of the script beside the wrapper, which gdb allows only below its auto-load safe-path."""

from __future__ import annotations

import gdb

from mpipp.common.cache import trusted
from mpipp.common.errors import MpippError
from mpipp.gdb import console


def allow() -> None:
    """Add the script to the auto-load safe-path, because otherwise gdb prints a long warning.

    Do so only for a cache that other users cannot write. A cache that does not exist yet is not
    safe: others might create it.
    """
    try:
        cache = trusted().path
    except MpippError:  # without a safe cache, no wrapper is loaded from it
        return
    safe = (gdb.parameter("auto-load safe-path") or "").split(":")
    if cache.is_dir() and str(cache) not in safe:
        console.execute("add-auto-load-safe-path {}", str(cache))
