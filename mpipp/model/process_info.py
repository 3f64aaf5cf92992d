# SPDX-License-Identifier: MIT
"""Facts about one process and its MPI library."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.common.lazy_dataclass import dataclass
from mpipp.model.object_header import Site

_NOWHERE = Site(0)


class UnconfirmedSends(NamedTuple):
    """The data that a sequence of buffered sends has put into an attached buffer.

    No synchronization followed these sends, so the process cannot know that MPI has sent any data.
    """

    bytes: int  # a lower bound
    messages: int
    site: Site  # site of the first send
    last: int  # serial of the last send in its thread


@dataclass(frozen=True)
class Attachment:
    """A buffer that is attached for buffered sends."""

    state: (
        str  # "attached" "automatic" "unknown": mpipp has not seen whether there is one; "": none
    )
    size: int = 0  # bytes
    address: int = 0
    site: Site = _NOWHERE  # site of the call that attached the buffer
    unheard: UnconfirmedSends | None = None


NOTHING_ATTACHED = Attachment("")


@dataclass(frozen=True)
class ProcessInfo:
    """The data of the registry's root: facts about the MPI library and the process."""

    flavor: str  # "MPICH" "Open MPI" "MPI ABI"
    status: str  # "loaded" "started" "finalized" "inert"
    pid: int
    world_rank: int | None  # rank in MPI_COMM_WORLD or mpi://WORLD; None: unknown
    world_size: int | None
    standard: tuple[int, int] | None  # version of MPI of the library: (4, 1)
    end_awaited: bool  # in MPI_Finalize: callbacks may still free objects
    library_version: str
    built_with: str
    dropped: int  # records lost because memory was exhausted
    handle_size: int  # bytes
    frames: int  # return addresses that are kept for the callers of a call
    job: int = 0  # distinguishes the launcher's jobs; 0: unknown
    parent: int = 0  # process id of the parent process
    spawned: int = 0  # processes that it has started with MPI_Comm_spawn, perhaps with others
    several_threads: bool = False  # MPI allows calls at the same time
    several_called: bool = False  # more than one thread has called MPI
    main_thread: int | None = None  # gettid of the thread that initialized MPI; None: unknown
    tag_ub: int | None = None  # value of the attribute MPI_TAG_UB; None: unknown
    status_size: int = 0  # bytes of an MPI_Status
    kind_bits: int = 0  # mask of the bits of a handle that show its kind; 0: there are none
    ledger_bytes: int = 0  # bytes of the channels' histories
    forgotten: int = 0  # calls for which the ledger had no space
    unasked: int = 0  # queries to the watcher beyond the capacity
    logged: bool = False  # whether there is an RMA log
    unlogged: int = 0  # entries for which the RMA log had no space
    # Pages of windows whose first load and store were traced, and all of these pages. A page counts
    # again each time that the program returns from MPI.
    pages: tuple[int, int] = (0, 0)
    # Buffers and windows that instrumented code has not traced, because there were too many.
    untraced: int = 0
    looks: bool = False  # loads and stores of windows are traced
    attached: Attachment = NOTHING_ATTACHED
    of_sessions: bool = False  # some session had an attached buffer
    # Address of the record for calls without a communicator; 0: there is none yet.
    apart: int = 0
    unseen: bool = False  # some requests or messages may have no record
    blind: bool = False  # instrumented code cannot check its accesses to buffers
    crowded: int = 0  # operations whose pages were not protected: too many mappings
    untold: int = 0  # accesses to guarded buffers beyond the capacity
    hindrances: frozenset[str] = frozenset()  # why other operations were not guarded
    started_at: int = (
        # Time of MPI's initialization in nanoseconds of the node's clock; 0: unknown.
        0
    )
    guard: str = "none"  # guard of pending operations' buffers: "there" "failed" "none"

    @property
    def world(self) -> str:
        """A key that is equal in all processes of an MPI_COMM_WORLD, on all nodes."""
        return f"{self.job:x}-{self.world_size}"

    @property
    def concurrent(self) -> bool:
        """Return whether threads may have called MPI at the same time.

        Then one thread may free an object that another is using.
        """
        return self.several_threads and self.several_called
