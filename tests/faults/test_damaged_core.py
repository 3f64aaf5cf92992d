# SPDX-License-Identifier: MIT
"""Core files with wrong program headers: mpipp searches only the file, and Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import struct
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests import support

PROGRAM = support.program_source("gdb", "commands.c")
MPI = "mpich4" if "mpich4" in support.MPI_IDS else "openmpi4"
HUGE = 0xB000000000000000
LOAD = 1
DAMAGED = (
    "The core file is damaged (wrong program headers: 1), and the records of mpipp's wrapper are "
    "missing: copy it again from the original.\n"
)
LACKS = "The core file lacks the records of the mpipp wrapper"


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An undamaged core file."""
    mpi = support.find_mpi(MPI)
    program = support.compile_program(PROGRAM, mpi)
    path = tmp_path_factory.mktemp("core") / "core"
    return support.make_core(program, mpi, ["break mark", "run"], path).read_bytes()


def load_segments(core: bytes) -> Iterator[int]:
    """The offsets of the program headers for memory."""
    (at,) = struct.unpack_from("<Q", core, 32)
    size, number = struct.unpack_from("<HH", core, 54)
    for place in range(at, at + size * number, size):
        if struct.unpack_from("<I", core, place) == (LOAD,):
            yield place


def look(core: Path) -> str:
    # Without the program, gdb has no symbols of the wrapper.
    return support.gdb_batch(["mpipp info"], stop=[f"core-file {core}"])


@pytest.mark.parametrize("which", [0, *support.repeated(3)])
def test_a_huge_segment(core: bytes, which: int, tmp_path: Path) -> None:
    damaged = bytearray(core)
    place = list(load_segments(core))[which]
    struct.pack_into("<QQ", damaged, place + 32, HUGE, HUGE)
    path = tmp_path / "core"
    path.write_bytes(damaged)
    output = look(path)
    assert "MPI library  MPICH" in output or output == DAMAGED, output
    assert "halting search" not in output


def test_every_segment_is_the_whole_file(core: bytes, tmp_path: Path) -> None:
    damaged = bytearray(core)
    for place in load_segments(core):
        struct.pack_into("<Q", damaged, place + 8, 0)
        struct.pack_into("<QQ", damaged, place + 32, len(core), len(core))
    path = tmp_path / "core"
    path.write_bytes(damaged)
    # The last page of the address space would end beyond the last address.
    assert look(path) == DAMAGED


def test_interrupted(core: bytes, tmp_path: Path) -> None:
    # A terabyte of zeros after the core, in which the registry's magic is overwritten.
    path = tmp_path / "core"
    path.write_bytes(core.replace(b"MPIPPREG", b"mpippreg"))
    os.truncate(path, 1 << 40)
    watch = f"lambda event, args: event == 'open' and args[0] == '{path}' and print('searching')"
    words = support.gdb_words(None)
    gdb = pexpect.spawn(
        words[0],
        words[1:],
        env=support.clean_environment(),
        encoding="utf-8",
        timeout=120,
        echo=False,
        # gdb must handle SIGINT as at a terminal. A background job lets its children ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    prompt = "(gdb) "
    try:
        for command in ("set pagination off", "python import sys"):
            gdb.expect_exact(prompt)
            gdb.sendline(command)
        gdb.expect_exact(prompt)
        gdb.sendline(f"python sys.addaudithook({watch})")
        gdb.expect_exact(prompt)
        gdb.sendline(f"core-file {path}")  # prints a frame, for which gdb needs the registry
        for _ in range(2):  # once while the segments are read, then during the search
            gdb.expect_exact("searching\r\n")
        gdb.sendintr()
        gdb.expect_exact(prompt)
        gdb.sendline("mpipp info")
        gdb.expect_exact(prompt)
        assert gdb.before is not None
        assert gdb.before.startswith(LACKS)
    finally:
        # `close` would end it, too, but fails if that takes the kernel longer than 0.1 s.
        gdb.kill(signal.SIGKILL)
        gdb.wait()
        gdb.close()
