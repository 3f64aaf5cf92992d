# SPDX-License-Identifier: MIT
"""Print the seconds of gdb commands. benchmarks.debugger sources it in gdb."""

from __future__ import annotations

import time

import gdb


def timed(name: str, command: str) -> None:
    """Print `name seconds` for one gdb command."""
    start = time.perf_counter()
    gdb.execute(command, to_string=True)
    print(f"@ {name} {time.perf_counter() - start:.6f}")


def look_ups(name: str, count: int = 20000) -> None:
    """Print the seconds of one look-up by handle. All handles are different and not cached."""
    from mpipp.gdb.program import sessions

    registry = sessions.required().registry
    size = registry.info.handle_size
    array = gdb.parse_and_eval("&types[0]")
    raw = bytes(gdb.selected_inferior().read_memory(int(array), 100_000 * size))
    handles = [int.from_bytes(raw[i : i + size], "little") for i in range(0, len(raw), 5 * size)]
    start = time.perf_counter()
    for handle in handles[:count]:
        registry._tables._probe("datatype", handle)  # without decoding the record, as in a look-up
    print(f"@ {name} {(time.perf_counter() - start) / count:.9f}")


def forget() -> None:
    """Drop everything that was read from the registry."""
    from mpipp.gdb.program import sessions

    sessions.required().refresh()


gdb.execute("frame function main", to_string=True)
timed("first print", "print types[77]")
look_ups("look-up")
timed("list", "mpipp list types --limit 0")
timed("some", "mpipp vec memory")
gdb.execute("set print elements 0")
timed("all", "mpipp vec memory")
gdb.execute("set print elements 200")
forget()
timed("tree", "mpipp nested")
timed("typesig", "mpipp typesig nested")
