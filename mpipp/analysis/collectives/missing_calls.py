# SPDX-License-Identifier: MIT
"""Check for processes that ended without a collective call that others made (MPI-4.1, 6.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from mpipp.analysis.calls.leaks import at_the_end
from mpipp.analysis.context.channel_history import Side, every, is_certain, is_collective
from mpipp.analysis.context.world import Member, World
from mpipp.analysis.deadlock import names
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.render.phrases import Phrase

_ON = {"window calls": "its window", "file calls": "its file"}


def check(known: World, parted: Collection[int]) -> Findings:
    """Yield the first call on each communicator, window and file that some of its processes lack.

    A collective call need not wait for all processes, so the program may have ended without a hang.
    Only processes at their end are compared: others may still make the call.

    Args:
        parted: communicators to skip: different operations had the same ordinal on them, or on
            their windows or files.
    """
    ended = {process for process in known.processes if at_the_end(process)}
    told: set[object] = set()
    for side in every(known, is_collective):
        identity = side.member.comm.identity
        on = identity, side.channel.sequence, side.channel.tag
        if side.member.process not in ended or identity in parted or on in told:
            continue
        missing = [
            (member, count)
            for member, count in _peer_counts(known, side)
            if member.process in ended and count < side.channel.count
        ]
        if missing:
            found = _finding(known, side, missing)
            if found is not None:
                told.add(on)
                yield found


def _peer_counts(known: World, side: Side) -> Iterator[tuple[Member, int]]:
    # Yields peers with the certain number of their calls. On an intercommunicator the peers are the
    # other group, because all its processes take part in collective calls (MPI-4.1, 6.2.2).
    sequence = side.channel.sequence
    for peer in known.peers(side.member):
        if peer is None or peer.process is side.member.process:
            continue
        if "collectives" in peer.comm.uncertain:  # the ordinals identify windows and files
            continue
        ours = (
            c for c in peer.comm.channels if (c.sequence, c.tag) == (sequence, side.channel.tag)
        )
        channel = next(ours, None)
        if channel is None:
            # For a freed communicator the number of calls is unknown. A window or a file has no
            # channel before its first call.
            if not peer.comm.header.is_ended and sequence == "collectives":
                yield peer, 0
        elif not channel.history and sequence != "collectives":
            continue  # the ledger was full, and none of its calls was counted
        elif is_certain(peer.comm, channel) and not channel.frozen:
            yield peer, channel.count


def _finding(known: World, side: Side, missing: list[tuple[Member, int]]) -> Finding | None:
    least = min(count for _, count in missing)
    stretch = next((s for s in side.stretches if s.first <= least + 1 < s.end), None)
    if stretch is None or side.channel.frozen:
        return None
    call = replace(stretch.at(least + 1).call, ordinal=least + 1)
    ranks = [known.rank(member.process) for member, count in missing if count == least]
    who = tuple(rank for rank in ranks if rank is not None)
    on = _ON.get(side.channel.sequence) or names.comm(side.member.comm)
    number = Phrase.of(
        "collective call number {call_ordinal} on {comm}", call_ordinal=least + 1, comm=on
    )
    return Finding.of(
        "collective-missing",
        [side.operation(call).party(number)],
        "one" if len(who) == 1 else "several",
        ranks=who,
        procedure=call.procedure,
    )
