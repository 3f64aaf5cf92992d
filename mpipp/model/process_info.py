# SPDX-License-Identifier: MIT
"""The records of the process itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from mpipp.model.object_header import Site

_NOWHERE = Site(0)


class UnconfirmedSends(NamedTuple):
    """The data that consecutive calls have put into an attached buffer.

    Buffered sends without a synchronization meanwhile, so the process cannot know that any has
    left.
    """

    bytes: int  # the least
    messages: int
    site: Site  # of the first
    last: int  # which call of its thread the last one was


@dataclass(frozen=True)
class Attachment:
    """A buffer that is attached for buffered sends."""

    state: (
        str  # "attached" "automatic" "unknown": it was not seen whether there is one; "": none is
    )
    size: int = 0  # bytes
    address: int = 0
    site: Site = _NOWHERE  # of the call that attached it
    unheard: UnconfirmedSends | None = None


NOTHING_ATTACHED = Attachment("")


@dataclass(frozen=True)
class ProcessInfo:
    """The data of the registry's root: the MPI library and the process."""

    flavor: str  # "MPICH" "Open MPI" "MPI ABI"
    status: str  # "loaded" "started" "finalized" "inert"
    pid: int
    world_rank: int | None  # in MPI_COMM_WORLD, or mpi://WORLD; None: unknown
    world_size: int | None
    standard: tuple[int, int] | None  # the version of MPI that the library follows: (4, 1)
    end_awaited: bool  # in MPI_Finalize: callbacks of the program may still free objects
    library_version: str
    built_with: str
    dropped: int  # records lost for want of memory
    handle_size: int  # bytes
    frames: int  # return addresses kept beyond the caller
    job: int = 0  # tells the launcher's jobs apart; 0: not known
    parent: int = 0  # process id of what started the process
    spawned: int = 0  # processes that it has started by MPI_Comm_spawn, with others
    several_threads: bool = False  # they may call MPI at the same time
    several_called: bool = False  # more than one has called it
    main_thread: int | None = None  # that initialized MPI, as gettid says; None: not known
    tag_ub: int | None = None  # MPI_TAG_UB; None: not known
    status_size: int = 0  # bytes of an MPI_Status
    kind_bits: int = 0  # of handles, that tell which kind they are of; 0: none do
    ledger_bytes: int = 0  # that the past of the channels takes
    forgotten: int = 0  # calls beyond the ledger's capacity
    unasked: int = 0  # queries without capacity
    logged: bool = False  # whether there is a log of one-sided communication
    unlogged: int = 0  # entries of the log of one-sided communication beyond its capacity
    # Pages of windows whose first load and store were checked, of how many. Each counts once for
    # each return of the program from MPI.
    pages: tuple[int, int] = (0, 0)
    # Buffers and windows, too many, whose loads and stores a compiled program has not logged.
    untraced: int = 0
    looks: bool = False  # at loads and stores of windows
    attached: Attachment = NOTHING_ATTACHED
    of_sessions: bool = False  # some session has had an attached buffer
    # Address of what stands for the communicator of calls that have none; 0: nothing yet.
    apart: int = 0
    unseen: bool = False  # requests or messages may be there of which nothing is recorded
    blind: bool = False  # programs compiled to look at buffers cannot
    crowded: int = 0  # operations whose pages could not be protected, for want of mappings
    untold: int = 0  # loads and stores in buffers beyond the capacity
    hindrances: frozenset[str] = frozenset()  # why others had less coverage
    started_at: int = (
        0  # when MPI was initialized, in nanoseconds on the node's clock; 0: not known
    )
    guard: str = "none"  # of buffers of pending operations: "there" "failed"; "none": not asked for

    @property
    def world(self) -> str:
        """A key that is equal in all processes of its MPI_COMM_WORLD, on all nodes."""
        return f"{self.job:x}-{self.world_size}"

    @property
    def concurrent(self) -> bool:
        """Return whether threads may have called MPI at the same time: what one uses another may
        free.
        """
        return self.several_threads and self.several_called
