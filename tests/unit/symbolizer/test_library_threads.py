# SPDX-License-Identifier: MIT
"""Threads of libraries, which do not call MPI on behalf of the program."""

from __future__ import annotations

import pytest

from mpipp.symbolizer.library_threads import all_keep_out, keeps_out

C, MPI, EVENT = "/lib/libc.so.6", "/opt/lib/libmpi.so.40.30.4", "/lib/libevent_core-2.1.so.7"


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("libmpi.so.40.30.4", True),
        ("libmpi-1a2b3c4d.so.12", True),
        ("libmpich.so.12.1.10", True),
        ("libmpichfort.so", True),
        ("libmpi_usempif08-gfortran.so.40", True),
        ("libmpi_usempi_ignore_tkr.so.40", True),
        ("libmpi_mpifh.so.40", True),
        ("libmpi_abi.so.1", True),
        ("libmpi_gnu_123.so.12", True),
        ("libpmix.so.2", True),
        ("mca_btl_tcp.so", True),
        ("libmpi_transport.so", False),
        ("libmpi-transport.so", False),
        ("libmpipp_mpich.so", False),
        ("libtbb.so.12", False),  # worker threads of TBB run the program's tasks
    ],
)
def test_libraries(name: str, own: bool) -> None:
    assert keeps_out(f"/usr/lib/{name}") == own


@pytest.mark.parametrize(
    ("files", "own"),
    [
        ((C, EVENT, MPI, C), True),
        ((C, "", EVENT, MPI, C), False),  # a callback of the program
        ((C, EVENT, "/app/libsolver.so", C), False),
        ((C, MPI), False),  # the start of the thread's stack is unknown
        ((C, C), False),
        ((), False),
    ],
)
def test_frames(files: tuple[str, ...], own: bool) -> None:
    assert all_keep_out(files) == own
