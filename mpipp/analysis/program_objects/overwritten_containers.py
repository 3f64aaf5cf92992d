# SPDX-License-Identifier: MIT
"""Check that received bytes do not overwrite a container, such as a std::string or std::vector.

A container has pointers to its elements. They are valid only in the process that made them.
"""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.analysis.context.buffer_accesses import Access
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.analysis.program_objects.datatype_fit import Use
from mpipp.model import DatatypeRecord
from mpipp.program_types.types import Scalar, leaves


def check(access: Access, uses: Iterable[Use], party: Party) -> Finding | None:
    """Return the finding for a container in the bytes that MPI writes, or None.

    Args:
        uses: the declared variables at the first byte.
        party: the operation.
    """
    buffer, region = access.buffer, access.region
    record = buffer.datatype
    if "writes" not in buffer.access or buffer.shares or not isinstance(record, DatatypeRecord):
        return None
    tree, length = record.tree, region.high - region.low
    if tree.size != tree.element_count or tree.size * buffer.total_count != length:
        return None  # other than bytes, or with holes
    for use in uses:
        for path, offset, leaf, _ in leaves(use.layout.kind):
            if not isinstance(leaf, Scalar) or leaf.kind != "container":
                continue
            if use.origin <= offset and offset + leaf.size <= use.origin + length:
                part = use.layout.part(path, leaf)
                procedure = access.operation.call.procedure
                facts = {"argument": buffer.role, "procedure": procedure}
                variable = part.described
                return Finding.of("overwritten-container", [party], **facts, variable=variable)
    return None
