# SPDX-License-Identifier: MIT
"""Do elements of a buffer lie at addresses that some processors cannot access?

By the alignment of the C types. Bytes and characters may lie anywhere.
"""

from __future__ import annotations

from mpipp.analysis.context.buffer_accesses import Access
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.datatypes import alignment
from mpipp.render.phrases import Phrase


def check(access: Access, party: Party) -> Finding | None:
    """The finding for the first misaligned element of a buffer; None if there is none.

    Args:
        party: the access's operation.
    """
    for one in access.entries:
        found = alignment.misaligned(one.datatype, one.count, one.address)
        if found is not None:
            address = one.address + found.displacement
            detail = Phrase.of("at {address}: {name}", name=access.name(address), address=address)
            return Finding.of(
                "misaligned-buffer",
                [party.with_details(detail)],
                argument=access.buffer.role,
                datatype=found.datatype.name,
                size=alignment.alignment(found.datatype),
            )
    return None
