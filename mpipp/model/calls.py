# SPDX-License-Identifier: MIT
"""Calls of MPI procedures, requests, and threads that are in MPI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import procedures
from mpipp.model.buffers import Buffer
from mpipp.model.object_header import Broken, DatatypeRecord, Header, Site
from mpipp.model.procedures import Procedure
from mpipp.model.thread_violations import ThreadCall


@dataclass(frozen=True)
class Constructor:
    """The arguments of an active call that creates, commits or frees a datatype.

    `arguments` are the constructor's integers by the standard's names, in its order. Arrays are
    tuples, None if the caller passed NULL, and left out if unreadable. `types` are its datatypes,
    None for an array that is NULL or unreadable.
    """

    combiner: str  # "NAMED": the call creates no datatype
    arguments: Mapping[str, int | tuple[int, ...] | None]
    types: tuple[DatatypeRecord | Broken | None, ...] | None  # an item is None if it is unknown
    handles: tuple[int, ...] = ()  # handles of the datatypes in `types`

    @property
    def type_names(self) -> Sequence[str]:
        """The names of the arguments that `types` belong to: "oldtype", "types[2]"."""
        if self.combiner == "STRUCT":
            return [f"types[{i}]" for i in range(len(self.types or ()))]
        if self.combiner == "VALUE_INDEX":
            return ["value_type", "index_type"]
        return ["datatype" if self.combiner == "NAMED" else "oldtype"]


class DatatypeArgument(NamedTuple):
    """A datatype argument of a call, except datatypes of its buffers."""

    name: str  # name of the argument
    handle: int
    datatype: DatatypeRecord | Broken | None  # None: unknown


class ArrayArgument(NamedTuple):
    """An array argument of an active call, in the program's memory: integers or handles."""

    name: str  # name of the argument
    address: int
    length: int  # elements
    size: int  # bytes of an element
    is_result: bool = False  # whether MPI stores to the array


class OwnOp(NamedTuple):
    """A user-defined operation of a completed call."""

    function: int  # address of the function
    commutes: bool
    name: str = ""  # for a process read from its file: name as in `user_ops.UserOp`
    file: str = ""


@dataclass(frozen=True)
class Call:
    """One call of an MPI procedure. Values are None if the procedure has no such argument."""

    procedure: str  # "MPI_Bcast"
    state: str  # "active", "over"; "entering": read from the frame, not recorded yet
    serial: int  # ordinal number of the call in its thread, from 1
    site: Site
    frame: int  # frame address of the wrapper's function: its callers lie above
    comm: int | None = None  # handle, like the next four
    op: int | None = None
    win: int | None = None
    file: int | None = None
    message: int | None = None
    dest: int | None = None
    source: int | None = None
    tag: int | None = None
    recvtag: int | None = None
    root: int | None = None
    target_rank: int | None = None
    offset: int | None = None
    errorcode: int | None = None
    requests: int | None = None  # address of the request handles
    request_count: int = 0
    buffers: tuple[Buffer, ...] = ()
    # The ordinal number in its channel, or of a collective call on its communicator. Counts from 1;
    # None: uncertain.
    ordinal: int | None = None
    recv_ordinal: int | None = None  # ordinal of the receive in MPI_Sendrecv
    # A receive of any message, or a matching probe, that has got its message and is about to
    # return.
    answered: bool = False
    constructor: Constructor | None = None
    # For MPI_Waitany, MPI_Waitsome and MPI_Request_free: address of a copy of the request handles
    # from before the call, else 0.
    before: int = 0
    # For a waiting call of a watched process: address of a copy of the request handles, else 0.
    shown: int = 0
    # Arguments of an active call for which `Call` has no other member, by the standard's names:
    # numbers, handles, and arrays as in a constructor.
    arguments: Mapping[str, int | tuple[int, ...] | None] = field(default_factory=dict, hash=False)
    counts: tuple[int, ...] | None = None  # recvcounts of MPI_Reduce_scatter
    own_op: OwnOp | None = None  # replaces `op` in a completed call
    given_types: tuple[DatatypeArgument, ...] = ()  # only known for an active call
    again: bool = False  # MPI_Init called a second time, or a procedure after MPI_Finalize
    # For a persistent request, the call that started its operation; this call only created the
    # request.
    start: ThreadCall | None = None
    arrays: tuple[ArrayArgument, ...] = ()  # leaves out requests and statuses
    statuses: int | None = None  # address of the status or statuses
    indices: int | None = None  # address of the array for the indices of completed requests
    error_class: str = ""  # if MPI refused a collective call: "MPI_ERR_TRUNCATE"

    @property
    def facts(self) -> Procedure:
        """The facts about the procedure."""
        return procedures.procedure(self.procedure)

    @property
    def begun(self) -> Site:
        """The place that started the operation.

        For a persistent operation it is the place of MPI_Start, not that of MPI_Send_init or the
        like.
        """
        return self.site if self.start is None else self.start.site

    @property
    def partitioned(self) -> bool:
        """Return whether the call creates a partitioned operation (its `peers` are partitions)."""
        return self.facts.form == "partitioned"


