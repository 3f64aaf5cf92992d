# SPDX-License-Identifier: MIT
"""Memory that is given back while a pending operation has it, in runs that guard buffers."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

FOUND = """\
error: the buffer of a pending MPI_Issend is given back
  rank 0: gives back the memory at 0x..., which has {element}
    at {at}
  rank 0: MPI_Issend(dest = 1, tag = 0, comm = "MPI_COMM_WORLD", buf = 0x... ({of})), \
request #{request}
    called at {posted}
  rule: MPI-4.1, section 3.7.2: the buffer of a nonblocking operation must not be changed, and a \
receive buffer not used at all, before the operation is complete
  to do: complete the operation before, with MPI_Wait or the like, and give the memory back then"""
FROM = "given_back.c:37 in send\n    from given_back.c:124 in main"
SENT = ("buf(DOUBLE)", "4000 MPI_DOUBLE", "given_back.c:35 in send")
PLACES = [
    (f"given_back.c:16 in by_free\n    from {FROM}", 1, *SENT),
    (f"given_back.c:20 in by_realloc\n    from {FROM}", 3, *SENT),
    ("given_back.c:11 in thread", 5, *SENT),
    (
        "given_back.c:52 in send_irregular\n    from given_back.c:130 in main",
        7,
        "buf(INDEXED)[0][0](DOUBLE)",
        "1 INDEXED[3]",
        "given_back.c:51 in send_irregular",
    ),
    (
        "given_back.c:65 in send_from_mpi\n    from given_back.c:131 in main",
        8,
        "buf(DOUBLE)",
        "4000 MPI_DOUBLE",
        "given_back.c:64 in send_from_mpi",
    ),
    (
        "given_back.c:83 in send_twice\n    from given_back.c:132 in main",
        9,
        "buf(DOUBLE)",
        "1000 MPI_DOUBLE",
        "given_back.c:82 in send_twice",
    ),
]
PUT = """\
error: the buffer of a pending MPI_Put is given back
  rank 0: gives back the memory at 0x..., which has origin_addr(DOUBLE)
    at given_back.c:99 in put
    from given_back.c:140 in main
"""


@on_mpi("mpich4", "openmpi4")
def test_memory_that_is_given_back_too_early_is_told(mpi: MPI) -> None:
    program = runs.program("given_back.c", mpi, "-pthread")
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
    run = runs.run(mpi, [runs.program("given_on.c", mpi)], "--check=buffers")
    assert (run.status, run.output) == (0, "")
    (block,) = [re.sub(r"0x[0-9a-f]+", "0x...", one) for one in run.blocks]
    at = "given_on.c:25 in send\n    from given_on.c:52 in main"
    posted = "given_on.c:24 in send"
    expected = FOUND.format(
        at=at, request=1, element="buf(DOUBLE)", of="8192 MPI_DOUBLE", posted=posted
    )
    assert block == mpi.cited(expected)


@on_mpi("mpich4", "openmpi4")
def test_to_give_memory_back_costs_no_more_once_many_operations_were_pending(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("freed_later.c", mpi)], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "as before, as before\n", [])


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
@pytest.mark.parametrize("how", ["send", "receive"])
def test_memory_that_is_not_there_any_more_ends_no_process(mpi: MPI, how: str) -> None:
    program = runs.program("unmapped.c", mpi)
    for way in ("syscall", "none"):
        run = runs.run(mpi, [program, how, way], "--check=buffers")
        assert (run.status, run.output, run.blocks) == (0, "done\n", [])


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_memory_that_the_system_is_given_back_is_told(mpi: MPI) -> None:
    """MPI libraries put functions of their own in the place of the C library's."""
    program = runs.program("unmapped.c", mpi)
    for how, way in (("send", "munmap"), ("receive", "munmap"), ("send", "mremap")):
        run = runs.run(mpi, [program, how, way], "--check=buffers")
        assert (run.status, run.output) == (0, "done\n")
        (block,) = run.blocks
        call = "MPI_Isend" if how == "send" else "MPI_Irecv"
        assert block.startswith(f"error: the buffer of a pending {call} is given back\n")
        assert re.search(rf"\n    at unmapped.c:\d+ in by_{way}\n", block)


def _is_replaced(mpi: MPI, how: str) -> None:
    run = runs.run(mpi, [runs.program("replaced.c", mpi), how], "--check=buffers", n=1)
    assert (run.status, run.output) == (0, "r--p\n")
    (block,) = run.blocks
    assert block.startswith("error: the buffer of a pending MPI_Isend is given back\n")
    assert re.search(rf"\n    at replaced.c:\d+ in by_{how}\n", block)


@on_mpi("mpich4", "openmpi4")
def test_what_is_mapped_in_the_place_of_a_buffer_stays_as_it_is(mpi: MPI) -> None:
    _is_replaced(mpi, "mmap")


@on_mpi("openmpi4")  # what UCX puts in the place of mremap moves it elsewhere
def test_what_is_moved_to_the_place_of_a_buffer_stays_as_it_is(mpi: MPI) -> None:
    _is_replaced(mpi, "mremap")
