# SPDX-License-Identifier: MIT
"""MPI_THREAD_MULTIPLE: concurrent calls of several threads are recorded correctly."""

from __future__ import annotations

from mpipp.model import KINDS, Channel, Comm
from tests import support
from tests.wrapper.watched import Process, watched


@support.every_mpi
def test_four_threads(mpi: support.MPI) -> None:
    with watched("threads.c", mpi) as (process,):
        process.until("before")
        before = {kind: len(process.live(kind)) for kind in KINDS}
        process.until("after")
        left = {kind: len(process.live(kind)) - before[kind] for kind in KINDS}
        made = {"datatype": 40, "request": 12}
        assert left == {kind: made.get(kind, 0) for kind in KINDS}
        counts = sorted(t.tree.arguments["count"] for t in process.live("datatype"))
        assert counts == sorted(4 * list(range(1, 11)))
        assert len(process.pending()) == 12
        assert process.count("datatype") < 5000 and process.count("request") < 2000
        assert len(list(process.registry.threads())) == 1, "threads that ended are still listed"
        process.check_consistent()
        process.until("end")
        assert {kind: len(process.live(kind)) for kind in KINDS} == {
            **before,
            "comm": before["comm"] - 4,
        }
        process.end()


@support.every_mpi
def test_channels_that_threads_share(mpi: support.MPI) -> None:
    with watched("message_lengths.c", mpi) as (process,):
        process.until("alone")
        taken = process.find("comm", "any")
        (received,) = (c for c in taken.channels if c.sequence == "receives")
        assert (received.count, received.frozen, taken.uncertain) == (1, False, frozenset())
        process.until("exchanged")
        assert process.find("comm", "any").uncertain_all == {"receives"}
        comm = process.find("comm", "comm")
        assert comm.uncertain == {"sends", "receives"} and not comm.uncertain_all
        channels = {(c.sequence, c.tag): c for c in comm.channels if c.history}
        sends, receives = channels["sends", 3], channels["receives", 3]
        assert sends.shared and receives.shared and not (sends.gaps or receives.gaps)
        # Both threads use these channels: the lengths are certain, the number of calls is not.
        assert lengths(process, comm, sends) == {length_of(n, i) for n in range(4) for i in ROUNDS}
        assert lengths(process, comm, receives) == {97}
        # Calls that only one thread makes are certain.
        alone = channels["sends", 4]
        assert not alone.shared and alone.count == 10
        process.end()


ROUNDS = range(4000)


def length_of(number: int, i: int) -> int:
    """The length of a message, as in message_lengths.c."""
    return 1 + (i * 31 + number * 17) % 97 if i % 7 == 0 else 1 + i // 500 * 2 + number % 2


def lengths(process: Process, comm: Comm, channel: Channel) -> set[int]:
    """The numbers of elements in the calls of a channel."""
    return {kept.call.buffers[0].count for kept in process.registry.kinds(comm, channel)}
