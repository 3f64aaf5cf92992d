# SPDX-License-Identifier: MIT
"""A program ends after the callbacks of MPI_COMM_SELF's attributes, whose frees count."""

from __future__ import annotations

import re

import pytest

from tests import support

PROGRAM = support.program_source("analysis", "finalize_callbacks.c")
NOTHING = "no findings in 1 process, 1 active call, 0 pending requests\n"


def said(mpi: support.MPI, *args: str, stop: str = "mpipp break MPI_Finalize") -> str:
    printed = support.gdb_batch(
        ["mpipp check"],
        program=support.compile_program(PROGRAM, mpi),
        args=args,
        mpi=mpi,
        stop=["set breakpoint pending on", stop, "run"],
    )
    return re.sub("0x[0-9a-f]+", "0x", printed)


@support.each_handle
def test_what_callbacks_free_is_no_leak(mpi: support.MPI) -> None:
    assert said(mpi) == NOTHING


@pytest.mark.thorough
@support.each_handle
def test_what_they_make_and_leave_is_one(mpi: support.MPI) -> None:
    assert re.findall("(?:error|warning): .*|(?<=made at ).*", said(mpi, "leave")) == [
        "error: 1 operation is not complete",
        "finalize_callbacks.c:19 in last",
        "warning: 2 datatypes are not freed",
        "finalize_callbacks.c:18 in last",
    ]


@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("stop", ["break first", "break last"])
def test_before_they_have_run_nothing_is_said(mpi: support.MPI, stop: str) -> None:
    assert said(mpi, stop=stop) == NOTHING
