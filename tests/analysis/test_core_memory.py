# SPDX-License-Identifier: MIT
"""The memory in core files from gdb and from the kernel, with few segments and with many."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from tests import cores, support

# Receives into memory that only a device may use, and into the stack, which is the last segment.
PROGRAM = """\
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

static const int constant[4] = {1, 2, 3, 4};

int main(int argc, char **argv) {
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  char *device = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MPI_Irecv(device, 4, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Irecv(&argc, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[1]);
  if (argc > 1) MPI_Irecv((void *)constant, 4, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[2]);
  MPI_Barrier(MPI_COMM_SELF);
  abort();
}
"""
NOTHING = "no findings in 1 process, 0 active calls, 2 pending requests\n"
HEADER = 56  # bytes of a program header
MANY = 0xFFFF


@pytest.fixture(scope="module")
def mpi() -> support.MPI:
    return support.find_mpi("mpich4")


@pytest.fixture(scope="module")
def core(mpi: support.MPI, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A core file that gdb wrote."""
    path = tmp_path_factory.mktemp("cores") / "core"
    return support.make_core(support.compile_program(PROGRAM, mpi), mpi, ["run"], path)


def check(mpi: support.MPI, core: Path) -> str:
    program = support.compile_program(PROGRAM, mpi)
    printed = support.gdb_batch(["mpipp check memory"], program=program, core=core)
    return re.sub("0x[0-9a-f]+", "0x", printed)


def test_memory_of_a_device_is_not_read_only(mpi: support.MPI, core: Path) -> None:
    assert check(mpi, core) == NOTHING


@pytest.mark.parametrize("wrong", [False, True])
def test_in_a_core_of_the_kernel(mpi: support.MPI, tmp_path: Path, wrong: bool) -> None:
    program = support.compile_program(PROGRAM, mpi)
    core = cores.by_kernel(program, mpi, tmp_path, ["wrong"] * wrong)
    said = check(mpi, core)
    if not wrong:
        assert said == NOTHING
        return
    assert said.startswith(
        "error: MPI_Irecv writes to buf in read-only memory at 0x\n"
        "  MPI_Irecv(source = 0, tag = 3, "
    )
    assert said.endswith("\n1 finding in 1 process, 0 active calls, 3 pending requests\n")


def with_many_segments(core: bytes) -> bytes:
    """The core file with 65,535 empty segments before its own."""
    start, sections = struct.unpack_from("<QQ", core, 32)
    (number,) = struct.unpack_from("<H", core, 56)
    own = core[start : start + number * HEADER]
    changed = bytearray(core)
    struct.pack_into("<Q", changed, 32, len(core))
    struct.pack_into("<H", changed, 56, MANY)
    struct.pack_into("<I", changed, sections + 44, MANY + number)
    return bytes(changed) + bytes(MANY * HEADER) + own


def test_more_segments_than_the_header_can_count(
    mpi: support.MPI, core: Path, tmp_path: Path
) -> None:
    many = tmp_path / "core"
    many.write_bytes(with_many_segments(core.read_bytes()))
    assert check(mpi, many) == NOTHING
