# SPDX-License-Identifier: MIT
"""Guards compare buffers that share all their pages: small, sparse, on the stack, at edges."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import MPI, gdb_batch, on_mpi, shell
from tests.watcher import runs

PENDING = """\
  rule: MPI-4.1, section 3.7.2: before a nonblocking operation completes, its send buffer must not \
be written and its receive buffer must not be accessed
  to do: search for code between the two calls that writes to the buffer, also in other threads; \
or use another buffer"""
STAYS = """\
  rule: MPI-4.1, section 3.7.2: the buffer must exist until the operation is complete
  to do: complete the operation before the function returns, or use memory that lives longer"""

# The function; the pending call, with its buffer; the change; the call that completes it.
CHANGED = [
    ("early_store", 20, "16 MPI_DOUBLE", "buf(DOUBLE), at 0x..., in here, was 0 and is 17"),
    (
        "in_a_column",
        21,
        "1 VECTOR[40, 1, 1000]",
        "buf(VECTOR)[39][0](DOUBLE), at 0x..., in matrix+312024, was 39003 and is 42",
    ),
    (
        "last_byte",
        22,
        "2 RESIZED[0, 24]",
        "buf[1](RESIZED)[0](STRUCT)[1][1](INT), at 0x..., in out+32, was 5 and is 7",
    ),
    ("in_a_receive", 23, "16 MPI_DOUBLE", "buf[15](DOUBLE), at 0x..., in in+120, holds 0.5"),
    ("at_an_edge", 24, "3000 MPI_DOUBLE", "buf[1](DOUBLE), at 0x..., was 0 and is -1"),
    ("at_the_other_edge", 25, "3000 MPI_DOUBLE", "buf[2999](DOUBLE), at 0x..., holds 2"),
    ("by_a_thread", 26, "16 MPI_DOUBLE", "buf[2](DOUBLE), at 0x..., in out+16, was 0 and is 9"),
]
RECEIVES = (23, 25)
UNKNOWN = "\n    mpipp does not know whether the data had moved"


def changed(function: str, tag: int, buffer: str, what: str) -> str:
    call, verb = "Issend(dest", "changed"
    if tag in RECEIVES:
        call, verb = "Irecv(source", "stored to"
    completing = "MPI_Waitall" if tag == 23 else "MPI_Wait"
    what += "" if tag in RECEIVES else UNKNOWN
    return f"""\
error: the buffer of a pending MPI_{call.partition("(")[0]} was {verb}
  rank 0: MPI_{call} = 1, tag = {tag}, comm = "MPI_COMM_WORLD", buf = 0x... ({buffer})), request #N
    called at bytes.c:LINE in {function}
    {what}
  rank 0: {completing}()
    called at bytes.c:LINE in {function}
    it was {verb} between these calls
{PENDING}"""


GONE = f"""\
error: the stack frame with the buffer of a pending MPI_Issend has ended
  rank 0: MPI_Issend(dest = 1, tag = 27, comm = "MPI_COMM_WORLD", buf = 0x... (16 MPI_DOUBLE)), \
request #N
    called at bytes.c:LINE in posts
    the function with the buffer on its stack has returned
  rank 0: MPI_Wait()
    called at bytes.c:LINE in gone
    this call comes from a caller of that function
{STAYS}"""

WINDOW = (
    "win = {base = 0x..., size = 128, disp_unit = 8, flavor = CREATE, model = UNIFIED, comm = "
    '"MPI_COMM_WORLD", epochs = {fence}}'
)
GONE_FROM_PUT = f"""\
error: the stack frame with the buffer of a pending MPI_Put has ended
  rank 0: MPI_Put(target_rank = 1, {WINDOW}, origin_addr = 0x... (16 MPI_DOUBLE), \
target_disp = 0 (16 MPI_DOUBLE))
    called at bytes.c:LINE in puts_from_stack
    the function with the buffer on its stack has returned
  rank 0: MPI_Win_fence({WINDOW})
    called at bytes.c:LINE in wrong
    this call comes from a caller of that function
{STAYS.replace("3.7.2", "12.3")}"""

# For unfinished.c: the call that starts the operation, with its buffer and line; the change.
NEVER = [
    (
        "Issend",
        10,
        "16 MPI_DOUBLE",
        57,
        "3.7.2",
        "buf[3](DOUBLE), at 0x..., in out+24, was 0 and is 1",
    ),
    ("Irecv", 11, "16 MPI_DOUBLE", 58, "3.7.2", "buf[4](DOUBLE), at 0x..., in in+32, holds 2"),
    (
        "Ssend_init",
        12,
        "16 MPI_DOUBLE",
        59,
        "3.9",
        "buf[5](DOUBLE), at 0x..., in again+40, was 0 and is 3",
    ),
    ("Issend", 13, "3000 MPI_DOUBLE", 61, "3.7.2", "buf[2999](DOUBLE), at 0x..., was 0 and is 4"),
]
FINALIZE = """
    it was not completed before MPI_Finalize
  rank 0: MPI_Finalize()
    called at unfinished.c:86 in main
    it was {verb} between these calls"""
ABORT = """
    it was not completed before MPI_Abort
  rank 0: MPI_Abort(comm = "MPI_COMM_WORLD", errorcode = 3)
    called at unfinished.c:67 in wrong
    it was {verb} between these calls"""
EXIT = "\n    it was not completed before the process ended"


def never(call: str, tag: int, buffer: str, line: int, section: str, what: str, end: str) -> str:
    verb, peer = ("stored to", "source") if call == "Irecv" else ("changed", "dest")
    what += "" if call == "Irecv" else UNKNOWN
    started = (
        "\n    started by MPI_Start at unfinished.c:60 in wrong" if call == "Ssend_init" else ""
    )
    return f"""\
