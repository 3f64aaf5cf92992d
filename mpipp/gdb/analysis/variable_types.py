# SPDX-License-Identifier: MIT
"""Do datatypes fit the variables that they are used for? (MPI-4.1, section 3.3.1)

Reported only where debug information makes it certain: the buffer is in a variable that is
declared, not in memory from the heap, which has no type of its own; nothing else that leads there
says otherwise, be it a pointer to another type or to void; and neither the variable nor the
datatype is of bytes, in which anything may lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import gdb

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError
from mpipp.datatypes import alignment
from mpipp.gdb.analysis.inferior_processes import Checked
from mpipp.gdb.lookup import buffer_variables
from mpipp.gdb.program import abandoned_frames, calling_frame
from mpipp.gdb.program.inferior_memory import selected
from mpipp.gdb.program.sessions import Session
from mpipp.model import Buffer, DatatypeRecord, Share
from mpipp.program_types import types
from mpipp.program_types.compare import Problem, Report
from mpipp.render.phrases import Phrase

_CERTAIN = ("kind", "size", "straddles", "inside", "padding")
_MOST = 64  # places in a process: looking for variables takes time
_MOST_SHARES = 16  # of a v or w form's buffer
_MOST_SAID = 3  # elements


def findings(checked: Checked) -> Iterator[Finding]:
    """Datatypes that do not fit the program's variables, once for each place in the program."""
    for process, session in zip(checked.processes, checked.sessions):
        with selected(session.inferior):
            yield from _of_process(process, session, checked)


def _of_process(process: Process, session: Session, checked: Checked) -> Iterator[Finding]:
    seen: set[object] = set()
    for operation in process.operations:
        for buffer in operation.buffers():
            for part in _parts(operation, buffer):
                key = operation.call.site, buffer.role, part.peer, part.record.header.record
                if key in seen:
                    continue
                if len(seen) == _MOST:
                    why = f"the variables of {_MOST} places were looked for, and no more"
                    checked.failed(process, MpippError(why))
                    return
                seen.add(key)
                try:
                    found = list(_of_part(operation, buffer, part, session))
                except (gdb.error, MpippError):  # no frames, no debug information
                    continue
                yield from found
                if found:
                    break


class _Part(NamedTuple):
    # What a buffer has in one piece: all of it; in v and w forms what is of one process.
    record: DatatypeRecord
    address: int
    entries: int
    peer: int | None


def _parts(operation: Operation, buffer: Buffer) -> Iterator[_Part]:
    # With more than bytes, at an address: those from MPI_BOTTOM lead anywhere.
    if not buffer.address:
        return
    pieces: Iterable[tuple[int | None, Share]]
    if buffer.shares is None:
        pieces = [(None, Share(buffer.total_count, 0, buffer.datatype))]
    elif operation.among_neighbors:  # some of which may be nobody
        return
    else:
        pieces = enumerate(map(buffer.share, range(min(buffer.share_count, _MOST_SHARES))))
    for peer, one in pieces:
        record = one.datatype
        if one.count <= 0 or one.displacement is None or not isinstance(record, DatatypeRecord):
            continue
        if record.tree.size > record.tree.element_count:
            yield _Part(record, buffer.address + one.displacement, one.count, peer)


def _of_part(
    operation: Operation, buffer: Buffer, part: _Part, session: Session
) -> Iterator[Finding]:
    thread = _thread(operation, session)
    if thread is None:
        return
    with abandoned_frames.selected(thread):
        frame = calling_frame.caller(operation.call.site) if operation.tid else gdb.newest_frame()
        found = buffer_variables.every(part.address, frame)
        reports = [
            buffer_variables.compare_with_variable(part.record.tree, part.entries, one[0])
            for one in found
            if one
        ]
    declared = [pair for pair in zip(filter(None, found), reports) if pair[0][1]]
    wrong = [_wrong(report) for report in reports]
    if None in found or not declared or not all(wrong):
        return
    report = declared[0][1]
    if not _holds_bytes(report):
        yield _finding(operation, buffer, part, report)


def _thread(operation: Operation, session: Session) -> gdb.InferiorThread | None:
    # The one that is inside of the call; where its request is pending, the process's first.
    stopped = [thread for thread in session.inferior.threads() if thread.is_stopped()]
    chosen = [t for t in stopped if operation.tid in (None, t.ptid[1])]
    return min(chosen, key=lambda thread: int(thread.num), default=None)


def _wrong(report: Report) -> list[Problem]:
    return [
        problem
        for problem in report.problems
        if problem.certain and problem.code in _CERTAIN and report.complete
    ]


def _holds_bytes(report: Report) -> bool:
    return any(leaf.size == 1 for _, _, leaf, _ in types.leaves(report.layout.kind))


def _finding(operation: Operation, buffer: Buffer, part: _Part, report: Report) -> Finding:
    said = [Phrase.of("{text}", text=problem.text) for problem in _wrong(report)[:_MOST_SAID]]
    bad = alignment.misaligned(part.record.tree, part.entries)
    if bad is not None:
        template = "{element} is not at a multiple of its alignment"
        said.append(Phrase.of(template, element=bad.path))
    clause = Phrase("")
    if part.peer is not None:
        clause = Phrase.of(" for {peer}", peer=operation.peer(part.peer))
    found = Finding.of(
        "variable-type",
        [operation.party(*said)],
        argument=buffer.role,
        clause=clause,
        variable=report.layout.described,
    )
    return replace(found, standard=operation.process.registry.info.standard)
