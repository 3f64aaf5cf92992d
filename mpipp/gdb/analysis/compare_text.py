# SPDX-License-Identifier: MIT
"""The output of `mpipp compare`: datatypes against the program's own types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import gdb

from mpipp.analysis.program_objects import datatype_fit
from mpipp.common.errors import MpippError
from mpipp.gdb import settings
from mpipp.gdb.lookup import buffer_variables, named_objects
from mpipp.gdb.lookup.named_objects import Object
from mpipp.gdb.parser import operands
from mpipp.gdb.printers import buffer_lookup
from mpipp.gdb.program import calling_frame, sessions, symbol_names
from mpipp.gdb.program.sessions import Session
from mpipp.model import Buffer, Call, DatatypeRecord, Request
from mpipp.program_types import compare
from mpipp.program_types.compare import Report, narrowed, opened
from mpipp.program_types.compare import text as comparetext
from mpipp.render import json_output
from mpipp.typetree import Datatype

_USAGE = "mpipp compare TYPE [COUNT] with EXPR, or mpipp compare alone inside an MPI call"
_NAMED = "mpipp compare TYPE with EXPR"
_MOST_SHARES = 16  # parts of the buffer of a v or w call
_MOST_REQUESTS = 16
_MOST_GIVEN = 1 << 16  # requests that a call waits for


def lines(asked: str, every: bool, as_json: bool) -> Iterable[str]:
    """The comparison of the datatype and the object in `asked`; "" means the buffers of the MPI
    call.

    With `every`, the output lists all elements.
    """
    results = [_asked(asked)] if asked else _of_call()
    if as_json:
        return [json_output.document("compare", {"compared": [_content(r) for r in results]})]
    return _lines(results, every)


class _Result(NamedTuple):
    # The report of one comparison, or in `note` the reason why there is none.
    title: str
    report: Report | None
    note: str
    where: str  # the buffer's role and call; "" if the user named the object


def _lines(results: list[_Result], every: bool) -> Iterator[str]:
    limits = settings.limits()
    for title, report, note, where in results:
        if where:
            yield f"{where}: {note}" if note else f"{where}:"
        elif note:
            yield note
        if report is not None:
            yield from comparetext.lines(report, title, every, limits)


def _content(result: _Result) -> dict[str, Any]:
    content: dict[str, Any] = {"buffer": result.where, "note": result.note}
    if result.report is not None:
        content.update(comparetext.content(result.report, result.title))
    return content


def _asked(text: str) -> _Result:
    left, right = operands.split_with(text, _USAGE)
    operand = operands.entries(left)
    found = named_objects.of_text(right)
    tree = operand.datatype.tree
    report, note = _compared(tree, found, operand.count)
    return _Result(operand.text, report, note, "")


def _compared(tree: Datatype, found: Object, count: int) -> tuple[Report, str]:
    layout = found.layout
    at = found.address
    if at and not found.open and at <= tree.true_lb < at + layout.kind.size:
        note = f"absolute addresses: {layout.name} is at {at:#x}, the buffer must be MPI_BOTTOM"
        return compare.compare(tree, layout, count, -at), note
    if found.open:
        layout = opened(tree, layout, count)
    if count == 1:
        layout = narrowed(tree, layout)
    return compare.compare(tree, layout, count), ""


def _of_call() -> list[_Result]:
    # Compare the buffers of the call, else of the operations that it waits for, else of all pending
    # operations.
    session = sessions.required()
    call = buffer_lookup.active_call(session)
    results: list[_Result] = []
    with _in_frame(calling_frame.caller(call.site) if call else gdb.selected_frame()) as frame:
        if call is not None and call.buffers:
            for buffer in call.buffers:
                results += _of_buffer(buffer, call, frame, session, "")
            return results
        pending = _pending(call, session)
        for request in pending[:_MOST_REQUESTS]:
            number = f", request #{request.header.serial}"
            for buffer in request.call.buffers:
                results += _of_buffer(buffer, request.call, frame, session, number)
    if not pending:
        what = f"{call.procedure} has no buffer" if call else "this thread is in no MPI call"
        raise MpippError(f"{what}, and no operation is pending: write {_USAGE}")
    if len(pending) > _MOST_REQUESTS:
        left = len(pending) - _MOST_REQUESTS
        results.append(_Result("", None, f"{left} more pending operations are left out", ""))
    return results


def _pending(call: Call | None, session: Session) -> list[Request]:
    found: list[object] = []
    if call is not None and call.requests is not None:
        given = session.registry.passed_requests(call, _MOST_GIVEN)
        found = [known[0] for known in given if len(known) == 1]
    known = [one for one in found if isinstance(one, Request) and one.pending]
    every = session.registry.pending_requests()
    return known or [one for one in every if isinstance(one, Request)]


@contextmanager
def _in_frame(frame: gdb.Frame) -> Iterator[gdb.Frame]:
    # gdb takes its language from the selected frame.
    before = gdb.selected_frame()
    frame.select()
    try:
        yield frame
    finally:
        before.select()


def _of_buffer(
    buffer: Buffer, call: Call, frame: gdb.Frame, session: Session, request: str
) -> Iterator[_Result]:
    where = f"{buffer.role} of {call.procedure}{request}"
    constant = _constant(buffer.address, session)
    if "remote" in buffer.access or (constant and constant != "MPI_BOTTOM"):
        return
    if buffer.shares is None:
        record = buffer.datatype
        yield _part(record, buffer.address, buffer.total_count, where, frame)
        return
    for peer in range(min(buffer.share_count, _MOST_SHARES)):
        share = buffer.share(peer)
        if share.count and share.displacement is not None:
            at = buffer.address + share.displacement
            yield _part(share.datatype, at, share.count, f"{where}, rank {peer}", frame)


def _constant(address: int, session: Session) -> str:
    for name, value in session.constants.items():
        if name in ("MPI_BOTTOM", "MPI_IN_PLACE") and value % (1 << 64) == address:
            return name
    return ""


def _part(record: object, address: int, count: int, where: str, frame: gdb.Frame) -> _Result:
    if not isinstance(record, DatatypeRecord):
        return _Result("", None, "its datatype is not known", where)
    tree = record.tree
    title = tree.name or tree.combiner
    if not count or not tree.element_count:
        return _Result(title, None, f"no data, {count} x {title}", where)
    low = tree.true_lb + min(0, (count - 1) * tree.extent)
    place = address + low
    holder = buffer_variables.holding(address, frame) if address else None
    if holder is None or not holder.object.layout.kind.size:
        holder = buffer_variables.holding(place, frame)
        if holder is not None:
            holder = holder._replace(origin=holder.origin - low)
    if holder is None:
        note = f"no variable in the debug information contains {place:#x}: write {_NAMED}"
        return _Result(title, None, note, where)
    report = datatype_fit.comparison(tree, count, buffer_variables.use(holder))
    entries = f"{count} x {title}"
    function = symbol_names.function(holder.frame) if holder.frame is not None else ""
    note = f"found in {function}" if function else "a variable of the program"
    return _Result(entries, report, note, where)
