# SPDX-License-Identifier: MIT
"""A session from its launch to its end."""

from __future__ import annotations

from tests.dap.session import serving
from tests.debug.test_run_control import PROGRAMS
from tests.support import MPI, compile_program, on_mpi


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
