# SPDX-License-Identifier: MIT
"""A process as the checks see it: its records, and its active operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

from mpipp.analysis.context.records_protocol import Records
from mpipp.analysis.findings.finding import Evidence, Party
from mpipp.common.errors import MpippError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import (
    KINDS,
    Broken,
    Buffer,
    Call,
    Comm,
    File,
    Object,
    Op,
    Request,
    Thread,
    ThreadCall,
    Win,
)
from mpipp.render.phrases import Phrase

if TYPE_CHECKING:
    from mpipp.render.object_structs import Surroundings

_SESSION_END = "MPI_Session_finalize"
_MOST_MARKED = 1 << 20  # partitions that are marked one by one
# Requests of one call; analysis/calls/handles.py reports when there are more.
_MOST_STARTED = 1 << 16


class Gap(NamedTuple):
    """Addresses [start, end) that are unmapped in a process, or that it cannot write."""

    start: int
    end: int
    mapped: bool


def partitions(call: Call) -> Sequence[int]:
    """Return the partitions that a call marks ready."""
    given = call.arguments
    listed = given.get("array_of_partitions")
    if isinstance(listed, tuple):
        return listed
    first, last = (
        given.get(f"partition{end}", given.get("partition")) for end in ("_low", "_high")
    )
    return range(first, last + 1) if isinstance(first, int) and isinstance(last, int) else ()


def _marked(request: Request, fresh: Sequence[int]) -> Request:
    # The state of the request after the call has marked these partitions ready.
    count = sum(buffer.peers for buffer in request.call.buffers)
    new = {one for one in fresh if 0 <= one < count}
    if request.marks is None and (request.ready or count > _MOST_MARKED):
        return replace(request, ready=request.ready + len(new))
    marks = bytearray(request.marks or bytes(count))
    for one in new:
        marks[one : one + 1] = b"\1"
    return replace(request, ready=sum(map(bool, marks)), marks=bytes(marks))


def _runs(marks: Sequence[int], value: int) -> Iterator[range]:
    # The ranges of indices whose marks equal `value`.
    start = 0
    for mark, run in groupby(marks, bool):
        end = start + sum(1 for _ in run)
        if mark == value:
            yield range(start, end)
        start = end


@dataclass(frozen=True, eq=False)
class Operation:
    """Communication: an active call, the call of a pending request, or a completed call."""

    process: Process
    call: Call
    request: Request | None  # None: an active call, or a completed one without a request
    tid: int | None  # thread of an active call
    on: Comm | None = None  # for a completed call: its communicator, freed or not

    @property
    def is_completed(self) -> bool:
        """True if the call has returned, and no request belongs to it."""
        return self.tid is None and self.request is None

    def party(self, *details: Phrase) -> Party:
        """Return the operation as a party of a finding."""
        from mpipp.render import one_line  # slow to import: only findings need it

        call = self.call
        arguments = one_line.arguments(call, self.process.around)
        subject = Phrase.of(
            "{procedure}({arguments})", procedure=call.procedure, arguments=arguments
        )
        if self.request is not None and call.facts.form != "blocking":  # a real request
            serial = self.request.header.serial
            subject = Phrase.of("{call}, request {serial}", call=subject, serial=serial)
        evidence = Evidence(call, self.on)
        if call.error_class:
            what = "MPI" if call.facts.form == "blocking" else "its completion"
            template = "{noun} returned {error_class}"
            details = (*details, Phrase.of(template, noun=what, error_class=call.error_class))
        return Party(
            self.process.number,
            subject,
            "called at",
            call.site,
            self.tid,
            details,
            evidence,
            self.start,
        )

    @property
    def start(self) -> ThreadCall | None:
        """The call that started a persistent operation; None for others, or if it is unknown."""
        return self.call.start if self.request is None else self.request.start

    @cached_property
    def comm(self) -> Comm | None:
        """The communicator whose ranks the call names; None if that is uncertain.

        A window or a request may outlive its communicator, whose handle MPI may then reuse. A
        request loses its ordinal when its communicator is freed.
        """
        if self.on is not None:
            return self.on
        registry, handle = self.process.registry, self.call.comm
        if self.call.win is not None:
            window = registry.find("win", self.call.win)
            handle = window.comm if isinstance(window, Win) else None
        found = self.process.usable("comm", handle) if handle is not None else None
        if not isinstance(found, Comm):
            return None
        outlives = self.request is not None and self.call.ordinal is None
        outlives = outlives or self.call.win is not None
        return found if found.header.predefined or not outlives else None

    @property
    def started(self) -> bool:
        """True if it communicates: creating a persistent request does not yet."""
        prepares = self.call.facts.form in ("persistent", "partitioned")
        return self.request is not None or not prepares

    @property
    def may_be_completed(self) -> bool:
        """True if it may be complete: another operation with the same handle is complete."""
        return self.request is not None and self.request.doubted

    @property
    def owned_partitions(self) -> Sequence[range] | None:
        """The partitions that certainly belong to the operation until it completes; None: all.

        Partitions of a send belong to the program until it marks them ready. Partitions of a
        receive belong to it again after it knows of their arrival (MPI-4.1, 4.2.1 and 4.2.2).
        """
        if self.may_be_completed:
            return ()
        if self.request is None or not self.call.partitioned:
            return None
        ready, marks = self.request.ready, self.request.marks
        sends, count = self.call.dest is not None, sum(b.peers for b in self.call.buffers)
        if marks is None or ready in (0, count):  # only the number of marked partitions is known
            return None if ready == (count if sends else 0) else ()
        return tuple(_runs(marks, sends))

    @property
    def among_neighbors(self) -> bool:
        """True if the peers are the neighbors in the communicator's topology."""
        return self.call.facts.among_neighbors

    def peer(self, number: int) -> Phrase:
        """Return the name of the peer of a part of a buffer: "rank 3", "neighbor 1"."""
        if self.among_neighbors:
            return Phrase.of("neighbor {neighbor}", neighbor=number)
        return Phrase.of("rank {rank}", rank=number)

    def buffers(self) -> Iterator[Buffer]:
        """Yield the communication buffers that are in this process's memory and significant.

        Leaves out MPI_IN_PLACE, and the origin buffer of MPI_NO_OP (MPI-4.1, section 12.3.4).
        """
        for buffer in self.call.buffers:
            ignored = buffer.role == "origin_addr" and self._is_no_op
            if "remote" not in buffer.access and not ignored and not self.process.in_place(buffer):
                yield buffer

    @cached_property
    def by_role(self) -> Mapping[str, Buffer]:
        """The buffers by the standard's name of the argument."""
        return {buffer.role: buffer for buffer in self.buffers()}

    @property
    def _is_no_op(self) -> bool:
        op = self.call.op
        found = self.process.registry.find("op", op) if op is not None else None
        return isinstance(found, Op) and found.header.name == "MPI_NO_OP"


