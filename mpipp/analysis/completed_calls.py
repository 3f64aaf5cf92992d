# SPDX-License-Identifier: MIT
"""Check of completed calls of one process by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from mpipp.analysis.buffers import overlap
from mpipp.analysis.collectives import buffer_pairs
from mpipp.analysis.context.buffer_accesses import accesses
from mpipp.analysis.context.channel_history import is_sent, is_start
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import Member
from mpipp.analysis.findings.finding import Findings
from mpipp.model import Call, Channel, Comm, DatatypeRecord, KeptCall, Outline


def check(process: Process) -> Findings:
    """Yield calls that wrote memory twice, or did not receive their own data.

    For v and w forms the first check is impossible, because their displacements are not kept.
    """
    going_on = {(one.call.procedure, one.call.site) for one in process.operations}
    seen: set[object] = set()
    once = _NoRepeats(process)
    for comm, channel in _channels(process):
        if once.wrote(comm, channel):
            continue
        for kept in _kept_calls(process, comm, channel):
            if kept.key in seen:
                continue  # computing the key takes a tenth of the time of decoding the call
            seen.add(kept.key)
            if (kept.call.procedure, kept.call.site) not in going_on:
                operation = Operation(process, kept.call, None, None, comm)
                yield from _self_overlaps(operation)
                mismatch = buffer_pairs.self_mismatch(
                    CollectiveCall(operation, Member(process, comm))
                )
                if mismatch is not None:
                    yield mismatch


class _NoRepeats:
    # In a simple history, calls with the same head differ only in the count. So if the call with
    # the largest count writes nothing twice, the others do not either.

    def __init__(self, process: Process) -> None:
        self._process = process
        self._longest: dict[bytes, float] = {b"": inf}

    def wrote(self, comm: Comm, channel: Channel) -> bool:
        """Return whether the calls of a channel certainly wrote nothing twice."""
        outline = self._process.registry.outline(comm, channel)
        return outline is not None and all(
            self._longest.get(head) == inf or self._is_well(comm, outline, head)
            for head in set(outline.heads)
        )

    def _is_well(self, comm: Comm, outline: Outline, head: bytes) -> bool:
        if _is_basic(outline.call(head, 1)):
            self._longest[head] = inf
            return True
        numbers = {number for of, number in zip(outline.heads, outline.numbers) if of == head}
        longest = max(int.from_bytes(number, "little", signed=True) for number in numbers)
        if longest <= self._longest.get(head, 0):
            return True
        operation = Operation(self._process, outline.call(head, longest), None, None, comm)
        if any(_self_overlaps(operation)):
            return False
        self._longest[head] = longest
        return True


def _is_basic(call: Call) -> bool:
    # Tests whether the entries of all buffers are contiguous.
    types = [buffer.datatype for buffer in call.buffers]
    return all(isinstance(t, DatatypeRecord) and "predefined" in t.header.flags for t in types)


def _channels(process: Process) -> Iterator[tuple[Comm, Channel]]:
    # The channels with calls that write memory.
    for comm in process.registry.objects("comm", ended=True):
        if isinstance(comm, Comm):
            for channel in comm.channels:
                if (
                    not is_sent(channel)
                    and not is_start(channel)
                    and channel.sequence not in ("turns", "steps")
                ):
                    yield comm, channel


def _kept_calls(process: Process, comm: Comm, channel: Channel) -> Iterator[KeptCall]:
    for stretch in process.registry.recorded_calls(comm, channel):
        yield from stretch.calls


def _self_overlaps(operation: Operation) -> Findings:
    for access in accesses(operation):
        if access.writes and access.buffer.shares is None:
            yield from overlap.itself(access)