@dataclass(frozen=True)
class Request:
    """A request and the call that made it.

    Attributes:
        ready: the number of partitions marked so far.
        marks: a byte for each partition, 1 if it is ready or has arrived; None: all are 0.
        newer: the record of the next newer request with the same handle; 0 if there is none.
        doubted: several requests shared its handle, and one of them is complete, but it is unknown
            which.
        start: the call that started the operation last, if it is persistent.
        tid: the thread that started the operation, from gettid; 0: unknown.
        starts: how often a persistent collective or a partitioned operation was started.
    """

    header: Header
    state: str  # "inactive" "active" "complete"
    persistent: bool
    ready: int
    marks: Sequence[int] | None
    newer: int
    call: Call
    doubted: bool = False
    start: ThreadCall | None = None
    tid: int = 0
    starts: int = 0

    @property
    def sharing(self) -> int:
        """The number of operations with this handle, if this is the oldest of them.

        MPI libraries use one handle for all operations that are complete. The handle leads to the
        oldest request.
        """
        return self.header.references + 1

    @property
    def pending(self) -> bool:
        """True if the operation was started and is not completed."""
        return self.state == "active" and not self.header.is_ended

    @property
    def was_freed_active(self) -> bool:
        """Return whether the request was freed while its operation was active (MPI-4.1, section
        3.7.3).

        The operation may still be active.
        """
        return self.state == "active" and "given up" in self.header.flags


@dataclass(frozen=True)
class Polls:
    """A sequence of unsuccessful polls by a thread: MPI_Test and similar calls, up to now."""

    first: int  # ordinal number of the first call in its thread
    call: Call  # the last call; it may be active
    vary: bool = False  # whether the calls differ in more than their requests

    @property
    def count(self) -> int:
        """The number of polls."""
        return self.call.serial - self.first + 1


@dataclass(frozen=True)
class Thread:
    """A thread that has called MPI, with its active call.

    Attributes:
        tid: the thread's number from gettid.
        call: the active call; None if there is none, or if its record is incomplete.
        marked: an active call of a procedure that mpipp does not record, only its name and place.
        calls: the number of its calls, including the active one.
        polls: the last calls, if they were unsuccessful polls.
        given: the handles passed to `marked`, in the order of its parameters.
    """

    serial: int
    tid: int
    pthread_self: int
    depth: int
    call: Call | None
    marked: ThreadCall | None = None
    calls: int = 0
    polls: Polls | None = None
    given: tuple[int, ...] = ()

    @property
    def is_inside(self) -> bool:
        """Return whether the thread is in an MPI call."""
        return self.call is not None or self.unrecorded is not None

    @property
    def unrecorded(self) -> Call | None:
        """The call of `marked`, with its name, its place and the handles passed to it.

        None if the next recorded call has begun: then the name may belong to the previous call.
        """
        found = self.marked
        if found is None or found.procedure in procedures.PROCEDURES:
            return None
        names = [one.name for one in procedures.marked(found.procedure).handles]
        return Call(
            procedure=found.procedure,
            state="active",
            serial=0,
            site=found.site,
            frame=0,
            arguments=dict(zip(names, self.given)),
        )
