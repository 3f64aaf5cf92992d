# SPDX-License-Identifier: MIT
"""Sourced in gdb by benchmarks.debugger: what 10^6 datatypes cost it, in seconds and memory."""

from __future__ import annotations

import resource
import time

import gdb


def megabytes() -> float:
    """The most memory that gdb has needed so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


before = megabytes()
for name, command in (("many list", "mpipp list types"), ("many check", "mpipp check --leaks")):
    start = time.perf_counter()
    gdb.execute(command, to_string=True)
    print(f"@ {name} {time.perf_counter() - start:.6f}")
print(f"@ many memory {megabytes() - before:.1f}")
