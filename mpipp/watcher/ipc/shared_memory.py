# SPDX-License-Identifier: MIT
"""The records of a watched process, in a memory file that it has passed to the watcher.

The file is read, not mapped, so changes by the process can only make a read fail.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

from mpipp.common.errors import GoneMemory, MpippError, UnreadableMemory
from mpipp.registry.memory.address_space import Memory
from mpipp.watcher.ipc.layouts import ARENA, REGION, Region

_MOST_REGIONS = 64
_MOST_CODE = 1 << 20  # bytes
_ADDRESS_SPACE = 1 << 64


class FileMemory:
    """The memory in the file, and the other memory of the process if it may be read.

    Args:
        file: descriptor of the memory file; `close` closes it.
        arena: offset in the file of the list of regions.
        others: reads the rest of the memory.
        goes_on: returns whether the process still runs. The rest of the memory may vanish before
            the process's connection.
    """

    def __init__(
        self,
        file: int,
        arena: int,
        others: Memory | None = None,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> None:
        self._file = file
        self._arena = arena
        self._others = others
        self._goes_on = goes_on
        self._ended = False
        self._regions: list[Region] = []
        self.not_there = 0
        self._code = [0, 0]
        self.refresh()

    def refresh(self) -> None:
        """Read the list of regions again. Raises MpippError if it is damaged."""
        count, self.not_there, *self._code = ARENA.read(self._at(self._arena, ARENA.size))
        if not 0 < count <= _MOST_REGIONS:
            raise MpippError(f"the memory of a watched process has {count} regions")
        data = self._at(self._arena + ARENA.size, count * REGION.size)
        self._regions = list(REGION.each(data))

    def code(self) -> str:
        """Lines of /proc/PID/maps from the time of the first MPI call; "" if they
        cannot be read."""
        address, size = self._code
        if size > _MOST_CODE:
            return ""
        try:
            return os.fsdecode(self.read(address, size))
        except UnreadableMemory:
            return ""

    def close(self) -> None:
        """Close the file. After this, reads fail."""
        os.close(self._file)

    def mark_ended(self) -> None:
        """Note that the process has ended, so that its other memory no longer exists."""
        self._others = None
        self._ended = True

    def read(self, address: int, length: int) -> bytes:
        if not length:
            return b""
        place = self._place(address, length)
        if place is not None:
            try:
                return self._at(place, length)
            except MpippError:
                raise UnreadableMemory(address, length) from None
        if self._others is not None and 0 <= address <= address + length <= _ADDRESS_SPACE:
            try:
                return self._others.read(address, length)
            except UnreadableMemory:
                if self._goes_on():
                    raise
                raise GoneMemory(address, length) from None
        raise (GoneMemory if self._ended else UnreadableMemory)(address, length)

    def write(self, address: int, data: bytes) -> None:
        """Change bytes in the file. Raises MpippError for addresses outside it."""
        place = self._place(address, len(data))
        if place is not None:
            with contextlib.suppress(OSError):
                if os.pwrite(self._file, data, place) == len(data):
                    return
        where = f"at {address:#x}"
        raise MpippError(f"the memory of a watched process cannot be written {where}")

    def _place(self, address: int, length: int) -> int | None:
        # The offset in the file. If the address is in no region, read the list of regions again:
        # the file may have grown.
        found = self._file_offset(address, length)
        if found is None:
            before = self._regions
            with contextlib.suppress(MpippError):
                self.refresh()
            found = self._file_offset(address, length) if self._regions != before else None
        return found

    def _file_offset(self, address: int, length: int) -> int | None:
        for start, offset, size in self._regions:
            if start <= address and address + length <= start + size:
                return offset + address - start
        return None

    def _at(self, offset: int, length: int) -> bytes:
        try:
            data = os.pread(self._file, length, offset)
        except (OSError, OverflowError, ValueError):
            data = b""
        if len(data) != length:
            raise MpippError("the memory file of a watched process is too short")
        return data
