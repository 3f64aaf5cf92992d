# SPDX-License-Identifier: MIT
"""The facts that show which calls of several processes match."""

from __future__ import annotations

from mpipp.model import Comm
from tests import support
from tests.wrapper.watched import Process, all_until, ranked, watched

SAME_IN_ALL = ("world", "again", "doubled", "idled", "ring", "between", "merged")
SAME_IN_TWO = ("half", "few", "created")


def identity(process: Process, name: str) -> int:
    found = process.find("comm", name)
    assert isinstance(found, Comm)
    return found.identity


def channels(process: Process, sequence: str) -> dict[tuple[int, int], tuple[int, bool]]:
    comm = process.find("comm", "comm")
    found = [c for c in comm.channels if c.sequence == sequence]
    return {(c.peer, c.tag): (c.count, c.frozen) for c in found}


@support.every_mpi
def test_ordinals(mpi: support.MPI) -> None:
    with watched("ordinals.c", mpi, n=4) as processes:
        all_until(processes, "creations")
        ranks = ranked(processes)
        check_identities(ranks)
        all_until(processes, "sent")
        check_first(*ranks[:2])
        all_until(processes, "sent again")
        (start,) = ranks[0].pending()
        assert (start.call.procedure, start.call.ordinal) == ("MPI_Send_init", 5)
        assert [request.call.ordinal for request in ranks[1].pending()] == [3, 4]
        all_until(processes, "any source")
        check_any(ranks[1])
        for process in processes:
            process.check_consistent()


def check_identities(ranks: list[Process]) -> None:
    seen: dict[int, str] = {}
    for name in SAME_IN_ALL:
        found = {identity(process, name) for process in ranks}
        assert len(found) == 1 and 0 not in found, name
        assert seen.setdefault(found.pop(), name) == name
    for name in SAME_IN_TWO:
        found = {identity(process, name) for process in ranks}
        assert len(found) == 2 and 0 not in found, name
        for half in (0, 1):
            assert identity(ranks[half], name) == identity(ranks[half + 2], name)
            assert seen.setdefault(identity(ranks[half], name), name) == name
    assert identity(ranks[0], "world") == 1


def check_first(sender: Process, receiver: Process) -> None:
    assert channels(sender, "sends") == {(1, 3): (4, False), (1, 4): (3, False)}
    assert [request.call.ordinal for request in sender.pending()] == [4, 3]
    # The message of a blocking receive from any source is known when the call has returned.
    assert channels(receiver, "receives") == {(0, 4): (2, False), (0, 3): (1, False)}
    assert receiver.find("message", "message").ordinal == 2


def check_any(receiver: Process) -> None:
    any_source, other = receiver.pending()
    assert any_source.call.ordinal == 3  # among the receives from any source
    assert other.call.ordinal is None
    found = channels(receiver, "receives")
    # No other receive can match messages with that tag.
    assert found == {(0, 3): (4, True), (0, 4): (3, True)}


@support.every_mpi
def test_channels_that_are_used_again(mpi: support.MPI) -> None:
    with watched("channels.c", mpi) as (process,):
        process.until("exchanged")
        assert process.said["first"] == process.said["comm"], "this tests nothing"
        assert channels(process, "sends") == {(0, 0): (1, False)}
        assert channels(process, "receives") == {(0, 0): (1, False)}
        assert channels(process, "collectives") == {(0, 0): (1, False)}
        process.end()
