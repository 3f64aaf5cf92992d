# SPDX-License-Identifier: MIT
"""Check of the datatypes of a file's view (MPI-4.1, section 14.3).

Displacements of a filetype must not be negative or decrease, and the filetype consists of etypes.
If the program may write the file, its parts must not overlap. mpipp checks the first elements of a
large filetype.
"""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.datatypes import element_address, memory
from mpipp.datatypes.element_address import Element
from mpipp.model import DatatypeRecord, File
from mpipp.render.phrases import Value
from mpipp.typetree import Datatype

_MOST = 4096  # elements that are checked
_WRITES = ("MPI_MODE_WRONLY", "MPI_MODE_RDWR")


def check(process: Process) -> Findings:
    """Yield the first error of every view that is being set."""
    for operation in process.operations:
        types = {name: record for name, _, record in operation.call.given_types}
        etype, filetype = types.get("etype"), types.get("filetype")
        if operation.tid is None or not _is_recorded(etype) or not _is_recorded(filetype):
            continue
        assert isinstance(etype, DatatypeRecord) and isinstance(filetype, DatatypeRecord)
        for rule, case, facts in _problems(operation, etype.tree, filetype.tree):
            parties = [operation.party(), process.object_party(filetype)]
            yield Finding.of(rule, parties, case, **facts)
            break


def _is_recorded(record: object) -> bool:
    return isinstance(record, DatatypeRecord) and not record.header.null


def _problems(
    operation: Operation, etype: Datatype, filetype: Datatype
) -> Iterator[tuple[str, str, dict[str, Value]]]:
    # The rules that the types break, each with its case.
    if not filetype.size or not etype.size:
        return
    if filetype.true_lb < 0:
        first = element_address.at_displacement(filetype, filetype.true_lb)[0]
        facts: dict[str, Value] = {"element": first.path, "displacement": first.displacement}
        yield "filetype-negative", "", facts
    pair = _descending(filetype)
    if pair is not None:
        before, after = pair
        yield (
            "filetype-order",
            "",
            {
                "element": after.path,
                "displacement": after.displacement,
                "other_element": before.path,
                "other_displacement": before.displacement,
            },
        )
    if filetype.size % etype.size:
        facts = {"bytes": filetype.size, "etype_bytes": etype.size}
        yield "filetype-not-of-etypes", "size", facts
    other = _other_type(filetype, etype)
    if other is not None:
        facts = {"element": other.path, "bytes": other.datatype.size, "etype_bytes": etype.size}
        yield "filetype-not-of-etypes", "element", facts
    if _is_written(operation):
        twice = memory.self_overlap(filetype, 1)
        if twice is not None and twice.first is not None and twice.second is not None:
            facts = {"element": twice.first.path, "other_element": twice.second.path}
            yield "filetype-overlap", "", facts


def _descending(filetype: Datatype) -> tuple[Element, Element] | None:
    # The first element at a lower displacement than its predecessor in the type map.
    before = None
    for element in _elements(filetype):
        if before is not None and element.displacement < before.displacement:
            return before, element
        before = element
    return None


def _other_type(filetype: Datatype, etype: Datatype) -> Element | None:
    # The first element of another size than a predefined etype. Any type may be made of bytes.
    if etype.components or etype.element_count != 1 or etype.size == 1:
        return None
    elements = _elements(filetype)
    return next((one for one in elements if one.datatype.size != etype.size), None)


def _elements(filetype: Datatype) -> Iterator[Element]:
    # The first elements of a filetype, in the order of the type map.
    position = 0
    for _ in range(_MOST):
        if position >= filetype.size:
            break
        element = element_address.at_packed(filetype, position)
        yield element
        position += element.datatype.size


def _is_written(operation: Operation) -> bool:
    process, handle = operation.process, operation.call.file
    found = process.usable("file", handle) if handle is not None else None
    if not isinstance(found, File):
        return False
    modes = process.around.constants
    return any(found.amode & modes.get(mode, 0) for mode in _WRITES)
