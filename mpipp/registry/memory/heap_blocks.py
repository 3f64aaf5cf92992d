# SPDX-License-Identifier: MIT
"""Blocks of glibc's heap, found by the size word before each (wrapper/call_filter/heap_blocks.c).

The search goes from block to block, from the start of the heap. So it never takes the contents of a
block for a size word.
"""

from __future__ import annotations

import sys

from mpipp.common.errors import UnreadableMemory
from mpipp.registry.memory.address_space import Memory

_WORD = 8
_HEAD = 2 * _WORD  # the size of the previous block, if that is free, and the size of this block
_IN_USE, _MAPPED, _ARENA, _FLAGS = 1, 2, 4, 7
_LEAST = 32  # bytes of the smallest block, including its head
_PAGE = 4096
_STEP = 1 << 16  # bytes that are read at once
_MOST_BLOCKS = 100_000
# A thread's heap begins at a multiple of these bytes, with a head. The first heap of an arena also
# has the arena's state.
_ARENA_BYTES, _ARENA_STATE = 1 << 26, 2200
_HEAP_HEADS = (32, 48)  # bytes before glibc 2.35, and since


def block(memory: Memory, mapping: tuple[int, int], address: int) -> tuple[int, int] | None:
    """Return the heap block [low, high) with an address; None if it is unknown.

    Args:
        mapping: [start, end) of the writable memory with the address.
    """
    start, end = mapping
    words = _Words(memory, start, end)
    try:
        before, head = words.at(start), words.at(start + _WORD)
        if head & _MAPPED:
            return _mapped(words, mapping, address) if not before else None
        found = _in_heap(words, mapping, address, 0)
        return found or _in_arena(words, mapping, address)
    except UnreadableMemory:
        return None


class _Words:
    # Reads memory in large pieces.
    def __init__(self, memory: Memory, start: int, end: int) -> None:
        self._memory, self._start, self._end = memory, start, end
        self._base, self._data = start, b""

    def at(self, address: int) -> int:
        if not self._start <= address <= self._end - _WORD:
            raise UnreadableMemory(address, _WORD)
        if not self._base <= address <= self._base + len(self._data) - _WORD:
            self._base = address
            self._data = self._memory.read(address, min(_STEP, self._end - address))
        offset = address - self._base
        return int.from_bytes(self._data[offset : offset + _WORD], sys.byteorder)


def _in_arena(words: _Words, mapping: tuple[int, int], address: int) -> tuple[int, int] | None:
    start = address - address % _ARENA_BYTES
    arena, before, size = (words.at(start + at) for at in (0, _WORD, 2 * _WORD))
    head = arena % _ARENA_BYTES
    is_first = arena == start + head
    if head not in _HEAP_HEADS or is_first == bool(before) or start + size > mapping[1]:
        return None
    at = start + head + (_ARENA_STATE if is_first else 0)
    return _in_heap(words, (at + -at % _HEAD, start + size), address, _ARENA)


def _in_heap(
    words: _Words, mapping: tuple[int, int], address: int, arena: int
) -> tuple[int, int] | None:
    # Walks from the first block. `arena` is the flag that sizes have in a thread's heap.
    at, end = mapping
    for _ in range(_MOST_BLOCKS):
        head = words.at(at + _WORD)
        size = head & ~_FLAGS
        flags = _MAPPED | (_ARENA & ~arena)
        wrong = size < _LEAST or size % _HEAD or head & flags or at + size > end
        if wrong or address < at + _HEAD:
            return None
        if address < at + size + _WORD:
            if head & _ARENA != arena:
                return None
            in_use = words.at(at + size + _WORD) & _IN_USE
            return (at + _HEAD, at + size + _WORD) if in_use else None
        at += size
    return None


def _mapped(words: _Words, mapping: tuple[int, int], address: int) -> tuple[int, int] | None:
    # Large blocks have mappings of their own. The kernel may have joined several of them.
    at, end = mapping
    for _ in range(_MOST_BLOCKS):
        before, head = words.at(at), words.at(at + _WORD)
        size = head & ~_FLAGS
        wrong = before or head & _FLAGS != _MAPPED or not size or size % _PAGE or at + size > end
        if wrong or address < at + _HEAD:
            return None
        if address < at + size:
            return at + _HEAD, at + size
        at += size
    return None
