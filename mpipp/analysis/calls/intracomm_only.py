# SPDX-License-Identifier: MIT
"""Check that a call gets an intracommunicator, or an intercommunicator, if it needs one."""

from __future__ import annotations

from collections.abc import Mapping

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings

# The violated rule, by operation. A rule "two-..." demands an intercommunicator, the others an
# intracommunicator.
_RULES: Mapping[str, str] = {
    **dict.fromkeys(("Scan", "Exscan"), "one-group-scan"),
    **dict.fromkeys(
        (
            "Cart_create",
            "Cart_map",
            "Graph_create",
            "Graph_map",
            "Dist_graph_create",
            "Dist_graph_create_adjacent",
        ),
        "one-group-topology",
    ),
    **dict.fromkeys(
        ("Win_create", "Win_create_dynamic", "Win_allocate", "Win_allocate_shared"),
        "one-group-window",
    ),
    "File_open": "one-group-file",
    "Comm_create_group": "one-group-part",
    "Intercomm_create": "one-group-leaders",
    "Intercomm_merge": "two-groups-merged",
    **dict.fromkeys(("Comm_remote_size", "Comm_remote_group"), "two-groups-remote"),
}


def check(process: Process) -> Findings:
    """Yield calls with an intercommunicator in place of an intracommunicator, and the reverse."""
    for operation in process.operations:
        call, comm = operation.call, operation.comm
        rule = _RULES.get(call.facts.operation)
        # A pending operation may outlive its communicator.
        if rule is None or comm is None or operation.tid is None:
            continue
        two = rule.startswith("two-")
        if comm.inter != two:
            made = [] if comm.header.predefined else [process.object_party(comm)]
            yield Finding.of(rule, [operation.party(), *made], procedure=call.procedure)
