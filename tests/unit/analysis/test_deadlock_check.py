# SPDX-License-Identifier: MIT
"""The findings for processes that wait forever, for hand-made records."""

from __future__ import annotations

from dataclasses import replace

from mpipp.analysis import deadlock_check
from mpipp.analysis.findings.finding import Finding
from tests.unit.jobs import FILE, WINDOW, Recorded, call, job, ranks


def found(*processes: Recorded) -> list[tuple[str, str, str]]:
    """Severity, rule and sentence of each finding."""
    return [_short(one) for one in deadlock_check.check(job(*processes))]


def _short(one: Finding) -> tuple[str, str, str]:
    return one.rule.severity, one.rule.id, one.what.text


def test_a_circle_of_standard_sends() -> None:
    a, b = ranks(2)
    for one in (a, b):
        one.sent(1 - one.rank, 5).inside(call("MPI_Send", dest=1 - one.rank, tag=5))
    (told,) = deadlock_check.check(job(a, b))
    what = "ranks 0 and 1 wait for each other in calls that MPI allows to block"
    assert _short(told) == ("warning", "unsafe-deadlock", what)
    assert [tuple(map(str, party.details)) for party in told.parties] == [
        ("waits for rank 1",),
        ("waits for rank 0",),
    ]
    assert told.demanded.startswith("MPI-4.1, sections 3.5 and 6.14: a program must not rely on")


def test_a_ready_send_in_a_circle() -> None:
    a, b = ranks(2)
    a.sent(1, 5).inside(call("MPI_Rsend", dest=1, tag=5))
    b.posted(0, 6).inside(call("MPI_Recv", source=0, tag=6))
    assert found(a, b) == [("error", "deadlock", "ranks 0 and 1 wait for each other")]


def test_a_message_that_nobody_receives_any_more() -> None:
    # The message is lost, whether the library buffers it or not.
    a, b = ranks(2)
    a.sent(1, 5).inside(call("MPI_Send", dest=1, tag=5))
    b.inside(call("MPI_Finalize"))
    what = "rank 0 waits for rank 1, which will not communicate again"
    assert found(a, b) == [("error", "lone-wait", what)]


def test_different_calls_on_a_file() -> None:
    a, b = ranks(2)
    a.opened(1).inside(call("MPI_File_write_all", comm=None, file=FILE, ordinal=None))
    b.opened(1).inside(call("MPI_File_set_size", comm=None, file=FILE, ordinal=None))
    what = "MPI_File_write_all and MPI_File_set_size are matched on one file"
    assert found(a, b) == [("error", "collective-mismatch", what)]


def test_a_fence_and_the_end_of_its_window() -> None:
    a, b = ranks(2)
    a.has_window(fences=2).inside(call("MPI_Win_fence", win=WINDOW, ordinal=None))
    free = call("MPI_Win_free", comm=None, ordinal=None)
    b.has_window(fences=1).inside(replace(free, arguments={"win": WINDOW}))
    what = "MPI_Win_fence and MPI_Win_free are matched on one window"
    assert found(a, b) == [("error", "collective-mismatch", what)]


def test_different_calls_on_a_communicator_are_left_to_its_check() -> None:
    a, b = ranks(2)
    a.joined(1).inside(call("MPI_Barrier"))
    b.joined(1).inside(call("MPI_Bcast", root=0))
    assert found(a, b) == []
