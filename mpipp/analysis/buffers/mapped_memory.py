# SPDX-License-Identifier: MIT
"""Check that communication buffers are in mapped memory."""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.analysis.buffers import int_overflow
from mpipp.analysis.buffers.int_overflow import Wrapped
from mpipp.analysis.context.buffer_accesses import Access, accesses
from mpipp.analysis.context.process import Gap, Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.datatypes import memory
from mpipp.datatypes.memory import Region, union
from mpipp.model import DatatypeRecord
from mpipp.render.phrases import Phrase

_NO_DISPLACEMENT = 1 << 32  # larger displacements from a buffer are hardly possible
_NEAR = 1 << 24  # bytes between variables of one function, or of one block
_LARGE = 1 << 20  # bytes from which on `check` sees holes (wrapper/call_filter/read_only_memory.h)


def check(process: Process) -> Findings:
    """Yield buffers that reach into unmapped memory, or into read-only memory if MPI writes there.

    Also yields buffers whose displacements overflowed.
    """
    gaps = process.gaps or ()
    unread = _region([gap for gap in gaps if not gap.mapped])
    unwritten = _region(gaps)
    for operation in process.operations:
        if operation.may_be_completed:
            continue
        for access in accesses(operation):
            shared = memory.shared(access.region, unread) if gaps else None
            if shared is not None:
                yield _outside(access, shared[0])
                continue
            yield from _wrapped(access)
            if gaps and access.writes:
                shared = memory.shared(access.region, unwritten)
                if shared is not None:
                    yield _read_only(access, shared[0])


def small_outside(access: Access, gaps: Sequence[Gap]) -> Finding | None:
    """The finding for a buffer that reaches into unmapped memory, but is too small for `check`."""
    unread = _region([gap for gap in gaps if not gap.mapped])
    shared = memory.shared(access.region, unread) if gaps else None
    is_small = access.region.high - access.region.low < _LARGE
    return _outside(access, shared[0]) if shared is not None and is_small else None


def _region(gaps: Sequence[Gap]) -> Region:
    return union([memory.span(gap.start, gap.end) for gap in gaps])


def _outside(access: Access, byte: int) -> Finding:
    peer = _peer(access, byte)
    if peer is not None and (found := int_overflow.wrapped(access.buffer).get(peer)):
        return _overflow("overflowed-displacement", access, peer, found, access.used(byte))
    details = [access.used(byte)]
    if _has_addresses(access):
        template = "the displacements of the datatype are addresses: MPI adds them to {argument}"
        return Finding.of(
            "added-addresses",
            [access.operation.party(*details, Phrase.of(template, argument=access.buffer.role))],
            procedure=access.operation.call.procedure,
            argument=access.buffer.role,
            address=byte,
        )
    number = int_overflow.displacement(access.buffer, peer) if peer is not None else None
    if number is not None:
        details.append(
            Phrase.of("its displacement is {displacement_number}", displacement_number=number)
        )
    return Finding.of(
        "unmapped-buffer",
        [access.operation.party(*details)],
        "whole" if byte == access.region.low else "part",
        procedure=access.operation.call.procedure,
        argument=access.buffer.role,
        address=byte,
    )


def _has_addresses(access: Access) -> bool:
    # Return whether a displacement of the datatype is the address of the buffer, or one near it.
    record, address = access.buffer.datatype, access.buffer.address
    if not isinstance(record, DatatypeRecord) or access.buffer.shares is not None:
        return False
    return address >= _NO_DISPLACEMENT and abs(record.tree.true_lb - address) < _NEAR


def _wrapped(access: Access) -> Findings:
    # The first displacement that certainly overflowed, although it points to mapped memory.
    for peer, found in int_overflow.wrapped(access.buffer).items():
        if found.is_certain:
            yield _overflow("wrapped-displacement", access, peer, found)
            return


def _overflow(rule: str, access: Access, peer: int, found: Wrapped, *details: Phrase) -> Finding:
    operation = access.operation
    return Finding.of(
        rule,
        [operation.party(*details)],
        peer=operation.peer(peer),
        argument=access.buffer.role,
        displacement_number=found.number,
        meant_number=found.meant,
        procedure=operation.call.procedure,
    )


def _peer(access: Access, byte: int) -> int | None:
    # The process whose share contains a byte.
    at = memory.span(byte, byte + 1)
    for one in access.entries:
        if memory.shared(memory.region(one.datatype, one.count, one.address), at) is not None:
            return one.peer
    return None


def _read_only(access: Access, byte: int) -> Finding:
    return Finding.of(
        "read-only-buffer",
        [access.operation.party(access.used(byte))],
        procedure=access.operation.call.procedure,
        argument=access.buffer.role,
        address=byte,
    )
