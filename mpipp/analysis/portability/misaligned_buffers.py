# SPDX-License-Identifier: MIT
"""Check for elements of a buffer at addresses that some processors cannot access.

The C types define the alignment. Bytes and characters may be at any address.
"""

from __future__ import annotations

from mpipp.analysis.context.buffer_accesses import Access
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.datatypes import alignment
from mpipp.render.phrases import Phrase


def check(access: Access, party: Party) -> Finding | None:
    """Return the finding for the first misaligned element of a buffer, or None.

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
