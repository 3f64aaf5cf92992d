# SPDX-License-Identifier: MIT
"""MPI objects of every kind but datatypes and requests; they refer to others by handle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Union

from mpipp.model.calls import Call, Request
from mpipp.model.object_header import DatatypeRecord, Header
from mpipp.model.process_info import NOTHING_ATTACHED, Attachment


@dataclass(frozen=True)
class Channel:
    """The number of started sends, or of posted receives, for one peer and one tag.

    While receives are frozen, a receive with MPI_ANY_SOURCE or MPI_ANY_TAG may have taken a message
    of any channel. Then `count` counts the receives posted before that receive, and `posted` counts
    all.
    """

    # "sends" "receives" "collectives"; of partitioned operations "partitioned sends", "partitioned
    # receives", how many are made, and "partitioned send starts", "partitioned receive starts".
    sequence: str
    peer: int
    tag: int
    count: int
    frozen: bool
    posted: int = 0
    history: int = 0  # address of what is kept of its past; 0: nothing is
    period: int = 0  # of the current run there
    shared: bool = False  # by threads without order: ordinals and counts are not certain
    gaps: bool = False  # whether not all of it is in its past, or something else is


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
    sources: tuple[int, ...] | None = None  # of this process in a graph: ranks; None: not known
    destinations: tuple[int, ...] | None = None
    identity: int = 0  # the same in all its processes and no other communicator's; 0: not known
    uncertain: frozenset[str] = frozenset()  # sequences whose ordinals are not certain
    uncertain_all: frozenset[str] = frozenset()  # of these, not only in channels that are shared
    frozen: bool = False  # whether the channel of some receive stays unknown
    posted_any: int = 0  # receives with MPI_ANY_SOURCE or MPI_ANY_TAG
    returned_any: int = 0  # of these, blocking ones that have returned: in `channels`, too
    abandoned: int = 0  # receives whose request was freed while they were active
    # Without an identity: the serial of the communicator of whose collective call it comes, and the
    # ordinal of that; 0: not known.
    made_of: int = 0
    made_by: int = 0
    attached: Attachment = NOTHING_ATTACHED  # for it alone
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
    access_serial: int = 0  # of that group: its handle may be another's by now
    exposure_serial: int = 0
    identity: int = 0  # the same in all its processes and no other window's; 0: not known
    comm_identity: int = 0  # of the communicator that it was made of
    fences: int = 0  # calls of MPI_Win_fence that have begun
    completes: int = 0  # calls of MPI_Win_complete that have begun
    locking: bool = False  # whether the lock that MPI_Win_lock is asked for is exclusive
    rank: int | None = None  # in the window's group; None: not known
    taken_base: int = 0  # as MPI says: where it begins for it
    reaches: int = 0  # address of what the process knows of other processes' sizes; 0: nothing


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
    opened: int = 0  # ordinal of MPI_File_open on its communicator; 0: not known
    joined: int | None = None  # how many collective calls on it were made; None: not certain
    split_doubted: bool = False  # a _begin or _end has failed: whether one is pending is not known
    split_ended: int = 0  # the serial of the last _end in its thread


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
