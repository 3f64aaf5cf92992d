# SPDX-License-Identifier: MIT
"""Print the seconds and memory that gdb needs for 10^6 datatypes. benchmarks.debugger
sources it."""

from __future__ import annotations

import resource
import time

import gdb


def megabytes() -> float:
    """The peak memory of gdb in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


before = megabytes()
for name, command in (("many list", "mpipp list types"), ("many check", "mpipp check --leaks")):
    start = time.perf_counter()
    gdb.execute(command, to_string=True)
    print(f"@ {name} {time.perf_counter() - start:.6f}")
print(f"@ many memory {megabytes() - before:.1f}")
