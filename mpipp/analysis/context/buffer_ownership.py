# SPDX-License-Identifier: MIT
"""The rule about buffers of pending operations, for each kind of operation: section and end.

The rules cite nonblocking point-to-point communication; this module has the other kinds.
"""

from __future__ import annotations

from dataclasses import replace

from mpipp.analysis.findings.finding import Finding
from mpipp.model import Call


def of_kind(finding: Finding, call: Call) -> Finding:
    """Return a finding about a pending operation's buffer, with the rule for its kind."""
    return replace(finding, rule=finding.rule._replace(section=_section(call)))


def completing(call: Call) -> str:
    """Return the procedure that completes the operation; one-sided ones may have no request."""
    return "MPI_Wait" if call.facts.returns_immediately else "MPI_Win_flush"


def _section(call: Call) -> str:
    # The section of MPI-4.1.
    facts = call.facts
    if call.win is not None:
        return "12.3"
    if call.file is not None:
        return "14.4.1"
    if facts.form == "partitioned":
        return "4.2"
    if facts.over == "comm":
        nonblocking, persistent = ("8.7", "8.8") if facts.among_neighbors else ("6.12", "6.13")
        return persistent if facts.form == "persistent" else nonblocking
    return "3.9" if facts.form == "persistent" else "3.7.2"
