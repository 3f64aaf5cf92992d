# SPDX-License-Identifier: MIT
"""MPI objects of every kind except datatypes and requests. Objects refer to others by handle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Union

from mpipp.common.lazy_dataclass import dataclass
from mpipp.model.calls import Call, Request
from mpipp.model.object_header import DatatypeRecord, Header
from mpipp.model.process_info import NOTHING_ATTACHED, Attachment


@dataclass(frozen=True)
class Channel:
    """The count of started sends, or of posted receives, for one peer and one tag.

    While the message of a receive with MPI_ANY_SOURCE or MPI_ANY_TAG is unknown (`Comm.frozen`),
    that receive may belong to any channel. Then `count` counts the receives posted before that
    receive, and `posted` counts all.
    """

    # "sends", "receives", "collectives". "partitioned sends" and "partitioned receives" count the
    # created partitioned operations, "partitioned send starts" and "partitioned receive starts"
    # their starts.
    sequence: str
    peer: int
    tag: int
    count: int
    frozen: bool
    posted: int = 0
    history: int = 0  # address of the history's record; 0: there is no history
    period: int = 0  # period of the history's current run
    shared: bool = False  # concurrent calls by threads: ordinals and counts are uncertain
    gaps: bool = False  # the history lacks a call, or has a wrong one


@dataclass(frozen=True)
class Comm:
    """A communicator. World ranks are ranks in MPI_COMM_WORLD; None: unknown."""

    header: Header
    rank: int
    size: int
    inter: bool
    remote_size: int
    world_ranks: Sequence[int] | None  # range(size) if all ranks are equal to the world ranks
    remote_world_ranks: Sequence[int] | None
    topology: str  # "none" "cartesian" "graph" "distributed graph"
    dims: tuple[int, ...]
    periods: tuple[int, ...]
    coords: tuple[int, ...]
    indegree: int
    outdegree: int
    errhandler: int | None  # from MPI_Comm_set_errhandler; None: never set
    sources: tuple[int, ...] | None = None  # neighbors' ranks in a graph topology; None: unknown
    destinations: tuple[int, ...] | None = None
    identity: int = 0  # equal in all its processes, and unique to it; 0: unknown
    uncertain: frozenset[str] = frozenset()  # sequences with uncertain ordinals
    uncertain_all: frozenset[str] = frozenset()  # uncertain for another reason than threads
    frozen: bool = False  # whether the channel of some receive remains unknown
    posted_any: int = 0  # receives with MPI_ANY_SOURCE or MPI_ANY_TAG
    returned_any: int = 0  # returned blocking receives among these; `channels` counts them
    abandoned: int = 0  # receives freed while active
    # If it has no identity: the serial of the communicator and the ordinal of the collective call
    # that created it; 0: unknown.
    made_of: int = 0
    made_by: int = 0
    attached: Attachment = NOTHING_ATTACHED  # with MPI_Comm_attach_buffer
    channels: Sequence[Channel] = field(default=(), compare=False)  # read on demand


@dataclass(frozen=True)
class Group:
    """A group. `rank` is -1 if the process is not a member."""

    header: Header
    size: int
    rank: int
    world_ranks: Sequence[int] | None  # as in Comm


@dataclass(frozen=True)
class Win:
    """A window, and the epochs that this process has open on it."""

    header: Header
    base: int
    size: int  # bytes
    disp_unit: int  # bytes
    flavor: str  # "create" "allocate" "dynamic" "shared"
    model: str  # "separate" "unified"
    comm: int
    epochs: tuple[str, ...]  # "fence" "start" "post" "lock" "lock_all"
    locks: tuple[tuple[int, bool], ...]  # (rank, exclusive) of the first few locks
    lock_count: int  # number of all locks
    access_group: int | None  # group handle of MPI_Win_start
    exposure_group: int | None  # group handle of MPI_Win_post
    access_serial: int = 0  # serial of access_group, because its handle may have been reused
    exposure_serial: int = 0
    identity: int = 0  # equal in all its processes, and unique to it; 0: unknown
    comm_identity: int = 0  # identity of the communicator that created the object
    fences: int = 0  # begun calls of MPI_Win_fence
    completes: int = 0  # begun calls of MPI_Win_complete
    locking: bool = False  # whether an active MPI_Win_lock requests an exclusive lock
    rank: int | None = None  # in the window's group; None: unknown
    taken_base: int = 0  # the address that MPI itself uses
    reaches: int = 0  # address of a table with sizes of other processes' windows; 0: none


@dataclass(frozen=True)
class Op:
    """A reduction operation. `function` is 0 if it is predefined."""

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
    split: Call | None  # the split collective call that has begun and not ended
    opened: int = 0  # ordinal of MPI_File_open on the communicator; 0: unknown
    joined: int | None = None  # number of collective calls on the file; None: uncertain
    split_doubted: bool = False  # a _begin or _end has failed: `split` is uncertain
    split_ended: int = 0  # serial of the last _end call in its thread


@dataclass(frozen=True)
class Info:
    """An info object."""

    header: Header
    entries: tuple[tuple[str, str], ...]  # (key, value)


@dataclass(frozen=True)
class Errhandler:
    """An error handler. `function` is 0 if it is predefined."""

    header: Header
    function: int


@dataclass(frozen=True)
class Session:
    """A session."""

    header: Header
    errhandler: int | None  # handle


@dataclass(frozen=True)
class Message:
    """A message that a matching probe took and that was not yet received."""

    header: Header
    comm: int
    source: int
    tag: int
    ordinal: int | None = None  # ordinal of its receive, as in `Call`


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
