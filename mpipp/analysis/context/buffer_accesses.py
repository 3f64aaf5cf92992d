# SPDX-License-Identifier: MIT
"""The memory that operations read and write, as one access for each communication buffer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from mpipp.analysis.context.process import Operation
from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes.memory import Region, region, touching, union
from mpipp.model import Buffer, Call, DatatypeRecord, Message
from mpipp.render.phrases import Phrase, Value
from mpipp.typetree import Datatype


@dataclass(frozen=True)
class Entries:
    """`count` entries of `datatype` at `address`: a buffer, or a peer's part in v and w forms."""

    peer: int | None
    address: int
    count: int
    datatype: Datatype


@dataclass(frozen=True, eq=False)
class Access:
    """A communication buffer of an operation, with the bytes that the operation uses."""

    operation: Operation
    buffer: Buffer
    partitions: Sequence[range] | None = None  # the partitions that are used; None: all

    @property
    def writes(self) -> bool:
        """True if the operation stores to the buffer."""
        return "writes" in self.buffer.access

    @property
    def absolute(self) -> bool:
        """True if the datatype's displacements are addresses."""
        around = self.operation.process.around
        return around.constant_name(self.buffer.address, "MPI_BOTTOM") is not None

    @property
    def verb(self) -> str:
        """The words for the operation's use of the buffer: "reads", "writes", or both."""
        both = {"reads", "writes"} <= self.buffer.access
        return "reads and writes" if both else "writes" if self.writes else "reads"

    def used(self, byte: int) -> Phrase:
        """Return the element with a byte, as a detail of a finding."""
        return Phrase.of("{verb} {name}", verb=self.verb, name=self.name(byte))

    @cached_property
    def entries(self) -> tuple[Entries, ...]:
        """The known entries; entries without data are left out."""
        if self.partitions is not None:
            return tuple(_partitions(self.buffer, self.partitions))
        return tuple(_entries(self.buffer, _absent(self.operation, self.buffer)))

    @cached_property
    def region(self) -> Region:
        """The bytes of the buffer."""
        return union([region(one.datatype, one.count, one.address) for one in self.entries])

    @cached_property
    def stored(self) -> Region:
        """The bytes of the buffer that the operation stores to, if it writes."""
        own = own_count(self.operation, self.buffer)
        if own is None:
            return self.region
        return union([region(one.datatype, own, one.address) for one in self.entries])

    def name(self, byte: int) -> Phrase:
        """Return the element with the byte at an address: `recvbuf[1](VECTOR)[0][1](DOUBLE)`."""
        unknown = Phrase.of("{argument} at {address}", argument=self.buffer.role, address=byte)
        return next(self.names(byte), unknown)

    def names(self, byte: int) -> Iterator[Phrase]:
        """Yield all elements with the byte; several if the buffer overlaps itself."""
        whole = self if self.partitions is None else Access(self.operation, self.buffer)
        for one in whole.entries:
            found = touching(one.datatype, one.count, byte - one.address)
            for element in found:
                path = f"{self.buffer.role}{element.path}"
                facts: dict[str, Value] = {"element": path, "address": byte}
                if one.peer is None:
                    yield Phrase.of("{element}", **facts)
                else:
                    yield Phrase.of(
                        "{element} of {peer}", **facts, peer=self.operation.peer(one.peer)
                    )


def own_count(operation: Operation, buffer: Buffer) -> int | None:
    """Return the number of entries that the result of an in-place reduce-scatter has in its buffer.

    The result is at the buffer's start, but the whole buffer is input (MPI-4.1, sections 6.10.1 and
    6.10.2). 0 if the number is unknown; None for other buffers.
    """
    call, comm = operation.call, operation.comm
    scatters = call.facts.operation in ("Reduce_scatter", "Reduce_scatter_block")
    if not scatters or not {"reads", "writes"} <= buffer.access:
        return None
    if comm is None or not comm.size:
        return 0
    if call.facts.operation == "Reduce_scatter_block":
        return buffer.count // comm.size
    counts = call.counts or ()
    return counts[comm.rank] if 0 <= comm.rank < len(counts) else 0


