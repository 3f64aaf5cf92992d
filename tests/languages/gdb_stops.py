# SPDX-License-Identifier: MIT
"""Go to MPI calls, and to the program's frames. Tests of languages source this in gdb."""

import os

import gdb


def break_in(*procedures: str) -> None:
    """Stop in these procedures of the MPI library."""
    # In Fortran, gdb would take PMPI_Bcast in any spelling.
    gdb.execute("set language c", to_string=True)
    for procedure in procedures:
        gdb.execute(f"break PMPI_{procedure}", to_string=True)
    gdb.execute("set language auto", to_string=True)


def next_call(function: str) -> None:
    """Continue into the MPI library's next procedure, and select the innermost frame of
    a function."""
    gdb.execute("continue", to_string=True)
    while not os.path.basename(gdb.solib_name(gdb.newest_frame().pc()) or "").startswith(
        ("libmpi.", "libmpich.", "libmpi_abi.")
    ):
        gdb.execute("continue", to_string=True)
    select(function)


def select(function: str) -> None:
    """Select the innermost frame of a function."""
    frame = gdb.newest_frame()
    while frame is not None and frame.name() != function:
        frame = frame.older()
    if frame is None:
        raise gdb.GdbError(f"there is no frame of {function}")
    frame.select()
