# SPDX-License-Identifier: MIT
"""C structs as bytes, with access to their members by name."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

_Members = TypeVar("_Members", bound=tuple[Any, ...])


class Layout(Generic[_Members]):
    """A struct, or its first members.

    Args:
        letters: the types of its members, in the format of Python's struct module.
        members: a named tuple with their names, in the same order.
    """

    def __init__(self, letters: str, members: type[_Members]) -> None:
        self._struct = struct.Struct(letters)
        self._members = members
        self.size = self._struct.size  # bytes

    def read(self, data: bytes, at: int = 0) -> _Members:
        """The struct at the offset `at`. Raises struct.error if there are too few bytes."""
        return self._members(*self._struct.unpack_from(data, at))

    def each(self, data: bytes) -> Iterator[_Members]:
        """Consecutive structs. The number of bytes must be a multiple of the size."""
        return (self._members(*values) for values in self._struct.iter_unpack(data))

    def written(self, *values: object) -> bytes:
        """The bytes of a struct with these values."""
        return self._struct.pack(*values)
