# SPDX-License-Identifier: MIT
"""What the registry says, as plain values: one frozen class for each kind of MPI object, and calls.

Nothing here reads memory; `mpipp.registry.reader` makes these. Handles are unsigned integers of the
MPI library's handle size; other objects are referred to by handle, except datatypes, which come
along as records because a freed handle may already name another object. Names are the standard's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Union

if TYPE_CHECKING:
    from mpipp.typetree import Datatype

KINDS = (
    "datatype",
    "request",
    "comm",
    "group",
    "win",
    "op",
    "file",
    "info",
    "errhandler",
    "session",
    "message",
)


@dataclass(frozen=True)
class Site:
    """Where an object was made, as return addresses: subtract one to look up the call's line."""

    address: int  # of the call that made it, 0 if unknown
    frames: tuple[int, ...] = ()  # further callers, innermost first; only if asked for


class Header(NamedTuple):  # of which there may be 10^5: a named tuple is made fast
    """What is known of every object. `serial` numbers the objects of a kind from 1."""

    kind: str  # one of KINDS
    handle: int
    serial: int
    flags: frozenset[str]  # "predefined" "null" "freed" "imported" "committed" "large count" ...
    references: int  # records that refer to this one
    fint: int  # the Fortran INTEGER handle
    site: Site
    name: str  # given by the user or the standard, "" if none
    record: int  # its address

    @property
    def freed(self) -> bool:
        """The handle was freed or, for a request, completed."""
        return "freed" in self.flags

    @property
    def predefined(self) -> bool:
        """Made by the MPI library, never freed."""
        return "predefined" in self.flags

    @property
    def null(self) -> bool:
        """MPI_DATATYPE_NULL and its kin."""
        return "null" in self.flags

    @property
    def imported(self) -> bool:
        """Made out of the wrapper's sight; described by what the MPI library says of it."""
        return "imported" in self.flags


@dataclass(frozen=True)
class Broken:
    """An object whose record cannot be decoded, to be shown in its place."""

    kind: str  # one of KINDS, or "thread"
    record: int  # its address
    reason: str  # one sentence


@dataclass(frozen=True)
class DatatypeRecord:
    """A datatype. `tree.origin` is this record, and each component's its own."""

    header: Header
    tree: Datatype = field(repr=False, compare=False)
    committed: bool
    large: bool  # made by a large-count (_c) constructor


@dataclass(frozen=True)
class Part:
    """One peer's share of a communication buffer of a v or w form."""

    count: int  # entries of `datatype`
    displacement: int | None  # bytes from the buffer's address; None: datatype not known
    datatype: DatatypeRecord | Broken | None  # None: not known


@dataclass(frozen=True)
class Buffer:
    """A communication buffer of a call.

    `count` entries of `datatype`, `peers` times in a row; or, in v and w forms, `parts`.
    """

    role: str  # the parameter's name in the standard: "sendbuf"
    address: int  # with "remote" in access: a displacement in the target's window
    count: int
    peers: int  # peers of a collective call, or partitions
    datatype: DatatypeRecord | Broken | None  # None: not known
    handle: int  # the datatype's
    access: frozenset[str]  # of "reads" "writes" "remote"
    parts: Sequence[Part] | None = None  # lazy, one for each peer; None: not a v or w form

    @property
    def total_count(self) -> int:
        """Entries of `datatype` over all peers, where this is not a v or w form."""
        return self.count * self.peers

    @property
    def part_count(self) -> int:
        """How many peers have a share, or partitions there are."""
        return self.peers if self.parts is None else len(self.parts)

    def part(self, i: int) -> Part:
        """Peer `i`'s share; where this is not a v or w form they are equal, one after another."""
        if self.parts is not None:
            return self.parts[i]
        known = self.datatype
        if not isinstance(known, DatatypeRecord):
            return Part(self.count, None, known)
        return Part(self.count, i * self.count * known.tree.extent, known)


@dataclass(frozen=True)
class Constructor:
    """The arguments of a call that makes, commits or frees a datatype, while MPI looks at them.

    `arguments` are the constructor's integers by the standard's names, in its order; arrays are
    tuples, None where the caller passed NULL, and left out where they cannot be read. `types` are
    the datatypes it is given, None for an array that is NULL or cannot be read.
    """

    combiner: str  # "NAMED": none is made
    arguments: Mapping[str, int | tuple[int, ...] | None]
    types: tuple[DatatypeRecord | Broken | None, ...] | None  # None in it: not known


@dataclass(frozen=True)
class Call:
    """One call of an MPI procedure. What the procedure has no argument for is None."""

    procedure: str  # "MPI_Bcast"
    state: str  # "active"; "entering": read from the frame, not recorded yet
    serial: int  # numbers the calls of a thread from 1
    site: Site
    frame: int  # frame address of the intercepting function: callers lie above
    comm: int | None  # handles
    op: int | None
    win: int | None
    file: int | None
    message: int | None
    dest: int | None
    source: int | None
    tag: int | None
    recvtag: int | None
    root: int | None
    target_rank: int | None
    offset: int | None
    errorcode: int | None
    requests: int | None  # address of the request handles
    request_count: int
    buffers: tuple[Buffer, ...]
    # In its channel, or of a collective call on its communicator, from 1; None: not certain.
    ordinal: int | None = None
    recv_ordinal: int | None = None  # of the receive of a send-receive
    constructor: Constructor | None = None

    @property
    def partitioned(self) -> bool:
        """Whether it makes a partitioned operation, whose buffer's `peers` are partitions."""
        return self.procedure.startswith(("MPI_Psend", "MPI_Precv"))


