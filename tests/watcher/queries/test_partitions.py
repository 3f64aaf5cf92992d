# SPDX-License-Identifier: MIT
"""The program must not use ready partitions of sends, and partitions of receives before arrival."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

READS = "MPI_Psend_init write and read the same memory"
# The finding, and the element and operation with which the marked call overlaps.
WRONG = {
    "written": [f"MPI_Irecv and {READS}", "receive_into", "buf(INT)", "start", "buf[8](INT)"],
    "marked": [
        "MPI_Psend_init and MPI_Irecv write and read the same memory",
        *("start", "buf[4](INT)", "receive_into", "buf(INT)"),
    ],
    "arrived": [
        "MPI_Irecv and MPI_Precv_init write the same memory",
        *("receive_into", "buf(INT)", "start", "buf[8](INT)"),
    ],
    "columns": [
        f"MPI_Irecv and {READS}",
        *("columns", "buf[1](INT)", "columns", "buf[4](RESIZED)[0](VECTOR)[1][0](INT)"),
    ],
}
PARTY = (
    r"  rank 0: MPI_[^\n]*\n    called at partition_overlaps\.c:\d+ in (\w+)\n"
    r"(?:    started by MPI_Start(?:all)? at partition_overlaps\.c:\d+ in \w+\n)?"
    r"    (?:reads|writes) ([^\n]*)\n"
)
# Not Open MPI 5.0: its MPI_Wait for a partitioned send sometimes never returns.
partitioned = on_mpi("mpich4", "abi5")
# With many other requests the wrapper uses its index of addresses.
few_or_many = pytest.mark.parametrize("many", [[], ["many"]], ids=["few", "many"])


@partitioned
@few_or_many
def test_nothing_is_asked_of_what_is_right(mpi: MPI, many: list[str]) -> None:
    found = runs.run(mpi, [runs.program("partition_overlaps.c", mpi), *many, ""], n=1)
    assert (found.status, found.output, found.blocks) == (0, "done\n", [])
    last = runs.only(found.last)
    assert re.fullmatch(r"mpipp: no errors in 1 process \(\d+ MPI calls checked\)", last), last


# "written" and "marked" have the same calls, so one run would report them once.
@partitioned
@few_or_many
@pytest.mark.parametrize("wrong", [("written", "arrived", "columns"), ("marked",)])
def test_what_is_wrong(mpi: MPI, wrong: tuple[str, ...], many: list[str]) -> None:
    """An error is found even if the same call was correct at this address before."""
    command: list[str | Path] = [runs.program("partition_overlaps.c", mpi), *many, *wrong]
    found, queries = runs.run_with_queries(mpi, command, n=1)
    said = [
        re.fullmatch(
            rf"error: (.*), \[0x[0-9a-f]+, 0x[0-9a-f]+\)\n{PARTY}{PARTY}  rule: [^\n]*(\n  .*)*",
            block,
        )
        for block in found.blocks
    ]
    told = [list(one.groups()[:5]) for one in said if one]
    assert told == [WRONG[one] for one in wrong], found.blocks
    assert re.match(rf"mpipp: {len(wrong)} errors? in 1 process \(", found.last[-1])
    assert queries == len(wrong)


@on_mpi("mpich4")  # Open MPI 5.0.11 hangs if two such sends with one tag start, watched or not
def test_a_start_that_nobody_receives_is_told(mpi: MPI) -> None:
    program = runs.program("partitioned_starts.c", mpi)
    for way, found in (([], []), (["wrong"], ["error: a message is sent and never received"])):
        run = runs.run(mpi, [program, *way], "--check=messages")
        assert (run.status, [block.split("\n")[0] for block in run.blocks]) == (0, found), way
        started = "started by MPI_Startall at partitioned_starts.c:22 in sends"
        assert all(started in one for one in run.blocks), run.blocks


WAITING = """\
#include <mpi.h>
static double parts[16][1024];
int main(int argc, char **argv)
{
    MPI_Request many[16], one;
    double in[4], out[4] = {1, 2, 3, 4};
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 16; i++)
        MPI_Psend_init(parts[i], 1024, 1, MPI_DOUBLE, 0, i, MPI_COMM_SELF, MPI_INFO_NULL, &many[i]);
    MPI_Isend(out, 4, MPI_DOUBLE, 0, 99, MPI_COMM_SELF, &one);
    out[2] = 7;
    MPI_Recv(in, 4, MPI_DOUBLE, 0, 99, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    for (int i = 0; i < 16; i++) MPI_Request_free(&many[i]);
    MPI_Finalize();
    return 0;
}
"""


@support.on_mpi("mpich4")
def test_partitions_that_wait_leave_room_for_others(mpi: support.MPI) -> None:
    program = support.compile_program(WAITING, mpi, ("-g", "-O0", "-w"))
    block = runs.only(runs.run(mpi, [program], "--check=buffers", n=1).blocks)
    assert block.startswith("error: the buffer of a pending MPI_Isend was changed\n")
