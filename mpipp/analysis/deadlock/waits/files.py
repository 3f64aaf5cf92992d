# SPDX-License-Identifier: MIT
"""The conditions of collective calls on files (MPI-4.1, sections 14.2 to 14.4).

These calls may return before the others have called. A collective call on a file waits if the
library exchanges data or agrees on something. The n-th such call of a process on a file matches the
n-th call of the others.
"""

from __future__ import annotations

from typing import NamedTuple

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import Member, World
from mpipp.analysis.deadlock.waits.conditions import AllOf, Condition, Event, NoWait, Unknown
from mpipp.analysis.files.split_file_io import file_of
from mpipp.model import File

_UNCERTAIN = Unknown("mpipp cannot match the collective calls on the file with certainty")


class _Opened(NamedTuple):
    # The key of a file, equal in all processes that have opened it together.
    comm: int  # identity of the communicator
    ordinal: int  # of MPI_File_open on this communicator


class Files:
    """The conditions of collective calls on files in one MPI_COMM_WORLD."""

    def __init__(self, known: World) -> None:
        self._known = known
        self._files: dict[Process, dict[_Opened, File]] = {}

    def call(self, operation: Operation) -> Condition:
        """Return the condition of a call on a file."""
        process, call = operation.process, operation.call
        if call.facts.over != "file":
            return NoWait()
        if call.answered and operation.request is None:
            return NoWait()  # the call is about to return
        handle = file_of(call)
        found = process.registry.find("file", handle) if handle is not None else None
        opened = self._opened(process, found) if isinstance(found, File) else None
        comm = self._known.comm(process, found.comm) if isinstance(found, File) else None
        if opened is None or comm is None or not isinstance(found, File) or found.joined is None:
            return _UNCERTAIN
        number = call.ordinal if operation.request is not None else found.joined + 1
        if number is None:
            return _UNCERTAIN
        member = Member(process, comm)
        late: set[int] = set()
        different: list[Condition] = []
        for rank in range(comm.size):
            world_rank = self._known.world_rank(member, rank)
            if world_rank is None:
                return _UNCERTAIN
            peer = self._known.process(world_rank)
            theirs = self._of(peer).get(opened) if peer is not None else None
            if peer is not None and (theirs is None or theirs.joined is None):
                return _UNCERTAIN
            if peer is None or theirs is None or theirs.joined is None:
                late.add(world_rank)
            elif theirs.joined < number:
                other = _inside(peer, theirs) if theirs.joined == number - 1 else None
                if theirs.header.is_ended and call.facts.operation == "File_close":
                    continue
                if other is None:
                    late.add(world_rank)
                elif other.call.facts.operation != call.facts.operation:
                    ranks = frozenset({world_rank})
                    different.append(Event("file", ranks, operation, member, False, True, other))
        if late:
            different.append(Event("file", frozenset(late), operation, member, lenient=True))
        return AllOf(tuple(different)) if different else NoWait()

    def _opened(self, process: Process, file: File) -> _Opened | None:
        comm = self._known.comm(process, file.comm)
        return _Opened(comm.identity, file.opened) if comm is not None and file.opened else None

    def _of(self, process: Process) -> dict[_Opened, File]:
        if process not in self._files:
            found = self._files[process] = {}
            for file in process.registry.objects("file", ended=True):
                opened = self._opened(process, file) if isinstance(file, File) else None
                if opened is None or not isinstance(file, File):
                    continue
                before = found.get(opened)  # another file may have the handle of a closed one
                if before is None or before.header.serial < file.header.serial:
                    found[opened] = file
        return self._files[process]


def _inside(process: Process, file: File) -> Operation | None:
    # The active collective call on a file. A call that MPI has completed is already counted in
    # `joined`.
    for operation in process.operations:
        call = operation.call
        collective = call.facts.over == "file" and not call.answered
        same = file_of(call) == file.header.handle and not file.header.is_ended
        if operation.tid is not None and collective and same:
            return operation
    return None
