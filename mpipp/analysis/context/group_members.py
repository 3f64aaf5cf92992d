# SPDX-License-Identifier: MIT
"""Groups in calls like MPI_Comm_create, which all their members must pass."""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.analysis.context.process import Operation
from mpipp.model import Group
from mpipp.render.phrases import Phrase

_WORD = (1 << 64) - 1
_COUNT = (1 << 24) - 1  # the bits of the number of members in a key
_MOST_SHOWN = 16


def members(operation: Operation) -> int | None:
    """Return the key of the group; 0 if the process is not in it, None if it is unknown."""
    call = operation.call
    if call.state == "over":
        known = call.arguments.get("members", 0)
        return known if isinstance(known, int) else None
    group = _passed_group(operation)
    if group is None or group.world_ranks is None:
        return None
    return _summed(group.world_ranks) if group.rank >= 0 else 0


def count(summed: int) -> int:
    """Return the number of members of a group, from its key."""
    return summed & _COUNT


def shown(operation: Operation) -> Phrase | None:
    """Return the group in words; None if it is unknown."""
    known = ranks(operation)
    if known is None:
        apart = members(operation) == 0
        return Phrase("passes a group that it is not in") if apart else None
    if not known:
        return Phrase("passes a group of no processes")
    if len(known) > _MOST_SHOWN:
        return Phrase.of("passes a group of {count} processes", count=len(known))
    template = "passes the group {text} of ranks in MPI_COMM_WORLD"
    return Phrase.of(template, text=listed(known))


def listed(ranks: Sequence[int]) -> str:
    """Return a group's members as `{0, 2}`, shortened if there are many."""
    named = ["?" if rank < 0 else str(rank) for rank in ranks[:_MOST_SHOWN]]
    more = ["..."] if len(ranks) > _MOST_SHOWN else []
    return f"{{{', '.join([*named, *more])}}}"


def stringtag(operation: Operation) -> bytes:
    """Return the stringtag of a call without a communicator; empty if it has none."""
    found = operation.call.arguments.get("stringtag")
    return bytes(found) if isinstance(found, tuple) else b""


def argument_ranks(operation: Operation, name: str) -> Sequence[int] | None:
    """Return the ranks in MPI_COMM_WORLD of a group argument of an active call, or None."""
    group = _passed_group(operation, name)
    return group.world_ranks if group is not None else None


def ranks(operation: Operation) -> Sequence[int] | None:
    """Return the ranks in MPI_COMM_WORLD of a call's group, in its order; None if unknown."""
    if operation.call.state != "over":
        group = _passed_group(operation)
        return group.world_ranks if group is not None else None
    wanted = members(operation)
    if not wanted:
        return None
    # A completed call has only the key of its group. The group or its record may still
    # exist.
    known = operation.process.registry.objects("group", ended=True)
    groups = (one for one in known if isinstance(one, Group) and one.size == count(wanted))
    found = (one.world_ranks for one in groups if one.world_ranks is not None)
    return next((every for every in found if _summed(every) == wanted), None)


def _passed_group(operation: Operation, name: str = "") -> Group | None:
    given = operation.call.arguments
    handle = given.get(name) if name else given.get("group", given.get("local_group"))
    if not isinstance(handle, int):
        return None
    found = operation.process.registry.find("group", handle)
    return found if isinstance(found, Group) else None


def _summed(ranks: Sequence[int]) -> int:
    # Computes the key like the ledger (wrapper/recorder/ledger/call_items.c), as a signed number.
    hash = len(ranks)
    for rank in ranks:
        hash = ((hash ^ (rank & _WORD)) * 0xBF58476D1CE4E5B9 + 1) & _WORD
    word = (hash << 24 | len(ranks) & _COUNT) & _WORD
    return word - (1 << 64) if word >> 63 else word
