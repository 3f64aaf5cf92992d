# SPDX-License-Identifier: MIT
"""Hand-made records of the processes of a job, without real processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mpipp.analysis.context.process import Death, Operation, Process
from mpipp.analysis.context.world import World
from mpipp.model import (
    Buffer,
    Call,
    Channel,
    Comm,
    File,
    Group,
    Header,
    KeptCall,
    Object,
    ProcessInfo,
    Request,
    Session,
    Site,
    Stretch,
    Thread,
    ThreadCall,
    Win,
)

WORLD, WINDOW, ALL, FILE = 1, 2, 3, 4  # handles
ANY_SOURCE, ANY_TAG, PROC_NULL = -2, -1, -3
_CONSTANTS = {
    "MPI_ANY_SOURCE": ANY_SOURCE,
    "MPI_ANY_TAG": ANY_TAG,
    "MPI_PROC_NULL": PROC_NULL,
}
_DATA = Buffer("buf", 0x1000, 1, 1, None, 0, frozenset({"writes"}))


def _header(kind: str, handle: int) -> Header:
    return Header(kind, handle, 1, frozenset(), 0, 0, Site(0), "", 0x100 * handle)


@dataclass
class Recorded:
    """A process: its registry, and the facts around it."""

    rank: int
    size: int
    channels: list[Channel] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    status: str = "started"
    end_awaited: bool = False
    several_threads: bool = False
    outside: int = 0  # threads that have called MPI and are outside it now
    marked: str = ""  # the current call of a thread for which only the procedure is recorded
    posted_any: int = 0
    frozen: bool = False
    in_world: bool = True  # whether MPI_Init has returned, so that the rank is known
    uncertain_all: frozenset[str] = frozenset()
    forgotten: int = 0
    window: Win | None = None
    files: list[File] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    over: list[Stretch] = field(default_factory=list)
    freed: bool = False  # whether the communicator is freed
    death: Death | None = None
    constants: dict[str, int] = field(default_factory=lambda: dict(_CONSTANTS))

    @property
    def info(self) -> ProcessInfo:
        """The data of the process that MPI_Init determines."""
        threads = self.several_threads
        return ProcessInfo(
            flavor="MPICH",
            status=self.status,
            end_awaited=self.end_awaited,
            pid=100 + self.rank,
            world_rank=self.rank if self.in_world else None,
            world_size=self.size if self.in_world else None,
            library_version="",
            built_with="",
            dropped=0,
            handle_size=4,
            frames=0,
            standard=(4, 1),
            several_threads=threads,
            forgotten=self.forgotten,
        )

    def constant_name(self, value: int, *names: str) -> str | None:
        """The first name in `names` whose constant has this value."""
        return next((name for name in names if self.constants.get(name) == value), None)

    def comm(self) -> Comm:
        """MPI_COMM_WORLD."""
        flags = frozenset({"ended"} if self.freed else ())
        return Comm(
            Header("comm", WORLD, 1, flags, 0, 0, Site(0), "MPI_COMM_WORLD", 0x100),
            rank=self.rank,
            size=self.size,
            inter=False,
            remote_size=0,
            world_ranks=range(self.size),
            remote_world_ranks=None,
            topology="none",
            dims=(),
            periods=(),
            coords=(),
            indegree=0,
            outdegree=0,
            errhandler=None,
            identity=1,
            channels=self.channels,
            posted_any=self.posted_any,
            frozen=self.frozen,
            uncertain_all=self.uncertain_all,
        )

    def group(self) -> Group:
        """The group of all processes."""
        return Group(_header("group", ALL), self.size, self.rank, range(self.size))

    def has_window(self, *epochs: str, fences: int = 0, completes: int = 0) -> Recorded:
        """Add a window of all processes, with epochs."""
        self.window = Win(
            _header("win", WINDOW),
            base=0x8000,
            size=8,
            disp_unit=1,
            flavor="create",
            model="unified",
            comm=WORLD,
            epochs=epochs,
            locks=(),
            lock_count=0,
            access_group=ALL,
            exposure_group=ALL,
            access_serial=1,
            exposure_serial=1,
            identity=2,
            comm_identity=1,
            fences=fences,
            completes=completes,
        )
        return self

    def opened(self, joined: int, closed: bool = False) -> Recorded:
        """Add a file, opened by the first collective call, and collective calls on it."""
        header = Header(
            "file", FILE, 1, frozenset({"ended"} if closed else ()), 0, 0, Site(0), "", 0x900
        )
        self.files.append(File(header, WORLD, "x", 0, 0, 0, 0, "", None, 1, joined))
        return self

    def session(self, ended: bool) -> Recorded:
        """Add a session, active or ended."""
        flags = frozenset({"ended"} if ended else ())
        self.sessions.append(Session(Header("session", 9, 1, flags, 0, 0, Site(0), "", 1), None))
        return self

    def partitioned(
        self, made: Call, starts: int, ready: int, count: int = 4, state: str = "active"
    ) -> Recorded:
        """Add a partitioned operation and, if it is active, a call that waits for it."""
        made = replace(made, buffers=(replace(_DATA, peers=count),))
        header = Header("request", 7, 7, frozenset(), 0, 0, Site(0), "", 0x700)
        self.requests.append(Request(header, state, True, ready, None, 0, made, starts=starts))
        return self

    def find(self, kind: str, handle: int) -> Object | None:
        """The object with this handle."""
        known: dict[tuple[str, int], Object | None] = {
            ("comm", WORLD): self.comm(),
            ("win", WINDOW): self.window,
            ("group", ALL): self.group(),
            **{("file", file.header.handle): file for file in self.files},
        }
        return known.get((kind, handle))

    def objects(self, kind: str, ended: bool = False) -> Iterator[Object]:
        """Every object of a kind."""
        if kind == "comm":
            yield self.comm()
        if kind == "win" and self.window is not None:
            yield self.window
        several: dict[str, Sequence[Object]] = {
            "request": self.requests,
            "file": self.files,
            "session": self.sessions,
        }
        for one in several.get(kind, ()):
            if ended or not one.header.is_ended:
                yield one

    def threads(self) -> Iterator[Thread]:
        """The threads, one for each call."""
        calls: list[Call | None] = [*self.calls, *[None] * self.outside]
        for number, call in enumerate(calls, 1):
            yield Thread(number, number, number, 1, call)
        if self.marked:
            yield Thread(9, 9, 9, 1, None, ThreadCall(self.marked, 9, Site(0x4000)))

    def pending_requests(self) -> Iterator[Request]:
        """The active requests."""
        return iter(self.requests)

    def passed_requests(self, _call: Call, _most: int) -> list[tuple[Request, ...]]:
        """The requests that a call waits for: all of them."""
        return [(request,) for request in self.requests]

    # These methods add past and current events.

    def sent(self, dest: int, tag: int, count: int = 1) -> Recorded:
        """Add sends that were started."""
        return self._counted("sends", dest, tag, count)

    def posted(self, source: int, tag: int, count: int = 1) -> Recorded:
        """Add receives that were posted."""
        return self._counted("receives", source, tag, count)

    def joined(self, count: int, last: Call | None = None) -> Recorded:
        """Add collective calls. The history contains only `last`, the latest one."""
        self._counted("collectives", 0, 0, count)
        if last is not None:
            self.over.append(Stretch(count, 1, (KeptCall.of(last),)))
            self.channels[-1] = replace(self.channels[-1], history=1)
        return self

    def recorded_calls(self, _comm: Comm, _channel: Channel) -> list[Stretch]:
        """The collective calls in the history."""
        return self.over

    def _counted(self, sequence: str, peer: int, tag: int, count: int) -> Recorded:
        self.channels.append(Channel(sequence, peer, tag, count, False, count))
        return self

    def inside(self, call: Call) -> Recorded:
        """Add a call that a thread is in."""
        self.calls.append(call)
        return self

    def pending(self, *calls: Call) -> Recorded:
        """Add active requests."""
        for serial, call in enumerate(calls, 1):
            header = Header(
                "request", serial, serial, frozenset(), 0, 0, Site(0), "", 0x200 + serial
            )
            self.requests.append(Request(header, "active", False, 0, None, 0, call))
        return self


def call(
    procedure: str,
    *,
    dest: int | None = None,
    source: int | None = None,
    tag: int | None = None,
    root: int | None = None,
    win: int | None = None,
    ordinal: int | None = 1,
    requests: int = 0,
    target: int | None = None,
    file: int | None = None,
    comm: int | None = WORLD,
    **arguments: int,
) -> Call:
    """A call, by default on MPI_COMM_WORLD. Its place is derived from its name."""
    waits = requests > 0
    moves = "probe" not in procedure.lower() and not waits and procedure != "MPI_Finalize"
    return Call(
        procedure=procedure,
        state="active",
        serial=1,
        site=Site(0x4000),
        frame=hash((procedure, dest, source, tag, ordinal)),
        comm=None if waits or win or file or procedure == "MPI_Finalize" else comm,
        win=win,
        file=file,
        dest=dest,
        source=source,
        tag=tag,
        root=root,
        target_rank=target,
        requests=0x5000 if waits else None,
        request_count=requests,
        buffers=(_DATA,) if moves and procedure != "MPI_Barrier" else (),
        ordinal=None if waits else ordinal,
        arguments=arguments,
    )


def job(*recorded: Recorded) -> World:
    """The processes of a job."""
    return World(processes(*recorded))


def processes(*recorded: Recorded) -> list[Process]:
    """The processes in the form that the checks use."""
    return [
        Process(i, one, one, None, death=one.death)  # type: ignore[arg-type]
        for i, one in enumerate(recorded)
    ]


class Places:
    """A place for every call that is always the same."""

    def place(self, operation: Operation) -> str:
        """The place of a call."""
        return "x.c:1 in main"

    def outside(self, process: Process) -> str:
        """The activity of a process outside MPI."""
        return "computing at x.c:2 in work"


def ranks(count: int, size: int | None = None) -> Sequence[Recorded]:
    """The first processes of a job."""
    return [Recorded(rank, count if size is None else size) for rank in range(count)]
