# SPDX-License-Identifier: MIT
"""All kinds of accesses to guarded pages are reported with their lines, and correct ones are not.

That includes accesses by system calls. In compared buffers each change is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

POOL = Path("/proc/sys/vm/nr_hugepages")
TOLD = re.compile(r"\n  rank 0: ((?:stores to|loads) \S+), at 0x.*\n    at (\S+) in")


@pytest.mark.parametrize("name", ["matrix.c", "matrix.f90", "system.c"])
@on_mpi("mpich4", "openmpi4")
def test_each_is_told_by_its_line(mpi: MPI, name: str) -> None:
    lines = runs.program_source(name).read_text().splitlines()
    expected = {}
    for number, line in enumerate(lines, 1):
        marked = re.search(r"(?://|!): (.+)$", line)
        if marked:
            expected[f"{name}:{number}"] = marked[1]
    run = runs.run(mpi, [runs.program(name, mpi)], "--check=buffers", n=1)
    assert (run.status, run.output.strip()) == (0, "done")
    told = [TOLD.search(block) for block in run.blocks]
    assert all(told), run.blocks
    assert {one[2]: one[1] for one in told if one} == expected
    assert run.last[-1].startswith(f"mpipp: {len(expected)} errors in 1 process (")


CHANGED = re.compile(
    r"\n    called at matrix_small\.c:(\d+) in \w+\n"
    r"    buf\(VECTOR\)(\S+), at 0x\w+(?:, in \S+)?, (was 0 and is \d+|holds)"
)


@on_mpi("mpich4", "openmpi4")
def test_each_change_of_a_small_buffer_is_told(mpi: MPI) -> None:
    expected = {}
    for number, line in enumerate(
        runs.program_source("matrix_small.c").read_text().splitlines(), 1
    ):
        marked = re.search(r"//: (.+)$", line)
        if marked:
            expected[number] = marked[1]
    run = runs.run(mpi, [runs.program("matrix_small.c", mpi, "-pthread")], "--check=buffers", n=1)
    assert (run.status, run.output) == (0, "done\n")
    told = [CHANGED.search(block) for block in run.blocks]
    assert all(told), run.blocks
    assert {int(one[1]): f"{one[2]} {one[3]}" for one in told if one} == expected
    assert run.last[-1].startswith(f"mpipp: {len(expected)} errors in 1 process (")


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_what_is_right_stays_right(mpi: MPI) -> None:
    """Threads, system calls, signal handlers of the program, and large pages; huge ones with one
    MPI."""
    program = runs.program("guard_safety.c", mpi, "-pthread")
    wanted = mpi.id == "mpich4"
    # MPICH uses some of these pages, too.
    with _huge_pages(32 if wanted else 0) as are_there:
        run = runs.run(mpi, [program, *(["huge"] if are_there else [])], "--check=buffers")
    none, found, rest = run.output.rpartition("no huge pages\n")
    assert (run.status, none, rest, run.blocks) == (0, "", "done\n", [])
    assert run.last[-1].startswith("mpipp: no errors in 2 processes (")
    are_there = are_there and not found  # other MPI programs may have used the huge pages meanwhile
    if wanted and not are_there:
        pytest.skip("the rest is right: the system gives this user no huge pages")


@contextmanager
def _huge_pages(more: int) -> Iterator[bool]:
    # Yield whether the system's pool now has this many more pages.
    before, are_there = 0, False
    with suppress(OSError):
        before = int(POOL.read_text())
        if more:
            POOL.write_text(str(before + more))
            are_there = int(POOL.read_text()) == before + more
    try:
        yield are_there
    finally:
        with suppress(OSError):
            if more:
                POOL.write_text(str(before))


@on_mpi("mpich4", "openmpi4")
def test_threads_lose_nothing_to_each_other(mpi: MPI) -> None:
    """The threads flush operations of others, store while a request is created, and fork."""
    program = runs.program("guarded_threads.c", mpi, "-pthread")
    run = runs.run(mpi, [program], "--check=buffers")
    assert (run.status, run.output, run.blocks) == (0, "lost 0\nlost 0\n", [])
    assert run.last[-1].startswith("mpipp: no errors in 2 processes (")


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_thread_that_asks_after_a_handle_that_was_given_out_again(mpi: MPI) -> None:
    """Received data is in its buffer, although the completion of the former operation is not
    recorded yet."""
    held = support.compile_program(
        runs.program_source("call_gate.c"), mpi, ["-g", "-shared", "-fPIC"]
    )
    program = runs.program("request_reuse.c", mpi, "-pthread", "-Wl,--no-as-needed", str(held))
    run = runs.run(mpi, [program], "--check=buffers", n=1)
    output = "the same handle, received\nreceived, received\n"
    assert (run.status, run.output, run.blocks) == (0, output, [])


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_what_a_ring_of_requests_reads_and_writes_is_as_without(mpi: MPI) -> None:
    """io_uring: registered pages stay in place, and none is protected any more."""
    program = runs.program("rings.c", mpi)
    for how in ("early", "late"):
        alone = mpi.run([program, how], n=1, preload=False).stdout
        if "refused" in alone:
            pytest.skip("the system makes no io_uring here")
        run = runs.run(mpi, [program, how], "--check=buffers", n=1)
        assert (run.status, run.output) == (0, alone)
        (block,) = run.blocks
        assert block.startswith("error: the buffer of a pending MPI_Irecv was stored to\n")
        assert re.search(r"\n    buf\[7\]\(CHAR\), at 0x[0-9a-f]+(, in \S+)?, holds 'o'\n", block)
