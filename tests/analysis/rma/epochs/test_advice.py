# SPDX-License-Identifier: MIT
"""The advice on conflicts: calls that are legal in their epochs, and missing calls."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support import MPI, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "advice.c")
_BUFFER = "complete the operation first, with {}; or use another buffer"
_HEARD = (
    "synchronize with the other process after the first has ended ({}) before the second begins: "
    "with a barrier"
)
_HEARD += " or a message"
_LOCK = "; or hold an exclusive lock of the target around each"
_IN_PLACE = _LOCK + " in place of MPI_Win_lock_all"
ADVICE = {
    "fence_buffer": _BUFFER.format("MPI_Win_fence"),
    "start_buffer": _BUFFER.format("MPI_Win_complete"),
    "lock_buffer": _BUFFER.format("MPI_Win_flush_local or MPI_Win_unlock"),
    "request_buffer": _BUFFER.format("MPI_Wait, MPI_Win_flush_local or MPI_Win_unlock_all"),
    "two_buffers": (
        "complete one operation before you start the other, with MPI_Win_flush_local or "
        "MPI_Win_unlock; or use two buffers"
    ),
    "flushed": _HEARD.format("MPI_Win_flush_all") + _IN_PLACE,
    "not_flushed": _HEARD.format("MPI_Win_unlock_all, or MPI_Win_flush before") + _IN_PLACE,
    "told_too_early": (
        "complete the first, with MPI_Win_flush_local or MPI_Win_unlock, before the call that "
        "synchronizes with the other process" + _LOCK
    ),
    "exposed": "move the second access after MPI_Win_wait or before MPI_Win_post",
    "started_again": (
        "synchronize with its process after the first has ended (MPI_Win_wait at its target) "
        "before the second "
        "begins: with a barrier or a message; or use accumulates"
    ),
    "within_a_lock": (
        "complete the first before the second begins, with MPI_Win_flush or MPI_Win_unlock; or use "
        "accumulates"
    ),
    "within_a_start": (
        "complete the first before the second begins, with MPI_Win_complete and, at its target, "
        "MPI_Win_wait; or use accumulates"
    ),
    "accumulated": (
        "use the same window, operation, datatype and displacements for both, or "
        + _HEARD.format("MPI_Win_flush")
    ),
    "only_read": _HEARD.format("MPI_Win_unlock") + _LOCK,
    "from_the_stack": (
        "complete the operation first, with MPI_Win_flush_local or MPI_Win_unlock; or keep the "
        "buffer longer"
    ),
}
ONLY_READ = [
    "error: MPI_Fetch_and_op and MPI_Put read and write the same memory: data race",
    '  rank 2: MPI_Fetch_and_op(target_rank = 1, op = "MPI_NO_OP", result_addr = 0x... '
    "(1 MPI_INT), target_disp = 0 (1 MPI_INT))",
    "    reads target_disp(INT) of rank 1, at 0x..., byte 0 of the window",
    "  rank 0: MPI_Put(target_rank = 1, origin_addr = 0x... (1 MPI_INT), target_disp = 0 "
    "(1 MPI_INT))",
    "    writes target_disp(INT) of rank 1, at 0x..., byte 0 of the window",
]
LOCAL = [
    "error: MPI_Get and a store read and write the same memory: the second may start before the "
    "first completes at its target",
    "  rank 0: MPI_Get(target_rank = 1, origin_addr = 0x... (1 MPI_INT), target_disp = 0 "
    "(1 MPI_INT))",
    "    reads target_disp(INT) of rank 1, at 0x..., byte 0 of the window",
    "  rank 1: a store",
    "    writes target_disp(INT) of the first, at 0x..., byte 0 of the window",
]


@on_mpi("mpich4", "openmpi4")
def test_advice_is_of_the_epochs_and_of_what_is_missing(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(SOURCE, mpi, tmp_path)
    run = runs.run(mpi, [program], "--check=rma-conflict", n=3)
    assert (run.status, run.output) == (0, "done\n")
    blocks = {
        re.findall(r"called at advice\.c:\d+ in (\w+)", one)[0]: re.sub("0x[0-9a-f]+", "0x...", one)
        for one in run.blocks
    }
    assert {name: block.rpartition("to do: ")[2] for name, block in blocks.items()} == ADVICE
    for name, head in (("only_read", ONLY_READ), ("told_too_early", LOCAL)):
        lines = blocks[name].splitlines()
        assert [one for one in lines if " advice.c:" not in one][:5] == head
    # The rule about local accesses is in two sections of the standard.
    of_local = [
        mpi.cited(f"MPI-4.1, section {half}")
        for half in (
            "12.3: a process must not store to memory of its window while an operation reads it",
            "12.7: a process must not access memory of its window while an operation updates it",
        )
    ]
    for name, sentence in zip(("told_too_early", "exposed"), of_local):
        assert f"  rule: {sentence}\n" in blocks[name]
