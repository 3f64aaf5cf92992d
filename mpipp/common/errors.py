# SPDX-License-Identifier: MIT
"""Errors for the user, in one sentence: what, where, what to do."""

from __future__ import annotations


class MpippError(Exception):
    """An error for the user; its message is one sentence, printed without a traceback."""


class UnreadableMemory(MpippError):
    """An error for `length` bytes at `address` of the target that cannot be read."""

    def __init__(self, address: int, length: int) -> None:
        super().__init__(f"cannot read {length} bytes at {address:#x}")
        self.address = address
        self.length = length


class GoneMemory(UnreadableMemory):
    """An error for memory of a process that has ended: only its records remain."""

    def __init__(self, address: int, length: int) -> None:
        super().__init__(address, length)
        self.args = ("the memory of the process no longer exists",)


class NoWrapper(MpippError):
    """An error for processes without a wrapper for their MPI library.

    gdb then shows handles as plain numbers or pointers.
    """


class NoRecords(MpippError):
    """An error for programs with a wrapper that have not called MPI yet."""


class AddressError(MpippError):
    """An error for an element address, displacement or packed position outside the datatype."""