def accesses(operation: Operation) -> list[Access]:
    """Return the buffers with data that an operation certainly uses."""
    if operation.among_neighbors and operation.comm is None:
        return []  # the neighbors are unknown
    left_alone = _unused_roles(operation)
    found = [
        Access(operation, buffer)
        for buffer in operation.buffers()
        if buffer.role not in left_alone and _has_peer(operation, buffer)
    ]
    return [access for access in found if access.entries]


def in_use(operation: Operation, every: Sequence[Access]) -> Iterator[Access]:
    """Yield the accesses that certainly belong to the operation until it completes."""
    held = operation.owned_partitions if operation.started else ()
    for access in every:
        used = access if held is None else Access(operation, access.buffer, held)
        if used is access or used.entries:
            yield used


def _has_peer(operation: Operation, buffer: Buffer) -> bool:
    # Transfers to and from MPI_PROC_NULL have no data (MPI-4.1, sections 3.8.2, 3.10 and 12.3).
    call, around = operation.call, operation.process.around
    if _of_nobody(operation):
        return False
    sides = {"reads": call.dest, "writes": call.source}
    peers = [call.target_rank, *(sides[access] for access in buffer.access & sides.keys())]
    known = [peer for peer in peers if peer is not None]
    return not known or any(around.constant_name(rank, "MPI_PROC_NULL") is None for rank in known)


def _of_nobody(operation: Operation) -> bool:
    # Tests for MPI_MESSAGE_NO_PROC, the message of a matching probe of MPI_PROC_NULL.
    call, registry = operation.call, operation.process.registry
    found = registry.find("message", call.message) if call.message is not None else None
    return isinstance(found, Message) and found.header.name == "MPI_MESSAGE_NO_PROC"


def _unused_roles(operation: Operation) -> set[str]:
    call = operation.call
    if call.facts.operation == "Exscan":  # MPI-4.1, section 6.11.2
        return {"recvbuf"} if operation.comm is None or operation.comm.rank == 0 else set()
    return _packed(call)


def _absent(operation: Operation, buffer: Buffer) -> set[int]:
    # The neighbors beyond the border of a process grid, which are MPI_PROC_NULL (section 8.6).
    comm = operation.comm if operation.among_neighbors else None
    if comm is None or buffer.share_count != 2 * len(comm.dims):
        return set()
    absent = set()
    for dimension, at in enumerate(zip(comm.dims, comm.periods, comm.coords)):
        size, periodic, coordinate = at
        if not periodic and coordinate == 0:
            absent.add(2 * dimension)
        if not periodic and coordinate == size - 1:
            absent.add(2 * dimension + 1)
    return absent


def _packed(call: Call) -> set[str]:
    # The calls use only bytes from `position` on, and mpipp does not record `position`.
    if call.procedure.startswith("MPI_Pack"):
        return {"outbuf"}
    return {"inbuf"} if call.procedure.startswith("MPI_Unpack") else set()


def _entries(buffer: Buffer, absent: set[int]) -> Iterator[Entries]:
    if buffer.shares is None and not absent:
        if _holds(buffer.datatype, buffer.total_count):
            assert isinstance(buffer.datatype, DatatypeRecord)
            yield Entries(None, buffer.address, buffer.total_count, buffer.datatype.tree)
        return
    for peer in range(buffer.share_count):
        share = buffer.share(peer)
        if peer in absent or share.displacement is None or not _holds(share.datatype, share.count):
            continue
        assert isinstance(share.datatype, DatatypeRecord)
        yield Entries(peer, buffer.address + share.displacement, share.count, share.datatype.tree)


def _partitions(buffer: Buffer, held: Sequence[range]) -> Iterator[Entries]:
    # Partitions are contiguous, with `count` entries each (MPI-4.1, section 4.2.1).
    record = buffer.datatype
    if _holds(record, buffer.count):
        assert isinstance(record, DatatypeRecord)
        size = buffer.count * record.tree.extent
        for run in held:
            address = buffer.address + run.start * size
            yield Entries(None, address, len(run) * buffer.count, record.tree)


def _holds(datatype: object, count: int) -> bool:
    if not isinstance(datatype, DatatypeRecord) or datatype.header.null:
        return False
    return count > 0 and datatype.tree.size > 0
