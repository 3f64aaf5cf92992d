# SPDX-License-Identifier: MIT
"""`mpipp debug`: the start, the focus, and run control with merged stops."""

from __future__ import annotations

import re
from pathlib import Path

from tests.debug.terminal import debugging, is_alive
from tests.support import MPI, ROOT, compile_program, on_mpi

PROGRAMS = Path(__file__).parent / "programs"


@on_mpi("mpich4", "openmpi4")
def test_all_ranks_from_main_to_their_ends(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ring.c", mpi)
    with debugging(program, mpi, 4) as gdb:
        assert gdb.start[-2:] == [
            "ranks 0 to 3: main at ring.c:19",
            "19        MPI_Init(&argc, &argv);",
        ]
        assert gdb.focus == "all"
        pids = gdb.pids()
        assert len(pids) == 4
        assert "4 locations" in gdb.ask("break relax")[0]
        assert gdb.ask("mpipp continue")[-2:] == [
            "ranks 0 to 3: Breakpoint 1, relax at ring.c:8",
            "8         double sum = 0;",
        ]
        assert gdb.ask("mpipp next") == [
            "ranks 0 to 3: relax at ring.c:9",
            "9         for (int i = 1; i <= n; i++) sum += u[i];",
        ]
        assert gdb.ask("mpipp on all print rank") == [f"rank {n}: {n}" for n in range(4)]
        assert gdb.ask("mpipp on 0,2-3 print n") == ["ranks 0, 2 and 3: 10"]
        assert gdb.ask("mpipp on 1 print none") == ['rank 1: No symbol "none" in current context.']
        said = gdb.ask("mpipp focus halo")
        assert said[0].startswith("halo does not choose ranks: write all, stopped, a set"), said
        assert gdb.ask("mpipp focus where:rank==2") == ["focus: rank 2"]
        assert gdb.focus == "2"
        assert gdb.ask("mpipp finish")[0] == "rank 2: main at ring.c:24"
        assert gdb.ask("mpipp run-to exchange")[0].startswith("rank 2: exchange at ring.c:1")
        assert gdb.ask("mpipp focus at:ring.c:9") == ["focus: ranks 0, 1 and 3"]
        assert gdb.focus == "0-1,3"
        assert gdb.ask("mpipp focus all") == ["focus: ranks 0 to 3"]
        gdb.ask("delete")
        lines = gdb.ask("mpipp continue")
        assert "ranks 0 to 3 have exited with status 0" in lines
        assert gdb.leave() == 0
        assert not any(map(is_alive, pids))


@on_mpi("mpich4", "openmpi4")
def test_a_breakpoint_that_gdb_cannot_insert(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ring.c", mpi)
    with debugging(program, mpi, 3) as gdb:
        gdb.ask("break *0x10")
        for command in ("continue", "next"):
            said = " ".join(gdb.ask(f"mpipp {command}"))
            assert "Cannot insert breakpoint 1. Cannot access memory at address 0x10" in said
            assert "main at ring.c:19" in said
        gdb.ask("delete")
        place = "ranks 0 to 2: main at ring.c:20"
        answer = gdb.ask("mpipp next")
        if answer[0].startswith("ranks 0 to 2 have not stopped"):  # on a busy machine
            gdb.until(place)
        else:
            assert answer[0] == place


@on_mpi("mpich4", "openmpi4")
def test_the_place_of_a_rank_that_runs_in_fortran(mpi: MPI) -> None:
    program = compile_program(ROOT / "examples" / "heat.f90", mpi)
    with debugging(program, mpi, 3) as gdb:
        gdb.ask("break exchange")
        gdb.ask("mpipp continue")
        gdb.ask("mpipp focus 1-2")
        gdb.ask("mpipp run-to 28")
        # It waits for rank 0, which has stopped before. MPI's Fortran layer has no source lines.
        said = gdb.ask("mpipp next")
        place = r"in MPI_Sendrecv\(.*\), called at heat.f90:2\d in heat::exchange"
        assert re.search(f"rank 1 has not stopped: {place}", "\n".join(said)), said
        assert re.search(f"1  1 +running, {place}", "\n".join(gdb.ask("mpipp status")))
        where = gdb.ask("mpipp where")
        assert "    3  0-2    heat.f90:14 in heat" in where, where


@on_mpi("mpich4", "openmpi5")
def test_threads_that_exist_before_main(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "early_threads.c", mpi, ("-g", "-O0", "-pthread"))
    with debugging(program, mpi, 3) as gdb:
        assert gdb.start[-2] == "ranks 0 to 2: main at early_threads.c:23", gdb.start
        gdb.ask("break 25")
        lines = gdb.ask("mpipp continue")
        assert "ranks 0 to 2: Breakpoint 1, main at early_threads.c:25" in lines, lines
        gdb.leave()


@on_mpi("mpich4")
def test_gdb_does_not_ask_for_downloads(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ring.c", mpi)
    # Many systems name a server, and gdb then asks at the first library without debug information.
    with debugging(program, mpi, 2, env={"DEBUGINFOD_URLS": "http://127.0.0.1:1/"}) as gdb:
        assert gdb.start[-2] == "ranks 0 and 1: main at ring.c:19"
        gdb.leave()
