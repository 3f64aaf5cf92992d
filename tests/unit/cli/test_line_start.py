# SPDX-License-Identifier: MIT
"""A report begins on its own line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mpipp.cli.line_start import line_start, write_blocks


@pytest.mark.parametrize(("before", "start"), [("", ""), ("Result: 8", "\n"), ("Result: 8\n", "")])
def test_in_a_file(tmp_path: Path, before: str, start: str) -> None:
    path = tmp_path / "output"
    path.write_text(before)
    with path.open("a") as stream:
        assert line_start(stream) == start


def test_in_a_pipe() -> None:
    """A newline is written only if the program's output goes to the same pipe."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream, os.fdopen(reading):
        assert line_start(stream, writing) == "\n"
        assert line_start(stream) == ""


def test_blocks_in_a_shared_pipe_end_with_an_empty_line() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as result, os.fdopen(writing, "w") as stream:
        write_blocks(["one\n\n", "two\n\n"], stream, writing)
        stream.close()
        assert result.read() == "\none\n\ntwo\n\n"
