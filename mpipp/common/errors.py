# SPDX-License-Identifier: MIT
"""Errors for the user, in one sentence: what, where, what to do."""

from __future__ import annotations


class MpippError(Exception):
    """An error for the user; its message is one sentence, shown without a traceback."""


class UnreadableMemory(MpippError):
    """The target's memory cannot be read at `address` for `length` bytes."""

    def __init__(self, address: int, length: int) -> None:
        super().__init__(f"cannot read {length} bytes at {address:#x}")
        self.address = address
        self.length = length


class GoneMemory(UnreadableMemory):
    """Unreadable memory of a process that has ended: only its records remain."""

    def __init__(self, address: int, length: int) -> None:
        super().__init__(address, length)
        self.args = ("the memory of the process no longer exists",)


class NoWrapper(MpippError):
    """There is no process with a wrapper for its MPI library: handles are what gdb says."""


class NoRecords(MpippError):
    """The wrapper is there, but the program has not called MPI yet."""


class AddressError(MpippError):
    """An element address, displacement or packed position that the datatype does not have."""
