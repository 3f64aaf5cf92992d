# SPDX-License-Identifier: MIT
"""Blocks of glibc's heap, in hand-made bytes."""

from __future__ import annotations

import sys

import pytest

from mpipp.registry.memory import heap_blocks
from mpipp.registry.memory.address_space import BytesMemory

START = 0x10000
IN_USE, MAPPED = 1, 2


def words(*numbers: int) -> bytes:
    """Words of 8 bytes."""
    return b"".join(number.to_bytes(8, sys.byteorder) for number in numbers)


def heap(*sizes: int, top: int = 0x1000) -> bytes:
    """Chunks of these sizes in bytes, all in use, and the top chunk."""
    data = b"".join(words(0, one | IN_USE).ljust(one & ~7, b"\xff") for one in sizes)
    return data + words(0, top | IN_USE).ljust(top, b"\0")


def found(data: bytes, offset: int) -> tuple[int, int] | None:
    """The block that contains a byte, relative to the start of the heap."""
    memory = BytesMemory({START: data})
    block = heap_blocks.block(memory, (START, START + len(data)), START + offset)
    return None if block is None else (block[0] - START, block[1] - START)


@pytest.mark.parametrize(
    ("offset", "block"),
    [
        (16, (16, 40)),  # 24 bytes, of which the last 8 are in the next chunk's first word
        (39, (16, 40)),
        (48, (48, 120)),
        (100, (48, 120)),
        (8, None),  # the header of a chunk
        (40, None),
    ],
)
def test_chunks(offset: int, block: tuple[int, int] | None) -> None:
    assert found(heap(32, 80, 48), offset) == block


def test_what_lies_in_a_block_is_no_head() -> None:
    data = bytearray(heap(32, 80, 48))
    data[48:64] = words(0, 33)  # data of the program that resembles a header
    assert found(bytes(data), 64) == (48, 120)


def test_a_free_block_is_none() -> None:
    data = bytearray(heap(32, 80, 48))
    data[112:128] = words(80, 48)  # the previous chunk is not in use
    assert found(bytes(data), 64) is None


@pytest.mark.parametrize("damage", [0, 7, 24, 40, 1 << 40])
def test_damage(damage: int) -> None:
    data = bytearray(heap(32, 80, 48))
    data[40:48] = words(damage)
    assert found(bytes(data), 64) is None


def test_mappings() -> None:
    """Large blocks have mappings of their own, which the system may merge."""
    data = b"".join(words(0, size | MAPPED).ljust(size, b"\xff") for size in (0x2000, 0x1000))
    assert found(data, 16) == (16, 0x2000)
    assert found(data, 0x1FFF) == (16, 0x2000)
    assert found(data, 0x2000 + 16) == (0x2010, 0x3000)
    assert found(data, 0x2000 + 8) is None
    assert found(words(1, 0x1000 | MAPPED).ljust(0x1000, b"\0"), 64) is None


ARENA = 4
OF_THREAD = 3 << 26


@pytest.mark.parametrize(("head", "first"), [(32, 2240), (48, 2256)])
def test_arenas(head: int, first: int) -> None:
    """The heap of a thread, in glibc before 2.35 and since."""
    chunks = heap(32 | ARENA, 80 | ARENA, 48 | ARENA)
    start = words(OF_THREAD + head, 0, first + len(chunks)).ljust(first, b"\0")
    memory = BytesMemory({OF_THREAD: start + chunks})

    def block(offset: int) -> tuple[int, int] | None:
        end = OF_THREAD + first + len(chunks)
        return heap_blocks.block(memory, (OF_THREAD, end), OF_THREAD + offset)

    at = OF_THREAD + first
    assert block(first + 48) == (at + 48, at + 120)
    assert block(first + 8) is None
    assert block(64) is None


def test_further_heap_of_an_arena() -> None:
    chunks = heap(32 | ARENA, 80 | ARENA)
    start = words(OF_THREAD - (1 << 26) + 32, 1, 32 + len(chunks), 0)
    memory = BytesMemory({OF_THREAD: start + chunks})
    end = OF_THREAD + len(start + chunks)
    found_one = heap_blocks.block(memory, (OF_THREAD, end), OF_THREAD + 32 + 20)
    assert found_one == (OF_THREAD + 48, OF_THREAD + 72)
