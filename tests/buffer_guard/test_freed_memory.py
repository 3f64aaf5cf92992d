# SPDX-License-Identifier: MIT
"""Memory that is freed during an operation that uses it, in runs that guard buffers."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

FOUND = """\
error: the buffer of a pending MPI_Issend is freed
  rank 0: frees the memory at 0x..., which contains {element}
    at {at}
  rank 0: MPI_Issend(dest = 1, tag = 0, comm = "MPI_COMM_WORLD", buf = 0x... ({of})), \
request #{request}
    called at {posted}
  rule: MPI-4.1, section 3.7.2: before a nonblocking operation completes, its send buffer must not \
be written and its receive buffer must not be accessed
  to do: complete the operation first, for example with MPI_Wait, and free the memory afterwards"""
FROM = "freed_buffers.c:37 in send\n    from freed_buffers.c:124 in main"
SENT = ("buf(DOUBLE)", "4000 MPI_DOUBLE", "freed_buffers.c:35 in send")
PLACES = [
    (f"freed_buffers.c:16 in by_free\n    from {FROM}", 1, *SENT),
    (f"freed_buffers.c:20 in by_realloc\n    from {FROM}", 3, *SENT),
    ("freed_buffers.c:11 in thread", 5, *SENT),
    (
        "freed_buffers.c:52 in send_irregular\n    from freed_buffers.c:130 in main",
        7,
        "buf(INDEXED)[0][0](DOUBLE)",
        "1 INDEXED[3]",
        "freed_buffers.c:51 in send_irregular",
    ),
    (
        "freed_buffers.c:65 in send_from_mpi\n    from freed_buffers.c:131 in main",
        8,
        "buf(DOUBLE)",
        "4000 MPI_DOUBLE",
        "freed_buffers.c:64 in send_from_mpi",
    ),
    (
        "freed_buffers.c:83 in send_twice\n    from freed_buffers.c:132 in main",
        9,
        "buf(DOUBLE)",
        "1000 MPI_DOUBLE",
        "freed_buffers.c:82 in send_twice",
    ),
]
PUT = """\
error: the buffer of a pending MPI_Put is freed
  rank 0: frees the memory at 0x..., which contains origin_addr(DOUBLE)
    at freed_buffers.c:99 in put
    from freed_buffers.c:140 in main
"""


@on_mpi("mpich4", "openmpi4")
def test_memory_that_is_given_back_too_early_is_told(mpi: MPI) -> None:
    program = runs.program("freed_buffers.c", mpi, "-pthread")
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, "615993\n", [])
    run = runs.run(mpi, [program, "wrong"], "--check=buffers")
    assert (run.status, run.output) == (0, "0\n")
    blocks = [re.sub(r"0x[0-9a-f]+", "0x...", one) for one in run.blocks]
    expected = [
        FOUND.format(at=at, request=number, element=element, of=of, posted=posted)
        for at, number, element, of, posted in PLACES
    ]
    *sends, put = blocks
    assert sends == [mpi.cited(one) for one in expected]
    assert put.startswith(PUT)


@on_mpi("mpich4", "openmpi4")
def test_memory_is_its_next_owners_though_operations_have_it_still(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("reused_buffers.c", mpi)], "--check=buffers")
    assert (run.status, run.output) == (0, "")
    (block,) = [re.sub(r"0x[0-9a-f]+", "0x...", one) for one in run.blocks]
    at = "reused_buffers.c:25 in send\n    from reused_buffers.c:52 in main"
    posted = "reused_buffers.c:24 in send"
    expected = FOUND.format(
        at=at, request=1, element="buf(DOUBLE)", of="8192 MPI_DOUBLE", posted=posted
    )
    assert block == mpi.cited(expected)


@on_mpi("mpich4", "openmpi4")
def test_to_give_memory_back_costs_no_more_once_many_operations_were_pending(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("free_time.c", mpi)], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "as before, as before\n", [])


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
@pytest.mark.parametrize("how", ["send", "receive"])
def test_memory_that_is_not_there_any_more_ends_no_process(mpi: MPI, how: str) -> None:
    program = runs.program("unmapped.c", mpi)
    for way in ("syscall", "none"):
        run = runs.run(mpi, [program, how, way], "--check=buffers")
        assert (run.status, run.output, run.blocks) == (0, "done\n", [])


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_memory_that_the_system_is_given_back_is_told(mpi: MPI) -> None:
    """MPI libraries replace the C library's functions for this by their own."""
    program = runs.program("unmapped.c", mpi)
    for how, way in (("send", "munmap"), ("receive", "munmap"), ("send", "mremap")):
        run = runs.run(mpi, [program, how, way], "--check=buffers")
        assert (run.status, run.output) == (0, "done\n")
        (block,) = run.blocks
        call = "MPI_Isend" if how == "send" else "MPI_Irecv"
        assert block.startswith(f"error: the buffer of a pending {call} is freed\n")
        assert re.search(rf"\n    at unmapped.c:\d+ in by_{way}\n", block)


def _is_replaced(mpi: MPI, how: str) -> None:
    run = runs.run(mpi, [runs.program("replaced.c", mpi), how], "--check=buffers", n=1)
    assert (run.status, run.output) == (0, "r--p\n")
    (block,) = run.blocks
    assert block.startswith("error: the buffer of a pending MPI_Isend is freed\n")
    assert re.search(rf"\n    at replaced.c:\d+ in by_{how}\n", block)


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_what_is_mapped_in_the_place_of_a_buffer_stays_as_it_is(mpi: MPI) -> None:
    _is_replaced(mpi, "mmap")


@pytest.mark.thorough
@on_mpi("openmpi4")  # UCX's replacement of mremap moves the block to another place
def test_what_is_moved_to_the_place_of_a_buffer_stays_as_it_is(mpi: MPI) -> None:
    _is_replaced(mpi, "mremap")
