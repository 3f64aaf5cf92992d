# SPDX-License-Identifier: MIT
"""The peers of calls that block only in some libraries: partitions, files, frees, ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from mpipp.analysis import deadlock_check
from mpipp.analysis.deadlock.analysis import explain, explain_all
from mpipp.analysis.deadlock_text.report import Report
from mpipp.common.errors import MpippError
from mpipp.model import Channel, Comm, KeptCall, Stretch
from tests.unit.jobs import FILE, WINDOW, WORLD, Places, Recorded, call, job, ranks

MOVING = "still moving: every wait can still be satisfied"


def told(*processes: Recorded) -> list[str]:
    return list(Report(explain(job(*processes)), Places()).lines())


def receives(one: Recorded) -> Recorded:
    """A process that waits for a message from rank 0."""
    return one.posted(0, 9).inside(call("MPI_Recv", source=0, tag=9))


def stuck(*processes: Recorded) -> list[int]:
    return sorted(explain(job(*processes)).stuck)


def parts(sends: bool, starts: int, ready: int, state: str = "active") -> Recorded:
    # Rank 0 has the receive, rank 1 the send.
    one = ranks(2)[int(sends)]
    name, peer = ("Psend_init", {"dest": 0}) if sends else ("Precv_init", {"source": 1})
    one._counted(f"partitioned {'sends' if sends else 'receives'}", 1 - one.rank, 5, 1)
    return one.partitioned(call(f"MPI_{name}", tag=5, **peer), starts, ready, state=state)


def waiting(one: Recorded) -> Recorded:
    return one.inside(call("MPI_Wait", requests=1))


@pytest.mark.parametrize(
    ("starts", "ready", "state", "lacks"),
    [
        (1, 4, "inactive", "rank 1 has started no such send (MPI_Psend_init)"),
        (2, 3, "active", "rank 1 has not marked all partitions ready (MPI_Pready)"),
        (2, 4, "active", ""),
        (2, 0, "inactive", ""),  # the operation has completed
        (3, 0, "active", ""),  # the next operation is active, so MPI_Wait is about to return
    ],
)
def test_partitioned_receives(starts: int, ready: int, state: str, lacks: str) -> None:
    receiver, sender = waiting(parts(False, 2, 0)), receives(parts(True, starts, ready, state))
    if not lacks:
        assert told(receiver, sender)[0] == MOVING
        return
    assert told(receiver, sender)[:3] == [
        "deadlock: rank 0 and rank 1 wait for each other",
        "  rank 0 waits in MPI_Wait, called at x.c:1 in main",
        f"    for MPI_Precv_init(source 1, tag 5), called at x.c:1 in main: {lacks}",
    ]


@pytest.mark.parametrize(("starts", "left"), [(0, [0, 1]), (1, []), (2, [])])
def test_partitioned_sends(starts: int, left: Sequence[int]) -> None:
    sender, receiver = waiting(parts(True, 1, 4)), parts(False, starts, 0)
    receiver.posted(1, 9).inside(call("MPI_Recv", source=1, tag=9))
    assert stuck(receiver, sender) == left


def test_a_partitioned_send_that_lacks_partitions() -> None:
    receiver, sender = waiting(parts(False, 1, 0)), waiting(parts(True, 1, 3))
    assert told(receiver, sender)[:3] == [
        "deadlock: rank 1 waits for itself",
        "  rank 1 waits in MPI_Wait, called at x.c:1 in main",
        "    for MPI_Psend_init(dest 0, tag 5), called at x.c:1 in main: "
        "not all of its partitions are marked ready (MPI_Pready)",
    ]
    assert told(receiver, sender)[3:5] == [
        "  rank 0 waits for them:",
        "    rank 0 in MPI_Wait, called at x.c:1 in main",
    ]


def test_a_partitioned_receive_without_a_send() -> None:
    assert stuck(waiting(parts(False, 1, 0)), receives(ranks(2)[1])) == [0, 1]
    freed = receives(ranks(2)[1])
    freed._counted("partitioned sends", 0, 5, 1)
    assert stuck(waiting(parts(False, 1, 0)), freed) == []


@pytest.mark.parametrize("name", ["MPI_Comm_free", "MPI_Comm_disconnect"])
def test_communicators_that_are_freed(name: str) -> None:
    a, b = ranks(2)
    a.joined(2).inside(call(name, comm=None))
    a.calls[0] = replace(a.calls[0], arguments={"comm": WORLD})
    receives(b.joined(2))
    assert told(a, b)[:3] == [
        "deadlock: rank 0 and rank 1 wait for each other",
        f"  rank 0 waits in {name}, called at x.c:1 in main",
        "    rank 1 has not called it; it waits because the library synchronizes here",
    ]
    b.freed = True
    assert stuck(a, b) == []
    b.freed, b.channels, b.calls = False, [], []
    b.joined(3).inside(call("MPI_Bcast", root=0, ordinal=3))
    assert told(a, b)[2] == (
        "    the third collective call of rank 1 on it is MPI_Bcast(root 0), "
        "called at x.c:1 in main"
    )
    b.channels, b.calls = [], []
    b.joined(2).calls.append(a.calls[0])
    assert stuck(a, b) == []


def test_a_communicator_with_pending_operations_is_disconnected() -> None:
    a, b = (one.joined(2).inside(call("MPI_Comm_disconnect", comm=None)) for one in ranks(2))
    for one in (a, b):
        one.calls[0] = replace(one.calls[0], arguments={"comm": WORLD})
    assert told(a, b)[0] == MOVING
    a.partitioned(call("MPI_Irecv", source=1, tag=5), 1, 0)
    assert told(a, b)[0] == "unknown: rank 0 may still continue"


def test_info_of_a_communicator() -> None:
    a, b = ranks(2)
    a.joined(1).inside(call("MPI_Comm_set_info"))
    assert stuck(a, receives(b)) == [0, 1]
    b.joined(1)
    assert stuck(a, b) == []


def test_a_file_that_is_closed_and_has_the_number_of_one_that_is_open() -> None:
    """The record of the closed file has an outdated handle of its communicator."""
    a, b = (
        one.opened(3).inside(call("MPI_File_write_all", comm=None, file=FILE)) for one in ranks(2)
    )
    for one in (a, b):
        header = one.files[0].header
        old = header._replace(handle=FILE + 1, serial=0, flags=frozenset({"ended"}))
        one.files.append(replace(one.files[0], header=old, joined=1))
    assert stuck(a, b) == []


@pytest.mark.parametrize(("joined", "closed", "left"), [(1, False, [0, 1]), (1, True, [])])
def test_files_that_are_closed(joined: int, closed: bool, left: Sequence[int]) -> None:
    a, b = ranks(2)
    close = replace(call("MPI_File_close", comm=None), arguments={"file": FILE})
    a.opened(1).inside(close)
    receives(b.opened(joined, closed))
    assert stuck(a, b) == left


def test_a_file_that_another_has_closed() -> None:
    a, b = ranks(2)
    a.opened(1).inside(call("MPI_File_set_size", file=FILE))
    b.opened(1, closed=True).inside(call("MPI_Finalize"))
    assert told(a, b)[0] == (
        "waits forever: rank 0 waits for rank 1, which will not communicate again"
    )


@pytest.mark.parametrize(("joined", "left"), [(2, [0, 1]), (3, []), (4, [])])
def test_nonblocking_collective_io(joined: int, left: Sequence[int]) -> None:
    a, b = ranks(2)
    a.opened(5).pending(call("MPI_File_iread_all", file=FILE, ordinal=3))
    waiting(a)
    assert stuck(a, receives(b.opened(joined))) == left


@pytest.mark.parametrize("name", ["MPI_File_iread", "MPI_File_iread_shared"])
def test_other_io_waits_for_nobody(name: str) -> None:
    a, b = ranks(2)
    a.opened(0).pending(call(name, file=FILE))
    assert told(waiting(a), receives(b.opened(0)))[0] == MOVING


@pytest.mark.parametrize("exclusive", [True, False])
def test_all_locks(exclusive: bool) -> None:
    a, b = ranks(2)
    a.has_window().inside(call("MPI_Win_lock_all", win=WINDOW))
    receives(b.has_window("lock"))
    assert b.window is not None
    b.window = replace(b.window, locks=((1, exclusive),))
    assert stuck(a, b) == ([0, 1] if exclusive else [])


def gathers(root: int) -> Recorded:
    return ranks(2)[0].joined(1).inside(call("MPI_Gather", root=root))


@pytest.mark.parametrize("root", [0, 1])
def test_rooted_calls(root: int) -> None:
    # In MPI, a process other than the root may return early, but the library makes it wait.
    assert stuck(gathers(root), receives(ranks(2)[1])) == [0, 1]
    other = Recorded(1, 3).joined(1).inside(call("MPI_Gather", root=0))
    late = receives(Recorded(2, 3))
    assert stuck(Recorded(0, 3).posted(1, 5).joined(1), other, late) == []  # the root may continue


def test_the_last_session() -> None:
    a, b = ranks(2)
    a.session(False).posted(1, 5).inside(call("MPI_Recv", source=1, tag=5))
    b.session(True)
    assert told(a, b)[:3] == [
        "waits forever: rank 0 waits for rank 1, which will not communicate again",
        "  rank 0 waits in MPI_Recv(source 1, tag 5), called at x.c:1 in main",
        "    rank 1 has no such send pending, and is past MPI_Session_finalize",
    ]
    b.session(False)
    assert told(a, b)[0] == MOVING
    b.inside(call("MPI_Session_finalize", comm=None))
    assert stuck(a, b) == [0]


def test_sessions_outlive_the_world() -> None:
    a, b = ranks(2)
    a.posted(1, 5).inside(call("MPI_Recv", source=1, tag=5))
    b.status = "finalized"
    assert stuck(a, b) == [0]
    assert stuck(a, b.session(False)) == []


def test_another_collective_call_that_is_over() -> None:
    a, b = ranks(2)
    a.joined(3).inside(call("MPI_Bcast", root=1, ordinal=3))
    b.joined(3, call("MPI_Gather", root=0)).inside(call("MPI_Finalize"))
    instead = (
        "the third collective call of rank 1 on it is MPI_Gather(root 0), called at x.c:1 in main"
    )
    assert told(a, b) == [
        "mismatch: rank 0 is in a different collective operation than the others were",
        "  rank 0 waits in MPI_Bcast(root 1), called at x.c:1 in main",
        f"    {instead}",
        "",
        "the others:",
        "  rank 1 is in MPI_Finalize, called at x.c:1 in main",
    ]
    b.calls = []
    assert told(a, b)[:3] == [
        "mismatch: rank 0 is in a different collective operation than the others were",
        "  rank 0 waits in MPI_Bcast(root 1), called at x.c:1 in main",
        f"    {instead}",
    ]
    assert stuck(a, b) == [0]
    b.over[0] = Stretch(3, 1, (KeptCall.of(call("MPI_Bcast", root=1)),))
    assert told(a, b)[0] == MOVING  # the result is the same as for a correct program
    b.over[0] = Stretch(3, 1, (KeptCall.of(call("MPI_Gather", root=0)),))
    b.calls = [call("MPI_Barrier", ordinal=4)]
    b.channels = [replace(b.channels[0], count=4)]
    assert told(a, b)[0] == (
        "mismatch: rank 0 is in a different collective operation than the others were"
    )
    assert stuck(a, b) == [0, 1]


def titles(*processes: Recorded) -> tuple[str, str]:
    """The title of a deadlock, in a report and in a finding."""
    found = explain(job(*processes))
    (knot,) = found.knots
    return Report(found, Places()).headline(knot), deadlock_check.finding(found, knot).what.text


def test_who_is_in_another_collective_operation() -> None:
    a, b, c = ranks(3)
    for one in (a, c):
        one.joined(1).inside(call("MPI_Bcast", root=1))
    b.joined(1, call("MPI_Gather", root=0)).inside(call("MPI_Finalize"))
    what = "ranks 0 and 2 are in a different collective operation than the others were"
    assert titles(a, b, c) == (f"mismatch: {what}", what)
    b.calls = []  # one process of the cycle is in no collective operation
    what = "rank 0 is in a different collective operation than the others were"
    a.size, b.size = 2, 2
    assert titles(a, receives(b)) == (f"mismatch: {what}", what)
    b.over.clear()
    b.calls = [call("MPI_Gather", root=0)]
    what = "ranks 0 and 1 are in different collective operations"
    assert titles(a, b) == (f"mismatch: {what}", what)


def test_all_who_are_named_are_shown() -> None:
    # The shortest cycle comes first: ranks 1 and 2.
    a, b, c = ranks(3)
    for one, peer in ((a, 1), (b, 2)):
        one.posted(peer, 5).inside(call("MPI_Recv", source=peer, tag=5))
    c.joined(1).inside(call("MPI_Barrier"))
    found = explain(job(a, b, c))
    (knot,) = found.knots
    finding = deadlock_check.finding(found, knot)
    assert finding.what.text == "ranks 0 to 2 wait for each other"
    assert [party.process for party in finding.parties] == [1, 2, 0]


class Counting(Recorded):
    """Counts how often its history is decoded."""

    asked = 0

    def recorded_calls(self, comm: Comm, channel: Channel) -> list[Stretch]:
        """The history of the channel."""
        self.asked += 1
        return super().recorded_calls(comm, channel)


def test_what_is_over_is_decoded_once_of_those_that_are_waited_for() -> None:
    one, *others = (Counting(rank, 3) for rank in range(3))
    one.joined(2).inside(call("MPI_Bcast", root=1, ordinal=2)).pending(
        call("MPI_Ibcast", root=1, ordinal=1)
    )
    for other in others:
        other.joined(2, call("MPI_Bcast", root=1))
        other.over.insert(0, Stretch(1, 1, (KeptCall.of(call("MPI_Ibcast", root=1)),)))
        other.inside(call("MPI_Iprobe", source=0, tag=5))
    one.several_threads = True
    one.calls.append(call("MPI_Wait", requests=1))
    assert explain_all(job(one, *others)).knots == ()
    assert [each.asked for each in (one, *others)] == [0, 1, 0]


@pytest.mark.parametrize("whole", [False, True])
def test_what_is_over_is_damaged(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        raise MpippError("it makes no sense")

    a, b = ranks(2)
    a.joined(3).inside(call("MPI_Bcast", root=1, ordinal=3))
    b.joined(3, call("MPI_Gather", root=0)).inside(call("MPI_Finalize"))
    if whole:
        monkeypatch.setattr(b, "recorded_calls", broken)
    else:
        b.over = [Stretch(3, 1, (KeptCall((), (), broken),))]
    assert told(a, b)[0] == MOVING
