# SPDX-License-Identifier: MIT
"""Has a process come to its end without a collective call that others have made?
(MPI-4.1, section 6.1)"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.hangs import words
from mpipp.checks.leaks import at_the_end
from mpipp.checks.past.sides import Side, every, is_certain
from mpipp.checks.world import Member, World
from mpipp.show import wording


def check(known: World, parted: Collection[int]) -> Findings:
    """The first call on each communicator that not all of its processes have made.

    Of communicators that are `parted` nothing: there different operations have met before.

    A call need not wait for all, so that nobody may have noticed. Both must have come to their end:
    until then the call may come.
    """
    ended = {process for process in known.all if at_the_end(process)}
    told = set(parted)
    for side in every(known, lambda channel: channel.sequence == "collectives"):
        identity = side.member.comm.identity
        if side.member.process not in ended or identity in told:
            continue
        missing = [
            (member, count)
            for member, count in _others(known, side.member)
            if member.process in ended and count < side.channel.count
        ]
        if missing:
            found = _finding(known, side, missing)
            if found is not None:
                told.add(identity)
                yield found


def _others(known: World, member: Member) -> Iterator[tuple[Member, int]]:
    # Those of its own group, and how many collective calls they have made; certain ones.
    comm = member.comm
    if comm.inter:
        return
    for rank in range(comm.size):
        peer = known.peer(member, rank) if rank != comm.rank else None
        if peer is None or "collectives" in peer.comm.uncertain:
            continue
        channel = next((c for c in peer.comm.channels if c.sequence == "collectives"), None)
        if channel is None:
            if not peer.comm.header.ended:  # what is not needed any more may have been given back
                yield peer, 0
        elif is_certain(peer.comm, channel) and not channel.frozen:
            yield peer, channel.count


def _finding(known: World, side: Side, missing: list[tuple[Member, int]]) -> Finding | None:
    least = min(count for _, count in missing)
    stretch = next((s for s in side.stretches if s.first <= least + 1 < s.end), None)
    if stretch is None or side.channel.frozen:
        return None
    call = replace(stretch.at(least + 1).call, ordinal=least + 1)
    ranks = [known.rank(member.process) for member, count in missing if count == least]
    who = [rank for rank in ranks if rank is not None]
    what = f"{wording.verb(who, 'has', 'have')} ended without calling {call.procedure}"
    number = f"collective call number {least + 1} on {words.comm(side.member.comm)}"
    return Finding.of("collective-missing", what, [side.operation(call).party(number)])