@dataclass(frozen=True)
class Request:
    """A request and the call that made it."""

    header: Header
    state: str  # "inactive" "active" "complete"
    persistent: bool
    ready: int  # partitions marked ready so far
    newer: int  # the record of the next one that has the same handle, 0 if there is none
    call: Call

    @property
    def sharing(self) -> int:
        """How many operations have this handle: MPI libraries have one for all that are complete.

        Right only for the oldest of them, to which the handle leads.
        """
        return self.header.references + 1

    @property
    def pending(self) -> bool:
        """Its operation has been started and not completed."""
        return self.state == "active" and not self.header.freed


@dataclass(frozen=True)
class Channel:
    """How many sends to a peer with a tag were started, or receives of them posted.

    Where receives are frozen, one with MPI_ANY_SOURCE or MPI_ANY_TAG may have taken a message of
    any channel: `count` is that of the receives posted before it.
    """

    sequence: str  # "sends" "receives" "collectives" "partitioned sends" "partitioned receives"
    peer: int
    tag: int
    count: int
    frozen: bool


@dataclass(frozen=True)
class Comm:
    """A communicator. World ranks are ranks in MPI_COMM_WORLD; None: not known."""

    header: Header
    rank: int
    size: int
    inter: bool
    remote_size: int
    world_ranks: Sequence[int] | None  # range(size): each equal to the rank
    remote_world_ranks: Sequence[int] | None
    topology: str  # "none" "cartesian" "graph" "distributed graph"
    dims: tuple[int, ...]
    periods: tuple[int, ...]
    coords: tuple[int, ...]
    indegree: int
    outdegree: int
    errhandler: int | None  # handle set by MPI_Comm_set_errhandler; None: never set
    identity: int = 0  # the same in all its processes and no other communicator's; 0: not known
    uncertain: frozenset[str] = frozenset()  # sequences whose ordinals are not certain
    channels: Sequence[Channel] = field(default=(), compare=False)  # lazy


@dataclass(frozen=True)
class Group:
    """A group. `rank` is -1 when the process is not a member."""

    header: Header
    size: int
    rank: int
    world_ranks: Sequence[int] | None  # as in Comm


@dataclass(frozen=True)
class Win:
    """A window, and the epochs this process has open on it."""

    header: Header
    base: int
    size: int  # bytes
    disp_unit: int  # bytes
    flavor: str  # "create" "allocate" "dynamic" "shared"
    model: str  # "separate" "unified"
    comm: int
    epochs: tuple[str, ...]  # of "fence" "start" "post" "lock" "lock_all"
    locks: tuple[tuple[int, bool], ...]  # (rank, exclusive) of the first few locks held
    lock_count: int  # all locks held
    access_group: int | None  # group handle of MPI_Win_start
    exposure_group: int | None  # group handle of MPI_Win_post


@dataclass(frozen=True)
class Op:
    """A reduction operation. `function` is 0 for predefined ones."""

    header: Header
    function: int
    commute: bool


@dataclass(frozen=True)
class File:
    """An open file with this process's view."""

    header: Header
    comm: int
    filename: str
    amode: int
    disp: int  # bytes
    etype: int  # datatype handles
    filetype: int
    datarep: str  # "" if never set
    split: Call | None  # the split collective call between its _begin and _end


@dataclass(frozen=True)
class Info:
    """An info object."""

    header: Header
    entries: tuple[tuple[str, str], ...]  # (key, value)


@dataclass(frozen=True)
class Errhandler:
    """An error handler. `function` is 0 for predefined ones."""

    header: Header
    function: int


@dataclass(frozen=True)
class Session:
    """A session."""

    header: Header
    errhandler: int | None  # handle


@dataclass(frozen=True)
class Message:
    """A message matched by a probe and not yet received."""

    header: Header
    comm: int
    source: int
    tag: int
    ordinal: int | None = None  # of its receive, as in a call


Object = Union[
    DatatypeRecord,
    Request,
    Comm,
    Group,
    Win,
    Op,
    File,
    Info,
    Errhandler,
    Session,
    Message,
]


@dataclass(frozen=True)
class Thread:
    """A thread that has called MPI, with the call it is inside of."""

    serial: int
    tid: int  # as gettid says
    pthread_self: int
    depth: int
    call: Call | None  # None: not inside a call, or its record is not whole yet


@dataclass(frozen=True)
class ProcessInfo:
    """What the registry's root says of the MPI library and the process."""

    flavor: str  # "MPICH" "Open MPI" "MPI ABI"
    status: str  # "loaded" "started" "finalized" "inert"
    pid: int
    world_rank: int | None  # None: unknown
    world_size: int | None
    library_version: str
    built_with: str
    dropped: int  # records lost for want of memory
    handle_size: int  # bytes
    frames: int  # return addresses kept beyond the caller
    job: int = 0  # tells the launcher's jobs apart; 0: not known
    parent: int = 0  # process id of what started the process
