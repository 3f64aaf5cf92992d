# SPDX-License-Identifier: MIT
"""Cores of killed jobs: cut off, with missing memory, or with very many mappings."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import cores, support
from tests.ranks import ranks

PROGRAM = support.program_source("gdb", "table_one.c")
REQUEST = (
    '#1  %p  MPI_Irecv active, source = 0, tag = 0, comm = "MPI_COMM_WORLD", '
    "buf = %p (1 STRUCT[3])  made at table_one.c:22 in main"
)
NOTHING = "no findings in 1 process, 0 active calls, 1 pending request"


class Dumped(NamedTuple):
    program: Path
    core: Path  # a core file in the kernel's order
    registry: int  # offset in the file


@pytest.fixture(scope="module")
def dumped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dumped]:
    mpi = support.find_mpi(support.MPI_IDS[0])
    program = support.compile_program(PROGRAM, mpi)
    directory = tmp_path_factory.mktemp("cores")
    with ranks(program, mpi) as pids:
        commands = [f"gcore {directory / 'gcore'}"]
        support.gdb_batch(commands, program=program, pid=pids[1], printers=False)
    core = cores.as_the_kernel(directory / "gcore", directory / "core")
    (directory / "gcore").unlink()
    yield Dumped(program, core, core.read_bytes().index(b"MPIPPREG\1\0\0\0"))
    shutil.rmtree(directory)


def cut(core: Path, length: int, path: Path) -> Path:
    with core.open("rb") as file:
        path.write_bytes(file.read(length))
    return path


def asked(commands: list[str], program: Path, core: Path) -> list[str]:
    output = support.gdb_batch(commands, program=program, core=core)
    return re.sub("0x[0-9a-f]{6,}", "%p", output).splitlines()


@pytest.mark.thorough
def test_many_mappings(dumped: Dumped, tmp_path: Path) -> None:
    core = cores.as_the_kernel(dumped.core, tmp_path / "core", empty=0x10000)
    assert asked(["mpipp check"], dumped.program, core) == [NOTHING]


def test_cut_off_behind_the_records(dumped: Dumped, tmp_path: Path) -> None:
    # Cut off the stack, which the kernel writes last.
    core = cut(dumped.core, dumped.core.stat().st_size - 0x10000, tmp_path / "core")
    lines = asked(["mpipp list requests", "mpipp check"], dumped.program, core)
    assert lines == [REQUEST, "1 request", NOTHING]


def test_cut_off_before_the_records(dumped: Dumped, tmp_path: Path) -> None:
    core = cut(dumped.core, dumped.registry, tmp_path / "core")
    whole = dumped.core.stat().st_size
    sentence = (
        f"The core file is truncated to {dumped.registry} of {whole} bytes, without the records of "
        "mpipp's wrapper: set ulimit -c unlimited and free disk space."
    )
    assert asked(["mpipp check", "mpipp info"], dumped.program, core) == [sentence, sentence]


def test_left_out(dumped: Dumped, tmp_path: Path) -> None:
    def has_registry(segment: cores.Segment) -> bool:
        return 0 <= dumped.registry - segment.offset < segment.size

    core = cores.as_the_kernel(dumped.core, tmp_path / "core", without=has_registry)
    assert asked(["mpipp check"], dumped.program, core) == [
        "The core file lacks the records of the mpipp wrapper, which are in private memory: "
        "write 0x33 to /proc/PID/coredump_filter before the process dies."
    ]
