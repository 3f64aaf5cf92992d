# SPDX-License-Identifier: MIT
"""The script beside the wrapper, which gdb runs where its auto-load safe-path allows."""

from __future__ import annotations

import gdb

from mpipp.common.cache import trusted
from mpipp.common.errors import MpippError
from mpipp.gdb import console


def allow() -> None:
    """Let gdb run it: else gdb warns at length that it declined to.

    Allow auto-loading only from a cache that others cannot have written. They might create a cache
    that does not exist yet.
    """
    try:
        cache = trusted().path
    except MpippError:  # no wrapper comes from a cache then
        return
    safe = (gdb.parameter("auto-load safe-path") or "").split(":")
    if cache.is_dir() and str(cache) not in safe:
        console.execute("add-auto-load-safe-path {}", str(cache))
