# SPDX-License-Identifier: MIT
"""Core files with any content are read as far as possible."""

from __future__ import annotations

import random
import struct
import tracemalloc
from pathlib import Path

from mpipp.registry.memory import core_files
from mpipp.registry.memory.core_files import Segment

_TEXT = b"here I am"


def written(path: Path, *headers: tuple[int, ...], data: bytes = b"", number: int = -1) -> str:
    """A core file with program headers and data. Its header claims that there are
    `number` of them."""
    count = len(headers) if number < 0 else number
    first = b"\x7fELF\2\1\1".ljust(16, b"\0")
    first += struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, count, 0, 0, 0)
    table = b"".join(struct.pack("<IIQQQQQQ", *header) for header in headers)
    path.write_bytes(first + table + data)
    return str(path)


def load(flags: int, offset: int, start: int, size: int, memory: int) -> tuple[int, ...]:
    return (1, flags, offset, start, 0, size, memory, 1)


def test_segments_and_what_is_cut_off(tmp_path: Path) -> None:
    path = written(
        tmp_path / "core",
        (4, 0, 400, 0, 0, 20, 0, 1),
        load(6, 232, 0x10000, 16, 0x1000),
        load(4, 248, 0x20000, 4096, 0x1000),
        data=_TEXT.ljust(16) + _TEXT,
    )
    core = core_files.read(path)
    assert core is not None
    assert core.segments == (
        Segment(0x10000, 0x11000, True, True, 232, 16),
        Segment(0x20000, 0x21000, True, False, 248, len(_TEXT)),
    )
    assert (core.size, core.whole, core.damaged) == (248 + len(_TEXT), 248 + 4096, 0)
    assert list(core_files.search(core, _TEXT)) == [0x10000]  # the other segment is not writable
    assert [core.has(at) for at in (0xFFFF, 0x10000, 0x1000F, 0x10010)] == [0, 1, 1, 0]


def test_a_segment_larger_than_the_world(tmp_path: Path) -> None:
    path = written(
        tmp_path / "core",
        load(6, 176, 0x1000, 0xB << 60, 0xB << 60),
        load(6, 0xB << 60, 0x2000, 1 << 63, 1 << 63),
        data=b" " * 100 + _TEXT,
    )
    core = core_files.read(path)
    assert core is not None
    assert list(core_files.search(core, _TEXT)) == [0x1000 + 100]
    assert (core.whole, core.damaged) == (core.size, 2)  # the file is not cut off


def test_more_headers_than_there_are(tmp_path: Path) -> None:
    for number in (2, 0xFFFF):
        core = core_files.read(written(tmp_path / "core", load(6, 0, 0, 4, 4), number=number))
        assert core is not None and len(core.segments) == 1


def test_a_table_larger_than_memory(tmp_path: Path) -> None:
    path = Path(written(tmp_path / "core", load(6, 0, 0, 4, 4), number=0xFFFF, data=bytes(64)))
    data = bytearray(path.read_bytes())
    # The first section, which has the number of program headers.
    struct.pack_into("<Q", data, 40, len(data) - 64)
    struct.pack_into("<I", data, len(data) - 20, 0xFFFFFFFF)
    struct.pack_into("<H", data, 54, 0xFFFF)  # size of a program header
    path.write_bytes(data)
    tracemalloc.start()
    try:
        core = core_files.read(str(path))
        assert core is not None and len(core.segments) == 1
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_what_is_no_core(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("text" * 100)
    assert [core_files.read(str(tmp_path / name)) for name in ("empty", "text", "none")] == [
        None
    ] * 3


def test_damage(tmp_path: Path) -> None:
    chance = random.Random(15)
    sound = Path(written(tmp_path / "sound", *(load(6, 500, 0, 4, 4) for _ in range(5))))
    for _ in range(1000):
        data = bytearray(sound.read_bytes())
        for _ in range(3):
            at = chance.randrange(len(data))
            data[at : at + 8] = chance.choice((bytes(8), b"\xff" * 8, chance.randbytes(8)))
        (tmp_path / "core").write_bytes(data)
        core = core_files.read(str(tmp_path / "core"))
        assert core is None or list(core_files.search(core, _TEXT)) == []
