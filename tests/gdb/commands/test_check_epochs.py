# SPDX-License-Identifier: MIT
"""`mpipp check` during open epochs, in programs with an RMA log."""

from __future__ import annotations

import dataclasses
import re

from tests import support
from tests.ranks import ranks

WHAT = (
    "MPI_Put and MPI_Get write and read the same memory: the first is not complete when the "
    "second starts"
)
PENDING = """\
  rank 0: MPI_Put(target_rank = 1, origin_addr = 0x (2 MPI_INT), target_disp = 0 (2 MPI_INT))
    called at open_epochs.c:15 in main
    writes {where}
  rank 0: MPI_Get(target_rank = 1, origin_addr = 0x (1 MPI_INT), target_disp = 0 (1 MPI_INT))
    called at open_epochs.c:16 in main
    reads {where}
  rank 0: MPI_Win_lock_all()
    called at open_epochs.c:14 in main
    begins the epoch of both
"""


@support.on_mpi("mpich4", "openmpi4")
def test_what_is_pending_in_open_epochs_is_compared(mpi: support.MPI) -> None:
    logging = dataclasses.replace(mpi, env={**mpi.env, "MPIPP_RMA": "own"})
    program = support.compile_program(support.program_source("gdb", "open_epochs.c"), mpi)
    both = ["add-inferior", "inferior 2"]
    with ranks(program, logging) as pids:
        attach = [f"attach {pids[0]}", "echo @@@\\n", "mpipp check", "echo @@@\\n", *both]
        attach += [f"attach {pids[1]}", "echo @@@\\n", "mpipp check", "echo @@@\\n"]
        _, alone, _, together, _ = support.gdb_batch(attach, mpi=mpi).split("@@@\n")
    told = PENDING.format(where="memory of rank 1").replace("rank 0: ", "")
    assert f"error: {WHAT}\n{told}" in shown(alone)
    assert re.findall("^error: (.*)", alone, re.MULTILINE) == [WHAT]
    assert "one-sided operations of two processes: mpipp has no records of rank 1" in alone
    told = PENDING.format(where="target_disp(INT) of rank 1, at 0x, byte 0 of the window")
    assert f"error: {WHAT}\n{told}" in shown(together)
    assert sorted(re.findall("^error: (.*)", together, re.MULTILINE)) == [
        WHAT,
        "MPI_Put and MPI_Put write the same memory: data race",
    ]


def shown(output: str) -> str:
    """The output for one inferior, or for two."""
    return re.sub(r"(0x)[0-9a-f]+| \(inferior \d\)", lambda found: found[1] or "", output)
