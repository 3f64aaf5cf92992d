# SPDX-License-Identifier: MIT
"""Check that the data of MPI_Pack and MPI_Unpack fit into the packed buffer (MPI-4.1, section 5.2).

mpipp does not record `position`, so it compares the data with the whole buffer.
"""

from __future__ import annotations

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.model import Buffer, DatatypeRecord

_CASES = {"MPI_Pack": "pack", "MPI_Unpack": "unpack"}


def check(process: Process) -> Findings:
    """Yield active calls with more data than the packed buffer has bytes."""
    for operation in process.operations:
        case = _CASES.get(operation.call.procedure.removesuffix("_c"))
        buffers = operation.call.buffers
        if operation.tid is None or case is None or len(buffers) != 2:
            continue
        inbuf, outbuf = buffers
        data, packed = (inbuf, outbuf) if case == "pack" else (outbuf, inbuf)
        size = _data(data)
        if 0 <= packed.total_count < size:
            facts = {"bytes": size, "packed_bytes": packed.total_count}
            yield Finding.of("packed-beyond", [operation.party()], case, **facts)


def _data(buffer: Buffer) -> int:
    record = buffer.datatype
    return buffer.total_count * record.tree.size if isinstance(record, DatatypeRecord) else 0
