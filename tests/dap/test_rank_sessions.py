# SPDX-License-Identifier: MIT
"""A session for each rank, beside the session of the job."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.dap.client import Body
from tests.dap.session import PROGRAMS, Session, serving
from tests.dap.test_running import documented, shape
from tests.dap.test_session import pids
from tests.debug.test_job import expect_none
from tests.debug.test_run_control import PROGRAMS as DEBUG_PROGRAMS
from tests.support import MPI, compile_program, on_mpi

SOURCE = PROGRAMS / "shapes.c"
RING = DEBUG_PROGRAMS / "ring.c"


@contextmanager
def by_rank(mpi: MPI) -> Iterator[Session]:
    """Yield the session of a job, by a client that starts other sessions on request."""
    with serving(mpi, starts_sessions=True) as job:
        yield job


def requested(job: Session, count: int) -> dict[int, Body]:
    """Accept `count` requests to start a session; return the settings of each by rank."""
    found = {}
    for _ in range(count):
        request = job.request("startDebugging")
        assert shape(request["arguments"]) == shape(documented("startDebugging"))
        assert request["arguments"]["request"] == "attach"
        settings = request["arguments"]["configuration"]
        assert (settings["type"], settings["name"]) == ("mpipp", f"rank {settings['rank']}")
        found[settings["rank"]] = settings
        job.reply(request, success=True)
    return found


def attached(rank: Session, settings: Body) -> Session:
    """Begin the session of a rank."""
    rank.ask("attach", **settings)
    lacking = rank.event("capabilities")["capabilities"]
    assert lacking["supportsRestartRequest"] is False
    rank.event("initialized")
    rank.ask("configurationDone")
    return rank


def places(session: Session) -> list[str]:
    return sorted(session.threads().values())


@on_mpi("mpich4", "openmpi4")
def test_each_rank_has_a_session(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    with ExitStack() as stack:
        job = stack.enter_context(by_rank(mpi))
        start = job.launch(program, 2, sessions="ranks", stopOnEntry=True)
        job.begin(start)
        settings = requested(job, 2)
        path = Path(settings[0]["socket"])
        assert stat.S_ISSOCK(path.stat().st_mode) and path.parent.stat().st_mode & 0o77 == 0
        zero, one = (attached(stack.enter_context(serving(mpi)), settings[rank]) for rank in (0, 1))
        for rank in zero, one:
            assert rank.all_stopped()["reason"] == "entry"
        (first,), (second,) = zero.threads(), one.threads()
        assert places(zero)[0].startswith("rank 0: main at shapes.c:")
        assert job.threads() == {}
        assert zero.refusal("stackTrace", threadId=second) == (
            f"there is no thread {second}: its rank has ended"
        )
        job.lines(SOURCE, 21)
        one.ask("continue", threadId=second)
        zero.ask("continue", threadId=first)
        for rank in zero, one:
            assert rank.all_stopped()["reason"] == "breakpoint"
        zero.ask("next", threadId=first)
        assert zero.all_stopped()["reason"] == "step"
        assert places(zero) == ["rank 0: main at shapes.c:22"]
        assert places(one) == ["rank 1: main at shapes.c:21"]
        # A breakpoint stops the rank of its session, and the job's session sets it in all ranks.
        (point,) = one.lines(SOURCE, 27)
        assert point["verified"]
        job.lines(SOURCE, 28)
        one.ask("continue", threadId=second)
        zero.ask("continue", threadId=first)
        assert one.event("stopped", reason="breakpoint")["hitBreakpointIds"] == [point["id"]]
        assert zero.event("stopped", reason="breakpoint")["allThreadsStopped"] is True
        assert places(zero) == ["rank 0: main at shapes.c:28"]
        assert places(one) == ["rank 1: main at shapes.c:27"]
        frame = one.program_frame(second)
        assert one.locals(frame["id"])["rank"]["value"] == "1"
        assert one.ask("evaluate", expression="rank", frameId=frame["id"])["result"] == "1"
        assert zero.ask("evaluate", expression="print rank", context="repl")["result"] == "$1 = 0"
        answer = one.ask("mpipp/printRanks", expression="rank")
        assert [value["ranks"] for value in answer["values"]] == ["0", "1"]
        processes = pids(job)
        job.ask("terminate")
        for session in job, zero, one:
            session.event("terminated")
        assert zero.refusal("threads") == "the session of this rank has ended"
        expect_none(processes)
        for session in zero, one, job:
            assert session.leave() == 0


@on_mpi("mpich4")
def test_the_job_shows_ranks_without_a_session(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    with ExitStack() as stack:
        job = stack.enter_context(by_rank(mpi))
        job.begin(job.launch(program, 3, sessions="ranks", args=["hang"], stopOnEntry=True))
        requests = [job.request("startDebugging") for _ in range(3)]
        job.reply(requests[2], success=False)
        stop = job.all_stopped()
        assert list(job.threads()) == [stop["threadId"]]
        assert places(job)[0].startswith("rank 2: main")
        settings = [one["arguments"]["configuration"] for one in requests]
        zero = attached(stack.enter_context(serving(mpi)), settings[0])
        one = attached(stack.enter_context(serving(mpi)), settings[1])
        (first,) = zero.threads()
        (second,) = one.threads()
        one.all_stopped()
        with serving(mpi) as other:
            assert other.refusal("attach", **settings[0]) == "rank 0 has a session already"
            assert other.leave() == 0
        # The rank of a session that ends goes back to the job's session.
        zero.all_stopped()
        assert zero.leave() == 0
        assert job.event("thread", reason="started", threadId=first)
        job.event("stopped", threadId=first)
        assert [name[:6] for name in places(job)] == ["rank 0", "rank 2"]
        one.process.kill()
        job.event("stopped", threadId=second)
        assert [name[:6] for name in places(job)] == ["rank 0", "rank 1", "rank 2"]
        job.ask("next", threadId=second)
        job.all_stopped()
        assert job.leave() == 0


@on_mpi("mpich4")
def test_a_session_follows_its_rank(mpi: MPI) -> None:
    program = compile_program(RING, mpi)
    with ExitStack() as stack:
        job = stack.enter_context(by_rank(mpi))
        start = job.launch(program, 2, sessions="ranks")
        job.lines(RING, 9)
        job.begin(start)
        settings = requested(job, 2)
        ranks = [attached(stack.enter_context(serving(mpi)), settings[rank]) for rank in (0, 1)]
        for rank in ranks:
            assert rank.all_stopped()["reason"] == "breakpoint"
        job.event("mpipp/stops")
        ranks[0].ask("continue", threadId=min(ranks[0].threads()))
        assert ranks[0].refusal("stackTrace", threadId=min(ranks[0].threads())) == (
            "rank 0 runs: pause it first"
        )
        ranks[0].ask("pause", threadId=min(ranks[0].threads()))
        assert ranks[0].all_stopped()["reason"] == "pause"
        processes = pids(job)
        job.ask("restart")  # the sessions stay, and show the new processes
        for rank in ranks:
            rank.event("thread", reason="exited")
            assert rank.all_stopped()["reason"] == "breakpoint"
        expect_none(processes)
        job.lines(RING)
        for rank in ranks:
            rank.ask("continue", threadId=min(rank.threads()))
        for session in *ranks, job:
            session.event("terminated")
            assert session.leave() == 0


@on_mpi("mpich4")
def test_all_sessions_end_with_gdb(mpi: MPI) -> None:
    program = compile_program(RING, mpi)
    with ExitStack() as stack:
        job = stack.enter_context(by_rank(mpi))
        job.begin(job.launch(program, 2, sessions="ranks", stopOnEntry=True))
        settings = requested(job, 2)
        rank = attached(stack.enter_context(serving(mpi)), settings[1])
        rank.all_stopped()
        processes = pids(job)
        gdb = next(
            int(one)
            for one in Path(f"/proc/{job.process.pid}/task/{job.process.pid}/children")
            .read_text()
            .split()
            if Path(f"/proc/{one}/comm").read_text() == "gdb\n"
        )
        os.kill(gdb, signal.SIGKILL)
        rank.event("terminated")
        job.event("terminated")
        expect_none([*processes, gdb])
        with serving(mpi) as late:
            assert late.refusal("attach", **settings[0]).startswith(
                "the session of the job has ended"
            )
            assert late.leave() == 0
        assert rank.leave() == 0
        assert job.leave() == 0


@on_mpi("mpich4")
def test_a_client_that_starts_no_sessions_gets_a_sentence(mpi: MPI) -> None:
    program = compile_program(RING, mpi)
    with serving(mpi) as client:
        assert client.refusal("launch", program=str(program), sessions="ranks") == (
            "this editor does not start sessions on request: leave out sessions"
        )
        assert client.refusal("launch", program=str(program), sessions="rank") == (
            'sessions is rank: write "job" or "ranks"'
        )
        assert client.leave() == 0
