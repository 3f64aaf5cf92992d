# SPDX-License-Identifier: MIT
"""The memory of a datatype as a map: which bytes are touched, by what; as text and as a picture."""

from mpipp.show.memorymap.maps import MemoryMap, memory_map, text

__all__ = ["MemoryMap", "memory_map", "text"]
