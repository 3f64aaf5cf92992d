# SPDX-License-Identifier: MIT
"""The processes' accesses to windows and their order: the events of a run as plain values.

Each process has its events in the order in which it did them. Concurrent events of two threads are
in the order of their records. No event waits for a later one. So a begin is recorded at its begin
(a send, a collective call, an operation), and an end at its end (a receive, a completion).
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import NamedTuple, Union

# The default of the info key accumulate_ordering (MPI-4.1, section 12.2.1).
DEFAULT_ORDERING = frozenset(("rar", "raw", "war", "waw"))


class Comb(NamedTuple):
    """`times` pieces of `length` bytes each; each begins `stride` bytes after the one before."""

    first: int
    length: int
    stride: int = 0
    times: int = 1


Memory = tuple[Comb, ...]  # absolute addresses in one process
UNKNOWN: Memory = (Comb(0, 0),)  # bytes, but nothing is known of them


class Moment(NamedTuple):
    """The time and place of an event.

    Attributes:
        process: rank in MPI_COMM_WORLD.
        thread: 0 is the first that was seen.
        number: of the event in its process: each greater than the one before.
        place: a key of the source line; equal for equal lines.
    """

    process: int
    thread: int
    number: int
    place: int
    procedure: str


class WindowMade(NamedTuple):
    """A window was made: a collective call, and the window's memory in this process.

    Attributes:
        window: its identity, the same in all processes.
        base: of its memory here; 0: none, or dynamic.
        length: bytes of it.
        flavor: "create", "allocate", "shared" or "dynamic".
        separate: whether its memory model is MPI_WIN_SEPARATE.
        ranks: of its group's processes in MPI_COMM_WORLD, in the group's order.
        accumulate_ops: "same_op" or "same_op_no_op".
        accumulate_ordering: of "rar", "raw", "war", "waw"; empty: "none".
        no_locks: whether the info key says that no process locks it.
        queried: whether any of these processes got another's memory from
            MPI_Win_shared_query, in a window that is not of the flavor "shared".
        frame: as an Operation's.
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
    """MPI_Win_set_info: what it says from now on. Empty or None: as before."""

    moment: Moment
    window: int
    accumulate_ops: str = ""
    accumulate_ordering: frozenset[str] | None = None
    no_locks: bool | None = None


class WindowFreed(NamedTuple):
    """MPI_Win_free: collective, and a barrier unless the window has no locks.

    Attributes:
        frame: as an Operation's.
    """

    moment: Moment
    window: int
    frame: int = 0


class Attached(NamedTuple):
    """MPI_Win_attach, or (not `attached`) MPI_Win_detach with length 0.

    Attributes:
        frame: as an Operation's.
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
        given: the origin's; None: there is none, or it is not known.
        compared: that it is compared with.
        told: whether a Brought follows.
    """

    size: int
    given: int | None
    compared: int
    told: bool


class Lent(NamedTuple):
    """The part of an operation's buffer that is in another process's part of a shared window.

    Attributes:
        written: or read.
        owner: rank in MPI_COMM_WORLD; `memory` has its addresses.
        shift: these less those of the operation's process.
    """

    written: bool
    owner: int
    memory: Memory
    shift: int


class Operation(NamedTuple):
    """A one-sided operation was started.

    Attributes:
        kind: "put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap".
        target: rank in the window's group; those to MPI_PROC_NULL are no events.
        origin: read by MPI; of a get, written.
        result: written; compare: read.
        lent: what is other processes' memory of these three, which do not have it.
        at_target: in the target's memory.
        op: "MPI_SUM"; "" of puts, gets and compare_and_swap.
        types: the basic datatype of each strided set of `at_target`, or one for all.
        request: of MPI_Rput and its like, a number that is this operation's alone; else 0.
        values: of an atomic operation on one element; None: they are not known.
        frame: the address on its thread's stack above which was what the thread's functions had; 0:
            that is not known.
        twice: whether it writes bytes at its target twice: the datatype there has overlapping
            entries.
        size: bytes of the basic datatype, if there are only its elements, at most one beside
            another. 0: the start of each is unknown.
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
        """Return whether it changes nothing at its target, and brings what is there.

        Once it is complete at its origin it is at its target, too.
        """
        return self.kind == "get" or (self.op == "MPI_NO_OP" and bool(self.result))


class Brought(NamedTuple):
    """The result of an atomic operation, after its end at the origin.

    Attributes:
        operation: its event's number.
        value: None: it is not known.
    """

    moment: Moment
    operation: int
    value: int | None


class Synchronization(NamedTuple):
    """A call that orders one-sided operations of a window, after it has returned.

    Attributes:
        kind: "fence", "start", "complete", "post", "wait" (and a test that was true), "lock",
            "unlock", "lock_all", "unlock_all", "flush", "flush_all", "flush_local",
            "flush_local_all", "sync"; of an attempt also "free".
        target: rank in the window's group; -1: none.
        group: of start and post, ranks in MPI_COMM_WORLD.
        asserted: "MPI_MODE_NOPRECEDE" ...
        request: for a fence, a start or a wait during which another thread had events. It
            is recorded at its begin, with a number of its own, and a Completed follows; else 0.
        attempt: it starts, and its success may not follow: MPI may refuse it, end the
            process, or wait forever. The group is unknown.
        frame: as an Operation's.
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
    """The program knows that these requests are complete: by a wait, or a successful test.

    Those of receives are not here: they have a Received of their own.

    Attributes:
        frame: of a one-sided operation's, as an Operation's.
    """

    moment: Moment
    requests: tuple[int, ...]
    frame: int = 0


