# SPDX-License-Identifier: MIT
"""Events of one-sided communication: accesses to windows, and the order of the processes.

The events of a process are in program order; concurrent events of two threads are in the order of
their records. No event waits for a later one in the log. So the start of a send, a collective call
or an operation is recorded when it starts. The end of a receive or the completion of a request is
recorded when it has ended.
"""

from __future__ import annotations

from typing import NamedTuple, Union

from mpipp.model.message_events import Partitions, Probed, ReceiveBegun, Received, Sent
from mpipp.model.moment import Moment

# The default of the info key accumulate_ordering (MPI-4.1, section 12.2.1).
DEFAULT_ORDERING = frozenset(("rar", "raw", "war", "waw"))


class Comb(NamedTuple):
    """`times` blocks of `length` bytes; the starts of neighbors are `stride` bytes apart."""

    first: int
    length: int
    stride: int = 0
    times: int = 1


Memory = tuple[Comb, ...]  # absolute addresses in one process
UNKNOWN: Memory = (Comb(0, 0),)  # stands for bytes at unknown addresses


class WindowMade(NamedTuple):
    """The creation of a window by a collective call, and its memory in this process.

    Attributes:
        window: the window's identity, equal in all processes.
        base: address of its memory in this process; 0: none, or dynamic.
        length: bytes of this memory.
        flavor: "create", "allocate", "shared" or "dynamic".
        separate: whether its memory model is MPI_WIN_SEPARATE.
        ranks: the group's processes as ranks in MPI_COMM_WORLD, in the group's order.
        accumulate_ops: "same_op" or "same_op_no_op".
        accumulate_ordering: a subset of "rar", "raw", "war", "waw"; empty: "none".
        no_locks: whether the info key says that no process locks it.
        queried: whether any process got another's memory from MPI_Win_shared_query, although
            the window's flavor is not "shared".
        frame: as in Operation.
    """

    moment: Moment
    window: int
    base: int
    length: int
    unit: int
    flavor: str
    separate: bool
    ranks: tuple[int, ...]
    accumulate_ops: str = "same_op_no_op"
    accumulate_ordering: frozenset[str] = DEFAULT_ORDERING
    no_locks: bool = False
    queried: bool = False
    frame: int = 0


class WindowInfo(NamedTuple):
    """MPI_Win_set_info: the new values of info keys. "" or None: unchanged."""

    moment: Moment
    window: int
    accumulate_ops: str = ""
    accumulate_ordering: frozenset[str] | None = None
    no_locks: bool | None = None


class WindowFreed(NamedTuple):
    """MPI_Win_free: collective, and a barrier unless the window has no locks.

    Attributes:
        frame: as in Operation.
    """

    moment: Moment
    window: int
    frame: int = 0


class Attached(NamedTuple):
    """MPI_Win_attach, or MPI_Win_detach if `attached` is False (then with length 0).

    Attributes:
        frame: as in Operation.
    """

    moment: Moment
    window: int
    base: int
    length: int
    attached: bool = True
    frame: int = 0


class Values(NamedTuple):
    """The values of an atomic operation on one element, as unsigned integers.

    Attributes:
        size: bytes of the element.
        given: the origin's value; None: there is none, or it is unknown.
        compared: the value of compare_addr.
        told: whether a Brought event with the result follows.
    """

    size: int
    given: int | None
    compared: int
    told: bool


class Lent(NamedTuple):
    """The part of an operation's local buffer that lies in another process's part of a shared
    window.

    Attributes:
        written: whether MPI writes it; otherwise MPI reads it.
        owner: the owner's rank in MPI_COMM_WORLD; `memory` has the owner's addresses.
        shift: the owner's address of a byte minus its address in the operation's process.
    """

    written: bool
    owner: int
    memory: Memory
    shift: int


class Operation(NamedTuple):
    """The start of a one-sided operation.

    Attributes:
        kind: "put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap".
        target: rank in the window's group. Operations on MPI_PROC_NULL are not recorded as events.
        origin: the origin buffer; MPI reads it, except for a get, which writes it.
        at_target: memory in the target process.
        result: the result buffer, which MPI writes.
        compare: the buffer of compare_addr, which MPI reads.
        op: "MPI_SUM"; "" for put, get and compare_and_swap.
        types: the basic datatype of each strided set of `at_target`, or one for all.
        request: for MPI_Rput and similar calls, a number unique to this operation; else 0.
        values: of an atomic operation on one element; None: unknown.
        frame: a stack address: local variables above it belong to the functions that were active
            at the call; 0: unknown.
        twice: whether it writes some bytes at the target twice, because entries overlap.
        size: bytes of the basic datatype. 0: the start of each element is unknown, because the
            datatype has gaps or overlaps.
        lent: the parts of the three local buffers that belong to other processes. `origin`,
            `result` and `compare` do not contain these buffers.
    """

    moment: Moment
    kind: str
    window: int
    target: int
    origin: Memory
    at_target: Memory
    result: Memory = ()
    compare: Memory = ()
    op: str = ""
    types: tuple[str, ...] = ()
    request: int = 0
    values: Values | None = None
    frame: int = 0
    twice: bool = False
    size: int = 0
    lent: tuple[Lent, ...] = ()

    @property
    def only_reads(self) -> bool:
        """Return whether the operation only reads the target's memory, and returns its contents.

        If the operation is complete at its origin, it is complete at its target, too.
        """
        return self.kind == "get" or (self.op == "MPI_NO_OP" and bool(self.result))


