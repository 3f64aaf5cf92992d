# SPDX-License-Identifier: MIT
"""Compares all processes of a very large run in parallel, with MPI and mpi4py.

    mpiexec -n 8 python -m mpipp.api.parallel_compare DIR

DIR is the run's directory, as passed to `--report`. Rank 0 prints the findings, and stores them in
the directory for `mpipp report`. The exit status is 0 also with findings, because launchers treat
any other status as a failure.
"""

from __future__ import annotations

import array
import sys
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from mpi4py import MPI

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.watcher.nodes import merge_results


class World:
    """The processes of MPI_COMM_WORLD."""

    def __init__(self) -> None:
        self._comm = MPI.COMM_WORLD
        self.rank, self.size = self._comm.rank, self._comm.size

    def exchange(self, parts: Sequence[bytes]) -> list[bytes]:
        """Send `parts[i]` to rank i, and return the part from each rank."""
        counts = array.array("i", [0] * self.size)
        sizes = array.array("i", map(len, parts))
        self._comm.Alltoall([sizes, MPI.INT], [counts, MPI.INT])
        data = bytearray(sum(counts))
        self._comm.Alltoallv([b"".join(parts), *_shares(sizes)], [data, *_shares(counts)])
        return _cut(data, counts)

    def gather(self, part: bytes) -> list[bytes]:
        """Return the parts of all processes."""
        counts = array.array("i", [0] * self.size)
        self._comm.Allgather([array.array("i", [len(part)]), MPI.INT], [counts, MPI.INT])
        data = bytearray(sum(counts))
        self._comm.Allgatherv([part, MPI.BYTE], [data, *_shares(counts)])
        return _cut(data, counts)


def _starts(counts: Sequence[int]) -> list[int]:
    return [0, *accumulate(counts)][:-1]


def _shares(counts: Sequence[int]) -> tuple[Any, Any]:
    return (list(counts), _starts(counts)), MPI.BYTE


def _cut(data: bytearray, counts: Sequence[int]) -> list[bytes]:
    return [bytes(data[start : start + n]) for start, n in zip(_starts(counts), counts)]


def main() -> int:
    """Compare the processes, and return the exit status."""
    team = World()
    if len(sys.argv) != 2:
        sys.stderr.write("usage: mpiexec -n N python -m mpipp.api.parallel_compare DIR\n")
        return 2
    try:
        found = merge_results.put_together(sys.argv[1], team)
        if team.rank:
            return 0
        merge_results.keep(sys.argv[1], found)
    except MpippError as error:
        sys.stderr.write(plain(f"mpipp: {error}\n"))
        return 2
    last = (f"mpipp: {line}\n" for line in (*found.total.remarks(), found.total.line()))
    sys.stdout.write(plain("".join([*(block.shown() for block in found.blocks), *last])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
