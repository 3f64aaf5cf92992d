# SPDX-License-Identifier: MIT
"""The window with the states of all ranks in gdb's terminal interface."""

from __future__ import annotations

import pexpect

from tests import support
from tests.gdb import expectations
from tests.ranks import ranks, until_inside

PROGRAM = expectations.PROGRAMS / "look.c"


def test_window_follows_the_stops() -> None:
    mpi = support.find_mpi(support.MACHINE[0])
    with ranks(support.compile_program(PROGRAM, mpi), mpi, n=4) as pids:
        until_inside("MPI_Barrier", pids[0], pids[1])
        until_inside("MPI_Wait", pids[2])
        words = [*support.gdb_words(mpi), "-iex", "set pagination off", "-iex", "set confirm off"]
        words += ["-ex", "set mpipp colour off"]
        gdb = pexpect.spawn(
            words[0],
            words[1:],
            env={**mpi.env, "TERM": "xterm"},
            encoding="utf-8",
            timeout=120,
            dimensions=(40, 120),
        )
        gdb.sendline(f"mpipp attach {pids[0]} {pids[1]}")
        gdb.expect("attached: ")
        gdb.sendline("layout mpipp")
        gdb.expect("in MPI_Barrier, called at look.c:36 in exchange")
        # A process that is attached later appears after its stop.
        gdb.sendline(f"mpipp attach {pids[3]}")
        gdb.expect("in pause in lib")
        # Keys choose a line, and its first rank.
        gdb.sendline("focus mpipp")
        gdb.expect("Focus set to mpipp window")
        gdb.send("\x1bOB" * 5)
        # gdb 16 colours the number of a value.
        gdb.sendline("print $_inferior")
        gdb.expect(r"\$1\S* = 3")
        gdb.send("\x1bOA")
        gdb.sendline("print $_inferior")
        gdb.expect(r"\$2\S* = 1")
        # The right and left keys choose another rank of the line.
        gdb.send("\x1bOC")
        gdb.sendline("print $_inferior")
        gdb.expect(r"\$3\S* = 2")
        gdb.send("\x1bOD")
        gdb.sendline("print $_inferior")
        gdb.expect(r"\$4\S* = 1")
        gdb.sendline("quit")
        gdb.expect(pexpect.EOF)
