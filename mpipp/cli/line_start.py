# SPDX-License-Identifier: MIT
"""The start of a report on its own line, even if the program has not ended its last line."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import TextIO


def line_start(stream: TextIO, output: int = 1) -> str:
    """The text before a report: a newline if the program may not have ended its line, else "".

    If the output goes to a file, its last byte shows whether the line has ended. A pipe does not
    show its last byte. If the program's output goes to the same pipe, write the newline: at worst
    it makes an empty line.

    Args:
        output: the file descriptor of the program's output.
    """
    try:
        own = os.fstat(stream.fileno())
        if stat.S_ISREG(own.st_mode):
            return "\n" if _last_byte(stream.fileno(), own.st_size) not in (b"", b"\n") else ""
    except (OSError, ValueError):
        return ""
    return "\n" if _is_shared_pipe(own, output) else ""


def _is_shared_pipe(own: os.stat_result, output: int) -> bool:
    try:
        other = os.fstat(output)
    except OSError:
        return False
    is_pipe = stat.S_ISFIFO(own.st_mode) or stat.S_ISSOCK(own.st_mode)
    return is_pipe and os.path.samestat(own, other)


def write_blocks(blocks: Sequence[str], stream: TextIO, output: int = 1) -> None:
    """Write blocks of text on lines of their own.

    Each block ends with an empty line, by which a reader of a pipe knows that it is complete.
    """
    stream.write(line_start(stream, output) + "".join(blocks))
    stream.flush()


def _last_byte(descriptor: int, size: int) -> bytes:
    if not size:
        return b""
    file = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(file, 1, size - 1)
    finally:
        os.close(file)
