# SPDX-License-Identifier: MIT
"""An MPI_Status from its bytes, which are equal in C and Fortran (MPI-4.1, section 19.3.5)."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple, Protocol

_SOURCES = ("MPI_ANY_SOURCE", "MPI_PROC_NULL", "MPI_UNDEFINED", "MPI_ROOT")
_TAGS = ("MPI_ANY_TAG", "MPI_UNDEFINED")
# For each family of libraries: the size of a status in bytes, the format of its members, their
# names.
_LAYOUTS = {
    "MPICH": (20, "Iiiii", ("low", "high", "source", "tag", "error")),
    "Open MPI": (24, "iiiiQ", ("source", "tag", "error", "cancelled", "bytes")),
    "MPI ABI": (32, "iii20x", ("source", "tag", "error")),
}


class _Names(Protocol):
    def constant_name(self, value: int, *names: str) -> str | None:
        """The first name in `names` whose constant has this value."""
        ...


class Status(NamedTuple):
    """A status.

    Attributes:
        bytes: size of the message; None if the library does not publish it.
    """

    source: int
    tag: int
    error: int
    bytes: int | None
    cancelled: bool


def size(flavor: str) -> int:
    """The size of a status in bytes; 0 for an unknown library."""
    return _LAYOUTS[flavor][0] if flavor in _LAYOUTS else 0


def decoded(data: bytes, flavor: str, byte_order: str) -> Status:
    """The status in `size(flavor)` bytes."""
    _, code, names = _LAYOUTS[flavor]
    found: dict[str, Any] = dict(zip(names, struct.unpack(byte_order + code, data)))
    count, cancelled = found.get("bytes"), bool(found.get("cancelled"))
    if "low" in found:  # in MPICH, the lowest bit of `high` is the cancelled flag
        high = found["high"] & 0xFFFFFFFF
        count, cancelled = found["low"] | high >> 1 << 32, bool(high & 1)
    return Status(found["source"], found["tag"], found["error"], count, cancelled)


def text(status: Status, names: _Names) -> str:
    """Text such as {source = 1, tag = 5, error = MPI_SUCCESS, count = 40 bytes}."""
    shown = [
        f"source = {names.constant_name(status.source, *_SOURCES) or status.source}",
        f"tag = {names.constant_name(status.tag, *_TAGS) or status.tag}",
        f"error = {'MPI_SUCCESS' if status.error == 0 else status.error}",
    ]
    if status.bytes is not None:
        unit = "byte" if status.bytes == 1 else "bytes"
        shown.append(f"count = {status.bytes} {unit}")
    return "{" + ", ".join([*shown, *["cancelled"] * status.cancelled]) + "}"
