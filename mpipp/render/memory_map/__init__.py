# SPDX-License-Identifier: MIT
"""The memory of a datatype as a map of its bytes: text and SVG."""

from mpipp.render.memory_map.map import MemoryMap, memory_map, text

__all__ = ["MemoryMap", "memory_map", "text"]
