# SPDX-License-Identifier: MIT
"""A session from its launch to its end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

from tests.dap.session import PROGRAMS as DAP_PROGRAMS
from tests.dap.session import Session, gdb_options, serving
from tests.debug.terminal import is_alive
from tests.debug.test_job import expect_none
from tests.debug.test_run_control import PROGRAMS
from tests.support import MPI, compile_program, end, find_mpi, on_mpi, running

PYTHON = """\
from mpi4py import MPI
def work(n):
    MPI.COMM_WORLD.Barrier()
work(1)
"""


@on_mpi("mpich4", "openmpi4")
def test_ranks_are_threads_that_stop_together(mpi: MPI) -> None:
    source = PROGRAMS / "ring.c"
    program = compile_program(source, mpi)
    with serving(mpi) as client:
        start = client.launch(program, 2)
        (point,) = client.lines(source, 9)
        assert point["verified"] and point["line"] == 9
        client.begin(start)
        stop = client.all_stopped()
        assert stop["reason"] == "breakpoint"
        assert stop["hitBreakpointIds"] == [point["id"]]
        threads = client.threads()
        assert sorted(threads.values()) == [f"rank {i}: relax at ring.c:9" for i in range(2)]
        frame = client.program_frame(stop["threadId"])
        assert (frame["name"], frame["line"], frame["source"]["path"]) == ("relax", 9, str(source))
        assert client.locals(frame["id"], "Arguments")["n"]["value"] == "10"
        assert client.locals(frame["id"])["sum"]["value"] == "0"
        assert client.lines(source) == []
        assert client.ask("continue", threadId=stop["threadId"])["allThreadsContinued"] is True
        client.output("rank 1: sum ")
        assert client.event("exited")["exitCode"] == 0
        client.event("terminated")
        assert client.leave() == 0


@on_mpi("mpich4", "openmpi4")
def test_a_restart_keeps_the_breakpoints(mpi: MPI) -> None:
    source = PROGRAMS / "ring.c"
    program = compile_program(source, mpi)
    with serving(mpi) as client:
        start = client.launch(program, 2)
        client.lines(source, 9)
        client.begin(start)
        client.all_stopped()
        before = pids(client)
        client.ask("restart")
        stop = client.all_stopped()
        expect_none(before)
        assert stop["reason"] == "breakpoint"
        after = pids(client)
        assert len(after) == 2
        client.ask("terminate")
        client.event("terminated")
        expect_none(after)
        assert client.leave() == 0


@on_mpi("mpich4")
def test_nothing_is_left_when_gdb_or_the_client_ends(mpi: MPI) -> None:
    source = PROGRAMS / "ring.c"
    program = compile_program(source, mpi)
    with serving(mpi) as client:
        start = client.launch(program, 2)
        client.lines(source, 9)
        client.begin(start)
        client.all_stopped()
        processes = pids(client)
        (gdb,) = (one for one in children(client.process.pid) if name(one) == "gdb")
        os.kill(gdb, signal.SIGKILL)
        assert "gdb has ended with signal 9: the session ends" in client.output("session ends")
        client.event("terminated")
        expect_none([*processes, gdb])
        assert client.refusal("threads") == "no program is debugged: send launch or attach first"
        assert client.leave() == 0
    with serving(mpi) as client:
        client.begin(client.launch(program, 2, stopOnEntry=True))
        client.all_stopped()
        processes = [*pids(client), *children(client.process.pid)]
        assert len(processes) == 4
        client.process.kill()
        expect_none(processes)


@on_mpi("mpich4")
def test_a_running_job_is_attached_and_goes_on(mpi: MPI) -> None:
    source = PROGRAMS / "ring.c"
    program = compile_program(DAP_PROGRAMS / "shapes.c", mpi)
    words = [*mpi.mpiexec, "-n", "2", "env", f"LD_PRELOAD={mpi.preload()}", str(program), "hang"]
    with running(words, env=mpi.env, stdout=subprocess.DEVNULL) as job:
        with serving(mpi) as client:
            assert client.refusal("attach", job=True) == (
                "job must be the PID of a launcher, or a batch job number"
            )
            number = client.send("attach", job=job.pid, gdbOptions=gdb_options())
            client.event("initialized")
            client.begin(number)
            stop = client.all_stopped()
            assert stop["reason"] == "pause"
            processes = pids(client)
            assert client.refusal("restart") == (
                "mpipp has attached to this job and cannot start it again"
            )
            assert client.lines(source, 9)[0]["verified"] is False
            client.ask("continue", threadId=stop["threadId"])
            assert client.leave() == 0
        assert all(map(is_alive, processes))
        assert job.poll() is None
        end(job)


def test_bad_input_is_one_sentence() -> None:
    mpi = find_mpi("mpich4")
    with serving(mpi) as client:
        assert client.refusal("threads") == "no program is debugged: send launch or attach first"
        assert client.refusal("launch") == "the argument program is missing"
        assert client.refusal("launch", program=["a"]) == "program must be a text"
        assert client.refusal("launch", program="a", ranks=0) == (
            "ranks is 0: the number of MPI processes must be at least 1"
        )
        assert client.refusal("launch", program="a", args="b") == "args must be a list"
        assert client.refusal("launch", program="/bin/true", cwd="/none") == (
            "cwd is /none: there is no such directory"
        )
        missing = client.refusal("launch", program="/none/app")
        assert missing.startswith("/none/app") or "no" in missing
        assert client.leave() == 0


@on_mpi("mpich4")
def test_a_program_that_does_not_start_is_reported(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ring.c", mpi)
    with serving(mpi) as client:
        start = client.launch(program, 1)
        assert client.refusal("launch", program=str(program)) == (
            "a program is debugged already: disconnect first"
        )
        assert client.refusal("none") == "mpipp does not know the request none"
        assert client.refusal("stackTrace") == "the argument threadId is missing"
        assert client.refusal("stackTrace", threadId=99) == (
            "there is no thread 99: its rank has ended"
        )
        assert client.refusal("scopes", frameId=99) == (
            "there is no frame 99: its rank has run since"
        )
        client.begin(start)
        client.event("terminated")
        assert client.leave() == 0


@on_mpi("mpich4")
def test_a_signal_is_an_exception_and_an_end_an_event(mpi: MPI) -> None:
    program = compile_program(PROGRAMS / "ends.c", mpi)
    with serving(mpi) as client:
        client.begin(client.launch(program, 2, args=["crash", "1"]))
        stop = client.event("stopped", reason="exception")
        assert (stop["text"], stop["allThreadsStopped"]) == ("SIGSEGV", False)
        info = client.ask("exceptionInfo", threadId=stop["threadId"])
        assert info["description"] == "SIGSEGV, main at ends.c:15"
        client.ask("terminate")
        assert client.leave() == 0
    with serving(mpi) as client:
        client.begin(client.launch(program, 2, args=["leave", "1"]))
        client.output("rank 1 has exited with status 7")
        client.event("thread", reason="exited")
        client.event("terminated")
        assert client.leave() == 0


@on_mpi("mpich4", "openmpi4")
def test_frames_of_python_are_its_lines(mpi: MPI, tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(PYTHON)
    with serving(mpi) as client:
        start = client.launch(mpi.python, 2, args=[str(script)])
        client.ask("setFunctionBreakpoints", breakpoints=[{"name": "MPI_Barrier"}])
        client.begin(start)
        stop = client.all_stopped()
        frames = client.frames(stop["threadId"])
        python = [one for one in frames if one.get("source", {}).get("path") == str(script)]
        assert [(one["name"], one["line"]) for one in python] == [("work", 3), ("<module>", 4)]
        assert client.program_frame(stop["threadId"]) == python[0]  # with the same number
        number = python[0]["id"]
        assert client.ask("scopes", frameId=number)["scopes"] == []
        assert client.refusal("evaluate", expression="n", frameId=number) == (
            "gdb cannot evaluate expressions in a frame of Python"
        )
        assert client.leave() == 0


@on_mpi("mpich4", "openmpi4")
def test_a_client_that_leaves_may_let_the_job_continue(mpi: MPI) -> None:
    program = compile_program(DAP_PROGRAMS / "shapes.c", mpi)
    with serving(mpi) as client:
        client.begin(client.launch(program, 2, args=["hang"], stopOnEntry=True))
        client.all_stopped()
        processes = pids(client)
        client.ask("disconnect", terminateDebuggee=False)
        assert client.unasked() == []
        assert all(map(is_alive, processes))
        assert not any(name(one) == "gdb" for one in children(client.process.pid))
        client.process.terminate()
        expect_none(processes)


def pids(client: Session) -> list[int]:
    """Return the process IDs of the programs that gdb debugs."""
    answer = client.ask("evaluate", expression="info inferiors", context="repl")["result"]
    return [int(pid) for pid in re.findall(r"process (\d+)", answer)]


def children(pid: int) -> list[int]:
    """Return the process IDs of the children of a process."""
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def name(pid: int) -> str:
    """Return the name of a process."""
    return Path(f"/proc/{pid}/comm").read_text().strip()
