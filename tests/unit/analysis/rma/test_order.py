# SPDX-License-Identifier: MIT
"""The calls that order one-sided operations, and those that do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mpipp.analysis.rma_engine import analyse
from mpipp.model.message_events import Channel, Partitions, Probed, ReceiveBegun, Received, Sent
from mpipp.model.rma_events import Lent, Operation
from tests.unit.analysis.rma.event_programs import WINDOW, Program, at, buffer, found


def flag(flow: str, root: int = -1, silent: Sequence[int] = ()) -> list[str]:
    """Process 0 puts and flushes. Process 1 loads after a collective call."""
    program = Program(2)
    program.sync("lock_all")
    program[0].put(1, at(0))
    program[0].sync("flush", 1)
    program.collective(flow, root, silent)
    program[1].load(at(0))
    program.sync("unlock_all")
    return found(program)


def test_collective_calls_order_as_their_data_flows() -> None:
    conflict = ["rma-local: put@0 load@1 [0,4) of 1, unordered"]
    assert flag("all") == []
    assert flag("from root", 0) == []
    assert flag("from root", 1) == conflict
    assert flag("to root", 1) == []
    assert flag("to root", 0) == conflict
    assert flag("prefix") == []
    assert flag("none") == conflict


def test_nonblocking_collective_calls_order_from_begin_to_completion() -> None:
    for late in ("", "put", "load"):
        program = Program(2)
        program.sync("lock_all")
        if late != "put":
            program[0].put(1, at(0))
            program[0].sync("flush", 1)
        requests = program.begun()
        if late == "put":
            program[0].put(1, at(0))
            program[0].sync("flush", 1)
        if late == "load":
            program[1].load(at(0))
        for rank, request in zip(program.ranks, requests):
            rank.completed(request)
        if late != "load":
            program[1].load(at(0))
        program.sync("unlock_all")
        assert bool(found(program)) == bool(late), late


def test_synchronous_send_hears_of_its_receiver() -> None:
    for synchronous in (False, True):
        program = Program(2)
        program.sync("lock_all")
        program[1].store(at(0))
        if synchronous:
            program.synchronous(0, 1)
        else:
            program.message(0, 1)
        program[0].put(1, at(0))
        program.sync("unlock_all")
        assert bool(found(program)) != synchronous


def test_neighbors_and_remote_groups_tell_only_whom_they_send_to() -> None:
    # Processes 0 and 1 put, and 2 and 3 load.
    for members, conflicts in (
        # A ring: 3 is ordered only after 2, and 2 only after 1.
        ({0: (3,), 1: (0,), 2: (1,), 3: (2,)}, ["put@0 load@2", "put@0 load@3", "put@1 load@3"]),
        # An intercommunicator: each process of one group is ordered after all of the other.
        ({0: (2, 3), 1: (2, 3), 2: (0, 1), 3: (0, 1)}, []),
    ):
        program = Program(4)
        program.sync("lock_all")
        for rank in (0, 1):
            for target in (2, 3):
                program[rank].put(target, at(rank * 8))
            program[rank].sync("flush_all")
        for rank in range(4):
            program.joins(rank, "MPI_Neighbor_alltoall", members[rank])
        for rank in (2, 3):
            program[rank].load(at(0, 16))
        program.sync("unlock_all")
        lines = [line.partition(": ")[2].partition(" [")[0] for line in found(program)]
        assert lines == conflicts


def test_synchronous_send_hears_of_a_receive_that_was_begun_before() -> None:
    # Calls between the start of the receive and its end are not ordered before those after the
    # send.
    for late in (False, True):
        program = Program(2)
        channel, request = program.channel(0, 1), program.request()
        program.sync("lock_all")
        if not late:
            program[1].store(at(0))
        program[1].does(ReceiveBegun(program[1].moment("MPI_Irecv"), channel))
        if late:
            program[1].store(at(0))
        program[0].does(Sent(program[0].moment("MPI_Issend"), channel, True, request))
        program[1].does(Received(program[1].moment("MPI_Wait"), channel, begun=True))
        program[0].completed(request)
        program[0].put(1, at(0))
        program.sync("unlock_all")
        assert bool(found(program)) == late


def test_who_gives_nothing_and_gets_nothing_is_waited_for_by_nobody() -> None:
    program = Program(3)
    program.sync("lock_all")
    program[0].put(2, at(0))
    program[1].put(2, at(4))
    program.collective("to root", 2, silent=(1,))
    program[2].load(at(0))
    program.barrier()
    program[2].load(at(4))
    program.sync("unlock_all")
    assert found(program) == [
        "rma-local: put@0 load@2 [0,4) of 2, incomplete",
        "rma-local: put@1 load@2 [4,8) of 2, incomplete",
    ]
    assert flag("all", silent=(0,)) == ["rma-local: put@0 load@1 [0,4) of 1, unordered"]


def test_synchronous_send_is_complete_before_its_receive_is() -> None:
    program = Program(2)
    channel, request = program.channel(0, 1), program.request()
    program.sync("lock_all")
    program[1].does(ReceiveBegun(program[1].moment("MPI_Irecv"), channel))
    program[0].does(Sent(program[0].moment("MPI_Ssend"), channel, True, request))
    program[0].completed(request)
    program.barrier()
    program[1].does(Received(program[1].moment("MPI_Wait"), channel, begun=True))
    program.sync("unlock_all")
    assert found(program) == []


def test_who_has_probed_has_heard_of_the_sender() -> None:
    for probed in (False, True):
        program = Program(2)
        program.sync("lock_all")
        program[0].put(1, at(0))
        program[0].sync("flush", 1)
        channel = program.channel(0, 1)
        program[0].does(Sent(program[0].moment("MPI_Send"), channel))
        if probed:
            program[1].does(Probed(program[1].moment("MPI_Probe"), channel))
        program[1].load(at(0))
        program[1].does(Received(program[1].moment("MPI_Recv"), channel))
        program.sync("unlock_all")
        assert bool(found(program)) != probed


@pytest.mark.parametrize("asserted", [(), ("MPI_MODE_NOPRECEDE",)])
@pytest.mark.parametrize("before", [None, (), ("MPI_MODE_NOSUCCEED",)])
def test_fence_that_ends_no_epoch_orders_only_operations(
    before: tuple[str, ...] | None, asserted: tuple[str, ...]
) -> None:
    """These are the first fence, and a fence after MPI_MODE_NOSUCCEED (MPI-4.1, section 12.5.1)."""
    program = Program(3)
    if before is not None:
        program.sync("fence", *before)
    program[1].store(at(0))
    program[0].store(at(8))
    program.sync("fence", *asserted)
    program[0].put(1, at(0))  # the store precedes the target's fence
    program[2].put(0, at(8))
    program[2].store(buffer(99))
    program.sync("fence")
    program.sync("lock_all")
    program.sync("unlock_all")
    assert found(program) == []
    # The put was complete before the fence, so the fence does not order it.
    program = Program(2)
    if before is not None:
        program.sync("fence", *before)
    program.sync("lock_all")
    program[0].put(1, at(0))
    program.sync("unlock_all")
    program.sync("fence", *asserted)
    program[1].load(at(0))
    program.sync("fence")
    expected = ["rma-local: put@0 load@1 [0,4) of 1, unordered"]
    assert found(program) == ([] if before == asserted == () else expected)


@pytest.mark.parametrize("no_locks", [False, True])
def test_a_window_without_locks_is_freed_without_a_barrier(no_locks: bool) -> None:
    program = Program(2)
    program.make(WINDOW + 1, no_locks=no_locks, base=0, length=0)
    program.sync("lock_all")
    program[0].put(1, at(0))
    program.sync("unlock_all")
    program.free(WINDOW + 1)
    program[1].load(at(0))
    line = "rma-local: put@0 load@1 [0,4) of 1, unordered"
    assert found(program) == ([line] if no_locks else [])


def test_memory_of_a_window_that_is_freed_has_no_copies() -> None:
    """The next window sees the data, and so do loads before it."""
    for frees in (True, False):
        program = Program(2, separate=True)
        program[0].sync("lock", 1)
        program[0].put(1, at(0))
        program[0].sync("unlock", 1)
        if frees:
            program.free(WINDOW)
        else:
            program.barrier()
        program[1].load(at(0))
        if frees:
            program.make(WINDOW + 1, separate=True)
        program[1].load(at(0))
        expected = ["rma-copies: put@0 load@1 [0,4) of 1, copies"] * 2
        assert found(program) == ([] if frees else expected)


def test_copies_of_the_separate_model() -> None:
    # The put is complete, and the target knows it, but has called no synchronization of the window.
    for separate in (False, True):
        for synced in (False, True):
            program = Program(2, separate=separate)
            program.sync("lock_all")
            program[0].put(1, at(0))
            program[0].sync("flush", 1)
            program.message(0, 1)
            if synced:
                program[1].sync("sync")
            program[1].load(at(0))
            program.barrier()
            program[1].store(at(0))
            if synced:
                program[1].sync("sync")
            program.message(1, 0)
            program[0].get(1, at(0))
            program.sync("unlock_all")
            expected = [
                "rma-copies: put@0 load@1 [0,4) of 1, copies",
                "rma-copies: put@0 store@1 [0,4) of 1, copies",
                "rma-copies: store@1 get@0 [0,4) of 1, copies",
            ]
            assert found(program) == (expected if separate and not synced else [])


def test_shared_windows() -> None:
    # A store into another process's memory is concurrent with a put into it.
    program = Program(3, flavor="shared")
    program.sync("fence")
    program[0].store(at(0), owner=2)
    program[1].put(2, at(0))
    program.sync("fence")
    program.end()
    result = analyse(program.events())
    # A flag may have ordered the store before.
    assert (result.conflicts, len(result.undecided)) == ([], 1)


def test_buffers_in_the_memory_of_others() -> None:
    # Rank 0 puts to or gets from rank 1. The buffer lies in the memory of rank 2, or of the target.
    lent = {
        (kind, owner): Lent(kind == "get", owner, at(8 if owner == 2 else 0), 0)
        for kind in ("put", "get")
        for owner in (1, 2)
    }
    for (kind, owner), memory in lent.items():
        for waits in (False, True):
            program = Program(3, flavor="shared")
            program.sync("fence")
            event = program[0].operation(kind, 1, at(0), ())
            assert isinstance(event, Operation)
            program[0].events[-1] = event._replace(lent=(memory,))
            if waits:
                program.sync("fence")
            program[2].put(2, at(8))
            program.sync("fence")
            expected = {
                ("put", 1): ["rma-itself: put@0 put@0 [0,4) of 1, itself"],
                ("get", 1): ["rma-itself: get@0 get@0 [0,4) of 1, itself"],
                ("put", 2): ["rma-local: put@2 put@0 [8,12) of 2, unordered"] * (not waits),
                ("get", 2): ["rma-local: put@2 get@0 [8,12) of 2, unordered"] * (not waits),
            }
            assert found(program) == expected[kind, owner], (kind, owner, waits)


def some(program: Program, rank: int, first: int, number: int, count: int) -> None:
    """Partitions of a message from rank 0 to 1: marked ready by rank 0, or seen by rank 1 to
    arrive."""
    channel = Channel(0, 0, 1, 0, 0)
    moment = program[rank].moment("MPI_Start")
    program[rank].does(Partitions(moment, channel, 0, first, number, count, ready=rank == 0))


@pytest.mark.parametrize("received", range(1, 6))
@pytest.mark.parametrize("sent", range(1, 6))
def test_what_has_arrived_comes_after_all_that_its_bytes_were_sent_in(
    sent: int, received: int
) -> None:
    bytes_of = [
        {byte * sent // 60 for byte in range(60) if byte * received // 60 == one}
        for one in range(received)
    ]
    for put in range(sent):
        for one, covered in enumerate(bytes_of):
            for marked in (range(sent), range(sent)[::-1]):
                program = Program(2)
                program.sync("lock_all")
                for partition in marked:
                    if partition == put:
                        program[0].put(1, at(0))
                        program[0].sync("flush", 1)
                    some(program, 0, partition, 1, sent)
                some(program, 1, one, 1, received)
                program[1].load(at(0))
                some(program, 1, 0, received, received)
                some(program, 1, 0, 1, received)  # tested a second time
                program.sync("unlock_all")
                heard = {*marked[marked.index(put) :]} & covered
                assert bool(found(program)) == (not heard), (put, one, marked)
