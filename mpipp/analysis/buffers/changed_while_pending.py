# SPDX-License-Identifier: MIT
"""Check for buffers that were changed, or whose stack frame ended, while an operation was pending.

The wrapper finds changes when the operation completes, by comparing bytes whose pages it cannot
protect (MPI-4.1, section 3.7.2).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from mpipp.analysis.buffers.access_while_pending import NOT_KNOWN, in_variable
from mpipp.analysis.context.buffer_accesses import Access, accesses
from mpipp.analysis.context.buffer_ownership import of_kind
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Evidence, Finding, Findings, Party
from mpipp.common.errors import UnreadableMemory
from mpipp.datatypes.memory import touching
from mpipp.datatypes.values import nodes
from mpipp.render.phrases import Phrase
from mpipp.typetree import Datatype

SENT, RECEIVED, GONE = "sent", "received", "gone"


class Change(NamedTuple):
    """A change in the buffer of a pending operation.

    Attributes:
        kind: SENT, RECEIVED, or GONE: nothing has changed, but the buffer's stack frame has ended.
        address: address of the first byte that differs.
        start: address of the first byte of `before` and `now`.
        before: the old bytes; b"" for RECEIVED.
        now: the current bytes.
    """

    kind: str
    address: int
    start: int
    before: bytes
    now: bytes


class _Bytes:
    # Memory of which only these bytes are readable.
    def __init__(self, start: int, content: bytes) -> None:
        self._start, self._content = start, content

    def read(self, address: int, length: int) -> bytes:
        first = address - self._start
        if first < 0 or first + length > len(self._content):
            raise UnreadableMemory(address, length)
        return self._content[first : first + length]


def check(process: Process, changes: Iterable[Change], variable: Callable[[int], str]) -> Findings:
    """Yield the findings for changes in the bytes of a pending operation of the process.

    Args:
        variable: returns the program's variable at an address; "" if it is unknown.
    """
    pending = [one for one in process.operations if one.request is not None]
    for change in changes:
        for operation in pending:
            found = (_of(process, change, access, variable) for access in accesses(operation))
            yield from itertools.islice((one for one in found if one is not None), 1)


def _of(
    process: Process, change: Change, access: Access, variable: Callable[[int], str]
) -> Finding | None:
    name = next(access.names(change.address), None)
    if name is None:
        return None
    if change.kind == GONE:
        return of_kind(_dangling_buffer(process, access), access.operation.call)
    at = next((at for at, _ in _elements(change, access)), change.address)
    known = Phrase.of(
        "{name}, at {address}{variable}, {values}",
        name=name,
        address=at,
        variable=in_variable(variable(at)),
        values=_values(change, access),
    )
    return of_kind(_changed(process, change, access, known), access.operation.call)


def _changed(process: Process, change: Change, access: Access, known: Phrase) -> Finding:
    operation = access.operation
    verb = "stored to" if change.kind == RECEIVED else "changed"
    own = operation.party(known, *_unknown(change), *_never(process))
    displacement = change.address - access.buffer.address
    evidence = Evidence(operation.call, operation.on, None, access.buffer.role, displacement)
    return Finding.of(
        "changed-while-pending",
        [
            replace(own, evidence=evidence),
            *_calls(process, Phrase.of("it was {verb} between these calls", verb=verb)),
        ],
        procedure=operation.call.procedure,
        verb=verb,
    )


def _unknown(change: Change) -> Iterator[Phrase]:
    # The time of the store is unknown. For a receive this does not matter: any store is wrong.
    if change.kind == SENT:
        yield NOT_KNOWN


def _never(process: Process) -> Iterator[Phrase]:
    # Yields the reason why no call has completed the operation before the change was found.
    calls = [thread.call.procedure for thread in process.threads[:1] if thread.call is not None]
    if not calls:
        yield Phrase("it was not completed before the process ended")
    elif calls[0] in ("MPI_Finalize", "MPI_Abort"):
        yield Phrase.of("it was not completed before {procedure}", procedure=calls[0])


def _dangling_buffer(process: Process, access: Access) -> Finding:
    operation = access.operation
    return Finding.of(
        "gone-while-pending",
        [
            operation.party(Phrase("the function with the buffer on its stack has returned")),
            *_calls(process, Phrase("this call comes from a caller of that function")),
        ],
        procedure=operation.call.procedure,
    )


def _calls(process: Process, detail: Phrase) -> list[Party]:
    # The call in which the change was found.
    return [
        replace(Operation(process, thread.call, None, None).party(detail), tid=None)
        for thread in process.threads[:1]
        if thread.call is not None
    ]


def _values(change: Change, access: Access) -> Phrase:
    # The value of an element whose bytes are all known.
    if change.kind == RECEIVED:
        stored = _value(change, access, change.now)
        if stored is None:
            return Phrase("its value has changed")
        return Phrase.of("holds {value}", value=stored)
    before, now = (_value(change, access, part) for part in (change.before, change.now))
    if before is None or now is None or before == now:
        first = change.address - change.start
        before, now = (f"byte {part[first]:#04x}" for part in (change.before, change.now))
    return Phrase.of("was {old_value} and is {value}", old_value=before, value=now)


def _value(change: Change, access: Access, content: bytes) -> str | None:
    for at, datatype in _elements(change, access):
        node = nodes.buffer(_Bytes(change.start, content), at, 1, datatype)
        try:
            return node.text() if node.kind == "scalar" else None
        except UnreadableMemory:
            return None
    return None


def _elements(change: Change, access: Access) -> Iterator[tuple[int, Datatype]]:
    # The elements that contain the byte: their addresses, and their datatype.
    for one in access.entries:
        for element in touching(one.datatype, one.count, change.address - one.address):
            yield one.address + element.displacement, element.datatype
