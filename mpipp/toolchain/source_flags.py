# SPDX-License-Identifier: MIT
"""The optimization and the debug information of each source of the wrapper.

Most of a build's time is optimization. So only code whose speed programs notice is optimized as far
as possible.
"""

from __future__ import annotations

from pathlib import Path

# gdb needs full debug information to read the parameters at the entry of a call. The stacks of
# other functions need only names and lines.
_ENTRIES = "-g"
HAND_WRITTEN = ("-O2", "-g1")

# Generated wrappers. The fast path of messages (intercept/fast_path.h) takes a fifth more
# instructions with less than -O2. Programs call procedures with -Og seldom, and these take long:
# the wrapper's part grows by 5 to 10 %.
_WRAPPERS = {
    "calls_point_to_point.c": "-O2",
    "calls_requests.c": "-O2",
    "calls_handles.c": "-Og",
    "calls_io.c": "-Og",
    "calls_collective_persistent.c": "-Og",
    "calls_large_counts.c": "-Og",
}

ALL = (_ENTRIES, HAND_WRITTEN, _WRAPPERS)


def flags(source: Path) -> tuple[str, str]:
    """The compiler's flags for a source.

    Args:
        source: its path in the folder of the wrapper's sources.
    """
    if source.match("generated/calls_*.c"):
        return _WRAPPERS.get(source.name, "-O1"), _ENTRIES
    return HAND_WRITTEN