class RequestFreed(NamedTuple):
    """A request was freed before a call returned its completion to the program."""

    moment: Moment
    request: int


class Channel(NamedTuple):
    """Where a message goes; its `ordinal` counts those of the same channel from 0.

    Attributes:
        context: the communicator's identity, the same in all processes.
        source, destination: ranks in MPI_COMM_WORLD.
    """

    context: int
    source: int
    destination: int
    tag: int
    ordinal: int


class Sent(NamedTuple):
    """A send was begun (a persistent one: started); a blocking one, too.

    Attributes:
        synchronous: it is complete only once the receive has begun.
        request: 0 of a blocking send, which has completed if it is not synchronous. A blocking
            synchronous one has a number, too, and a Completed.
    """

    moment: Moment
    channel: Channel
    synchronous: bool = False
    request: int = 0


class ReceiveBegun(NamedTuple):
    """A nonblocking or persistent receive was started, which takes this message sooner or later.

    Only synchronous sends need it.
    """

    moment: Moment
    channel: Channel


class Received(NamedTuple):
    """A receive has completed. `begun`: a ReceiveBegun came before; a blocking one has none."""

    moment: Moment
    channel: Channel
    begun: bool = False


class Probed(NamedTuple):
    """A probe has found a message, which a receive takes later."""

    moment: Moment
    channel: Channel


class Partitions(NamedTuple):
    """Partitions of a message were marked ready, or have arrived.

    Those of a send and of its receive lie equally close, and may be of different numbers: what has
    arrived are the bytes.

    Attributes:
        channel: whose `ordinal` counts the partitioned sends, or receives, that were made for it.
        start: how often that one had been started before.
        first, number: of these; `all`: partitions that the message has on this side.
        ready: of the sender; else they have arrived, all of them where the receive has completed.
    """

    moment: Moment
    channel: Channel
    start: int
    first: int
    number: int
    all: int
    ready: bool


class Collective(NamedTuple):
    """A collective call was begun. Its end waits for the beginnings of those whose data it gets.

    Attributes:
        context: the communicator's identity, the same in all processes.
        ordinal: of the collective calls on it, from 0.
        size: how many processes call it, of an intercommunicator in both groups.
        sources: ranks in MPI_COMM_WORLD of those whose data it gets, perhaps its own among them;
            None: of all that give any.
        gives: whether it has data for others.
        request: 0: it has ended, and no other event of its process came between. Else a number of
            its own, and a Completed follows.
    """

    moment: Moment
    context: int
    ordinal: int
    size: int
    sources: tuple[int, ...] | None = None
    gives: bool = True
    request: int = 0


class Access(NamedTuple):
    """Loads or stores of one place, of window memory or of buffers.

    Attributes:
        owner: whose memory, and whose addresses: another process's in shared windows; -1: its own.
        times: how many there were.
    """

    moment: Moment
    store: bool
    memory: Memory
    times: int = 1
    owner: int = -1


class OtherWorldContact(NamedTuple):
    """A process and a process of another MPI_COMM_WORLD may have communicated.

    Attributes:
        tells: the other process, which from now on is ordered after this one; else this
            process is ordered after all that the other was.
    """

    moment: Moment
    tells: bool


class MemoryFreed(NamedTuple):
    """Memory [start, end) was freed.

    Attributes:
        met: of a mistake a byte that a pending operation's buffer has there.
    """

    moment: Moment
    start: int
    end: int
    met: int = 0


class Finalized(NamedTuple):
    """MPI_Finalize was called. A process without this event was killed, or its log was cut off.

    Attributes:
        frame: as an Operation's.
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
    OtherWorldContact,
    MemoryFreed,
    Finalized,
]


class MovedLog(NamedTuple):
    """A log of such events as a process leaves it for others.

    Attributes:
        words: as the wrapper has written them (wrapper/registry/rma_log_entry.h), with numbers in
            place of the addresses of its records.
        procedures: the names of those that it has, by their numbers.
        enumerations: the names of values of each.
        lost: entries beyond the capacity.
        damaged: True if there was more behind that makes no sense.
    """

    words: array[int]
    procedures: Mapping[int, str]
    enumerations: Mapping[str, Mapping[int, str]]
    lost: int
    damaged: bool
