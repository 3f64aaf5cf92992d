# SPDX-License-Identifier: MIT
"""Communication buffers with their values: {address, call, count, type, data}."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mpipp.datatypes.values.nodes import Memory
from mpipp.datatypes.values.nodes import buffer as values
from mpipp.model import Broken, Buffer, Call, DatatypeRecord
from mpipp.render import object_structs
from mpipp.render.object_structs import Surroundings
from mpipp.render.structure import Shown, Struct


def of_call(
    call: Call, number: int, request: int | None, memory: Memory, around: Surroundings
) -> list[tuple[str, Shown]]:
    """The members that show buffer `number` of a call.

    Args:
        request: the serial number of the pending request from this call; None for an active call.
    """
    buffer = call.buffers[number]
    result: list[tuple[str, Shown]] = [
        ("address", object_structs.address_of(buffer, around)),
        ("call", call.procedure),
    ]
    if request is not None:
        result.append(("request", request))
    result += object_structs.amount(buffer)
    result.append(("data", data(call, buffer, memory, around)))
    return result


def data(call: Call, buffer: Buffer, memory: Memory, around: Surroundings) -> Shown:
    """The values in a buffer of `call`, or the reason why there are none."""
    if around.constant_name(buffer.address, "MPI_IN_PLACE"):
        return _in_place(call, buffer)
    # The partitions of a partitioned operation form one message. Peers have separate messages.
    if buffer.shares is not None or (buffer.peers != 1 and not call.partitioned):
        return Struct(_Peers(buffer, memory))
    return entries(buffer.address, buffer.total_count, buffer.datatype, memory)


def entries(
    address: int, count: int, known: DatatypeRecord | Broken | None, memory: Memory
) -> Shown:
    """`count` entries of a datatype at `address`, or the reason why there are none."""
    if count == 0:
        return "no data: the count is 0"
    if count < 0:
        return f"no data: the count {count} is negative"
    if known is None or isinstance(known, Broken):
        return "not known: the datatype is unknown"
    if known.header.null:
        return f"no data: the datatype is {known.header.name}"
    if known.tree.size == 0:
        return "no data: the datatype is empty"
    return values(memory, address, count, known.tree)


def _in_place(call: Call, buffer: Buffer) -> Shown:
    others = [other.role for other in call.buffers if other.address != buffer.address]
    return f"in place: see {others[0]}" if others else "in place"


class _Peers(Sequence[tuple[str, Shown]]):
    # A member for each peer, r0, r1, ..., created on demand.

    def __init__(self, buffer: Buffer, memory: Memory) -> None:
        self._buffer = buffer
        self._memory = memory

    def __len__(self) -> int:
        return self._buffer.share_count

    def __getitem__(self, i: int) -> tuple[str, Shown]:  # type: ignore[override]
        if not 0 <= i < len(self):
            raise IndexError(i)
        share = self._buffer.share(i)
        address = self._buffer.address + (share.displacement or 0)
        return f"r{i}", entries(address, share.count, share.datatype, self._memory)


def by_address(calls: Iterable[tuple[Call, int]]) -> dict[int, list[tuple[int, int]]]:
    """An index of buffers by address. An entry has the caller's identifier of the call, and the
    buffer's number."""
    index: dict[int, list[tuple[int, int]]] = {}
    for call, mark in calls:
        for number, buffer in enumerate(call.buffers):
            if "remote" not in buffer.access:
                index.setdefault(buffer.address, []).append((mark, number))
    return index
