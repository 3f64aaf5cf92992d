# SPDX-License-Identifier: MIT
"""Calls of MPI procedures: those that threads are inside of, and those that made requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mpipp.model import procedures
from mpipp.model.buffers import Buffer
from mpipp.model.object_header import Broken, DatatypeRecord, Header, Site
from mpipp.model.procedures import Procedure
from mpipp.model.thread_level_violations import ThreadCall


@dataclass(frozen=True)
class Constructor:
    """The arguments of a call that creates, commits or frees a datatype, while it is active.

    `arguments` are the constructor's integers by the standard's names, in its order. Arrays are
    tuples, None if the caller passed NULL, and left out if unreadable. `types` are its datatypes,
    None for an array that is NULL or unreadable.
    """

    combiner: str  # "NAMED": none is made
    arguments: Mapping[str, int | tuple[int, ...] | None]
    types: tuple[DatatypeRecord | Broken | None, ...] | None  # None in it: not known
    handles: tuple[int, ...] = ()  # theirs

    @property
    def type_names(self) -> Sequence[str]:
        """The arguments that `types` belong to, by the standard's names: "oldtype", "types[2]"."""
        if self.combiner == "STRUCT":
            return [f"types[{i}]" for i in range(len(self.types or ()))]
        if self.combiner == "VALUE_INDEX":
            return ["value_type", "index_type"]
        return ["datatype" if self.combiner == "NAMED" else "oldtype"]


class DatatypeArgument(NamedTuple):
    """A datatype argument of a call beside those of its buffers."""

    name: str  # the argument's
    handle: int
    datatype: DatatypeRecord | Broken | None  # None: not known


class ArrayArgument(NamedTuple):
    """An array argument of an active call, in the program's memory: integers or handles."""

    name: str  # the argument's
    address: int
    length: int  # elements
    size: int  # bytes of an element


class OwnOp(NamedTuple):
    """A user-defined operation of a completed call."""

    function: int  # its address
    commutes: bool
    name: str = ""  # of a process that was read from its file: as `user_ops.UserOp`
    file: str = ""


@dataclass(frozen=True)
class Call:
    """One call of an MPI procedure. Values without an argument in the procedure are None."""

    procedure: str  # "MPI_Bcast"
    state: str  # "active"; "entering": read from the frame, not recorded yet
    serial: int  # numbers the calls of a thread from 1
    site: Site
    frame: int  # frame address of the intercepting function: callers lie above
    comm: int | None = None  # the handles
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
    # In its channel, or of a collective call on its communicator, from 1; None: not certain.
    ordinal: int | None = None
    recv_ordinal: int | None = None  # of the receive of a send-receive
    # A receive of any message, or a matching probe, that got one and is about to return.
    answered: bool = False
    constructor: Constructor | None = None
    # For MPI_Waitany, MPI_Waitsome and MPI_Request_free: address of the request handles before the
    # call, else 0.
    before: int = 0
    # For a watched process's waiting call: address of a copy of the request handles, else 0.
    shown: int = 0
    # Arguments that only its procedure has, by the standard's names, of an active call: numbers,
    # handles, and arrays as in a constructor.
    arguments: Mapping[str, int | tuple[int, ...] | None] = field(default_factory=dict, hash=False)
    counts: tuple[int, ...] | None = None  # of all processes, in a reduce-scatter
    own_op: OwnOp | None = None  # in place of `op`, for a completed call
    given_types: tuple[DatatypeArgument, ...] = ()  # of an active call
    again: bool = False  # MPI_Init and MPI_Finalize: what it does had been done before
    # For a completed call that made a persistent request: the call that started the operation.
    start: ThreadCall | None = None
    arrays: tuple[ArrayArgument, ...] = ()  # beside requests and statuses
    statuses: int | None = None  # address of the status, or statuses, that MPI stores
    error_class: str = ""  # of a collective call that MPI refused: "MPI_ERR_TRUNCATE"

    @property
    def facts(self) -> Procedure:
        """The facts of the procedure."""
        return procedures.procedure(self.procedure)

    @property
    def begun(self) -> Site:
        """The place where the operation starts; for a completed persistent one the place of its
        start.
        """
        return self.site if self.start is None else self.start.site

    @property
    def partitioned(self) -> bool:
        """Return whether it makes a partitioned operation, whose buffer's `peers` are
        partitions.
        """
        return self.facts.form == "partitioned"


@dataclass(frozen=True)
class Request:
    """A request and the call that made it.

    Attributes:
        start: the call that started its operation last, if it is persistent.
        tid: the thread that started its operation, as gettid says; 0: not known.
        starts: how often a persistent collective operation was started, or a partitioned one.
    """

    header: Header
    state: str  # "inactive" "active" "complete"
    persistent: bool
    ready: int  # partitions marked so far
    marks: Sequence[int] | None  # of each partition 1: it is ready, or has arrived; None: none is
    newer: int  # the record of the next one that has the same handle, 0 if there is none
    call: Call
    doubted: bool = False  # one of those that shared its handle is complete: it may be this one
    start: ThreadCall | None = None
    tid: int = 0
    starts: int = 0

    @property
    def sharing(self) -> int:
        """The number of operations with this handle: MPI libraries have one for all that are
        complete.

        Right only for the oldest of them, to which the handle leads.
        """
        return self.header.references + 1

    @property
    def pending(self) -> bool:
        """Its operation has been started and not completed."""
        return self.state == "active" and not self.header.is_ended

    @property
    def was_freed_active(self) -> bool:
        """Return whether it was freed while its operation was active, which may still continue
        (MPI-4.1,
        section 3.7.3)."""
        return self.state == "active" and "given up" in self.header.flags


@dataclass(frozen=True)
class Polls:
    """Calls of a thread in a row that found nothing: MPI_Test and its like, up to now."""

    first: int  # the number of the first of them
    call: Call  # the last, which may not have returned yet
    vary: bool = False  # whether they look for different things: not of requests, which all may be

    @property
    def count(self) -> int:
        """The number of calls."""
        return self.call.serial - self.first + 1


@dataclass(frozen=True)
class Thread:
    """A thread that has called MPI, with the call it is inside of.

    Attributes:
        marked: a call that is not recorded, except that the thread is inside of it.
        given: the handles that are passed to it, in the order of its parameters.
        calls: the number of its calls, with the one it is inside of.
    """

    serial: int
    tid: int  # as gettid says
    pthread_self: int
    depth: int
    call: Call | None  # None: not inside a call, or its record is not whole yet
    marked: ThreadCall | None = None
    calls: int = 0
    polls: Polls | None = None  # None: its last call found something, or looks for nothing
    given: tuple[int, ...] = ()

    @property
    def is_inside(self) -> bool:
        """Return whether it is inside of a call."""
        return self.call is not None or self.unrecorded is not None

    @property
    def unrecorded(self) -> Call | None:
        """The call of `marked`, with its name, its place and the handles that are passed to it.

        None if the name may be that of the call before, which is recorded as the next one is.
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
