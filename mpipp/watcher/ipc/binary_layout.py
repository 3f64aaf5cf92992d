# SPDX-License-Identifier: MIT
"""C structs in bytes: access to their members by name."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

_Members = TypeVar("_Members", bound=tuple[Any, ...])


class Layout(Generic[_Members]):
    """A struct, or the first members of one.

    Args:
        letters: its members, as Python's struct writes them.
        members: a named tuple with their names, in their order.
    """

    def __init__(self, letters: str, members: type[_Members]) -> None:
        self._struct = struct.Struct(letters)
        self._members = members
        self.size = self._struct.size  # bytes

    def read(self, data: bytes, at: int = 0) -> _Members:
        """The struct that begins at `at`. Raises struct.error if there are fewer bytes."""
        return self._members(*self._struct.unpack_from(data, at))

    def each(self, data: bytes) -> Iterator[_Members]:
        """Consecutive structs. The number of bytes is a multiple of the size."""
        return (self._members(*values) for values in self._struct.iter_unpack(data))

    def written(self, *values: object) -> bytes:
        """The bytes of a struct with these values."""
        return self._struct.pack(*values)
