# SPDX-License-Identifier: MIT
"""The job of `mpipp debug`: the ends of ranks are reported, and no process is left."""

from __future__ import annotations

import os
import re
import shlex
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from mpipp.cli.commands import whole_job
from mpipp.common.errors import MpippError
from tests.debug.terminal import Debugger, debugging, is_alive
from tests.support import MPI, compile_program, end, on_mpi, running, symbols, wait_until

PROGRAMS = Path(__file__).parent / "programs"

# Python code that keeps gdb busy while ranks run.
_BUSY = """
import os, threading, time
from mpipp.gdb.browser_server import gdb_thread
def busy():
    os.write(os.open("/dev/tty", os.O_WRONLY), b"busy")
    time.sleep(1)
threading.Timer(0.5, lambda: gdb_thread.post(busy)).start()
"""


def expect_none(pids: Sequence[int]) -> None:
    """Wait for the ends of processes that have received their signals."""
    wait_until(lambda: not any(map(is_alive, pids)), lambda: f"one of {pids} lives")


@on_mpi("mpich4", "openmpi4")
def test_a_crash_is_a_stop_and_a_restart_starts_anew(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ends.c", mpi)
    with debugging([str(program), "crash", "1"], mpi, 3) as gdb:
        gdb.ask("break ends.c:14")  # all ranks have passed MPI_Init
        gdb.ask("mpipp continue")
        lines = gdb.ask("mpipp continue")
        assert "rank 1: SIGSEGV, main at ends.c:15" in lines
        assert lines[-1].startswith("ranks 0 and 2 have not stopped: ")
        assert gdb.ask("mpipp focus stopped") == ["focus: rank 1"]
        assert gdb.ask("mpipp focus 0,2") == ["focus: ranks 0 and 2 (ranks 0 and 2 run)"]
        assert gdb.ask("mpipp next") == [
            "ranks 0 and 2 run already: stop them with mpipp interrupt."
        ]
        gdb.ask("mpipp interrupt")
        assert gdb.ask("mpipp focus stopped") == ["focus: ranks 0 to 2"]
        assert gdb.ask("mpipp focus 3") == ["There is no rank 3: there are ranks 0 to 2."]
        before = gdb.pids()
        assert gdb.ask("mpipp focus all") == ["focus: ranks 0 to 2"]
        assert "ranks 0 to 2: main at ends.c:12" in gdb.ask("mpipp restart")
        expect_none(before)
        pids = gdb.pids()
        assert len(pids) == 3
        assert gdb.ask("mpipp kill") == ["the job has ended"]
        expect_none(pids)
        assert gdb.ask("mpipp continue") == [
            "no rank in the focus has a process: mpipp restart starts the job again."
        ]
        for command in ("status", "print rank --ranks", "why"):
            assert gdb.ask(f"mpipp {command}") == [
                "no rank has a process: mpipp restart starts the job again."
            ]
        assert gdb.leave() == 0


@on_mpi("mpich4")
def test_an_end_is_an_event(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ends.c", mpi)
    with debugging([str(program), "leave", "2"], mpi, 3) as gdb:
        assert gdb.ask("break MPI_Barrier")
        assert "rank 2 has exited with status 7" in gdb.ask("mpipp continue")
        gdb.leave()


@on_mpi("openmpi4")
def test_a_launcher_that_ends_its_ranks(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ends.c", mpi)
    with debugging([str(program), "abort", "1"], mpi, 3) as gdb:
        said = "\n".join(gdb.ask("mpipp continue"))
        assert "SIGCONT" not in said, said
        gdb.leave()


@on_mpi("mpich4")
def test_input_is_for_one_rank_and_output_has_whole_lines(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ends.c", mpi)
    with debugging([str(program), "read", "1"], mpi, 2, ["--stdin", "1"]) as gdb:
        gdb.ask("mpipp input first line")
        gdb.ask("mpipp input --end")
        gdb.child.sendline("mpipp continue")
        gdb.until("rank 1: read first line")
        gdb.until("rank 1: end of input, then")
        gdb.until("the job has ended with exit status 0: mpipp restart starts it again")
        gdb.answer()
        gdb.leave()


@on_mpi("mpich4", "openmpi4")
def test_no_process_is_left_when_the_debugger_dies(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ends.c", mpi)
    with debugging([str(program), "none", "0"], mpi, 2) as gdb:
        pids = gdb.pids()
        found = gdb.ask("python import os; print('pid', os.getpid())")
        os.kill(int(found[-1].split()[1]), signal.SIGKILL)
        gdb.end()
        expect_none(pids)
    with debugging([str(program), "none", "0"], mpi, 2) as gdb:
        pids = gdb.pids()
        gdb.child.kill(signal.SIGKILL)  # kills mpipp debug itself
        expect_none(pids)


@on_mpi("mpich4", "openmpi4")
def test_running_ranks_continue_if_gdb_dies_while_it_reads_them(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ends.c", mpi)
    words = [*mpi.mpiexec, "-n", "2", "env", f"LD_PRELOAD={mpi.preload()}", str(program)]
    with running([*words, "spin", "1"], env=mpi.env) as job:
        until_ranks(job.pid, 2)
        options = f"--gdb-options={shlex.join(gdb_options())}"
        gdb = Debugger(["--attach", str(job.pid), options], mpi, {})
        pids = gdb.pids()
        assert len(pids) == 2
        gdb.ask("inferior 2")
        gdb.ask("continue &")
        gdb.ask("python import os, mpipp.gdb.debug_session.brief_stops as stops")
        gdb.child.sendline("python with stops.of_all_ranks(): os.kill(os.getpid(), 9)")
        assert gdb.end() == -signal.SIGKILL
        wait_until(
            lambda: all(state(pid) in "RSD" for pid in pids), lambda: str(list(map(state, pids)))
        )
        end(job)


def gdb_options() -> list[str]:
    """Return options that keep gdb from reading the user's settings."""
    return ["-nx", *(word for one in symbols() for word in ("-iex", one))]


def state(pid: int) -> str:
    """Return the state of a process: "R" if it runs, "T" if a signal has stopped it."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def until_ranks(launcher: int, count: int) -> None:
    """Wait until `mpipp debug --attach` would find the ranks."""
    wait_until(lambda: len(found_ranks(launcher)) == count, lambda: "the ranks do not start")


def found_ranks(launcher: int) -> dict[int, tuple[int, str]]:
    """Return the ranks that mpipp finds."""
    try:
        return whole_job.ranks(str(launcher))
    except MpippError:
        return {}


@on_mpi("mpich4")
def test_a_detached_job_ends_by_itself(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ring.c", mpi)
    with debugging(program, mpi, 2) as gdb:
        assert gdb.ask("mpipp detach") == ["all ranks run without gdb"]
        gdb.child.sendline("quit")
        gdb.until("rank 1: sum 0")
        assert gdb.end() == 0  # the launcher's status


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi5")
def test_a_rank_that_forks_or_becomes_another_program(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ends.c", mpi)
    with debugging([str(program), "fork", "1"], mpi, 2) as gdb:
        assert "ranks 0 and 1 have exited with status 0" in gdb.ask("mpipp continue")
        gdb.leave()
    with debugging([str(program), "exec", "1"], mpi, 2) as gdb:
        gdb.ask("break MPI_Barrier")
        assert "rank 1 has exited with status 4" in gdb.ask("mpipp continue")
        gdb.leave()


@on_mpi("mpich5", "openmpi4")  # Debian's MPICH cannot spawn
def test_spawned_processes_are_named(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "spawns.c", mpi)
    said = re.compile(
        r"process (\d+) from MPI_Comm_spawn runs without this gdb: attach to it in another one, "
        r"with mpipp attach \1"
    )
    with debugging(program, mpi, 2) as gdb:
        gdb.ask("break spawns.c:17")
        gdb.child.sendline("mpipp continue")
        for _ in range(2):
            gdb.child.expect(said)
        gdb.answer()
        gdb.leave()


@on_mpi("mpich5", "openmpi5")
def test_a_rank_that_spins(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ends.c", mpi)
    with debugging([str(program), "spin", "1"], mpi, 3) as gdb:
        gdb.child.sendline("mpipp continue")
        gdb.until("control-C stops the ranks in the focus")
        gdb.child.sendintr()
        assert any(line.startswith("rank 1: main at ends.c:") for line in gdb.answer())
        # Python code of gdb may run when control-C comes.
        gdb.ask(f"python exec({_BUSY!r})")
        gdb.child.sendline("mpipp continue")
        gdb.until("busy")
        gdb.child.sendintr()
        assert any(line.startswith("rank 1: main at ends.c:") for line in gdb.answer())
        pids = gdb.pids()
        assert len(pids) == 3
        gdb.leave()
        expect_none(pids)
