# SPDX-License-Identifier: MIT
"""Check for datatypes that fit their variables only if C's long has 8 bytes (MPI-4.1, 3.2.2).

C's long has 4 bytes on 32-bit systems, and on Windows. Integers of a fixed size are equal
everywhere.
"""

from __future__ import annotations

from mpipp.analysis.findings.finding import Finding, Party
from mpipp.analysis.program_objects.datatype_fit import Part, Uses, comparison
from mpipp.model import Buffer
from mpipp.program_types import types
from mpipp.program_types.compare import Cover
from mpipp.program_types.types import Scalar
from mpipp.render.phrases import Phrase

_LONGS = ("MPI_LONG", "MPI_UNSIGNED_LONG")
_FIXED = (
    *("MPI_INT64_T", "MPI_UINT64_T", "MPI_LONG_LONG_INT", "MPI_LONG_LONG"),
    "MPI_UNSIGNED_LONG_LONG",
)
_LONG_VARIABLES = ("long", "unsigned long")
_FIXED_VARIABLES = ("int64_t", "uint64_t", "long long", "unsigned long long")


def check(buffer: Buffer, part: Part, uses: Uses, party: Party) -> Finding | None:
    """Return the finding for the first element whose size differs on other systems, or None.

    Args:
        party: the operation.
    """
    known = [use for use in uses if use is not None]
    declared = next((use for use in known if use.is_declared), None)
    if declared is None or len(known) < len(uses):
        return None
    for cover in comparison(part.record.tree, part.entries, declared).covers:
        scalar = _scalar(cover)
        if scalar is None or not _may_differ(cover.stream.leaf.name, scalar.name):
            continue
        fits = types.datatype_name(scalar, False)
        template = "{element} is on {variable}, of type {kind}"
        detail = Phrase.of(template, element=cover.element, variable=cover.member, kind=scalar.name)
        return Finding.of(
            "long-size",
            [party.with_details(detail)],
            argument=buffer.role,
            datatype=cover.stream.leaf.name,
            kind=scalar.name,
            clause=Phrase.of(": {datatype} fits", datatype=fits) if fits else Phrase(""),
        )
    return None


def _scalar(cover: Cover) -> Scalar | None:
    start = cover.stream.start
    found = types.within(cover.layout.kind, start, start + cover.stream.size)
    scalar = next((one for _, _, one in found), None)
    return scalar if isinstance(scalar, Scalar) else None


def _may_differ(datatype: str, variable: str) -> bool:
    is_long = datatype in _LONGS and variable in _FIXED_VARIABLES
    return is_long or (datatype in _FIXED and variable in _LONG_VARIABLES)
