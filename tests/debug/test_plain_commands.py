# SPDX-License-Identifier: MIT
"""gdb's own commands in `mpipp debug`, and messages about ranks in place of inferiors."""

from __future__ import annotations

import re
from pathlib import Path

from tests.debug.terminal import debugging, is_alive
from tests.support import MPI, compile_program, on_mpi

PROGRAMS = Path(__file__).parent / "programs"


@on_mpi("mpich4", "openmpi4")
def test_plain_commands_act_on_one_rank(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ring.c", mpi)
    with debugging(program, mpi, 3) as gdb:
        # The launcher gave the ranks; MPI_Init has not recorded them yet.
        states = ["count  ranks  state", "    3  0-2    computing at ring.c:19 in main"]
        assert gdb.ask("mpipp status") == states
        # The commands of mpipp use gdb's own, without the hint.
        assert gdb.ask("mpipp next")[:1] == ["ranks 0 to 2: main at ring.c:20"]
        hint = "next runs rank 0 only: mpipp next runs the focus, ranks 0 to 2"
        gdb.child.sendline("n")  # gdb's own commands do not wait
        assert hint in "\n".join(gdb.until("rank 0: main at ring.c:21"))
        gdb.answer()
        gdb.child.sendline("next")
        assert hint not in "\n".join(gdb.until("rank 0: main at ring.c:22"))
        gdb.answer()
        assert gdb.ask("start") == [
            "start would start one process: mpipp restart starts the whole job again"
        ]
        pids = gdb.pids()
        assert len(pids) == 3
        gdb.ask("set confirm on")
        gdb.child.sendline("quit")
        gdb.until("quit ends the job: ranks 0 to 2 have not ended")
        gdb.child.expect_exact("(y or n) ")
        gdb.child.sendline("n")
        assert gdb.answer()[-1] == "Not confirmed."
        gdb.child.sendline("quit")
        gdb.child.expect_exact("(y or n) ")
        gdb.child.sendline("y")
        assert gdb.end() == 0
        assert not re.search("[Dd]etach", gdb.child.before)
        assert not any(map(is_alive, pids))


@on_mpi("mpich4", "openmpi4")
def test_messages_about_running_ranks(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ends.c", mpi)
    with debugging([str(program), "spin", "1"], mpi, 3) as gdb:
        gdb.ask("break ends.c:30")
        assert "ranks 0 and 2: Breakpoint 1, main at ends.c:30" in gdb.ask("mpipp continue")
        # mpipp stops running ranks only while it reads them.
        for _ in range(2):
            first, stopped, running = gdb.ask("mpipp why")
            assert first == "still moving: every wait can still be satisfied"
            assert stopped == "  ranks 0 and 2 are not in MPI (computing at ends.c:30 in main)"
            assert running.startswith("  rank 1 is not in MPI (computing at ends.c:1")
        assert gdb.ask("mpipp check") == [
            "no findings in 3 processes, 0 active calls, 0 pending requests"
        ]
        assert gdb.ask("mpipp status")[-1].split() == ["1", "1", "running"]
        printed = gdb.ask("mpipp print rank --ranks")
        gdb.ask("mpipp focus 0")
        said = gdb.ask("mpipp print argv")
        hint = "; mpipp print argv --ranks prints its value in all ranks."
        assert said == [f"argv is not an MPI handle: its type is char **{hint}"]
        assert "rank 1: this process runs: stop it with mpipp interrupt" in printed
        for command in ("why", "check", "where", "status", "messages", "list calls --ranks"):
            lines = gdb.ask(f"mpipp {command}")
            assert not any("inferior" in line for line in lines), lines
        gdb.ask("mpipp focus 1")
        said = gdb.ask("mpipp interrupt")
        assert said[0].startswith("rank 1: main at ends.c:1"), said
        gdb.leave()