error: the buffer of a pending MPI_{call} was {verb}
  rank 0: MPI_{call}({peer} = 1, tag = {tag}, comm = "MPI_COMM_WORLD", buf = 0x... ({buffer})), \
request #N
    called at unfinished.c:{line} in wrong{started}
    {what}{end.format(verb=verb)}
{PENDING.replace("3.7.2", section)}"""


def alike(text: str) -> str:
    text = re.sub(r"0x[0-9a-f]{3,}", "0x...", text)
    return re.sub(r"bytes\.c:\d+", "bytes.c:LINE", re.sub(r"request #\d+", "request #N", text))


@on_mpi("mpich4", "openmpi4")
def test_each_change_is_told_and_what_is_right_is_as_without(mpi: MPI) -> None:
    program = runs.program("bytes.c", mpi)
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, "done\n", [])
    # Receives of each process: into shared memory, into its send buffer, and into static memory and
    # the stack with one datatype.
    assert right.last[:-1] == [
        "mpipp: not checked: the buffers of 6 of 88 operations: guards do not support them "
        "(docs/reference/guarded-buffers.md)"
    ]
    run = runs.run(mpi, [program, "wrong"], "--check=buffers")
    assert (run.status, run.output) == (0, "done\n")
    expected = [GONE_FROM_PUT, *(changed(*one) for one in CHANGED), GONE]
    assert [alike(one) for one in run.blocks] == [mpi.cited(one) for one in expected]
    places = re.findall(r"\(DOUBLE\), at (0x[0-9a-f]+)(?:, in \S+)?, was", "".join(run.blocks))
    # The address of an element, not of a byte in it.
    assert places and not any(int(place, 16) % 8 for place in places)


@on_mpi("mpich4", "openmpi4")
def test_what_nobody_completes_is_told_at_the_end(mpi: MPI) -> None:
    program = runs.program("unfinished.c", mpi)
    other = {"mpich4": ("MPI_Abort", ABORT), "openmpi4": ("exit", EXIT)}[mpi.id]
    for how, end in (("MPI_Finalize", FINALIZE), other):
        run = runs.run(mpi, [program, how], "--check=buffers")
        assert [alike(one) for one in run.others] == [mpi.cited(never(*one, end)) for one in NEVER]


@on_mpi("mpich4", "openmpi4")
def test_nothing_is_said_where_nobody_knows_which_operation_is_complete(mpi: MPI) -> None:
    """Short sends share a handle, and the program has copied their handles."""
    run = runs.run(mpi, [runs.program("copies.c", mpi)], "--check=all,buffers")
    assert (run.status, run.output, run.blocks) == (0, "done\n", [])


@on_mpi("mpich4", "openmpi4")
def test_sections_of_fortran(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("sections.f90", mpi)
    run = runs.run(mpi, [program], "--check=buffers", "--report", str(tmp_path), n=1)
    assert (run.status, run.output.split()) == (0, ["6.0", "1.0", "7.0"])
    element = re.compile(
        r"\n    (buf\S+), at 0x[0-9a-f]+(?:, in \S+)?, ((?:was|holds) .*)\n"
        r"(?:    mpipp does not know .*\n)?  rank 0: MPI_Wait\(\)\n"
    )
    assert [one for block in run.blocks for one in element.findall(block)] == [
        ("buf(VECTOR)[2][0](DOUBLE_PRECISION)", "was 1 and is 5"),
        ("buf[2](DOUBLE_PRECISION)", "holds 7"),
    ]
    table = shell("report", tmp_path).stdout
    rows = re.findall(
        r"  (MPI_I\w+, sections\.f90:\d+ in sections) +(\d+) +(\d+) +(\d+) +0 +0\n", table
    )
    assert rows == [
        ("MPI_Issend, sections.f90:13 in sections", "1", "0", "1"),
        ("MPI_Irecv, sections.f90:19 in sections", "1", "0", "1"),
    ]


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_requests_of_fortran_are_guarded_by_command(mpi: MPI) -> None:
    program = runs.program("sections.f90", mpi)
    said = gdb_batch(
        ["up", "mpipp guard request"],
        program=program,
        mpi=mpi,
        stop=["break mark", "run"],
        env={"MPIPP_WATCH": "/nonexistent", "MPIPP_GUARD": "1", "MPIPP_BUDGET": "0"},
    )
    assert (
        "mpipp now guards the buffers of MPI_Issend, called at sections.f90:13 in sections\n"
        in said
    )
