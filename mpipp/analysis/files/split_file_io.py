# SPDX-License-Identifier: MIT
"""Check of split collective calls on a file, and of pending operations when it is closed.

A file may have only one split collective call at a time, with its own end call (MPI-4.1, section
14.4.5).
"""

from __future__ import annotations

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.model import Call, File

# Calls before which split collective calls and nonblocking operations must have ended, and the
# suffixes of the rules that demand it.
_QUIET = {
    "File_close": "before-close",
    "File_set_size": "before-set-size",
    "File_set_view": "before-set-view",
    "File_sync": "before-sync",
}


def check(process: Process) -> Findings:
    """Yield calls during a split collective one, and end calls without a matching begin."""
    for operation in process.operations:
        if operation.tid is None:
            continue
        file = _file(operation)
        if file is None:
            continue
        if operation.call.facts.operation in _QUIET:
            yield from _nonblocking(operation, file)
        if file.split_doubted:
            continue
        if file.split is None:
            yield from _unmatched_split(operation, file)
        elif (file.split.frame, file.split.serial) != (operation.call.frame, operation.call.serial):
            yield from _beside(operation, file.split)


def file_of(call: Call) -> int | None:
    """Return the handle of the file that is passed to a call.

    MPI_File_close gets the address of the handle.
    """
    closed = call.arguments.get("file") if call.procedure == "MPI_File_close" else None
    return closed if isinstance(closed, int) else call.file


def _file(operation: Operation) -> File | None:
    handle = file_of(operation.call)
    found = operation.process.usable("file", handle) if handle is not None else None
    return found if isinstance(found, File) else None


def _nonblocking(operation: Operation, file: File) -> Findings:
    # One finding for all pending operations on the file.
    process, call = operation.process, operation.call
    for other in process.operations:
        pending = other.request is not None and other.request.pending
        if pending and other.call.file is not None and _file(other) == file:
            rule = f"pending-{_QUIET[call.facts.operation]}"
            names = {"procedure": call.procedure, "pending_procedure": other.call.procedure}
            yield Finding.of(rule, [operation.party(), other.party()], **names)
            return


def _unmatched_split(operation: Operation, file: File) -> Findings:
    call = operation.call
    if call.facts.form == "split end" and call.serial != file.split_ended:
        parties = [operation.party(), operation.process.object_party(file)]
        yield Finding.of("split-not-begun", parties, procedure=call.procedure)


def _beside(operation: Operation, split: Call) -> Findings:
    call, facts = operation.call, operation.call.facts
    parties = [operation.party(), Operation(operation.process, split, None, None).party()]
    names = {"procedure": call.procedure, "pending_procedure": split.procedure}
    if facts.form == "split end":
        if facts.operation != split.facts.operation:
            yield Finding.of("split-other-end", parties, **names)
    elif facts.form == "split begin":
        yield Finding.of("split-twice", parties, **names)
    elif facts.over == "file" and facts.buffers:
        yield Finding.of("split-beside", parties, **names)
    elif facts.operation in _QUIET:
        yield Finding.of(f"split-{_QUIET[facts.operation]}", parties, **names)
