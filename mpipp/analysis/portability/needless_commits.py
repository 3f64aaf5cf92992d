# SPDX-License-Identifier: MIT
"""Check for calls of MPI_Type_commit that have no effect (MPI-4.1, section 5.1.9)."""

from __future__ import annotations

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.model import DatatypeRecord


def check(process: Process) -> Findings:
    """Yield active calls that commit a predefined or already committed datatype."""
    for operation in process.operations:
        constructor = operation.call.constructor
        if operation.call.procedure != "MPI_Type_commit" or constructor is None:
            continue
        for record in constructor.types or ():
            if not isinstance(record, DatatypeRecord) or record.header.freed or record.header.null:
                continue
            if record.header.predefined:
                party = operation.party()
                name = record.header.name
                yield Finding.of("needless-commit", [party], "predefined", datatype=name)
            elif record.committed:
                parties = [operation.party(), process.object_party(record)]
                yield Finding.of("needless-commit", parties, "again")