class Brought(NamedTuple):
    """The result of an atomic operation, recorded after the operation has completed at the origin.

    Attributes:
        operation: number of the operation's event.
        value: the value; None: unknown.
    """

    moment: Moment
    operation: int
    value: int | None


class Synchronization(NamedTuple):
    """A call that synchronizes a window, after it has returned.

    Attributes:
        kind: "fence", "start", "complete", "post", "wait" (also a successful test), "lock",
            "unlock", "lock_all", "unlock_all", "flush", "flush_all", "flush_local",
            "flush_local_all", "sync"; if `attempt` is set also "free".
        target: rank in the window's group; -1: none.
        group: for start and post, ranks in MPI_COMM_WORLD.
        asserted: "MPI_MODE_NOPRECEDE" ...
        request: 0, except for a fence, start or wait with concurrent events of another thread.
            Such a call is recorded when it begins, and a Completed with this number follows.
        attempt: the call only begins. MPI may refuse it, end the process, or wait forever, so the
            event of its end may not follow. The group is unknown.
        frame: as in Operation.
    """

    moment: Moment
    kind: str
    window: int
    target: int = -1
    group: tuple[int, ...] = ()
    exclusive: bool = False
    asserted: frozenset[str] = frozenset()
    request: int = 0
    attempt: bool = False
    frame: int = 0


class Completed(NamedTuple):
    """A wait or a successful test has returned the completion of these requests to the program.

    A completed receive is a Received instead.

    Attributes:
        frame: of a one-sided operation, as in Operation.
    """

    moment: Moment
    requests: tuple[int, ...]
    frame: int = 0


class RequestFreed(NamedTuple):
    """A request was freed before any call returned its completion to the program."""

    moment: Moment
    request: int


class Collective(NamedTuple):
    """The start of a collective call. The call's end waits for the starts in `sources`.

    Attributes:
        context: the communicator's identity, equal in all processes.
        ordinal: of the collective calls on the communicator, from 0.
        size: number of processes that make the call, in both groups of an intercommunicator.
        sources: ranks in MPI_COMM_WORLD of the processes whose data this one gets, perhaps with its
            own; None: all processes that send data.
        gives: whether this process contributes data for other processes.
        request: 0: no event of the process lies between start and end of the call, which has ended.
            Else a number that only this call has, and a Completed event with this number follows.
    """

    moment: Moment
    context: int
    ordinal: int
    size: int
    sources: tuple[int, ...] | None = None
    gives: bool = True
    request: int = 0


class Access(NamedTuple):
    """Loads or stores at one place in the program, in windows or buffers.

    Attributes:
        owner: the process that owns the memory and whose addresses these are; -1: this process.
            Another process is possible in shared windows.
        times: the number of loads or stores.
        lasting: whether the process never frees this memory.
    """

    moment: Moment
    store: bool
    memory: Memory
    times: int = 1
    owner: int = -1
    lasting: bool = False


# The possible flags whose uses may stand for events that are left out.
FLAGS = ("atomic", "locked")
# A process may look for the flag, or it has read it, or it has written it.
USES = ("suspected", "read", "written")


class FlagUse(NamedTuple):
    """The use of a possible flag by an operation or a lock that is left out.

    Attributes:
        flag, use: items of FLAGS and USES.
        owner: rank of the owner of the memory in MPI_COMM_WORLD.
    """

    moment: Moment
    flag: str
    use: str
    window: int
    owner: int


class OtherWorldContact(NamedTuple):
    """Possible communication with a process of another MPI_COMM_WORLD.

    Attributes:
        tells: True: this process sends, so its earlier events happen before later events of the
            other process. False: this process receives, so earlier events of the other process
            happen before its later ones.
    """

    moment: Moment
    tells: bool


class MemoryFreed(NamedTuple):
    """Memory [start, end) was freed.

    Attributes:
        met: the address of a byte in the buffer of a pending operation, if the free was an error.
    """

    moment: Moment
    start: int
    end: int
    met: int = 0


class ThreadReleased(NamedTuple):
    """A release by a thread, such as the unlock of a mutex: its earlier events happen before what
    follows the next acquire.

    Attributes:
        rests: the thread ends, or has no event before its next acquire.
    """

    moment: Moment
    object: int
    rests: bool = False


class ThreadAcquired(NamedTuple):
    """An acquire by a thread, such as the lock of a mutex: all earlier releases of the same object
    happen before it."""

    moment: Moment
    object: int


class ThreadOrder(NamedTuple):
    """The knowledge in a log about the order of the process's threads.

    Attributes:
        threads: the number of threads with events.
        observed: whether the log has the order by calls. Without it, events of all threads are
            taken in their order in the log.
        atomics: whether it also has the order by atomic operations.
    """

    threads: int = 1
    observed: bool = False
    atomics: bool = False


class Finalized(NamedTuple):
    """MPI_Finalize was called. Without this event the process was killed, or its log is incomplete.

    Attributes:
        frame: as in Operation.
    """

    moment: Moment
    frame: int = 0


Event = Union[
    WindowMade,
    WindowInfo,
    WindowFreed,
    Attached,
    Operation,
    Brought,
    Synchronization,
    Completed,
    RequestFreed,
    Sent,
    ReceiveBegun,
    Received,
    Probed,
    Partitions,
    Collective,
    Access,
    FlagUse,
    OtherWorldContact,
    MemoryFreed,
    ThreadReleased,
    ThreadAcquired,
    Finalized,
]
