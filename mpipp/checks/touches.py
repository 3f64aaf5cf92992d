# SPDX-License-Identifier: MIT
"""Does the program use the buffer of an operation that is pending?

What was done there is told by the wrapper, which guards buffers (MPI-4.1, section 3.7.2).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mpipp.checks import cited
from mpipp.checks.accesses import Access, accesses
from mpipp.checks.finding import Evidence, Finding, Findings, Party
from mpipp.checks.process import Operation, Process
from mpipp.model import Site


class Touch(NamedTuple):
    """A load or store in the buffer of an operation that was pending then.

    Attributes:
        address: of the first byte that is guarded.
        site: the instruction, with its callers.
        moved: whether MPI had the data when the process called it next; None: not known.
    """

    address: int
    stores: bool
    tid: int
    site: Site
    moved: bool | None


def check(process: Process, touches: Iterable[Touch]) -> Findings:
    """What is wrong with these: those in the bytes of a pending operation of the process."""
    pending = [one for one in process.operations if one.request is not None]
    for touch in touches:
        found = (_finding(process, touch, one) for one in pending)
        yield from cited((one for one in found if one is not None), [process])


def _finding(process: Process, touch: Touch, operation: Operation) -> Finding | None:
    for access in accesses(operation):
        element = next(access.names(touch.address), None)
        if element is not None and (touch.stores or access.writes):
            return _of_element(process, touch, access, element)
    return None


def _of_element(process: Process, touch: Touch, access: Access, element: str) -> Finding:
    verb = "stores to" if touch.stores else "loads"
    noun = "store to" if touch.stores else "load from"
    operation, buffer = access.operation, access.buffer
    by = Party(
        process.number,
        f"{verb} {element}, at {touch.address:#x}",
        "at",
        touch.site,
        None,
        (),
        Evidence(operation.call, operation.on, None, buffer.role, touch.address - buffer.address),
    )
    return Finding.of(
        "touched-while-pending",
        f"a {noun} the buffer of a pending {operation.call.procedure}",
        [by, operation.party(*_moved(touch))],
    )


def _moved(touch: Touch) -> tuple[str, ...]:
    if touch.moved is None:
        return ()
    if touch.moved:
        return ("when the process called MPI next, the data had been moved: this time",)
    return ("when the process called MPI next, the data had not been moved",)
