# SPDX-License-Identifier: MIT
"""Core files from the kernel, and core files like those of killed jobs, made from complete ones."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests import support

_HEADER, _PROGRAM_HEADER = 64, struct.Struct("<IIQQQQQQ")
_NOTE, _LOAD = 4, 1
_MANY = 0xFFFF  # PN_XNUM


def by_kernel(
    program: Path,
    mpi: support.MPI,
    directory: Path,
    arguments: Sequence[str] = (),
    **env: str,
) -> Path:
    """The core file that the kernel writes into an empty directory when a program dies.

    Skips the test if the system writes core files elsewhere.
    """
    pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if "/" in pattern or pattern.startswith("|"):
        support.lacking(f"the kernel writes cores to {pattern}, not to the working directory")
    command = ["env", f"LD_PRELOAD={mpi.wrapper}", str(program), *arguments]
    subprocess.run(
        ["sh", "-c", 'ulimit -c unlimited && exec "$@"', "sh", *command],
        cwd=directory,
        env={**mpi.env, **env},
        capture_output=True,
        timeout=200,
        check=False,
    )
    (core,) = directory.iterdir()
    return core


class Segment(NamedTuple):
    """A program header in the file."""

    kind: int
    flags: int
    offset: int
    start: int
    physical: int
    size: int
    memory: int
    align: int


def as_the_kernel(
    core: Path, path: Path, *, empty: int = 0, without: Callable[[Segment], bool] | None = None
) -> Path:
    """A copy of gdb's core file with the notes first, as the kernel writes them.

    Args:
        empty: number of additional mappings without data in the file.
        without: selects the mappings whose memory is left out.
    """
    data = core.read_bytes()
    (at,) = struct.unpack_from("<Q", data, 32)
    (number,) = struct.unpack_from("<H", data, 56)
    old = [Segment(*_PROGRAM_HEADER.unpack_from(data, at + 56 * i)) for i in range(number)]
    far = 0x10000  # an unused address
    more = [Segment(_LOAD, 4, 0, far + (i << 13), 0, 0, 4096, 4096) for i in range(empty)]
    loads = [each for each in old if each.kind == _LOAD]
    old = [*(each for each in old if each.kind == _NOTE), *more, *loads]
    section = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 1, 0, len(old), 0, 0)
    position = _HEADER + _PROGRAM_HEADER.size * len(old) + len(section)
    headers, parts = [], []
    for each in old:
        left_out = without is not None and each.kind == _LOAD and without(each)
        size = 0 if left_out else each.size
        headers.append(_PROGRAM_HEADER.pack(*each._replace(offset=position, size=size)))
        parts.append(data[each.offset : each.offset + size])
        position += size
    many = len(old) >= _MANY
    first = bytearray(data[:_HEADER])
    struct.pack_into("<QQ", first, 32, _HEADER, _HEADER + 56 * len(old) if many else 0)
    struct.pack_into("<HHHHH", first, 54, 56, _MANY if many else len(old), 64, many, 0)
    path.write_bytes(b"".join([bytes(first), *headers, section, *parts]))
    return path
