# SPDX-License-Identifier: MIT
"""Datatypes and memory for tests of arithmetic, built with the standard's arguments."""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.common.errors import UnreadableMemory
from mpipp.typetree import Datatype, Extents, named


def basic(name: str, size: int, extent: int | None = None) -> Datatype:
    extent = size if extent is None else extent
    true_extent = size if name in ("MPI_DOUBLE_INT", "MPI_LONG_DOUBLE_INT") else extent
    return named(name, Extents(size, 0, extent, 0, true_extent))


INT = basic("MPI_INT", 4)
DOUBLE = basic("MPI_DOUBLE", 8)
CHAR = basic("MPI_CHAR", 1)
FLOAT = basic("MPI_FLOAT", 4)
BYTE = basic("MPI_BYTE", 1)
LONG_DOUBLE = basic("MPI_LONG_DOUBLE", 16)
DOUBLE_INT = basic("MPI_DOUBLE_INT", 12, 16)
SHORT_INT = basic("MPI_SHORT_INT", 6, 8)
LB = basic("MPI_LB", 0)
UB = basic("MPI_UB", 0)


def contiguous(count: int, base: Datatype) -> Datatype:
    return Datatype("CONTIGUOUS", {"count": count}, (base,))


def vector(
    count: int, blocklength: int, stride: int, base: Datatype, kind: str = "VECTOR"
) -> Datatype:
    arguments = {"count": count, "blocklength": blocklength, "stride": stride}
    return Datatype(kind, arguments, (base,))


def indexed(
    blocklengths: Sequence[int], displacements: Sequence[int], base: Datatype, kind: str = "INDEXED"
) -> Datatype:
    return Datatype(kind, _blocks(blocklengths, displacements), (base,))


def indexed_block(
    blocklength: int, displacements: Sequence[int], base: Datatype, kind: str = "INDEXED_BLOCK"
) -> Datatype:
    arguments = {
        "count": len(displacements),
        "blocklength": blocklength,
        "displacements": tuple(displacements),
    }
    return Datatype(kind, arguments, (base,))


def struct(*blocks: tuple[int, int, Datatype], name: str = "") -> Datatype:
    """A struct from (blocklength, displacement, datatype) tuples."""
    lengths, displacements, parts = zip(*blocks) if blocks else ((), (), ())
    return Datatype("STRUCT", _blocks(lengths, displacements), tuple(parts), name)


def resized(lb: int, extent: int, base: Datatype) -> Datatype:
    return Datatype("RESIZED", {"lb": lb, "extent": extent}, (base,))


def dup(base: Datatype) -> Datatype:
    return Datatype("DUP", {}, (base,))


def subarray(
    sizes: Sequence[int],
    subsizes: Sequence[int],
    starts: Sequence[int],
    base: Datatype,
    order: str = "C",
) -> Datatype:
    arguments = {
        "ndims": len(sizes),
        "sizes": tuple(sizes),
        "subsizes": tuple(subsizes),
        "starts": tuple(starts),
        "order": order,
    }
    return Datatype("SUBARRAY", arguments, (base,))


def darray(
    size: int,
    rank: int,
    gsizes: Sequence[int],
    distribs: Sequence[str],
    dargs: Sequence[int | None],
    psizes: Sequence[int],
    base: Datatype,
    order: str = "C",
) -> Datatype:
    arguments = {
        "size": size,
        "rank": rank,
        "ndims": len(gsizes),
        "gsizes": tuple(gsizes),
        "distribs": tuple(distribs),
        "dargs": tuple(dargs),
        "psizes": tuple(psizes),
        "order": order,
    }
    return Datatype("DARRAY", arguments, (base,))


def paper_struct() -> Datatype:
    """The datatype of figures 1, 2 and 5 of the paper."""
    return struct((1, -4, LB), (5, 0, INT), (7, 47, CHAR), (2, 76, DOUBLE), (1, 100, UB))


def _blocks(lengths: Sequence[int], displacements: Sequence[int]) -> dict[str, object]:
    return {
        "count": len(lengths),
        "blocklengths": tuple(lengths),
        "displacements": tuple(displacements),
    }


class FakeMemory:
    """Memory with `data` at `base`. It counts its reads."""

    def __init__(self, base: int, data: bytes) -> None:
        self.base = base
        self.data = data
        self.reads = 0
        self.bytes_read = 0

    def read(self, address: int, length: int) -> bytes:
        start = address - self.base
        if start < 0 or start + length > len(self.data):
            raise UnreadableMemory(address, length)
        self.reads += 1
        self.bytes_read += length
        return self.data[start : start + length]