class Death(NamedTuple):
    """The death of a process that has left a core file."""

    signal: str  # "SIGSEGV"
    tid: int  # the thread that received the signal
    where: str  # "at solver.c:80 in relax", "in abort, called at solver.c:80 in relax"


class Process:
    """A process as the checks see it.

    Args:
        number: its number among all checked processes, from 0.
        gaps: its unmapped or read-only memory, sorted; None if it is unknown.
        uncalled: whether a thread that has not called MPI yet may call it. By default it may.
        death: for a process that died of its own error; else None.
    """

    def __init__(
        self,
        number: int,
        registry: Records,
        around: Surroundings,
        gaps: Sequence[Gap] | None,
        uncalled: Callable[[], bool] = lambda: True,
        death: Death | None = None,
    ) -> None:
        self.number = number
        self.registry = registry
        self.around = around
        self.gaps = gaps
        self.death = death
        self._uncalled = uncalled

    @cached_property
    def may_gain_caller(self) -> bool:
        """True if a thread that has not called MPI yet may call it in addition to the others."""
        return self.registry.info.several_threads and self._uncalled()

    @cached_property
    def threads(self) -> tuple[Thread, ...]:
        """The threads that are in MPI."""
        # A thread is in one call at a time. If a thread's number appears twice, the second record
        # was read later.
        found: dict[int, Thread] = {}
        for thread in self.registry.threads():
            if isinstance(thread, Thread) and thread.call is not None:
                found.setdefault(thread.tid, thread)
        return tuple(found.values())

    @cached_property
    def marked(self) -> tuple[Operation, ...]:
        """The active calls of procedures that mpipp does not record, with their handles."""
        threads = (t for t in self.registry.threads() if isinstance(t, Thread))
        inside = ((t.tid, t.unrecorded) for t in threads)
        return tuple(Operation(self, call, None, tid) for tid, call in inside if call is not None)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """All active operations, active calls first."""
        result = []
        inside = set()
        for thread in self.threads:
            assert thread.call is not None
            result.append(Operation(self, thread.call, None, thread.tid))
            inside.add((thread.call.frame, thread.call.serial))
        result += self.begun
        for request in self.registry.pending_requests():
            # A call that is about to return may have recorded its request already.
            if not isinstance(request, Request) or request.header.record in self._readied:
                continue
            if (request.call.frame, request.call.serial) not in inside:
                result.append(Operation(self, request.call, request, None))
        for file in self.registry.objects("file"):
            if not isinstance(file, File) or file.split is None:
                continue
            if (file.split.frame, file.split.serial) not in inside:
                result.append(Operation(self, file.split, None, None))
        return tuple(result)

    @cached_property
    def begun(self) -> tuple[Operation, ...]:
        """The operations that active calls are about to start.

        A call can start persistent operations, and sends of partitions.
        """
        started = (self._starting(one.call, one.tid) for one in self.threads if one.call)
        readied = (Operation(self, one.call, one, None) for one in self._readied.values())
        return (*chain.from_iterable(started), *readied)

    def _starting(self, call: Call, tid: int) -> Iterator[Operation]:
        # The persistent operations that a call is about to start; their ordinals are already
        # counted.
        if call.procedure not in ("MPI_Start", "MPI_Startall"):
            return
        try:
            given = self.registry.passed_requests(call, _MOST_STARTED)
        except MpippError:  # the array is in the caller's memory
            return
        for known in given:
            request = known[0] if len(known) == 1 else None
            if isinstance(request, Request) and request.persistent and request.state == "inactive":
                begun = replace(request, start=ThreadCall(call.procedure, tid, call.site))
                if request.call.partitioned:
                    begun = replace(begun, ready=0, marks=None)
                yield Operation(self, request.call, begun, None)

    @cached_property
    def _readied(self) -> dict[int, Request]:
        # Sends whose partitions active calls mark ready, by record; in their state after these
        # calls.
        found: dict[int, Request] = {}
        for thread in self.threads:
            if thread.call is None or not thread.call.procedure.startswith("MPI_Pready"):
                continue
            try:
                (known, *_) = (*self.registry.passed_requests(thread.call, 1), ())
            except MpippError:  # the handle is in the program's memory
                continue
            request = known[0] if len(known) == 1 else None
            if isinstance(request, Request) and request.pending and request.call.partitioned:
                record = request.header.record
                found[record] = _marked(found.get(record, request), partitions(thread.call))
        return found

    @cached_property
    def live_sessions(self) -> int:
        """The number of sessions that are not finalized."""
        found = self.registry.objects("session")
        return sum(isinstance(one, Broken) or not one.header.null for one in found)

    @cached_property
    def has_left_sessions(self) -> bool:
        """True if MPI was initialized only by sessions, and all of them have ended or are ending.

        The process may begin another session, but the objects of the earlier ones no longer exist.
        """
        info = self.registry.info
        if info.status != "started" or info.main_thread is not None:
            return False
        ends = sum(t.call is not None and t.call.procedure == _SESSION_END for t in self.threads)
        every = self.registry.objects("session", ended=True)
        had = any(not isinstance(one, Broken) and not one.header.null for one in every)
        return had and self.live_sessions <= ends

    @property
    def freed_active_operations(self) -> Iterator[Operation]:
        """The operations whose requests were freed while active; they may still be active."""
        for request in self.registry.freed_active_requests():
            yield Operation(self, request.call, request, None)

    def usable(self, kind: str, handle: int) -> Object | None:
        """Return the object of a handle; None if it is unknown, null or freed.

        Other checks skip null and freed handles, because `analysis/calls/handles.py` reports them.
        """
        found = self.registry.find(kind, handle)
        if found is None or isinstance(found, Broken) or found.header.null or found.header.freed:
            return None
        return found

    def kinds_of_bits(self, bits: int) -> list[str]:
        """Return the kinds of objects whose handles have these values in `kind_bits`."""
        return self._kinds_by_bits.get(bits, [])

    @cached_property
    def _kinds_by_bits(self) -> dict[int, list[str]]:
        mask, found = self.registry.info.kind_bits, dict[int, list[str]]()
        for kind in KINDS:
            for one in self.registry.objects(kind) if kind != "file" else ():
                if not isinstance(one, Broken) and one.header.null:
                    found.setdefault(one.header.handle & mask, []).append(kind)
                    break
        return found

    def in_place(self, buffer: Buffer) -> bool:
        """Return whether MPI_IN_PLACE was passed in place of an address."""
        return self.around.constant_name(buffer.address, "MPI_IN_PLACE") is not None

    def object_party(self, found: Object, *details: Phrase) -> Party:
        """Return an object as a party of a finding."""
        from mpipp.render import one_line  # as in Operation.party

        header = found.header
        subject = Phrase.of(
            "MPI_{kind} {serial}, {description}",
            kind=header.kind.capitalize(),
            serial=header.serial,
            description=one_line.described(found, self.around),
        )
        evidence = Evidence(made=found)
        active = isinstance(found, Request) and found.state == "active"
        start = found.start if isinstance(found, Request) and active else None
        return Party(self.number, subject, "made at", header.site, None, details, evidence, start)

    def freeing_call(self, found: Object, done: str = "freed") -> list[Party]:
        """Return the call that freed an object, as a party; empty if it is unknown.

        Args:
            done: the word for this: a message is "received".
        """
        at = found.header.freed_at
        subject = Phrase.of("{how} before", how=done)
        return [] if at is None else [Party(self.number, subject, f"{done} at", at)]
