# SPDX-License-Identifier: MIT
"""Check that every handle that is passed to a call belongs to an object (MPI-4.1, section 2.5.1).

A handle without a record may belong to an object that the MPI library created unseen. mpipp reports
it only if no object can have it: it is 0, a handle of another kind, an unmapped address, or points
to zeros. `analysis/calls/datatype_state.py` reports null and freed datatypes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.analysis.findings.limits import Limits
from mpipp.analysis.objects import foreign_handles, returned_codes
from mpipp.analysis.rules.handles import CLASSES
from mpipp.common.errors import MpippError
from mpipp.model import Broken, Buffer, Object, Request, procedures
from mpipp.render.phrases import Phrase, Value

_FIELDS = ("comm", "op", "win", "file", "message")
_ARGUMENTS = {
    "group": "group",
    "group1": "group",
    "group2": "group",
    "local_group": "group",
    "peer_comm": "comm",
    "comm1": "comm",
    "comm2": "comm",
    "info": "info",
    "errhandler": "errhandler",
    "session": "session",
    "comm": "comm",
    "op": "op",
    "win": "win",
    "file": "file",
    "fh": "file",
    "datatype": "datatype",
    "request": "request",
}
_NOUNS = {
    "comm": "a communicator",
    "group": "a group",
    "op": "an operation",
    "win": "a window",
    "file": "a file",
    "message": "a message",
    "request": "a request",
    "datatype": "a datatype",
    "info": "an info",
    "errhandler": "an error handler",
    "session": "a session",
}
_MOST_REQUESTS = 1 << 16
_MOST_WRONG = 1000  # wrong requests of one call that are reported
_COMPLETING_ALL = ("MPI_Waitall", "MPI_Testall", "MPI_Waitsome", "MPI_Testsome")
_GIVING_UP = {"MPI_Request_free": "freed", "MPI_Cancel": "cancelled"}


class _PassedHandle(NamedTuple):
    name: Value  # name of the argument
    kind: str
    handle: int


def check(process: Process) -> Findings:
    """Yield null, freed and impossible handles in active calls.

    Raises MpippError at the end if a call had too many requests, or too many wrong ones.
    """
    limits = Limits()
    if process.registry.info.status == "loaded":
        return  # no handle is known before MPI is initialized
    for operation in (*process.operations, *process.marked):
        # MPI_Abort ends the job with any arguments.
        if operation.tid is None or operation.call.procedure == "MPI_Abort":
            continue
        for given in _passed_handles(operation):
            yield from _looked_at(operation, given)
        wrong = _wrong_requests(operation)
        yield from itertools.islice(wrong, _MOST_WRONG)
        if next(wrong, None) is not None:
            procedure = operation.call.procedure
            limits.reached(
                f"only the first {_MOST_WRONG} wrong requests of {procedure} are reported"
            )
    for thread in process.threads:
        if thread.call is not None and thread.call.request_count > _MOST_REQUESTS:
            limits.reached(
                f"only the first {_MOST_REQUESTS} requests of {thread.call.procedure} were checked"
            )
    limits.raise_reasons()


def _passed_handles(operation: Operation) -> Iterator[_PassedHandle]:
    call = operation.call
    for name in _FIELDS:
        handle = getattr(call, name)
        if handle is not None and (name != "op" or _reduces(operation)):
            yield _PassedHandle(name, name, handle)
    for name, handle in call.arguments.items():
        significant = name != "peer_comm" or _is_leader(operation)
        if name in _ARGUMENTS and isinstance(handle, int) and significant:
            yield _PassedHandle(name, _ARGUMENTS[name], handle)
    remote = (buffer for buffer in call.buffers if "remote" in buffer.access)
    for buffer in (*operation.buffers(), *remote):
        if buffer.shares is None and buffer.datatype is None:
            of = Phrase.of("the datatype of {argument}", argument=buffer.role)
            yield _PassedHandle(of, "datatype", buffer.handle)
        yield from _of_peers(operation, buffer)
    for given in call.given_types:
        if given.datatype is None:
            yield _PassedHandle(given.name, "datatype", given.handle)
    made = call.constructor
    if made is not None and made.types is not None:
        for name, found, handle in zip(made.type_names, made.types, made.handles):
            if found is None:
                yield _PassedHandle(name, "datatype", handle)


def _of_peers(operation: Operation, buffer: Buffer) -> Iterator[_PassedHandle]:
    # The datatypes of a w form, if they are significant.
    if buffer.shares is None or buffer.datatype is not None:
        return
    try:
        for number, share in enumerate(buffer.shares):
            if share.count and share.datatype is None and share.handle is not None:
                name = Phrase.of(
                    "the datatype of {argument} for {peer}",
                    argument=buffer.role,
                    peer=operation.peer(number),
                )
                yield _PassedHandle(name, "datatype", share.handle)
    except MpippError:  # the arrays are in the caller's memory
        return


def _reduces(operation: Operation) -> bool:
    # In a reduction on an intercommunicator, processes without data need no valid operation.
    return bool(operation.call.buffers)


def _is_leader(operation: Operation) -> bool:
    # The other communicator is significant only in the leader (MPI-4.1, section 7.6.2).
    comm = operation.comm
    return comm is not None and comm.rank == operation.call.arguments.get("local_leader")


def _looked_at(operation: Operation, given: _PassedHandle) -> Findings:
    process = operation.process
    found = process.registry.find(given.kind, given.handle)
    if found is None:
        yield from _impossible(operation, given)
    elif isinstance(found, Broken):
        return
    elif found.header.null:
        if not _may_be_null(operation, given):
            wrong = Finding.of(
                f"null-{_rule(given)}",
                [operation.party()],
                argument=given.name,
                constant=found.header.name,
                noun=_NOUNS[given.kind],
            )
            yield returned_codes.with_cause(wrong, process, given.kind)
    elif found.header.freed and _was_freed_before(operation, given):
        done = "received" if given.kind == "message" else "freed"
        parties = [
            operation.party(),
            process.object_party(found),
            *process.freeing_call(found, done),
        ]
        facts = {"argument": given.name, "noun": _NOUNS[given.kind]}
        yield Finding.of(f"{done}-{_rule(given)}", parties, **facts)


def _rule(given: _PassedHandle) -> str:
    # Datatypes in communication have rules of their own (analysis/calls/datatype_state.py).
    return "type" if given.kind == "datatype" else given.kind


def _may_be_null(operation: Operation, given: _PassedHandle) -> bool:
    # MPI_FILE_NULL stands for the default error handler of files (MPI-4.1, section 14.7).
    procedure = operation.call.procedure
    if given.kind == "file" and procedure == "MPI_File_get_errhandler":
        return True
    known = procedures.marked(procedure).handles
    return any(one.may_be_null for one in known if one.name == given.name)


def _was_freed_before(operation: Operation, given: _PassedHandle) -> bool:
    # Return whether the object was certainly freed before the call. Another thread may free the
    # object during the call. A new message or request without a record may have the handle. MPI may
    # have returned one error handler several times.
    info, procedure = operation.process.registry.info, operation.call.procedure
    uncertain = given.kind == "message" and (info.unseen or info.dropped)
    uncertain = uncertain or given.kind == "request"
    uncertain = uncertain or procedure == "MPI_Errhandler_free"
    return not uncertain and not info.concurrent


def _impossible(operation: Operation, given: _PassedHandle) -> Findings:
    process = operation.process
    other = _of_another_kind(process, given)
    foreign = foreign_handles.explain(process, given.kind, given.handle) if other is None else None
    why: Value = _is_of(other) if other is not None else _why_impossible(process, given)
    if foreign is not None:
        why = foreign.why
    if not why:
        return
    detail = Phrase.of("{handle} {why}", handle=given.handle, why=why)
    parties = [operation.party(detail)]
    if other is not None and not _is_known_by_name(other):
        parties.append(process.object_party(other))
    found = Finding.of(
        "no-handle",
        parties,
        argument=given.name,
        handle=given.handle,
        noun=_NOUNS[given.kind],
        error_class=CLASSES[given.kind],
    )
    if foreign is None:
        yield returned_codes.with_cause(found, process, given.kind)
    else:
        yield replace(found, advice=foreign.advice)


def _of_another_kind(process: Process, given: _PassedHandle) -> Object | None:
    # Open MPI's handles are addresses, so two existing objects never have equal handles. MPICH's
    # files have addresses, but all other kinds have numbers, which may be equal between kinds.
    info = process.registry.info
    addresses = info.flavor == "Open MPI"
    if given.handle == 0 or (given.kind == "file" and not addresses):
        return None
    for kind in _NOUNS:
        found = process.registry.find(kind, given.handle) if kind != given.kind else None
        if found is None or isinstance(found, Broken):
            continue
        there = addresses and not info.concurrent and not found.header.is_ended
        if found.header.predefined or found.header.null or there:
            return found
    return None


def _is_known_by_name(found: Object) -> bool:
    header = found.header
    return (header.predefined or header.null) and bool(header.name)


def _is_of(other: Object) -> str:
    noun = _NOUNS[other.header.kind]
    return f"is {other.header.name}, {noun}" if _is_known_by_name(other) else f"is that of {noun}"


def _why_impossible(process: Process, given: _PassedHandle) -> str:
    info, handle = process.registry.info, given.handle
    if handle == 0:
        return "is never a handle"
    if info.kind_bits and given.kind != "file":
        kinds = process.kinds_of_bits(handle & info.kind_bits)
        if given.kind not in kinds:
            nouns = [_NOUNS.get(kind, kind) for kind in kinds]
            return f"would be {' or '.join(nouns)}" if nouns else "is not a handle of any kind"
    if info.flavor != "Open MPI" and given.kind != "file":
        return ""
    if handle < foreign_handles.FIRST_ADDRESS:
        return "is not a mapped address of the process"
    if info.flavor != "Open MPI":
        return ""
    if any(not gap.mapped and gap.start <= handle < gap.end for gap in process.gaps or ()):
        return "is not a mapped address of the process"
    # Open MPI's objects begin with the address of their class, or in a debug build with a mark.
    return "points to zeros, not to an object" if process.registry.is_zero(handle) else ""


def _wrong_requests(operation: Operation) -> Findings:
    # Null requests are not reported here, because MPI resets the handles of completed requests. MPI
    # does not reset them if requests are started, freed (their handle is kept) or cancelled.
    call, process = operation.call, operation.process
    registry = process.registry
    if call.requests is None or not _has_given_requests(operation):
        return
    # With several threads, MPI may reuse a handle before the thread that completed the first
    # request has recorded its completion. Then it is unknown which request the record describes.
    several = registry.info.concurrent
    try:
        handles = registry.passed_handles(call, _MOST_REQUESTS)
        found = registry.passed_requests(call, _MOST_REQUESTS)
        over = {} if several else dict(registry.stale_requests(call, _MOST_REQUESTS))
    except MpippError:  # the array is in the caller's memory
        return
    yield from _repeated_requests(operation, found)
    for number, (handle, known) in enumerate(zip(handles, found)):
        place = (
            f"array_of_requests[{number}]"
            if call.procedure.endswith(("all", "any", "some"))
            else "request"
        )
        if not known:
            yield from _impossible(operation, _PassedHandle(place, "request", handle))
        elif several or len(known) != 1 or isinstance(known[0], Broken):
            continue
        elif over.get(number) == known[0]:
            yield from _completed_request(operation, place, known[0])
        elif call.procedure.startswith("MPI_Start"):
            yield from _started(operation, place, known[0])
        elif call.procedure in _GIVING_UP and known[0].header.null:
            yield _null(operation, place)
        elif not isinstance(known[0], Request):
            continue
        elif call.procedure in _GIVING_UP and known[0].pending:
            yield from _freed_while_active(operation, known[0])


def _repeated_requests(
    operation: Operation, found: Sequence[tuple[Object | Broken, ...]]
) -> Findings:
    # Finds a request that is twice in the array of a call that completes or starts requests. A
    # persistent request may be completed twice. With unrecorded requests, the second handle may
    # belong to another request.
    info, first = operation.process.registry.info, dict[int, int]()
    starts = operation.call.procedure == "MPI_Startall"
    if info.concurrent or not (starts or operation.call.procedure in _COMPLETING_ALL):
        return
    if info.unseen or info.dropped:
        return
    for number, known in enumerate(found):
        request = known[0] if len(known) == 1 else None
        if not isinstance(request, Request) or request.header.null or request.newer:
            continue
        again = first.setdefault(request.header.record, number)
        wrong = request.persistent if starts else request.pending and not request.persistent
        if again != number and wrong:
            parties = [operation.party(), operation.process.object_party(request)]
            rule = "started-twice" if starts else "request-twice"
            yield Finding.of(rule, parties, index=number, first_index=again)


def _completed_request(operation: Operation, place: str, request: Object) -> Findings:
    assert isinstance(request, Request)
    call = request.call
    receives, sends = call.source is not None, call.dest is not None
    of = "an operation" if receives == sends else "a receive" if receives else "a send"
    parties = [operation.party(), operation.process.object_party(request)]
    if request.state == "complete" and not request.persistent:
        yield Finding.of("completed-request", parties, argument=place, noun=of)
    else:
        yield Finding.of("freed-request", parties, argument=place, noun="a request")


def _has_given_requests(operation: Operation) -> bool:
    # Excludes calls that create a request.
    return not operation.call.buffers and operation.call.procedure.startswith(
        ("MPI_Start", "MPI_Wait", "MPI_Test", "MPI_Cancel", "MPI_Request_free", "MPI_Pready")
    )


def _null(operation: Operation, place: str) -> Finding:
    facts = {"argument": place, "constant": "MPI_REQUEST_NULL", "noun": "a request"}
    return Finding.of("null-request", [operation.party()], **facts)


def _started(operation: Operation, place: str, request: Object) -> Findings:
    if request.header.null:
        yield _null(operation, place)
    elif isinstance(request, Request) and not (request.persistent or request.header.is_ended):
        made = operation.process.object_party(request)
        facts = {"argument": place, "procedure": request.call.procedure}
        yield Finding.of("not-persistent", [operation.party(), made], **facts)
    elif isinstance(request, Request) and request.persistent and request.state == "active":
        made = operation.process.object_party(request)
        yield Finding.of("already-active", [operation.party(), made], argument=place)


def _freed_while_active(operation: Operation, request: Request) -> Findings:
    call, process = request.call, operation.process
    done = _GIVING_UP[operation.call.procedure]
    parties = [operation.party(), process.object_party(request)]
    if call.partitioned:
        yield Finding.of("partitioned-given-up", parties, procedure=call.procedure, verb=done)
    elif call.facts.over == "comm":  # the standard has no such rule for files
        yield Finding.of("collective-given-up", parties, procedure=call.procedure, verb=done)
    elif (
        done == "freed"
        and call.source is not None
        and not _is_certainly_completed(process, request)
    ):
        yield Finding.of("receive-given-up", parties, procedure=call.procedure)


def _is_certainly_completed(process: Process, request: Request) -> bool:
    # Return whether the program may free the receive (MPI-4.1, section 3.8.4): it receives from
    # MPI_PROC_NULL, or it was cancelled and has no ordinal any more.
    source = request.call.source
    nobody = source is not None and process.around.constant_name(source, "MPI_PROC_NULL")
    return bool(nobody) or request.call.ordinal is None
