# SPDX-License-Identifier: MIT
"""Threads whose calls collide at the worst moment, which the debugger arranges."""

from __future__ import annotations

from tests import support
from tests.faults import faults


@support.on_mpi("mpich4", "openmpi4")
def test_a_table_that_is_replaced_while_it_is_searched(mpi: support.MPI) -> None:
    program = faults.program("rebuilt.c", mpi)
    stop = ["set breakpoint pending on", "break mark", "run"]
    stop += ["break mpipp_registry_find_slow", "continue"]
    meanwhile = ["set var go = 1", "set scheduler-locking on", "thread 1", "continue"]
    after = ["echo @@@\\n", "set scheduler-locking off", "continue", "echo @@@\\n"]
    commands = ["bt 5", "delete 2", *meanwhile, *after, "mpipp list types --uncommitted", "kill"]
    said = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop)
    searching, replaced, over = said.split("@@@\n")
    assert "in MPI_Type_commit" in searching, said
    assert "mark ()" in searching and "mark ()" in replaced, said
    assert over.startswith("0 types"), said
