# SPDX-License-Identifier: MIT
"""Programs of a few processes that print their process ids and then wait for a gdb."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mpipp.common.errors import MpippError
from mpipp.model import Thread
from mpipp.registry.layout.field_table import find_in
from mpipp.registry.memory.address_space import ProcessMemory
from mpipp.registry.registry import Registry
from tests.support import MPI, end

WAIT = 60.0  # seconds for a process to reach its call, on a busy machine


@contextmanager
def ranks(program: Path, mpi: MPI, *args: str, n: int = 2) -> Iterator[dict[int, int]]:
    """Running processes: their process ids by rank.

    Each process prints both in a line.
    """
    words = [*mpi.mpiexec, "-n", str(n), "env", f"LD_PRELOAD={mpi.preload()}", str(program), *args]
    with subprocess.Popen(words, env=dict(mpi.env), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            lines = [process.stdout.readline().split() for _ in range(n)]
            yield {int(rank): int(pid) for rank, pid in lines}
        finally:
            end(process)


def until_inside(procedure: str, *pids: int, threads: int = 1) -> None:
    """Wait until processes are in a call of a procedure, each with this many threads."""
    for pid in pids:
        memory = ProcessMemory(pid)
        until = time.monotonic() + WAIT
        while _calls(memory).count(procedure) < threads:
            assert time.monotonic() < until, f"process {pid} does not call {procedure}"
            time.sleep(0.02)
        memory.close()


def _calls(memory: ProcessMemory) -> list[str]:
    with contextlib.suppress(MpippError):  # the process changes its records meanwhile
        registry = Registry(memory, find_in(memory, memory.search))
        threads = [each for each in registry.threads() if isinstance(each, Thread)]
        return [each.call.procedure for each in threads if each.call is not None]
    return []
