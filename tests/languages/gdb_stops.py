# SPDX-License-Identifier: MIT
"""Sourced by gdb in tests of languages: goes to MPI calls, and to the program's frames."""

import os

import gdb


def break_in(*procedures: str) -> None:
    """Stop in these procedures of the MPI library."""
    # In Fortran's language PMPI_Bcast would be any spelling of it.
    gdb.execute("set language c", to_string=True)
    for procedure in procedures:
        gdb.execute(f"break PMPI_{procedure}", to_string=True)
    gdb.execute("set language auto", to_string=True)


def next_call(function: str) -> None:
    """Continue into the MPI library's next procedure; selects the innermost frame of a function."""
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
