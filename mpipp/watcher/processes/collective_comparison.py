# SPDX-License-Identifier: MIT
"""Compare blocking collective calls that have not begun, for `--strict`."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

from mpipp.analysis.collectives import active, buffer_pairs, dist_graph_edges
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import Member
from mpipp.analysis.findings import formatting
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.analysis.findings.formatting import Where
from mpipp.model import Comm
from mpipp.watcher.ipc.protocol import CollectiveQuery
from mpipp.watcher.processes.labels import ShownProcess
from mpipp.watcher.processes.process import operations

NOT_BEFORE = (
    "calls before they start (--strict) on communicators of sessions or of several "
    "MPI_COMM_WORLDs, and more than 256 at a time in one process"
)
# Bit of an answer (wrapper/watcher_client/collective_mismatch.c): the process stops first.
STOPS = 0x80


def answer(connection: socket.socket, code: int, error_class: str = "") -> None:
    """Let a waiting process continue; if its calls disagree, with MPI's error class."""
    with contextlib.suppress(OSError), connection:
        said = bytes([code]) + error_class.encode()
        connection.send(said, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


class ReportedCalls:
    """The calls that were reported before they began. Later checks find the same errors again."""

    def __init__(self) -> None:
        self._at: list[tuple[str, set[tuple[str, ...]]]] = []

    def plain(self) -> list[tuple[str, list[list[str]]]]:
        """The calls as plain values for `add_plain`."""
        return [(rule, [list(place) for place in places]) for rule, places in self._at]

    def add_plain(self, told: Iterable[tuple[str, list[list[str]]]]) -> None:
        """Add calls from `plain` of another node. Raises ValueError or TypeError for damaged
        values."""
        self._at += [(str(rule), {tuple(map(str, p)) for p in places}) for rule, places in told]

    def add(self, found: Sequence[Finding], where: Where) -> None:
        """Add reported findings; `where` returns the source lines of a party."""
        self._at += [(one.rule.id, _places(one, where)) for one in found]

    def add_records(self, records: Iterable[dict[str, Any]]) -> None:
        """Add the calls of reported findings, from their records."""
        self._at += [
            (str(one["id"]), {tuple(party["where"]) for party in one["parties"]}) for one in records
        ]

    def has(self, finding: Finding, where: Where) -> bool:
        """Return whether a finding of the same rule was reported at the same places."""
        if not any(rule == finding.rule.id for rule, _ in self._at):
            return False
        places = _places(finding, where)
        return any(rule == finding.rule.id and places <= at for rule, at in self._at)


def _places(finding: Finding, where: Where) -> set[tuple[str, ...]]:
    return {tuple(where(party)) for party in finding.parties}


def compared(members: Sequence[tuple[ShownProcess, CollectiveQuery]]) -> list[Finding]:
    """The errors between the calls of one collective operation. The index in `members` numbers
    processes.

    Raises MpippError if a part was not checked.
    """
    joined: list[CollectiveCall] = []
    for number, (one, call) in enumerate(members):
        joined += _compared_calls(one.process(number), call)
    # In an intercommunicator both groups have this rank, so also sort by world rank.
    joined.sort(key=lambda one: (one.rank, one.operation.process.registry.info.world_rank or 0))
    return [
        replace(one, standard=joined[0].operation.process.registry.info.standard)
        for one in _findings(joined)
    ]


def _compared_calls(process: Process, call: CollectiveQuery) -> list[CollectiveCall]:
    inside: Operation | None = next((o for o in operations(process) if o.tid == call.tid), None)
    if inside is None:
        return []
    comm = inside.comm
    if comm is None:  # for MPI_Comm_free; calls on windows and files use MPI_COMM_WORLD
        wanted = call.identity or 1
        known = process.registry.objects("comm")
        comm = next((c for c in known if isinstance(c, Comm) and c.identity == wanted), None)
    return [CollectiveCall(inside, Member(process, comm))] if comm is not None else []


def _findings(joined: Sequence[CollectiveCall]) -> list[Finding]:
    # First return the errors that one process makes alone. Else compare the group of processes that
    # agree with the first one, and each other group.
    if not joined:  # all processes that asked have died meanwhile
        return []
    alone = [one for one in map(buffer_pairs.self_mismatch, joined) if one is not None]
    if alone:
        return alone
    first, *others = _groups(joined)
    found: list[Finding] = []
    for other in others:
        pairs = zip(cycle(first), other) if len(other) > len(first) else zip(first, cycle(other))
        told = [finding for pair in pairs for finding in active.errors(pair)]
        alike = formatting.folded(told, lambda party: ())[0].processes
        told = [one for one in told if tuple(p.process for p in one.parties) in alike]
        found += (one for one in told if not _is_repeated(one, found))
    return found or list(active.errors(joined)) or list(_ends(joined))


def _is_repeated(finding: Finding, found: Sequence[Finding]) -> bool:
    # If an argument differs in every process, two parties are enough.
    return finding.rule.check == "argument-mismatch" and any(
        (one.rule.id, one.sentence) == (finding.rule.id, finding.sentence)
        and one.what != finding.what
        for one in found
    )


def _ends(joined: Sequence[CollectiveCall]) -> Findings:
    # Report edges of the topology that only one of their ends declares: a process waits there
    # forever.
    if joined[0].operation.among_neighbors:
        members = [one.member for one in joined]
        if all(one.comm.topology == "distributed graph" for one in members):
            yield from dist_graph_edges.differing(members)


def _groups(joined: Sequence[CollectiveCall]) -> list[list[CollectiveCall]]:
    # Groups of calls that agree pairwise. An error in a message shows only if both ends are
    # present.
    groups: list[list[CollectiveCall]] = []
    for one in joined:
        agreeing = (g for g in groups if not any(active.errors([g[0], one])))
        group = next(agreeing, None)
        if group is None:
            groups.append([])
        (groups[-1] if group is None else group).append(one)
    return groups
