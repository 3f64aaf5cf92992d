# SPDX-License-Identifier: MIT
"""Source lines around a place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mpipp.symbolizer.source_frames import Frame, Sources


def lines(path: Path, line: int) -> tuple[int, list[str]]:
    record: dict[str, Any] = Sources().record(Frame("x", str(path), line, "f"))
    return record["first"], record["source"]


def test_lines_around(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_bytes(b"".join(b"\tline %d\xff\n" % number for number in range(1, 10)))
    shown = [f"    line {number}\ufffd" for number in range(1, 10)]
    assert lines(path, 5) == (2, shown[1:8])
    assert lines(path, 1) == (1, shown[:4])
    assert lines(path, 9) == (6, shown[5:])
    assert lines(path, 10) == (0, [])
    path.write_text("x" * 10_000)
    assert lines(path, 1) == (1, ["x" * 400])


def test_what_is_no_source(tmp_path: Path) -> None:
    """A path may lead to a pipe, which would block the reader forever."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "none", Path("/dev/zero")):
        assert lines(path, 1) == (0, [])
    assert Sources().record(Frame("0x1"))["source"] == []
